"""Random problems by seed: one draw of an ensemble of `theory.problems.ensembles`, in floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.problems.catalogue.registry import Parameter, choice, entry, integer
from theory.problems.features import LAWS
from theory.problems.problem import Problem


def _garnet(seed: int, states: int, actions: int, branching: int, features: int, law: str, gamma: Fraction) -> Problem:
    from theory.problems.ensembles import garnet_problem

    return garnet_problem(_rng(seed), states, actions, branching, features, law, gamma=gamma)


def _random(seed: int, states: int, features: int, law: str, gamma: Fraction) -> Problem:
    from theory.problems.ensembles import paper_ensemble

    return paper_ensemble(_rng(seed), 1, states, features, law).problem(0, gamma)


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed))


_SEED = integer(0, "which draw", 0, 2**63 - 1)


def _law() -> Parameter:
    return choice("law of the features", *LAWS)


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
        law=_law(),
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
        law=_law(),
    ),
)
