r"""Thresholds in γ where their exact forms would take too long: found in doubles, certified on both sides.

**TD.** [0, 1) is covered by intervals on which TD is proved to be stable, or proved not to be
(`theory.thresholds.cover`); between two of different kinds the margin m(γ) = min Re λ(X − γY) is brought to zero
in doubles. **The chain** has one threshold, 1/ρ(ΠP).

Certified verdicts (`theory.certified.verdicts`, rational or ball arithmetic) then confirm both sides: each end is a
bracket no wider than `width`, with one verdict below and the other above. What the cover leaves open are the
surroundings of the crossings, and with very many features whatever it did not come to; there a grid is
searched in doubles, and two crossings in one cell would go unseen. The result says which of the two it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import fmpq, fmpq_mat

from theory.certified.bounded import Bounded, given
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.algebraic import algebraic_rational
from theory.exact.matrices import fraction, rational
from theory.exact.reduced import reduced
from theory.problems import Problem
from theory.problems.numbers import FloatArray
from theory.thresholds.cover import Piece, cover
from theory.thresholds.results import StableIntervals, Threshold, exactly

WIDTH = Fraction(1, 10**12)
LAST = 1 - WIDTH  # γ = 1 is excluded, and A(1) is often singular
MANY = 60  # features beyond which a verdict so close to a boundary takes seconds: brackets are wider there
WIDE = Fraction(1, 10**7)
SECONDS = 20.0  # for the cover, about

Progress = Callable[[float], None]


@dataclass(frozen=True)
class _Change:
    """TD's side changes between `low` and `high`; `closes` a stable interval, or opens one."""

    low: float
    high: float
    closes: bool


def bracketed_intervals(problem: Problem, reason: str, progress: Progress | None = None) -> StableIntervals:
    """Certified brackets of the ends of TD's stable intervals."""
    m = reduced(problem)
    X, Y = _bounded(m.G * m.X, m.G * m.Y)
    width = _width(m.rank)
    gap = 1e-6 if m.rank <= MANY else 1e-3
    pieces = cover(X, Y, float(LAST), gap, _steps(m.rank), progress)
    changes, note = _changes(X, Y, pieces, gap)
    note = f"{reason}: bracketed to {float(width):.0g}; {note}"
    ends, opened = [], exactly(algebraic_rational(0))
    stable = True
    for change in changes:
        bracket = _bracket(problem, X.mid, Y.mid, change, width)
        if bracket is None:
            note += f"; a change near γ = {change.low:.4g} was not confirmed"
            continue
        here = Threshold(None, *bracket, note)
        stable = not change.closes
        if change.closes:
            ends.append((opened, here))
        else:
            opened = here
    if stable:
        ends.append((opened, exactly(algebraic_rational(1))))
    return StableIntervals(tuple(ends), complete=False, reason=note)


def bracketed_chain_threshold(problem: Problem, reason: str) -> Threshold:
    """A certified bracket of 1/ρ(ΠP) where that is below 1."""

    def holds(gamma: Fraction) -> bool:
        return chain_unbiased(problem.with_gamma(gamma)).proved

    m = reduced(problem)
    width = _width(m.rank)
    last = 1 - width
    if holds(last):
        known = f"the chain is certified unbiased up to γ = 1 − {float(width):.0g}"
        return Threshold(None, rational(last), None, f"{reason}: {known}")
    X, Y = (Z.mid for Z in _bounded(m.X, m.Y))
    radius = float(abs(np.linalg.eigvals(np.linalg.solve(X, Y))).max())
    bracket = _certified(holds, min(1 / radius, float(last)) if radius else float(last), True, width)
    if bracket is None:
        return Threshold(None, None, rational(last), f"{reason}, and doubles did not find the threshold")
    return Threshold(None, *bracket, f"{reason}: bracketed to {float(width):.0g}")


def _changes(X: Bounded, Y: Bounded, pieces: list[Piece], gap: float) -> tuple[list[_Change], str]:
    """Where TD's side changes, and what is not excluded besides."""
    found = [_Change(a.high, b.low, a.stable) for a, b in pairwise(pieces) if a.stable != b.stable]
    # A jump without a change may hide two crossings, or a touch, or nothing.
    silent = [f"[{a.high:.9g}, {b.low:.9g}]" for a, b in pairwise(pieces) if a.stable == b.stable]
    widest = max((change.high - change.low for change in found), default=0.0)
    reached = pieces[-1].high if pieces else 0.0
    if reached >= float(LAST):
        near = f" farther than {widest:.1g} from these" if found else ""
        others = f" outside {', '.join(silent)}" if silent else ""
        return found, f"proved: no {'other ' if found else ''}crossing{near}{others} up to γ = 1 − 1e-12"
    grid = np.linspace(reached, float(LAST), int(np.clip(5e7 / len(X.mid) ** 3, 16, 256)) + 1)
    stable = [bool(x) for x in _margins(X.mid, Y.mid, grid) > 0]
    stable[0] = pieces[-1].stable if pieces else True
    found += [
        _Change(a, b, p) for (a, b), (p, q) in zip(pairwise(grid.tolist()), pairwise(stable), strict=True) if p != q
    ]
    cell = f"beyond γ = {reached:.6g} only a grid was searched, and two crossings closer than {grid[1] - grid[0]:.1g}"
    return found, f"{cell} may be missed"


def _bracket(
    problem: Problem, X: FloatArray, Y: FloatArray, change: _Change, width: Fraction
) -> tuple[fmpq, fmpq] | None:
    """Where the margin changes sign, certified."""
    from scipy.optimize import brentq

    def margin(gamma: float) -> float:
        return float(_margins(X, Y, np.array([gamma]))[0])

    low, high = change.low, change.high
    near = (low + high) / 2
    if margin(low) * margin(high) < 0:
        near = brentq(margin, low, high, xtol=1e-15, maxiter=100)
    return _certified(lambda gamma: _holds(problem, gamma), near, change.closes, width)


def _certified(
    holds: Callable[[Fraction], bool], near: float, holds_below: bool, width: Fraction
) -> tuple[fmpq, fmpq] | None:
    """A bracket at most `width` wide around a number near `near`, with the verdict `holds_below` below, not above."""
    centre, reach = Fraction(near), width / 4
    # Doubles place the crossing to a few ulp times its condition number: widen until the verdicts agree, then bisect.
    for _ in range(30):
        below, above = max(centre - reach, Fraction(0)), min(centre + reach, LAST)
        if holds(below) == holds_below and holds(above) != holds_below:
            break
        reach *= 4
    else:
        return None
    while above - below > width:
        middle = (below + above) / 2
        if holds(middle) == holds_below:
            below = middle
        else:
            above = middle
    return rational(below), rational(above)


def _holds(problem: Problem, gamma: Fraction) -> bool:
    """The certified verdict on TD; an undecided one counts as not stable."""
    return td_stable(problem.with_gamma(gamma)).proved


def _margins(X: FloatArray, Y: FloatArray, gammas: FloatArray) -> FloatArray:
    return np.array([np.linalg.eigvals(X - g * Y).real.min() for g in gammas])


def _width(rank: int) -> Fraction:
    return WIDTH if rank <= MANY else WIDE


def _steps(rank: int) -> int:
    """As many proofs as SECONDS allow; one takes some 50 r³ operations, and a millisecond besides."""
    return int(np.clip(SECONDS / (1e-3 + 1e-8 * rank**3), 8, 400))


def _bounded(X: fmpq_mat, Y: fmpq_mat) -> tuple[Bounded, Bounded]:
    """The nearest doubles; one common scale keeps them within range and moves no sign."""
    scale = max(abs(x) for Z in (X, Y) for x in Z.entries())
    return tuple(  # type: ignore[return-value]
        given(np.array([[float(fraction(x / scale)) for x in row] for row in Z.tolist()]), exact=True) for Z in (X, Y)
    )
