r"""Checks that a `Problem` or `MDP` makes once, at birth; everything above trusts them.

Exact probabilities must sum to one exactly, or, where episodes end, to at
most one. Floats must to within `SUM_TOLERANCE`: a row of S doubles that was normalised once is off by at most
about S·2⁻⁵³, so 10⁻⁹ leaves room for every S we can hold and still catches a forgotten entry or a row typed
with three digits.

**Episodes that end, discounts that differ from state to state, and γ = 1.** With a discount γ(s) for arriving in state
s, and episodes that go on with probability Σ_s' P(s, s') ≤ 1,

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

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.numbers import (
    Array,
    InvalidProblem,
    Number,
    as_array,
    as_number,
    is_exact,
    one_kind,
    rank_exactly,
    show_number,
)

SUM_TOLERANCE = 1e-9
_NEAR = 1e-4  # single precision that was normalised once is off by S·6e−8


def check_gamma(gamma: object, ends: bool = False) -> Number:
    """A discount in [0, 1), or 1 where episodes may end; whether they do is for the problem to say."""
    value = as_number(gamma, "gamma")
    if not 0 <= value <= 1 or (value == 1 and not ends):
        raise InvalidProblem(f"the discount must lie in [0, 1{']' if ends else ')'}, got {show_number(value)}", "gamma")
    return value


def check_shape(array: Array, shape: tuple[int, ...], meaning: str, *where: str | int) -> None:
    """`meaning` says what the shape is made of, e.g. ``states × states``."""
    if array.shape != shape:
        got, wanted = "×".join(map(str, array.shape)), "×".join(map(str, shape))
        raise InvalidProblem(f"has shape {got}, but {meaning} is {wanted}", *where)


def as_shaped(value: object, shape: tuple[int, ...], meaning: str, *where: str | int) -> Array:
    """An array of this shape."""
    array = as_array(value, len(shape), *where)
    check_shape(array, shape, meaning, *where)
    return array


def check_probabilities(array: Array | Any, *where: str | int, ends: bool = False, hint: str = "") -> None:
    """Every last-axis row of an array or a sparse matrix is a probability distribution; names the first that is not.

    With `ends` a row may sum to less than one, and the rest ends the episode; `hint` says how to allow that.
    """
    negative = (array < 0).nonzero()
    if len(negative[0]):
        place = tuple(int(i[0]) for i in negative)
        raise InvalidProblem(f"negative probability {show_number(array[place])}", *where, *place)
    with np.errstate(over="ignore"):  # a sum of inf is refused below
        total = array.sum(axis=-1)
    above = total - 1 if ends else np.abs(total - 1)
    wrong = np.argwhere(np.atleast_1d(above > (0 if is_exact(array) else SUM_TOLERANCE)))
    if len(wrong):
        place = tuple(int(i) for i in wrong[0]) if array.ndim > 1 else ()
        value = total[place] if array.ndim > 1 else total
        bound = near_one(value).replace("not 1", "more than 1") if ends else near_one(value)
        raise InvalidProblem(f"probabilities sum to {bound}{hint if value < 1 else ''}", *where, *place)


def as_probabilities(value: object, shape: tuple[int, ...], meaning: str, *where: str | int) -> Array:
    """An array of this shape whose last-axis rows are distributions."""
    array = as_shaped(value, shape, meaning, *where)
    check_probabilities(array, *where)
    return array


def near_one(total: Number) -> str:
    """``5/6, not 1``; next to one the deviation, which six digits would hide, and what to do about it."""
    if not -_NEAR < total - 1 < _NEAR:
        return f"{show_number(total)}, not 1"
    off = float(total - 1)
    by = f"{abs(off):.2g}" if off else "less than 1e-323"
    shown = f"1 {'-' if total < 1 else '+'} {by}, not 1"
    if not isinstance(total, Fraction):
        return f"{shown}: normalise in double precision, P / P.sum(axis=-1, keepdims=True)"
    if abs(off) < SUM_TOLERANCE:
        return f'{shown}; decimals are read exactly: write thirds as "1/3", or say "arithmetic": "float" in the file'
    return shown


def check_covers(pi: Array, mu: Array, *where: str | int) -> None:
    """Action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0: without it E_μ[ρ] < 1 and no correction is right."""
    missing = np.argwhere((pi > 0) & (mu == 0))
    if len(missing):
        s, a = (int(i) for i in missing[0])
        raise InvalidProblem(
            f"missing coverage: the target takes action {a} in state {s}, the behaviour never does", *where, s, a
        )


def check_visited(d_mu: Array, *where: str | int) -> None:
    """State coverage, d_μ(s) > 0, so that D_μ has full rank as the paper assumes."""
    unvisited = np.argwhere(d_mu == 0)
    if len(unvisited):
        s = int(unvisited[0][0])
        raise InvalidProblem(f"missing coverage: state {s} has probability 0 under the behaviour", *where, s)


def check_learnable(Phi: Array, d_mu: Array, *where: str | int) -> None:
    """Coverage for spectra: rank ΦᵀDΦ = rank Φ, the features of visited states have the rank of all."""
    unvisited = np.flatnonzero(d_mu == 0)
    if len(unvisited) == 0:
        return
    all_, here = rank_exactly(Phi), rank_exactly(Phi[d_mu != 0])
    if here < all_:
        s = int(unvisited[0])
        raise InvalidProblem(
            f"missing coverage: state {s} has probability 0 under the behaviour, and the features of visited states "
            f"have rank {here} of {all_}: some values are never learned",
            *where,
            s,
        )


def first_uncovered_move(P: Array, d: Array) -> tuple[int, int] | None:
    """The first move from a visited state to one that is never visited, where no ratio is defined; None: none."""
    found = np.argwhere(((P > 0) & (d != 0)[:, None])[:, d == 0])
    if len(found) == 0:
        return None
    s, t = (int(i) for i in found[0])
    return s, int(np.flatnonzero(d == 0)[t])


def check_labels(given: object, size: int, *where: str | int) -> tuple[str, ...]:
    """As many different, non-empty names as there are things to name, as plain strings."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidProblem(f"expected a list of names, got {given!r}", *where)
    labels = tuple(given)
    if len(labels) != size:
        raise InvalidProblem(f"has {len(labels)} names for {size}", *where)
    for i, label in enumerate(labels):
        if not isinstance(label, str) or not label:
            raise InvalidProblem("a name must be a non-empty string", *where, i)
        if label in labels[:i]:
            raise InvalidProblem(f"the name {label!r} occurs twice", *where, i)
    return tuple(str(label) for label in labels)


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
