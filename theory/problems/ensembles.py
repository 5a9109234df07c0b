"""Random problems in batches, for Monte Carlo: n of them as arrays with a leading axis.

Each is one function and one entry of `ENSEMBLES`, where its parameters are declared; the Monte
Carlo study and the catalogue draw from here.

- `paper_ensemble`, figure 1 of the paper: Φ by a feature law (normal there), the rows of P_π and d_μ
  uniform and normalised to sum to one. No behaviour chain is behind d_μ.
- `dirichlet_ensemble`: the same with Dirichlet(c, …, c) rows; c = 1 is uniform on the simplex, small c
  nearly deterministic.
- `garnet_ensemble` (Archibald, McKinnon and Thomas 1995): S states, A actions; each (s, a) leads to b
  distinct next states with the probabilities between b − 1 sorted uniform cut points; π and μ have
  Dirichlet(1) rows; rewards R[s, a] are standard normal; d_μ is μ's true stationary distribution.

A sparse Garnet is often reducible, and then d_μ is not positive. So that every draw is a problem, each one
has a random backbone: a cyclic order of the states, and in each state one random action whose next states
include the cycle's next. The other b − 1 of that action, and all b of the others, are drawn uniformly
as usual. As μ takes every action, its chain is irreducible: no draw is rejected or repeated.

Uniforms here are 1 − U with U in [0, 1): they are never zero, so d_μ > 0 and no row is empty.

Laws of features, n independent draws of Φ (S × F) at once; a draw depends on the generator's state and the arguments
alone:

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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite, isqrt
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from theory.problems.graph import gth
from theory.problems.mdp import MDP
from theory.problems.numbers import FloatArray, InvalidProblem, did_you_mean
from theory.problems.problem import Problem

T = TypeVar("T")
# As text, so that importing this does not import NumPy's generators.
Law = Callable[["np.random.Generator", int, int, int], FloatArray]


@dataclass(frozen=True, eq=False)
class Batch:
    """n problems of the same size; `r_pi` and `r_mu` are zero where they are not given."""

    Phi: FloatArray  # (n, S, F)
    P_pi: FloatArray  # (n, S, S)
    d_mu: FloatArray  # (n, S)
    P_mu: FloatArray | None = None  # (n, S, S)
    r_pi: FloatArray | None = None  # (n, S)
    r_mu: FloatArray | None = None  # (n, S)

    def __len__(self) -> int:
        return len(self.d_mu)

    def problem(self, i: int, gamma: Any) -> Problem:
        """The i-th problem, checked as any other."""
        letters = {letter: array[i] for letter, array in vars(self).items() if array is not None}
        return Problem.from_matrices(gamma, **letters, name=f"draw {i}")


def paper_ensemble(rng: np.random.Generator, n: int, states: int, features: int, law: str = "normal") -> Batch:
    """The paper's random problems; Φ is drawn first, then P_π, then d_μ."""
    Phi = draw_features(rng, n, states, features, law)
    P_pi = _normalised(1.0 - rng.random((n, states, states)))
    return Batch(Phi, P_pi, _normalised(1.0 - rng.random((n, states))))


def dirichlet_ensemble(
    rng: np.random.Generator, n: int, states: int, features: int, concentration: float, law: str = "normal"
) -> Batch:
    """Dirichlet rows and d_μ, all with the same `concentration`; Φ first, then P_π, then d_μ.

    With a small concentration entries underflow: in P_π they are then zero; in d_μ, which must be
    positive, the smallest normal double.
    """
    CONCENTRATION.value(concentration, states, "concentration")
    Phi = draw_features(rng, n, states, features, law)
    alpha = np.full(states, float(concentration))
    P_pi = rng.dirichlet(alpha, size=(n, states))
    d_mu = np.maximum(rng.dirichlet(alpha, size=n), np.finfo(np.float64).tiny)
    return Batch(Phi, P_pi, d_mu)


def garnet_ensemble(
    rng: np.random.Generator,
    n: int,
    states: int,
    actions: int,
    branching: int,
    features: int,
    law: str = "normal",
) -> Batch:
    """n Garnets with their behaviour's stationary distribution."""
    g = _draw_garnets(rng, n, states, actions, branching, features, law)
    P_mu = g.transitions_under(g.mu)
    r_pi, r_mu = (g.pi * g.R).sum(axis=2), (g.mu * g.R).sum(axis=2)
    return Batch(g.Phi, g.transitions_under(g.pi), gth(P_mu), P_mu, r_pi, r_mu)


def garnet_problem(
    rng: np.random.Generator,
    states: int,
    actions: int,
    branching: int,
    features: int,
    law: str = "normal",
    *,
    gamma: Any,
    name: str = "garnet",
) -> Problem:
    """One Garnet with its MDP and policies; the same draw as a `garnet_ensemble` of one."""
    g = _draw_garnets(rng, 1, states, actions, branching, features, law)
    P = np.zeros((states, actions, states))
    np.put_along_axis(P, g.following[0], g.probability[0], axis=2)
    return Problem.from_mdp(MDP(P, g.R[0], gamma), pi=g.pi[0], mu=g.mu[0], Phi=g.Phi[0], name=name)


@dataclass(frozen=True)
class Parameter:
    """A number that an ensemble takes beside S, F and the feature law."""

    default: float
    meaning: str
    most_states: bool = False  # at most S

    @property
    def whole(self) -> bool:
        """Is it a count?"""
        return isinstance(self.default, int)

    def value(self, given: Any, states: int, name: str) -> float:
        """What is given, checked; the default where nothing is."""
        if given is None:
            return min(self.default, states) if self.most_states else self.default
        if self.whole:
            check_count(given, 1, name)
        elif not (isfinite(given) and given > 0):
            raise InvalidProblem(f"must be positive and finite, got {given}", name)
        if self.most_states and given > states:
            raise InvalidProblem(f"must be at most the {states} states, got {given}", name)
        return int(given) if self.whole else float(given)


@dataclass(frozen=True)
class Ensemble:
    """A law of random problems: ``draw(rng, n, states=…, features=…, law=…, **parameters)``."""

    draw: Callable[..., Batch]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


CONCENTRATION = Parameter(1.0, "of Dirichlet rows")
ENSEMBLES: Mapping[str, Ensemble] = MappingProxyType(
    {
        "paper": Ensemble(paper_ensemble),
        "dirichlet": Ensemble(dirichlet_ensemble, {"concentration": CONCENTRATION}),
        "garnet": Ensemble(
            garnet_ensemble,
            {"actions": Parameter(2, "of a Garnet"), "branching": Parameter(2, "of a Garnet, at most S", True)},
        ),
    }
)


def known(table: Mapping[str, T], name: str, kind: str, *where: str) -> T:
    """The ensemble or the feature law of that name; an error with the nearest name where there is none."""
    if name not in table:
        hint = did_you_mean(str(name), table, f"there are {', '.join(table)}")
        raise InvalidProblem(f"no {kind} named {str(name)[:40]!r}; {hint}", *where)
    return table[name]


@dataclass(frozen=True, eq=False)
class _Garnets:
    Phi: FloatArray  # (n, S, F)
    following: np.ndarray  # (n, S, A, b), the next states of each (s, a) in increasing order
    probability: FloatArray  # (n, S, A, b)
    pi: FloatArray  # (n, S, A)
    mu: FloatArray  # (n, S, A)
    R: FloatArray  # (n, S, A)

    def transitions_under(self, policy: FloatArray) -> FloatArray:
        n, S, A, b = self.following.shape
        P = np.zeros((n, S, S))
        draw, state = np.arange(n)[:, None], np.arange(S)
        for a in range(A):
            for j in range(b):
                # One next state for each (draw, state): no index repeats within one addition.
                P[draw, state, self.following[:, :, a, j]] += policy[:, :, a] * self.probability[:, :, a, j]
        return P


def _draw_garnets(rng: np.random.Generator, n: int, S: int, A: int, b: int, features: int, law: str) -> _Garnets:
    for value, name in ((S, "states"), (A, "actions"), (b, "branching")):
        check_count(value, 1, name)
    if b > S:
        raise InvalidProblem(f"must be at most the {S} states, got {b}", "branching")
    Phi = draw_features(rng, n, S, features, law)
    following = _next_states(rng, n, S, A, b)
    cuts = np.sort(rng.random((n, S, A, b - 1)), axis=-1)
    probability = np.diff(cuts, axis=-1, prepend=0.0, append=1.0)
    pi, mu = (rng.dirichlet(np.ones(A), size=(n, S)) for _ in range(2))
    return _Garnets(Phi, following, probability, pi, mu, rng.standard_normal((n, S, A)))


def _next_states(rng: np.random.Generator, n: int, S: int, A: int, b: int) -> np.ndarray:
    order = random_orders(rng, n, S)
    successor = np.empty((n, S), dtype=np.int64)
    np.put_along_axis(successor, order, np.roll(order, -1, axis=1), axis=1)
    carrier = rng.integers(A, size=(n, S))
    following = np.empty((n, S, A, b), dtype=np.int64)
    for a in range(A):
        # The b smallest of S uniform keys are a uniform b-subset; a key of −1 is always among them.
        keys = rng.random((n, S, S))
        draw, state = np.nonzero(carrier == a)
        keys[draw, state, successor[draw, state]] = -1.0
        # Sorted by state, because the order within a partition depends on the processor.
        following[:, :, a] = np.sort(np.argpartition(keys, b - 1, axis=-1)[..., :b], axis=-1)
    return following


def _normalised(rows: FloatArray) -> FloatArray:
    """The rows divided by their sums, in place: drawing is half the cost of a verdict, and memory half of that."""
    rows /= rows.sum(axis=-1, keepdims=True)
    return rows


# Features


def draw_features(rng: np.random.Generator, n: int, states: int, features: int, law: str = "normal") -> FloatArray:
    """`n` feature matrices (n, S, F) by one of the `LAWS`.

    >>> draw_features(np.random.default_rng(0), 2, 3, 3, "tabular")[1].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    check_count(n, 0, "n")
    check_count(states, 1, "states")
    check_count(features, 1, "features")
    return known(LAWS, law, "feature law", "law")(rng, n, states, features)


def check_count(value: int, low: int, *where: str | int) -> None:
    """An integer of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidProblem(f"must be an integer, got {value!r}", *where)
    if value < low:
        raise InvalidProblem(f"must be at least {low}, got {value}", *where)


def random_orders(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    """`n` uniformly random permutations (n, size): the ranks of independent uniforms."""
    return np.argsort(rng.random((n, size)), axis=-1, kind="stable")


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
        "normal": lambda rng, *shape: rng.standard_normal(shape),
        "absolute-normal": lambda rng, *shape: np.abs(rng.standard_normal(shape)),
        "binary": _binary,
        "aggregation": _aggregation,
        "tile": _tile,
        "tabular": _tabular,
    }
)
