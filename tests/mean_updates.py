"""A second witness of the expected updates of GTD2, TDC, TDRC and ETD(0): the textbook's F×F matrices, in doubles.

z ← z + α(vector − matrix z) on z = (θ, w), with η = β/α:

    GTD2  [[0, −Aᵀ], [ηA, ηX]]        TDC, TDRC  [[A, γYᵀ], [ηA, η(X + κI)]]        ETD(0)  Φᵀdiag(f)(I − γP)Φ
"""

import numpy as np

from theory.model.linear_model import moments


def gradient_mean(problem, name, ratio, ridge=0.0):
    """(matrix, vector) of gtd2, tdc or tdrc."""
    m = moments(problem)
    top, first = ([0 * m.A, -m.A.T], 0 * m.b) if name == "gtd2" else ([m.A, (m.X - m.A).T], m.b)
    shrink = m.X + (ridge if name == "tdrc" else 0) * np.eye(len(m.X))
    return np.block([top, [ratio * m.A, ratio * shrink]]), np.concatenate([first, ratio * m.b])


def emphatic_mean(problem):
    """(matrix, vector) of ETD(0) with interest one, f = (I − γPᵀ)⁻¹d."""
    step = np.eye(problem.n_states) - problem.gamma * problem.P_pi
    weighted = problem.Phi.T * np.linalg.solve(step.T, problem.d_mu)
    return weighted @ step @ problem.Phi, weighted @ problem.r_pi


def emphatic_values(problem):
    """What ETD(0) predicts at rest."""
    return problem.Phi @ np.linalg.lstsq(*emphatic_mean(problem), rcond=None)[0]
