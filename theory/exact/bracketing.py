r"""The discounts for which TD is stable, where the exact crossings would take too long.

Doubles find the crossings: the margin m(γ) = min Re λ(X − γY), X and Y acting on independent features, is sampled on a
grid in [0, 1), and every change of sign is bisected. Certified verdicts (`theory.exact.verdicts.td_stable`, rational or
ball arithmetic) then confirm both sides: each end of an interval is a bracket no wider than WIDTH, stable on one side
and unstable on the other. What is not certified is that there are no further intervals: two crossings inside one
cell of the grid would go unseen. The result says so.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq

from theory.exact.algebraic import algebraic_rational
from theory.exact.discounts import StableIntervals, Threshold, exactly
from theory.exact.matrices import rational
from theory.exact.reduced import reduced
from theory.exact.verdicts import td_stable
from theory.problems import Problem
from theory.problems.numbers import FloatArray

WIDTH = Fraction(1, 10**12)
LAST = 1 - WIDTH  # γ = 1 is excluded, and A(1) is often singular


def bracketed_intervals(problem: Problem, reason: str) -> StableIntervals:
    """Certified brackets of the ends of TD's stable intervals, found on a grid."""
    m = reduced(problem)
    X, Y = _scaled_floats(m.G * m.X, m.G * m.Y)
    grid = _grid(m.rank)
    stable = [bool(x) for x in _margins(X, Y, grid) > 0]
    stable[0] = True  # A(0) = X
    stable[-1] = _holds(problem, LAST)
    note = f"{reason}: bracketed to 1e-12; two crossings closer than {1 / (len(grid) - 1):.1g} may be missed"
    crossings = []
    for i in range(len(grid) - 1):
        if stable[i] != stable[i + 1]:
            bracket = _bracket(problem, X, Y, grid[i], grid[i + 1], stable[i])
            if bracket is None:
                note += f"; a change near γ = {grid[i]:.4g} was not confirmed"
                continue
            crossings.append((*bracket, stable[i]))
    ends, opened = [], exactly(algebraic_rational(0))
    for low, high, closes in crossings:
        here = Threshold(None, low, high, note)
        if closes:
            ends.append((opened, here))
        else:
            opened = here
    if stable[-1]:
        ends.append((opened, exactly(algebraic_rational(1))))
    return StableIntervals(tuple(ends), complete=False, reason=note)


def _bracket(
    problem: Problem, X: FloatArray, Y: FloatArray, low: float, high: float, stable_low: bool
) -> tuple[fmpq, fmpq] | None:
    """A bracket at most WIDTH wide with the certified verdicts `stable_low` below and its opposite above."""
    for _ in range(60):
        middle = (low + high) / 2
        if (_margins(X, Y, np.array([middle]))[0] > 0) == stable_low:
            low = middle
        else:
            high = middle
    centre, reach = Fraction((low + high) / 2), WIDTH / 4
    # Doubles place the crossing to a few ulp times its condition number: widen until the verdicts agree, then bisect.
    for _ in range(30):
        below, above = max(centre - reach, Fraction(0)), min(centre + reach, LAST)
        if _holds(problem, below) == stable_low and _holds(problem, above) != stable_low:
            break
        reach *= 4
    else:
        return None
    while above - below > WIDTH:
        middle_point = (below + above) / 2
        if _holds(problem, middle_point) == stable_low:
            below = middle_point
        else:
            above = middle_point
    return rational(below), rational(above)


def _holds(problem: Problem, gamma: Fraction) -> bool:
    """The certified verdict; an undecided one counts as neither, that is, as not stable."""
    return td_stable(problem.with_gamma(gamma)).holds is True


def _margins(X: FloatArray, Y: FloatArray, gammas: FloatArray) -> FloatArray:
    return np.array([np.linalg.eigvals(X - g * Y).real.min() for g in gammas])


def _grid(r: int) -> FloatArray:
    """As many cells as a few seconds of eigenvalues allow, at most 1024."""
    cells = int(np.clip(5e8 / r**3, 64, 1024))
    grid = np.linspace(0, 1, cells + 1)
    grid[-1] = float(LAST)
    return grid


def _scaled_floats(X: object, Y: object) -> tuple[FloatArray, FloatArray]:
    from theory.exact.matrices import fractions

    exact_X, exact_Y = (np.atleast_2d(fractions(Z)) for Z in (X, Y))  # type: ignore[arg-type]
    # One common scale keeps the entries within the range of doubles and moves no sign.
    scale = max(abs(x) for Z in (exact_X, exact_Y) for x in Z.ravel())
    return (exact_X / scale).astype(float), (exact_Y / scale).astype(float)
