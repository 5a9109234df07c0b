r"""Thresholds in γ where their exact forms would take too long: found in doubles, certified on both sides.

**TD.** The margin m(γ) = min Re λ(X − γY), X and Y acting on independent features, is sampled on a grid in [0, 1), and
every change of sign is bisected. **The chain** has one threshold, 1/ρ(ΠP).

Certified verdicts (`theory.exact.verdicts`, rational or ball arithmetic) then confirm both sides: each end is a bracket
no wider than WIDTH, with one verdict below and the other above. What is not certified is that TD has no
further intervals: two crossings inside one cell of the grid would go unseen. The result says so.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.algebraic import algebraic_rational
from theory.exact.discounts import StableIntervals, Threshold, exactly
from theory.exact.matrices import fractions, rational
from theory.exact.reduced import reduced
from theory.exact.verdicts import chain_unbiased, td_stable
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


def bracketed_chain_threshold(problem: Problem, reason: str) -> Threshold:
    """A certified bracket of 1/ρ(ΠP) where that is below 1."""

    def holds(gamma: Fraction) -> bool:
        return chain_unbiased(problem.with_gamma(gamma)).holds is True

    if holds(LAST):
        return Threshold(None, rational(LAST), None, f"{reason}: the chain is certified unbiased up to γ = 1 − 1e-12")
    m = reduced(problem)
    X, Y = _scaled_floats(m.X, m.Y)
    radius = float(abs(np.linalg.eigvals(np.linalg.solve(X, Y))).max())
    bracket = _certified(holds, min(1 / radius, float(LAST)) if radius else float(LAST), True)
    if bracket is None:
        return Threshold(None, None, rational(LAST), f"{reason}, and doubles did not find the threshold")
    return Threshold(None, *bracket, f"{reason}: bracketed to 1e-12")


def _bracket(
    problem: Problem, X: FloatArray, Y: FloatArray, low: float, high: float, stable_low: bool
) -> tuple[fmpq, fmpq] | None:
    """Where the margin changes sign between `low` and `high`, certified."""
    for _ in range(60):
        middle = (low + high) / 2
        if (_margins(X, Y, np.array([middle]))[0] > 0) == stable_low:
            low = middle
        else:
            high = middle
    return _certified(lambda gamma: _holds(problem, gamma), (low + high) / 2, stable_low)


def _certified(holds: Callable[[Fraction], bool], near: float, holds_below: bool) -> tuple[fmpq, fmpq] | None:
    """A bracket at most WIDTH wide around a number near `near`, with the verdict `holds_below` below, not above."""
    centre, reach = Fraction(near), WIDTH / 4
    # Doubles place the crossing to a few ulp times its condition number: widen until the verdicts agree, then bisect.
    for _ in range(30):
        below, above = max(centre - reach, Fraction(0)), min(centre + reach, LAST)
        if holds(below) == holds_below and holds(above) != holds_below:
            break
        reach *= 4
    else:
        return None
    while above - below > WIDTH:
        middle = (below + above) / 2
        if holds(middle) == holds_below:
            below = middle
        else:
            above = middle
    return rational(below), rational(above)


def _holds(problem: Problem, gamma: Fraction) -> bool:
    """The certified verdict on TD; an undecided one counts as not stable."""
    return td_stable(problem.with_gamma(gamma)).holds is True


def _margins(X: FloatArray, Y: FloatArray, gammas: FloatArray) -> FloatArray:
    return np.array([np.linalg.eigvals(X - g * Y).real.min() for g in gammas])


def _grid(r: int) -> FloatArray:
    """As many cells as a few seconds of eigenvalues allow, at most 1024."""
    cells = int(np.clip(5e8 / r**3, 64, 1024))
    grid = np.linspace(0, 1, cells + 1)
    grid[-1] = float(LAST)
    return grid


def _scaled_floats(X: fmpq_mat, Y: fmpq_mat) -> tuple[FloatArray, FloatArray]:
    exact_X, exact_Y = (fractions(Z).reshape(Z.nrows(), Z.ncols()) for Z in (X, Y))
    # One common scale keeps the entries within the range of doubles and moves no sign.
    scale = max(abs(x) for Z in (exact_X, exact_Y) for x in Z.ravel())
    return (exact_X / scale).astype(float), (exact_Y / scale).astype(float)
