r"""Episodes that end, discounts that differ from state to state, and γ = 1.

With a discount γ(s) for arriving in state s, and episodes that go on with probability Σ_s' P(s, s') ≤ 1,

    v(s) = r(s) + γ Σ_s' P(s, s') γ(s') v(s').

Nothing in the theory tells *discounted by half* from *ended in every second case*: whatever is expected depends on
P(s, s') γ(s') alone. So a problem keeps this product as its P_π, nonnegative with rows that sum to **at most** one, and
one common factor γ, in which thresholds are. γ = 1 is allowed exactly where (I − P_π)⁻¹ exists: where an end can be
reached from every state, which the transition graph tells.

A stream of data never ends: after an end the next episode begins. If the behaviour's rows are P_μ, d_μ is stationary
for P_μ + e startᵀ, where e(s) = 1 − Σ_s' P_μ(s, s') is the chance to end in s. Given d_μ there is one such start,

    start ∝ (I − P_μᵀ)d_μ,

a distribution exactly where no entry is negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.numbers import Array, Number, is_exact, one_kind, show_number
from theory.problems.validate import SUM_TOLERANCE, as_shaped


def check_discount(discount: Any, S: int, *where: str | int) -> Array:
    """γ(s) in [0, 1] for each of S states."""
    array = as_shaped(discount, (S,), "states", *where)
    for s, x in enumerate(array.tolist()):
        if not 0 <= x <= 1:
            raise InvalidProblem(f"a discount must lie in [0, 1], got {show_number(x)}", *where, s)
    return array


def discounted(P: Array, discount: Array | None) -> Array:
    """P(…, s') γ(s')."""
    if discount is None:
        return P
    P, discount = one_kind(P, discount)
    return P * discount


def ending(P: Array) -> Array:
    """The chance that a row of P ends the episode: 1 − its sum, 0 where that is rounding."""
    rest = 1 - P.sum(axis=-1)
    return rest if is_exact(P) else np.where(rest > SUM_TOLERANCE, rest, 0.0)


def never_ending(P: Array) -> list[int]:
    """The states from which no end can be reached under P; none exactly where ρ(P) < 1.

    >>> never_ending(np.array([[0, 0.5, 0], [1, 0, 0], [0, 0, 1]]))
    [2]
    """
    moves, ends = P > 0, np.asarray(ending(P) > 0, dtype=bool)
    if hasattr(P, "tocsr"):
        from scipy import sparse

        # Backwards from one more state, S, which stands for the end.
        back = sparse.block_array(
            [[P.T, None], [sparse.csr_array([ends * 1.0]), sparse.csr_array((1, 1))]], format="csr"
        )
        met = sparse.csgraph.breadth_first_order(back, len(ends), return_predecessors=False)
        return np.setdiff1d(np.arange(len(ends)), met).tolist()
    while True:
        more = ends | moves[:, ends].any(axis=1)
        if (more == ends).all():
            return np.flatnonzero(~ends).tolist()
        ends = more


def check_ends(gamma: Number, P: Array, who: str) -> None:
    """At γ = 1 values are finite exactly where an end can be reached from every state."""
    endless = never_ending(P) if gamma == 1 else []
    if endless:
        raise InvalidProblem(f"must be below 1: from state {endless[0]} the {who} never ends an episode", "gamma")


def beginnings(d: Array, P: Array) -> Array | None:
    """The distribution of first states with which d is stationary under P; None where there is none."""
    d, P = one_kind(d, P)
    start = d - d @ P
    total, least = start.sum(), start.min()
    room = 0 if is_exact(start) else SUM_TOLERANCE
    if least < -room or total <= room:
        return None
    if not is_exact(start):
        start = np.maximum(start, 0.0)
    return start / start.sum()
