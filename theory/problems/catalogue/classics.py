"""Classic counterexamples with one feature, and two episodic chains with several.

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

The chains are in the same continuing form: the last state is the end.

*Boyan's chain.* From state s one moves to s−1 or to s−2, for a reward of −3; from state 1 only to 0,
for −2; state 0 ends the episode. Four features sit on the states 12, 8, 4, 0 and are interpolated in
between, in quarters. Undiscounted and with both moves equally likely, v(s) = −2s, which these features
represent; at the default γ = 99/100 only nearly.

*Random walk.* From the middle of n states one moves left or right until one falls off either end;
falling off on the right pays 1. Undiscounted and with both moves equally likely, v(i) = i/(n+1).
Features, each F wide:

- tabular: F = n, the identity;
- inverted: F = n, zero for the state itself and ½ for every other (½ makes rows of length one for the
  five states of the source; we keep it for other n, where a length of one would be irrational);
- dependent: F = (n+1)/2; state i ≤ F has the features 1..i, state i > F the features i−F+1..F. A row with
  k ones has the length one in the source, a factor 1/√k. Here the factor is the best rational with
  a denominator up to 1000 (408/577 for 1/√2), within 10⁻⁵ for five states: exact, and as good as equal.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

from theory.problems.catalogue.registry import FamilyEntry, choice, entry, integer, number, probability
from theory.problems.episodic import continuing, episodic_problem
from theory.problems.mdp import MDP, surely, uniform_policy
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
    mdp = continuing(P, [[0, 0]] * 3, [2], start, gamma, states, actions)
    return episodic_problem(mdp, pi=[[1, 0]] * 3, mu=[[go_on, 1 - go_on]] * 3, Phi=[[1], [2], [0]])


def _kolter(p: Fraction, epsilon: Fraction, gamma: Fraction) -> Problem:
    mean = sum(_KOLTER_VALUE) / 2
    P: Any = [[[1, 0], [0, 1]]] * 2
    R: Any = [[v - gamma * mean] * 2 for v in _KOLTER_VALUE]
    mdp = MDP(P, R, gamma, ("1", "2"), ("to 1", "to 2"))
    Phi = [[_KOLTER_VALUE[0]], [_KOLTER_VALUE[1] + epsilon]]
    return Problem.from_mdp(mdp, pi=uniform_policy(2, 2), mu=[[p, 1 - p]] * 2, Phi=Phi)


_BOYAN_STATES = 13


def _boyan_chain(target: Fraction, gamma: Fraction) -> Problem:
    # Row i is Boyan's state 12 − i; row 13 is the end.
    S, end = _BOYAN_STATES + 1, _BOYAN_STATES
    P = surely(S, *([*(min(i + step, 12) for i in range(12)), end, end] for step in (1, 2)))
    R = [[-3, -3] for _ in range(11)] + [[-2, -2], [0, 0], [0, 0]]
    labels = (*(str(12 - i) for i in range(_BOYAN_STATES)), "end")
    Phi = [[max(Fraction(0), 1 - abs(Fraction(i, 4) - f)) for f in range(4)] for i in range(S)]
    mdp = continuing(P, R, [end], [int(s == 0) for s in range(S)], gamma, labels, ("one step", "two steps"))
    return episodic_problem(mdp, pi=[[1 - target, target]] * S, mu=uniform_policy(S, 2), Phi=Phi)


def _random_walk(features: str, states: int, target: Fraction, gamma: Fraction) -> Problem:
    S, end = states + 1, states
    P = surely(S, [end, *range(states - 1), end], [*range(1, S), end])
    R = [[0, int(s == states - 1)] for s in range(S)]
    labels = (*(str(s + 1) for s in range(states)), "end")
    mdp = continuing(P, R, [end], [int(s == states // 2) for s in range(S)], gamma, labels, ("left", "right"))
    Phi = _WALK_FEATURES[features](states)
    Phi.append(Phi[0])  # of the end, where it does not count
    return episodic_problem(mdp, pi=[[1 - target, target]] * S, mu=uniform_policy(S, 2), Phi=Phi)


def _tabular(n: int) -> list[list[Fraction]]:
    return [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]


def _inverted(n: int) -> list[list[Fraction]]:
    return [[Fraction(int(i != j), 2) for j in range(n)] for i in range(n)]


def _dependent(n: int) -> list[list[Fraction]]:
    F = (n + 1) // 2
    rows = []
    for i in range(1, n + 1):
        on = range(1, i + 1) if i <= F else range(i - F + 1, F + 1)
        scale = Fraction(1 / sqrt(len(on))).limit_denominator(1000)
        rows.append([scale if f in on else Fraction(0) for f in range(1, F + 1)])
    return rows


_WALK_FEATURES = {"tabular": _tabular, "dependent": _dependent, "inverted": _inverted}
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
    entry(
        "boyan-chain",
        _boyan_chain,
        title="Boyan's chain",
        source="Boyan (2002), Technical update: least-squares temporal difference learning, Machine Learning 49",
        famous_for="Thirteen states and four interpolating features that represent the undiscounted value −2s: "
        "the usual first test of least-squares TD.",
        gamma="99/100",
        target=probability("1/2", "probability of two steps under the target; the behaviour's is 1/2"),
    ),
    entry(
        "random-walk",
        _random_walk,
        title="Random walk with good and bad features",
        source="Sutton, Maei, Precup, Bhatnagar, Silver, Szepesvári & Wiewiora (2009), Fast gradient-descent methods "
        "for temporal-difference learning with linear function approximation, ICML",
        famous_for="One small chain seen through tabular, dependent or inverted features: "
        "one of the benchmarks with which GTD2 and TDC were introduced.",
        gamma="99/100",
        features=choice("how a state is seen", *_WALK_FEATURES),
        states=integer(5, "number of states, without the end", 3, 101, odd=True),
        target=probability("1/2", "probability of going right under the target; the behaviour's is 1/2"),
    ),
)
