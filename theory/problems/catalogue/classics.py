"""Two classic counterexamples with one feature.

*Tsitsiklis and Van Roy.* State 1 goes to state 2; state 2 stays, or ends the episode with probability
ε; φ = 1, 2. The behaviour goes on with probability 1/(2−ε) and else starts over from state 1, which
makes both states equally frequent: d_2 = (d_1 + (1−ε)d_2)/(2−ε) ⇔ d_1 = d_2. Hence, whatever d_1 is,

    X = 5d_1,  Y = (6−4ε)d_1,  B = γ(6−4ε)/5.

For ε > 0 the end is a third state as in `theory.problems.episodic`; for ε = 0 this is `twostate`.

*Kolter.* Both states go to both with probability ½ under the target. The value V = (1, 1.05) is
given and the reward follows, r = (I − γP)V; the one feature (1, 1.05 + ε) all but represents it. The
behaviour chooses the next state with probabilities d = (p, 1−p), which is then its distribution. With
f = 1.05 + ε and m = γ(1+f)/2,

    A = p(1 − m) + (1−p) f(f − m),

which is zero at p = f(f−m) / (f(f−m) + m − 1), about .7147 at the defaults: approaching it, the TD
solution b/A exists and its error has no bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.problems.catalogue.registry import FamilyEntry, entry, number, probability
from theory.problems.episodic import continuing, restart_at_end, silent_at_end, stay_at_end
from theory.problems.mdp import MDP, uniform_policy
from theory.problems.problem import Problem

_KOLTER_VALUE = (Fraction(1), Fraction(21, 20))


def _tsitsiklis_van_roy(epsilon: Fraction, gamma: Fraction) -> Problem:
    go_on = 1 / (2 - epsilon)
    states, actions = ("1", "2", "end"), ("go on", "start over")
    if epsilon == 0:
        P: Any = [[[0, 1], [1, 0]]] * 2
        nothing: Any = [[0, 0]] * 2
        mdp = MDP(P, nothing, gamma, states[:2], actions)
        return Problem.from_mdp(mdp, pi=[0, 0], mu=[[go_on, 1 - go_on]] * 2, Phi=[[1], [2]])
    start = [1, 0, 0]
    P = [[[0, 1, 0], start], [[0, 1 - epsilon, epsilon], start], [start, start]]
    end = [2]
    mdp = continuing(P, [[0, 0]] * 3, end, start, gamma, states, actions)
    pi = stay_at_end([[1, 0]] * 3, end)
    mu = restart_at_end([[go_on, 1 - go_on]] * 3, end)
    return Problem.from_mdp(mdp, pi=pi, mu=mu, Phi=silent_at_end([[1], [2], [0]], end))


def _kolter(p: Fraction, epsilon: Fraction, gamma: Fraction) -> Problem:
    mean = sum(_KOLTER_VALUE) / 2
    P: Any = [[[1, 0], [0, 1]]] * 2
    R: Any = [[v - gamma * mean] * 2 for v in _KOLTER_VALUE]
    mdp = MDP(P, R, gamma, ("1", "2"), ("to 1", "to 2"))
    Phi = [[_KOLTER_VALUE[0]], [_KOLTER_VALUE[1] + epsilon]]
    return Problem.from_mdp(mdp, pi=uniform_policy(2, 2), mu=[[p, 1 - p]] * 2, Phi=Phi)


_START = [1, 0, 0]
_TSITSIKLIS = (
    "Tsitsiklis & Van Roy (1996), Feature-based methods for large scale dynamic programming, "
    "Machine Learning 22; Sutton & Barto (2018), example 11.1"
)
_KOLTER = "Kolter (2011), The Fixed Points of Off-Policy TD, NeurIPS"

PLACE = 3
FAMILIES = (
    FamilyEntry(
        "tsitsiklis-van-roy-family",
        title="Tsitsiklis and Van Roy's counterexample, w to xw",
        source=_TSITSIKLIS,
        famous_for="TD and the chain fail together, exactly where γ(x + (1−ε)x²) ≥ 1 + x². "
        "x = 2 is `tsitsiklis-van-roy`.",
        letters={"x": "state 2's feature", "epsilon": "probability that an episode ends in state 2"},
        tree={
            "parameters": {"x": "real", "epsilon": "(0, 1]"},
            "gamma": "99/100",
            "features": [[1], ["x"], [0]],
            "transitions": [[[0, 1, 0], _START], [[0, "1 - epsilon", "epsilon"], _START], [[0, 0, 1], _START]],
            "rewards": [[0, 0]] * 3,
            "target_policy": [[1, 0]] * 3,
            "behaviour_policy": [*[["1/(2 - epsilon)", "1 - 1/(2 - epsilon)"]] * 2, ["1/2", "1/2"]],
            "states": ["1", "2", "end"],
            "actions": ["go on", "start over"],
        },
    ),
    FamilyEntry(
        "kolter-family",
        title="Kolter's two-state example",
        source=_KOLTER,
        famous_for="The pole of the TD solution as a curve: A = p(1 − m) + (1−p)f(f − m) with f = 1.05 + ε, "
        "m = γ(1+f)/2. The rewards follow γ, so that v_π = (1, 1.05) everywhere.",
        letters={"p": "how often the behaviour visits state 1", "epsilon": "error of the feature in state 2"},
        tree={
            "parameters": {"p": "(0, 1)", "epsilon": "[-1, 1]"},
            "gamma": "99/100",
            "features": [[1], ["21/20 + epsilon"]],
            "transitions": [[[1, 0], [0, 1]]] * 2,
            "rewards": [[f"{v} - gamma*41/40"] * 2 for v in ("1", "21/20")],
            "target_policy": [["1/2", "1/2"]] * 2,
            "behaviour_policy": [["p", "1 - p"]] * 2,
            "states": ["1", "2"],
            "actions": ["to 1", "to 2"],
        },
    ),
)
ENTRIES = (
    entry(
        "tsitsiklis-van-roy",
        _tsitsiklis_van_roy,
        title="Tsitsiklis and Van Roy's counterexample, w to 2w",
        source=_TSITSIKLIS,
        famous_for="Even a least-squares fit to the bootstrapped values at every step diverges: "
        "each multiplies w by γ(6−4ε)/5.",
        gamma="99/100",
        epsilon=probability("1/10", "probability that an episode ends in state 2"),
    ),
    entry(
        "kolter",
        _kolter,
        title="Kolter's two-state example",
        source=_KOLTER,
        famous_for="The feature all but represents the true value, and yet the error of the TD solution "
        "is unbounded as p approaches .7147, where A = 0.",
        gamma="99/100",
        p=number("1/2", "how often the behaviour visits state 1", "a number in (0, 1)", lambda x: 0 < x < 1),
        epsilon=number("1/10000", "error of the feature in state 2", "a number in [-1, 1]", lambda x: -1 <= x <= 1),
    ),
)
