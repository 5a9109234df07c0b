r"""For which γ, of a large problem: X and Y are known within bounds, and all of A(γ) = X − γY is proved at once.

*TD*: for a fixed Q the form QA(γ) + A(γ)ᵀQ is affine in γ. So where it is ≻ 0 at both ends of a piece it is ≻ 0 on all
of it, for the true X and Y, whatever they are within their bounds; and then every γ in the piece is on the side that Q
says (`theory.certified.evidence.Signature`). No bound has to be widened by the width of a piece.

- Q = G⁻¹ first: X ≻ 0 and A(γ₀) + A(γ₀)ᵀ ≻ 0 prove [0, γ₀]. The γ₀ are all below 1/λ_max of L⁻¹(Y + Yᵀ)L⁻ᵀ/2, X = LLᵀ,
  and the forms are taken in the basis L⁻ᵀ, where X is I: features in bad condition cost nothing.
- The rest of [0, 1) is cut where eigenvalues in floats seem to cross the axis, and each part is halved until the Q of a
  piece's middle serves its two ends, or the budget is spent; what is left is unknown.

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
from theory.certified.candidates import Candidate
from theory.certified.decide import decide
from theory.certified.pencils import Pencil
from theory.certified.proofs import is_signature
from theory.certified.questions import ChainUnbiased, Enclosed
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


def td_intervals_within(
    X: Bounded, Y: Bounded, G: Bounded | None = None, progress: Progress | None = None
) -> StableIntervals:
    """The discounts at which TD, moved by GA, is surely stable, and those of which nothing is known; X, G ≻ 0."""
    reach = _convex(X, Y)
    found = [(0.0, reach, True)] if reach > 0 else []
    if G is not None:
        X, Y = G * X, G * Y
    cuts = [x for x in _crossings(X.mid, Y.mid) if x > reach] if reach < 1 else []
    for low, high in pairwise([reach, *cuts, 1.0]):
        waiting = [(low - high, low, high)] if low < high else []  # the widest first
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


def _convex(X: Bounded, Y: Bounded) -> float:
    """A γ₀ ≤ 1 up to which A(γ) + A(γ)ᵀ ≻ 0 is proved, about the last; 0 where there is none."""
    try:
        with np.errstate(all="ignore"):
            W = np.linalg.inv(np.linalg.cholesky(X.mid)).T
            top = float(np.linalg.eigvalsh(W.T @ (Y.mid + Y.mid.T) @ W).max(initial=0.0)) / 2
    except np.linalg.LinAlgError:
        return 0.0
    guess = Candidate(np.eye(len(W)), np.ones(len(W)), W)
    if not _serves(X, Y, guess, 0.0):
        return 0.0
    tried = ([1.0] if top < 1 else []) + [(1 - 10.0**exponent) / max(1.0, top) for exponent in range(-13, 0)]
    return next((at for at in tried if _serves(X, Y, guess, at)), 0.0)


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
    middle, arithmetic = X - Y.scaled((low + high) / 2), Doubles()
    for guess in arithmetic.guesses:
        with arithmetic.working():
            candidate = guess(Pencil(False, middle))
        if candidate is not None and _serves(X, Y, candidate, low) and _serves(X, Y, candidate, high):
            return bool(candidate.signs.min(initial=1) > 0)
    return None


def _serves(X: Bounded, Y: Bounded, candidate: Candidate, gamma: float) -> bool:
    """Is QA(γ) + A(γ)ᵀQ ≻ 0 for every X and Y within their bounds?"""
    arithmetic = Doubles()
    with arithmetic.working():
        return is_signature(Pencil(False, X - Y.scaled(gamma)), arithmetic, candidate)


def _chain(X: Bounded, Y: Bounded, gamma: float) -> Answer:
    ahead = Y.scaled(gamma)
    return decide(Enclosed(ChainUnbiased, ahead, X)).holds
