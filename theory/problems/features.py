"""Laws of random features: n independent draws of Φ (S × F) at once.

================  =====================================================================================
law               Φ
================  =====================================================================================
normal            independent standard normals, as in the paper's figure 1
absolute-normal   their absolute values: all features point the same way
binary            independent fair bits; a column that came out zero gets one bit at a random state
aggregation       each state in one of F groups; random, but no group empty while F ≤ S
tile              the states in a random circular order; T ≈ √F offset partitions of the circle into arcs
tabular           the identity (F = S)
================  =====================================================================================

*Zero columns* make X singular for no reason. Binary, aggregation and tile have none, with one
exception: aggregation with F > S, where F − S columns are zero, the fewest possible.

*Rank.* Binary features may have repeated columns, and in tile coding the columns of each partition add
up to the constant 1, so that the rank is at most F − T + 1: X is singular whenever T > 1, as on Baird's
star. That is what tile coding is like; analyses use the pseudo-inverse or value space.

A draw depends on the generator's state and the arguments alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt
from types import MappingProxyType

import numpy as np

from theory.problems.errors import InvalidProblem, did_you_mean
from theory.problems.numbers import FloatArray

# As text, so that importing this does not import NumPy's generators.
Law = Callable[["np.random.Generator", int, int, int], FloatArray]


def draw_features(rng: np.random.Generator, n: int, states: int, features: int, law: str = "normal") -> FloatArray:
    """`n` feature matrices (n, S, F) by one of the `LAWS`.

    >>> draw_features(np.random.default_rng(0), 2, 3, 3, "tabular")[1].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    check_count(n, 0, "n")
    check_count(states, 1, "states")
    check_count(features, 1, "features")
    return known_law(law)(rng, n, states, features)


def known_law(law: str) -> Law:
    """The law of that name; an error with the nearest name where there is none."""
    if law not in LAWS:
        hint = did_you_mean(str(law), LAWS, f"there are {', '.join(LAWS)}")
        raise InvalidProblem(f"no feature law named {str(law)[:40]!r}; {hint}", "law")
    return LAWS[law]


def check_count(value: int, low: int, *where: str | int) -> None:
    """An integer of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidProblem(f"must be an integer, got {value!r}", *where)
    if value < low:
        raise InvalidProblem(f"must be at least {low}, got {value}", *where)


def random_orders(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    """`n` uniformly random permutations (n, size): the ranks of independent uniforms."""
    return np.argsort(rng.random((n, size)), axis=-1, kind="stable")


def _normal(rng: np.random.Generator, n: int, S: int, F: int) -> FloatArray:
    return rng.standard_normal((n, S, F))


def _absolute_normal(rng: np.random.Generator, n: int, S: int, F: int) -> FloatArray:
    return np.abs(rng.standard_normal((n, S, F)))


def _binary(rng: np.random.Generator, n: int, S: int, F: int) -> FloatArray:
    Phi = rng.integers(2, size=(n, S, F)).astype(np.float64)
    spare = rng.integers(S, size=(n, F))  # drawn always, used where a column is zero
    draw, column = np.nonzero(~Phi.any(axis=1))
    Phi[draw, spare[draw, column], column] = 1.0
    return Phi


def _aggregation(rng: np.random.Generator, n: int, S: int, F: int) -> FloatArray:
    # The first min(S, F) states of a random order found a group each; the others join one.
    order = random_orders(rng, n, S)
    joined = rng.integers(F, size=(n, S))
    founders = min(S, F)
    joined[:, :founders] = np.arange(founders)
    groups = np.empty((n, S), dtype=np.int64)
    np.put_along_axis(groups, order, joined, axis=1)
    return (groups[:, :, None] == np.arange(F)).astype(np.float64)


def _tile(rng: np.random.Generator, n: int, S: int, F: int) -> FloatArray:
    # Enough partitions that none needs more arcs than there are states: then no arc is empty.
    T = max(isqrt(F), -(-F // S))
    place = random_orders(rng, n, S)
    blocks = []
    for t in range(T):
        arcs = F // T + (t < F % T)
        # Arc ⌊place·arcs/S + t/T⌋ around the circle, in integers: shifted by t/T of an arc's width.
        tile = (place * arcs * T + t * S) // (S * T) % arcs
        blocks.append(tile[:, :, None] == np.arange(arcs))
    return np.concatenate(blocks, axis=2).astype(np.float64)


def _tabular(rng: np.random.Generator, n: int, S: int, F: int) -> FloatArray:
    if F != S:
        raise InvalidProblem(f"tabular features are as many as the {S} states, got {F}", "features")
    return np.tile(np.eye(S), (n, 1, 1))


LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "normal": _normal,
        "absolute-normal": _absolute_normal,
        "binary": _binary,
        "aggregation": _aggregation,
        "tile": _tile,
        "tabular": _tabular,
    }
)
