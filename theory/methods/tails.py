r"""For which n do n-step methods converge, all n at once?

In the norm ‖v‖² = Σ d(s)v(s)² Jensen gives ‖Pⁿv‖² ≤ c_n‖v‖², c_n = max_s (dPⁿ)(s)/d(s), and Π shrinks; so where
g_n = γ²ⁿc_n < 1 both hold, for every Φ:

    ρ(γⁿΠPⁿ) < 1        and        xᵀ(X − γⁿY_n)x ≥ (1 − √g_n)‖Φx‖² > 0.

c_{m+n} ≤ c_m c_n, and every whole number from N on is a sum of some in N … 2N − 1: if g_n < 1 for all of these, then
for every n ≥ N. Such an N exists, since c_n ≤ 1/min d. Each n below it is decided by itself: by a quadratic form in
balls (`theory.methods.forms`), and where that is too coarse as any method is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb, arb_mat, fmpq

from theory.budgets import STEPS
from theory.certified.answers import Answer
from theory.certified.balls import BITS, precision
from theory.methods.forms import side
from theory.thresholds.results import WholeSet

TOO_LONG = f"γ is so close to 1 that a proof for all n would begin beyond n = {STEPS // 2}"


@dataclass(frozen=True)
class Moves:
    """What n steps are made of, as balls: γP over the states; X, Φ and the ΦᵀD of w in white coordinates."""

    P: arb_mat
    Phi: arb_mat
    seen: arb_mat  # V ↦ ΦᵀDV
    X: arb_mat


def stable_steps(moves: Moves, d: list[fmpq], gamma: fmpq, chain: bool, decide: Callable[[int], Answer]) -> WholeSet:
    """The n for which an n-step chain, or n-step TD, converges; `decide` is asked where balls do not see it."""
    with precision(BITS):
        first = safe_from(moves.P, d, gamma)
        if first is None:
            return WholeSet((), ((1, None),), TOO_LONG)
        sides = _sides(moves, chain, first - 1)
    ranges: list[tuple[int, int | None]] = [(first, None)]
    for n in range(first - 1, 0, -1):
        seen = sides[n - 1]
        answer = Answer.of(seen) if seen is not None else decide(n)
        if answer is Answer.UNDECIDED:
            return WholeSet(tuple(ranges), ((1, n),), f"n = {n} was not decided")
        if answer is Answer.YES:
            low, high = ranges[0]
            ranges[0:1] = [(n, high)] if low == n + 1 else [(n, n), (low, high)]
    return WholeSet(tuple(ranges))


def _sides(moves: Moves, chain: bool, last: int) -> list[bool | None]:
    """For n = 1 … last."""
    found: list[bool | None] = []
    V = moves.Phi
    for _ in range(last):
        V = moves.P * V
        Y = moves.seen * V
        try:
            found.append(side(moves.X.solve(Y) if chain else moves.X - Y, chain))
        except ZeroDivisionError:  # the balls are too wide to see that X is invertible
            found.append(None)
    return found


def safe_from(P: arb_mat, d: list[fmpq], gamma: fmpq) -> int | None:
    """The smallest N with g_n < 1 for n = N … 2N − 1, hence for every n ≥ N; None: beyond `STEPS`/2. P is γP."""
    row, weights, small = arb_mat([d]), [arb(x) for x in d], arb(1)
    last_bad = 0
    for n in range(1, STEPS + 1):
        row, small = row * P, small * arb(gamma)
        if not all(small * x < w for x, w in zip(row.entries(), weights, strict=True)):
            last_bad = n
        elif n >= 2 * last_bad + 1:
            return last_bad + 1
    return None
