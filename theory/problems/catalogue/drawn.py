r"""Problems that are drawn or made by rule.

**garnet**, **random**: one draw of an ensemble of `theory.problems.ensembles`, by seed, in floats.

The others are of any number of states, without a dense P, found by name like the problems of the catalogue and no part
of it: nothing is famous about them.

**gridworld**: a square of side² cells. The behaviour goes in each of four directions with probability 1/4, and stays
where a wall is; its P_μ is symmetric, so d_μ is uniform, exactly. The target goes right or down with 2/5 each, left or
up with 1/10; the reward is one in the last corner. Features: `features` normal numbers a cell, or ``tiles``: groups of
cells, of which each cell is in one.

**sparse**: `branching` successors of each state, drawn with replacement, with uniform numbers, normalised, for their
probabilities; normal features and rewards, and uniform numbers, normalised, for d_μ: the paper's random problem with a
sparse P.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.catalogue.registry import choice, entry, integer
from theory.problems.ensembles import LAWS
from theory.problems.numbers import FloatArray, InvalidProblem
from theory.problems.problem import Problem

LARGEST = 2**28  # numbers in Φ: 2 GiB


def _garnet(seed: int, states: int, actions: int, branching: int, features: int, law: str, gamma: Fraction) -> Problem:
    from theory.problems.ensembles import garnet_problem

    return garnet_problem(_rng(seed), states, actions, branching, features, law, gamma=gamma)


def _random(seed: int, states: int, features: int, law: str, gamma: Fraction) -> Problem:
    from theory.problems.ensembles import paper_ensemble

    return paper_ensemble(_rng(seed), 1, states, features, law).problem(0, gamma)


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed))


def _gridworld(side: int, features: int, law: str, seed: int, gamma: Fraction) -> Problem:
    S = side * side
    Phi = _room(S, features)
    cell = np.arange(S)
    row, column = cell // side, cell % side
    ahead = [  # right, down, left, up
        np.where(column < side - 1, cell + 1, cell),
        np.where(row < side - 1, cell + side, cell),
        np.where(column > 0, cell - 1, cell),
        np.where(row > 0, cell - side, cell),
    ]
    if law == "tiles":
        if features > S:
            raise InvalidProblem(f"must be at most {S}, one a cell, got {features}", "features")
        Phi[cell, cell * features // S] = 1.0
    else:
        _rng(seed).standard_normal(out=Phi)
    r = np.zeros(S)
    r[-1] = 1.0
    return Problem.from_matrices(
        gamma,
        Phi=Phi,
        P_pi=_matrix(ahead, [0.4, 0.4, 0.1, 0.1]),
        d_mu=np.full(S, 1 / S),
        r_pi=r,
        P_mu=_matrix(ahead, [0.25] * 4),
        r_mu=r,
    )


def _sparse(states: int, branching: int, features: int, seed: int, gamma: Fraction) -> Problem:
    rng, Phi = _rng(seed), _room(states, features)
    ahead = rng.integers(0, states, (branching, states))
    weights = rng.random((branching, states))
    d = rng.random(states)
    P = _matrix(list(ahead), list(weights / weights.sum(axis=0)))
    rng.standard_normal(out=Phi)
    return Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=d / d.sum(), r_pi=rng.standard_normal(states))


def _matrix(ahead: list[Any], weights: list[Any]) -> Any:
    """The sparse matrix that goes from s to ahead[a][s] with probability weights[a], a number or one a state."""
    from scipy.sparse import csr_array

    S = len(ahead[0])
    data = np.stack([np.broadcast_to(np.asarray(w, dtype=np.float64), (S,)) for w in weights], axis=1)
    return csr_array(
        (data.ravel(), np.stack(ahead, axis=1).ravel(), np.arange(0, data.size + 1, len(ahead))), shape=(S, S)
    )


def _room(S: int, F: int) -> FloatArray:
    if S * F > LARGEST:
        raise InvalidProblem(f"{S:,} states × {F} features are {8 * S * F / 1e9:.1f} GB, more than 2 GiB", "features")
    return np.zeros((S, F))


_SEED = integer(0, "which draw", 0, 2**63 - 1)
_LAW = choice("law of the features", *LAWS)

PLACE = 6
ENTRIES = (
    entry(
        "garnet",
        _garnet,
        title="Garnet: a random sparse MDP",
        source="Archibald, McKinnon & Thomas (1995), On the generation of Markov decision processes, "
        "Journal of the Operational Research Society 46",
        famous_for="The usual random MDP, here with random target and behaviour, the behaviour's own stationary "
        "distribution, and a random cycle in its graph so that it visits every state.",
        gamma="99/100",
        seed=_SEED,
        states=integer(30, "number of states", 1, 500),
        actions=integer(4, "number of actions", 1, 20),
        branching=integer(2, "next states of each action", 1, 500),
        features=integer(8, "number of features", 1, 1000),
        law=_LAW,
    ),
    entry(
        "random",
        _random,
        title="The paper's random problem",
        source="Schmitt, Shawe-Taylor & van Hasselt (2022), Chaining Value Functions for Off-Policy Learning, "
        "AAAI, figure 1",
        famous_for="Normal features, uniform normalised P_π and d_μ. With as many features as states the chain "
        "is unbiased by algebra; one feature fewer, the default here, makes it a question.",
        gamma="99/100",
        seed=_SEED,
        states=integer(10, "number of states", 1, 5000),
        features=integer(9, "number of features", 1, 1000),
        law=_LAW,
    ),
)
GENERATED = (
    entry(
        "gridworld",
        _gridworld,
        title="A gridworld of any size",
        source="a rule, not a paper",
        famous_for="A target that drifts to one corner, seen through a random walk, without a dense P.",
        gamma="99/100",
        side=integer(10, "cells along a side", 2, 10_000),
        features=integer(8, "number of features", 1, 1000),
        law=choice("normal features, or groups of cells", "normal", "tiles"),
        seed=_SEED,
    ),
    entry(
        "sparse",
        _sparse,
        title="A random problem with a sparse P",
        source="a rule, not a paper",
        famous_for="The paper's random problem with a few successors a state, of any size.",
        gamma="99/100",
        states=integer(1000, "number of states", 1, 10_000_000),
        branching=integer(5, "successors of a state", 1, 100),
        features=integer(8, "number of features", 1, 1000),
        seed=_SEED,
    ),
)
