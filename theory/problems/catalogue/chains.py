"""Two episodic chains, in the continuing form of `theory.problems.episodic`: the last state is the end.

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

from theory.problems.catalogue.registry import choice, entry, integer, probability
from theory.problems.episodic import continuing, restart_at_end, silent_at_end, stay_at_end
from theory.problems.mdp import uniform_policy
from theory.problems.problem import Problem

_BOYAN_STATES = 13


def _boyan_chain(target: Fraction, gamma: Fraction) -> Problem:
    # Row i is Boyan's state 12 − i; row 13 is the end.
    S, end = _BOYAN_STATES + 1, _BOYAN_STATES
    moves = [(min(i + 1, 12), min(i + 2, 12)) for i in range(12)] + [(end, end), (end, end)]
    R = [[-3, -3] for _ in range(11)] + [[-2, -2], [0, 0], [0, 0]]
    labels = (*(str(12 - i) for i in range(_BOYAN_STATES)), "end")
    Phi = [[max(Fraction(0), 1 - abs(Fraction(i, 4) - f)) for f in range(4)] for i in range(S)]
    return _episodic(moves, R, 0, labels, ("one step", "two steps"), Phi, target, gamma)


def _random_walk(features: str, states: int, target: Fraction, gamma: Fraction) -> Problem:
    end = states
    moves = [(s - 1 if s > 0 else end, s + 1) for s in range(states)] + [(end, end)]
    R = [[0, int(s == states - 1)] for s in range(states + 1)]
    labels = (*(str(s + 1) for s in range(states)), "end")
    Phi = _WALK_FEATURES[features](states)
    Phi.append([Fraction(0)] * len(Phi[0]))
    return _episodic(moves, R, states // 2, labels, ("left", "right"), Phi, target, gamma)


def _episodic(
    moves: list[tuple[int, int]],
    R: list[list[int]],
    start: int,
    states: tuple[str, ...],
    actions: tuple[str, str],
    Phi: list[list[Fraction]],
    target: Fraction,
    gamma: Fraction,
) -> Problem:
    S = len(moves)
    ends = [S - 1]
    P = [[[int(t == move) for t in range(S)] for move in pair] for pair in moves]
    mdp = continuing(P, R, ends, [int(s == start) for s in range(S)], gamma, states, actions)
    return Problem.from_mdp(
        mdp,
        pi=stay_at_end([[1 - target, target]] * S, ends),
        mu=restart_at_end(uniform_policy(S, 2), ends),
        Phi=silent_at_end(Phi, ends),
    )


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

PLACE = 4
ENTRIES = (
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
