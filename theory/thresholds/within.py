r"""For which γ, of a large problem: X and Y are known within bounds, and all of A(γ) = X − γY is proved at once.

*TD*: over a whole stretch of discounts, γ = m ± h, A(γ) is within the bounds of X − mY and h|Y| more, and one proof
about every matrix within them (`theory.certified.questions.Within`) settles the stretch. [0, 1) is cut where
eigenvalues in floats seem to cross the axis, and each part is halved until proofs succeed or the budget is spent; the
rest is unknown.

*The chain* is unbiased for γ < 1/ρ(ΠP) since ρ(γΠP) = γρ(ΠP): two opposite proofs, as close as they succeed, bracket
it.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
from flint import fmpq

from theory.certified.answers import Answer
from theory.certified.bounded import Bounded, Doubles
from theory.certified.decide import decide
from theory.certified.evidence import side_of
from theory.certified.pencils import Pencil
from theory.certified.proofs import proofs
from theory.certified.questions import ChainUnbiasedWithin
from theory.exact.matrices import rational
from theory.thresholds.cover import Progress
from theory.thresholds.results import StableIntervals, Threshold
from theory.thresholds.sides import Sides, Stretch, stable_intervals

GRID, NARROWEST = 256, 2.0**-36
WORK, PROOFS = 60_000, 3000  # proofs times eigenvalues, and proofs: seconds, about
WHY = "moments known within bounds: each side proved stretch by stretch"
BEYOND = "at least 1: the chain is unbiased for every γ in [0, 1)"


def chain_threshold_within(X: Bounded, Y: Bounded) -> Threshold:
    """1/ρ(ΠP), between two proofs."""
    with np.errstate(all="ignore"):
        rho = float(np.abs(np.linalg.eigvals(np.linalg.solve(X.mid, Y.mid))).max(initial=0.0)) if len(X.mid) else 0.0
    if _chain(X, Y, 1.0) is Answer.YES:
        return Threshold(None, None, None, BEYOND)
    if not 0 < rho < np.inf:
        return Threshold(None, fmpq(0), None, "no bounds on ρ(ΠP) were found")
    low, high = fmpq(0), None
    for exponent in range(-13, 0):
        at = (1 - 10.0**exponent) / rho
        if low == 0 and _chain(X, Y, at) is Answer.YES:
            low = rational(Fraction(at))
        at = (1 + 10.0**exponent) / rho
        if high is None and _chain(X, Y, at) is Answer.NO:
            high = rational(Fraction(at))
        if low != 0 and high is not None:
            break
    return Threshold(None, low, high, WHY if high is not None and low > 0 else "certified on one side only")


def td_intervals_within(X: Bounded, Y: Bounded, progress: Progress | None = None) -> StableIntervals:
    """The discounts at which TD is surely stable, and those of which nothing is known; X and Y preconditioned."""
    cuts = _crossings(X.mid, Y.mid)
    found: list[tuple[float, float, bool]] = []
    for low, high in pairwise([0.0, *cuts, 1.0]):
        waiting = [(low - high, low, high)]  # the widest first
        for _ in range(min(PROOFS, WORK // (len(X.mid) + 1)) // (len(cuts) + 1)):
            if not waiting:
                break
            width, a, b = heappop(waiting)
            side = _side(X, Y, a, b)
            if side is not None:
                found.append((a, b, side))
            elif -width > NARROWEST:
                m = (a + b) / 2
                heappush(waiting, (a - m, a, m))
                heappush(waiting, (m - b, m, b))
        if progress is not None:
            progress(high)
    stretches: list[Stretch] = []
    for a, b, stable in sorted(found):
        begin, end = rational(Fraction(a)), rational(Fraction(b))
        if stretches and stretches[-1].high == begin and stretches[-1].stable == stable:
            begin = stretches.pop().low
        stretches.append(Stretch(begin, end, stable))
    return stable_intervals(Sides(tuple(stretches)), WHY)


def _crossings(X: np.ndarray, Y: np.ndarray) -> list[float]:
    """Where min Re λ(X − γY) changes its sign, in floats."""

    def stable(gamma: float) -> bool:
        return bool(np.linalg.eigvals(X - gamma * Y).real.min(initial=1.0) > 0)

    grid = np.linspace(0, 1, GRID + 1).tolist()
    sides, cuts = [stable(x) for x in grid], []
    for i in range(GRID):
        if sides[i] == sides[i + 1]:
            continue
        low, high = grid[i], grid[i + 1]
        while high - low > 1e-15:
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (middle, high) if stable(middle) == sides[i] else (low, middle)
        cuts.append((low + high) / 2)
    return cuts


def _side(X: Bounded, Y: Bounded, low: float, high: float) -> bool | None:
    """Stable or not at every γ in [low, high]; None where that is not proved."""
    middle, half = (low + high) / 2, (high - low) / 2 * (1 + 1e-12)
    A = X - Y.scaled(middle)
    wide = Bounded(A.mid, (A.rad + half * (np.abs(Y.mid) + Y.rad)) * (1 + 1e-12))
    evidence = next(proofs(Pencil(False, wide, symmetric=wide), Doubles()), None)
    return None if evidence is None else side_of(evidence) == -1


def _chain(X: Bounded, Y: Bounded, gamma: float) -> Answer:
    ahead = Y.scaled(gamma)
    return decide(ChainUnbiasedWithin(ahead.mid, ahead.rad, X.mid, X.rad)).holds
