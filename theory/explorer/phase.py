r"""The (γ, feature entry) plane: on which side of both lines every point falls, in floats.

For a value x of one entry of Φ let X, Y be the moments on independent features. The chain is unbiased exactly for
γ ρ(X⁻¹Y) < 1, one number a value; TD is stable where all eigenvalues of X − γY have positive real part, one spectrum
a point. Certified verdicts at thousands of points would take seconds; these pixels are for orientation, and the
verdict at the current point comes from `theory.exact`. The boundaries themselves are algebraic curves with certified
sides, `exact_curves`; another process finds them while the pixels are shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from theory.model.linear_model import float_model, value_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

ROWS, COLUMNS = 49, 100
MOST_FEATURES = 10  # with letters in them, as in `theory derive`
Lines = list[tuple[str, FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Phase:
    """Quadrants on a grid: 0 nothing fails, 1 only TD, 2 only the chain, 3 both."""

    gammas: FloatArray  # (G,)
    values: FloatArray  # (V,)
    quadrant: Array  # (V, G) of 0..3


def phase_map(problem: Problem, entry: tuple[int, int], far: float) -> Phase:
    """The quadrant at every (value of the entry up to ±far, γ); remembered, as neither moves the map."""
    # In floats and without the MDP from the start: validating fractions anew for every value takes most of the time.
    Phi = problem.Phi.copy()
    Phi[entry] = 0.0
    plane = Problem.from_matrices(0.0, Phi=Phi, P_pi=problem.P_pi, d_mu=problem.d_mu, episodic=True)
    return quadrants(plane, entry, tuple(np.linspace(-far, far, ROWS).tolist()), COLUMNS)


@lru_cache(maxsize=32)
def quadrants(plane: Problem, entry: tuple[int, int], values: tuple[float, ...], columns: int) -> Phase:
    """On a grid of the entry's values and of `columns` γ below 1."""
    gammas = np.linspace(0, 1 - 1 / columns, columns) if columns > 1 else np.zeros(1)
    quadrant = np.empty((len(values), len(gammas)), dtype=np.int8)
    for i, value in enumerate(values):
        Phi = plane.Phi.copy()
        Phi[entry] = value
        there = plane.with_features(Phi)
        radius = np.abs(np.linalg.eigvals(value_model(there).Y_hat)).max(initial=0.0)
        m = float_model(there)
        least = np.linalg.eigvals(m.X - gammas[:, None, None] * m.Y).real.min(axis=1, initial=np.inf)
        quadrant[i] = (least <= 0) + 2 * (gammas * radius >= 1)
    return Phase(gammas, np.array(values), quadrant)


def bare_plane(problem: Problem, entry: tuple[int, int]) -> Problem | None:
    """What the curves depend on: the problem without γ and without the entry; None where there are no exact numbers."""
    g = problem.given
    if not problem.is_exact or problem.n_features > MOST_FEATURES:
        return None
    Phi = g.Phi.copy()
    Phi[entry] = Fraction(0)
    try:
        return Problem.from_matrices(0, Phi=Phi, P_pi=g.P_pi, d_mu=g.d_mu, episodic=True)
    except InvalidProblem:  # where states are not visited an entry may not be 0
        return None


def exact_curves(plane: Problem, entry: tuple[int, int], far: float) -> Lines:
    """The boundaries as lines: whose (td or chain), γ, and the entry's value; none where they cannot be cut exactly."""
    from theory.derivation.plane import plane_of_problem

    over = ("gamma", f"phi[{entry[0] + 1},{entry[1] + 1}]")
    return [(k.side, k.x, k.y) for k in plane_of_problem(plane, over, Fraction(far)).curves()]


def reach(problem: Problem, value: Fraction) -> float:
    """How far the entry's slider goes to either side: past every feature there is, and at least to 4."""
    return float(np.ceil(max(4.0, 1.25 * float(np.abs(problem.Phi).max()), abs(float(value)))))
