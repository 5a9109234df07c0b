"""Axes as people write them.

States: ``2..100``, ``10,20,50``, ``10..100:10``. Features: the same, or relative to S, as in
``S``, ``S-1``, ``S/2``, ``3S/4``.
"""

from __future__ import annotations

import re
from itertools import product

from theory.problems import InvalidProblem

_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})(?::(\d{1,9}))?")
_RELATIVE = re.compile(r"(\d{0,6})S(?:/(\d{1,6}))?(?:-(\d{1,6}))?")
_MOST = 100_000


def parse_states(text: str) -> tuple[int, ...]:
    """Increasing numbers of states.

    >>> parse_states("2..4,10..30:10")
    (2, 3, 4, 10, 20, 30)
    """
    return tuple(sorted({n for item in _items(text, "states") for n in _numbers(item, "states")}))


def parse_sizes(states: str, features: str) -> tuple[tuple[int, int], ...]:
    """Pairs (S, F), each once, by S and then F.

    >>> parse_sizes("4..5", "S,S-1,S/2,2")
    ((4, 2), (4, 3), (4, 4), (5, 2), (5, 4), (5, 5))
    """
    items = _items(features, "features")
    pairs = {(S, F) for S, item in product(parse_states(states), items) for F in _features(item, S)}
    for S, F in sorted(pairs):
        if not 1 <= F <= S:
            asked = f"{F} features at {S} states" + ("" if F < 1 else ": more features than states")
            raise InvalidProblem(f"must lie between 1 and the number of states; got {asked}", "features")
    return tuple(sorted(pairs))


def parse_windows(text: str) -> tuple[float, ...]:
    """Windows T: ``1,2,4,inf`` and ranges.

    >>> parse_windows("1..3,inf")
    (1.0, 2.0, 3.0, inf)
    """
    out: set[float] = set()
    for item in _items(text, "windows"):
        out |= {float("inf")} if item in ("inf", "∞") else {float(n) for n in _numbers(item, "windows")}
    return tuple(sorted(out))


def _items(text: str, name: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        raise InvalidProblem(f"{text[:40]!r} has an empty item", name)
    return items


def _numbers(item: str, name: str) -> range:
    if re.fullmatch(r"\d{1,9}", item):
        return range(int(item), int(item) + 1)
    match = _RANGE.fullmatch(item)
    if match is None:
        raise InvalidProblem(f"{item[:40]!r} is neither a number nor a range such as 2..100 or 10..100:10", name)
    low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if step == 0 or high < low or (high - low) // step > _MOST:
        raise InvalidProblem(f"{item!r} is an empty or endless range", name)
    return range(low, high + 1, step)


def _features(item: str, S: int) -> list[int]:
    match = _RELATIVE.fullmatch(item)
    if match is None:
        return list(_numbers(item, "features"))
    if match[2] is not None and int(match[2]) == 0:
        raise InvalidProblem(f"{item!r} divides by zero", "features")
    return [int(match[1] or 1) * S // int(match[2] or 1) - int(match[3] or 0)]
