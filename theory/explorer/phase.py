r"""The (γ, feature entry) plane: on which side of both lines every point falls, in floats.

For a value x of one entry of Φ let X, Y be the moments on independent features. The chain is unbiased exactly for
γ ρ(X⁻¹Y) < 1, one number a value; TD is stable where all eigenvalues of X − γY have positive real part, one spectrum
a point. Certified verdicts at thousands of points would take seconds; the picture is for orientation, and the
verdict at the current point comes from `theory.exact`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.linear.basis import feature_basis, row_space, unit_moments
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


@dataclass(frozen=True, eq=False)
class Phase:
    """Quadrants on a grid: 0 nothing fails, 1 only TD, 2 only the chain, 3 both."""

    gammas: FloatArray  # (G,)
    values: FloatArray  # (V,)
    quadrant: Array  # (V, G) of 0..3


def phase_map(problem: Problem, entry: tuple[int, int], values: FloatArray, gammas: FloatArray) -> Phase:
    """The quadrant at every (value of the entry, γ)."""
    quadrant = np.empty((len(values), len(gammas)), dtype=np.int8)
    # In floats and without the MDP from the start: validating fractions anew for every value takes most of the time.
    base = Problem.from_matrices(0.0, Phi=problem.Phi, P_pi=problem.P_pi, d_mu=problem.d_mu)
    for i, value in enumerate(values):
        Phi = base.Phi.copy()
        Phi[entry] = value
        there = base.with_features(Phi)
        radius = np.abs(np.linalg.eigvals(feature_basis(there).compress(there.P_pi))).max(initial=0.0)
        m, _ = unit_moments(there)
        V = row_space(there)
        X, Y = V.T @ m.X @ V, V.T @ m.Y @ V
        least = np.linalg.eigvals(X - gammas[:, None, None] * Y).real.min(axis=1, initial=np.inf)
        quadrant[i] = (least <= 0) + 2 * (gammas * radius >= 1)
    return Phase(gammas, values, quadrant)


def reach(problem: Problem, value: Fraction) -> float:
    """How far the entry's slider goes to either side: past every feature there is, and at least to 4."""
    return float(np.ceil(max(4.0, 1.25 * float(np.abs(problem.Phi).max()), abs(float(value)))))
