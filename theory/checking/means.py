r"""The mean of an update over all moves of a problem, and when two of them are the same.

A step is written as a matrix (D, D + 1): A_m − I, with c_m as the last column. Parts of z (θ, w, each head) have
rows of their own; two steps that differ only in the lengths of their parts' steps differ in step sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from theory.checking.known_bugs import Update
from theory.checking.observations import Observation, Weighted
from theory.checking.states import Own
from theory.learners.affine import Coordinates
from theory.learners.rule import Rule
from theory.problems.numbers import FloatArray

Flat = Callable[[FloatArray, Observation], FloatArray]  # an update of flat vectors
CLOSE = 1e-9  # relative
SINGLE = 1e-5  # the same for updates in single precision
LARGE = 1e4  # parameters at which a clipped step shows
PARTS = {"theta": "θ", "w": "w"}


def on_vectors(update: Update, template: Coordinates) -> Flat:
    """An update of a rule's states as one of flat vectors."""
    return lambda z, move: template.pack(update(template.state(z, {}), move))


def steps(update: Flat, size: int, moves: list[Weighted]) -> list[FloatArray]:
    """(D, D + 1) for each move: A_m − I, and c_m last."""
    found = []
    for _, move in moves:
        constant = update(np.zeros(size), move)
        columns = [update(unit, move) - constant - unit for unit in np.eye(size)]
        found.append(np.column_stack([*columns, constant]))
    return found


def mean(maps: list[FloatArray], moves: list[Weighted]) -> FloatArray:
    """Over all moves, (D, D + 1)."""
    return np.tensordot([m.probability for m in moves], maps, axes=1)


def not_affine(own: Own, maps: list[FloatArray], moves: list[Weighted], close: float = CLOSE) -> str | None:
    """A line where the update is not affine in its parameters, ordinary and large ones, or is random."""
    rng = np.random.default_rng(0)
    for map_, (_, move) in zip(maps, moves, strict=True):
        for size in (1.0, LARGE):
            z = size * rng.standard_normal(own.size)
            after, again, predicted = own(z, move), own(z, move), z + map_ @ np.append(z, 1.0)
            if not np.array_equal(after, again):
                return f"It is random: {move}, seen twice, gives two results."
            if not close_to(after, predicted, 1.0 + (1.0 + np.abs(map_).max()) * np.abs(z).max(), close):
                return f"Its step is not linear in the parameters at {move} (is δ clipped, or the step normalised?)."
    return None


def rows_of(rule: Rule, template: Coordinates) -> dict[str, slice]:
    """The rows of z that each part has; a soft target, whose parts move each other, is one part."""
    F, at = template.shape[-1], 0
    found: dict[str, slice] = {}
    for name, shape in template.shapes.items():
        n = int(np.prod(shape))
        if name == "heads" and hasattr(rule, "K"):
            found |= {f"head {k}": slice(at + k * F, at + (k + 1) * F) for k in range(shape[0])}
        else:
            found[PARTS.get(name, name)] = slice(at, at + n)
        at += n
    return found


def step_factors(
    yours: FloatArray, other: FloatArray, rows: Mapping[str, slice], close: float = CLOSE
) -> dict[str, float] | None:
    """How many times the other's step each part makes; None where it is another step."""
    found = {}
    for name, part in rows.items():
        a, b = yours[part], other[part]
        size = float(np.sum(b * b))
        factor = float(np.sum(a * b)) / size if size else 1.0
        if not close_to(a, factor * b, max(np.abs(a).max(), np.abs(b).max()), close):
            return None
        found[name] = 1.0 if abs(factor - 1) <= close else factor
    return found


def other_discount(
    yours: FloatArray, at_zero: FloatArray, at_one: FloatArray, rows: Mapping[str, slice], close: float = CLOSE
) -> float | None:
    """The discount at which the steps are the same up to their lengths, from a mean that is affine in γ.

    yours = f((1 − g) at_zero + g at_one) in the rows of each part, with one g for all parts that know of γ.
    """
    found = []
    for part in rows.values():
        a, zero, one = (x[part].ravel() for x in (yours, at_zero, at_one))
        if close_to(zero, one, np.abs(one).max()):
            continue
        (u, v), *_ = np.linalg.lstsq(np.column_stack([zero, one]), a)
        if u + v == 0 or not close_to(a, u * zero + v * one, np.abs(a).max(), close):
            return None
        found.append(float(v / (u + v)))
    return found[0] if found and max(found) - min(found) <= close else None


def weight_decay(
    yours: FloatArray, right: FloatArray, rows: Mapping[str, slice], close: float = CLOSE
) -> tuple[dict[str, float], dict[str, float]] | None:
    """The factor of each part's step, and which share of itself it loses besides: yours = f right − c I in its rows."""
    factors, lost = {}, {}
    own = np.eye(*right.shape)
    for name, part in rows.items():
        a, b, c = (x[part].ravel() for x in (yours, right, own))
        (factor, share), *_ = np.linalg.lstsq(np.column_stack([b, -c]), a)
        if not close_to(a, factor * b - share * c, max(np.abs(a).max(), np.abs(b).max()), close):
            return None
        factors[name] = 1.0 if abs(factor - 1) <= close else float(factor)
        lost[name] = 0.0 if abs(share) <= close else float(share)
    return (factors, lost) if any(lost.values()) else None


def may_be(update: Flat, yours: FloatArray, moves: list[Weighted], rows: Mapping[str, slice]) -> bool:
    """A quick look at one z, which rejects nearly all."""
    z = np.random.default_rng(0).standard_normal(len(yours))
    mean = np.sum([p * (update(z, move) - z) for p, move in moves], axis=0)
    return step_factors((yours @ np.append(z, 1.0))[:, None], mean[:, None], rows, CLOSE**0.5) is not None


def same_moves(
    yours: list[FloatArray],
    theirs: list[FloatArray],
    rows: Mapping[str, slice],
    factors: Mapping[str, float],
    close: float = CLOSE,
) -> bool:
    """Are all single moves the same, up to the factors of the steps?"""
    scale = np.concatenate([np.full(part.stop - part.start, factors[name]) for name, part in rows.items()])[:, None]
    return all(close_to(a, scale * b, max(1.0, np.abs(a).max()), close) for a, b in zip(yours, theirs, strict=True))


def close_to(a: Any, b: Any, scale: float, close: float = CLOSE) -> bool:
    """Within rounding, for numbers of that size."""
    return bool(np.abs(np.asarray(a) - b).max(initial=0.0) <= close * scale)
