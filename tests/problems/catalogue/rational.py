"""Moments and values of a problem, exactly and straight from their definitions."""

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

GAMMAS = [Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)]


def moments(problem):
    """X = ΦᵀDΦ and Y = ΦᵀDPΦ, exactly."""
    e = problem.exact
    weighted = e.Phi.T * e.d_mu
    return weighted @ e.Phi, weighted @ e.P_pi @ e.Phi


def key_matrix(problem):
    X, Y = moments(problem)
    return X - problem.exact.gamma * Y


def flint_matrix(array):
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in array.tolist()])


def value(P, r, gamma):
    """The exact solution of v = r + γPv."""
    identity = np.array([[Fraction(int(i == j)) for j in range(len(P))] for i in range(len(P))])
    solved = flint_matrix(identity - gamma * P).solve(flint_matrix(r[:, None]))
    return [Fraction(int(x.p), int(x.q)) for x in solved.entries()]


def target_value(problem):
    return value(problem.exact.P_pi, problem.exact.r_pi, problem.exact.gamma)


def behaviour_value(problem):
    return value(problem.exact.P_mu, problem.exact.r_mu, problem.exact.gamma)


def td_stable(problem):
    """All eigenvalues of A to the right of the axis; far enough from it that floats can tell."""
    real = np.linalg.eigvals(key_matrix(problem).astype(float)).real
    assert np.abs(real).min() > 1e-6
    return bool((real > 0).all())


def chain_radius(problem):
    X, Y = moments(problem)
    rho = np.abs(np.linalg.eigvals(np.linalg.solve(X.astype(float), problem.gamma * Y.astype(float)))).max()
    assert abs(rho - 1) > 1e-6
    return rho
