r"""Are TD and the chain safe for *every* Φ, of a large problem? M = 2D − γ(DP + PᵀD) ≻ 0, without forming M.

Off its diagonal M has no positive entry, so it is positive definite exactly where Mw > 0 for some w > 0 (a symmetric
M-matrix): *yes* is proved by such a w, in one product. *No* is proved by one x with xᵀD(I − γP)x < 0: as the only
feature it makes both fail. Conjugate gradients on Mw = d find one or the other: while M is positive definite they go on
to w, and a direction p with pᵀMp ≤ 0 on the way is x.

Mw is 2dw − γt with t = D(Pw) + Pᵀ(Dw), a sum of positive terms, and so it is right to a few rounding errors a term.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from theory.certified.answers import NO, UNDECIDED, YES, Answer
from theory.certified.bounded import UNIT
from theory.certified.over_states import Transitions, Weights, given, summed
from theory.problems.large import LargeProblem
from theory.problems.numbers import FloatArray

STEPS, CLOSE = 500, 1e-3


class LargeSafety(NamedTuple):
    """The answer, how we know, and what proves it: w where it is yes, x where it is no."""

    holds: Answer
    reason: str
    proof: FloatArray | None  # (S,)


def large_safety(problem: LargeProblem, progress: Any = None) -> LargeSafety:
    """Is every Φ safe?"""
    P, d = Transitions(problem.successors), problem.d_mu
    back, gamma = P.transposed, problem.gamma

    def times(w: FloatArray) -> FloatArray:
        found: FloatArray = 2 * (d * w) - gamma * (d * (P.P @ w) + back @ (d * w))
        return found

    w, rest = np.zeros(len(d)), d.copy()
    direction = rest / d
    size = float(rest @ direction)
    for step in range(STEPS):
        moved = times(direction)
        curvature = float(direction @ moved)
        if not curvature > 0:
            break
        alpha = size / curvature
        w += alpha * direction
        rest -= alpha * moved
        if np.abs(rest / d).max() < CLOSE and _proves(P, w, d, gamma):
            return LargeSafety(YES, "2D − γ(DP + PᵀD) is an M-matrix: Mw > 0 for a w > 0", w)
        scaled = rest / d
        size, before = float(rest @ scaled), size
        direction = scaled + size / before * direction
        if progress is not None:
            progress((step + 1) / STEPS)
    else:
        return LargeSafety(UNDECIDED, f"undecided: no proof either way in {STEPS} steps", None)
    x = direction / (np.abs(direction).max() or 1.0)
    if _refutes(P, x, d, gamma):
        return LargeSafety(NO, "a single feature x has A = xᵀD(I − γP)x < 0", x)
    return LargeSafety(UNDECIDED, "undecided: too close to tell in doubles", None)


def _proves(P: Transitions, w: FloatArray, d: FloatArray, gamma: float) -> bool:
    """Is w > 0 and Mw > 0, surely?"""
    if not w.min() > 1e-100 or not d.min() > 1e-150 or not w.max() < 1e100:
        return False
    longest = P.longest + int(np.diff(P.transposed.indptr).max(initial=1))
    t = d * (P.P @ w) + P.transposed @ (d * w)
    return bool((2 * d * w * (1 - 8 * UNIT) > gamma * t * (1 + (longest + 16) * UNIT) + 1e-300).all())


def _refutes(P: Transitions, x: FloatArray, d: FloatArray, gamma: float) -> bool:
    """Is xᵀDx < γxᵀDPx, surely?"""
    column = given(x[:, None])
    own, ahead = summed(column, Weights(d), column), summed(column, Weights(d), P.times(column))
    if own is None or ahead is None:
        return False
    discounted = ahead.scaled(gamma)
    return bool(own.mid[0, 0] + own.rad[0, 0] < (discounted.mid[0, 0] - discounted.rad[0, 0]) * (1 - 4 * UNIT))
