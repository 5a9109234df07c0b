r"""What an update of one's own is shown: every move of a problem with its probability.

An `Observation` is the `Transition` that the learners here see with where it comes from, so that an update that looks
at the wrong thing (the ratio of the next action, say) can be written and found:

    phi, reward, phi_next, ratio, phi_follow, …     as in `theory.learners.transition`
    state, action, next_state, next_action          which move it is
    next_ratio                                      π(a'|s')/μ(a'|s')
    gamma                                           the problem's discount

The probability of (s, a, s', a') is d(s) μ(a|s) P(s'|s, a) μ(a'|s').
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from theory.learners.transition import Transition, View
from theory.problems import MDP, Problem
from theory.problems.numbers import Array
from theory.problems.sampling import enumerate_transitions, sample_transitions, sampled

MADE = "telling"


class Observation(Transition):
    """A move as a learner sees it, and which move it is."""

    state: int
    action: int
    next_state: int
    next_action: int
    next_ratio: float
    gamma: float

    def but(self, **changed: Any) -> Observation:
        """The same move with something about it seen differently."""
        new = Observation(*self._replace(**changed))
        new.__dict__.update(self.__dict__)
        return new

    @property
    def rho(self) -> float:
        """The ratio by its letter."""
        return float(self.ratio)

    def __str__(self) -> str:
        return f"the move from state {self.state} by action {self.action} to state {self.next_state}"


class Weighted(NamedTuple):
    """A move and how often it is made."""

    probability: float
    observation: Observation


def all_observations(problem: Problem) -> list[Weighted]:
    """Every (s, a, s', a') that the behaviour makes, in floats."""
    view, pi, mu = View(problem, exact=False), *_policies(problem)
    found = []
    for s, a, t, probability, *seen in enumerate_transitions(problem):
        for b in np.nonzero(mu[t] > 0)[0].tolist():
            observation = _observation(view, (s, a, t, b), seen, pi[t, b] / mu[t, b])
            found.append(Weighted(float(probability) * mu[t, b], observation))
    return found


def path(problem: Problem, steps: int, seed: int) -> list[Observation]:
    """Moves one after the other, as the behaviour makes them."""
    drawn = sample_transitions(np.random.default_rng(seed), problem, steps + 1, 1).seed(0)
    view, pi, mu = View(problem, exact=False), *_policies(problem)
    moves: list[Any] = list(zip(*(column.tolist() for column in drawn), strict=True))
    found = []
    for (s, a, t, *seen), (_, b, *_) in pairwise(moves):
        found.append(_observation(view, (s, a, t, b), seen, pi[t, b] / mu[t, b]))
    return found


def telling_problem() -> Problem:
    """A problem on which no two of the mistakes that are known by name look alike.

    Four states, two actions, three features and no symmetry anywhere; all ratios differ.
    """
    rows = [
        [[1, 2, 3, 1], [4, 1, 1, 2]],
        [[2, 1, 5, 3], [1, 3, 1, 4]],
        [[3, 1, 1, 4], [2, 5, 2, 1]],
        [[1, 1, 2, 6], [5, 2, 3, 1]],
    ]
    P = [[[Fraction(x, sum(row)) for x in row] for row in both] for both in rows]
    R = [[[2, -1, 3, 1], [0, 4, -2, 1]], [[1, 1, -3, 2], [5, 0, 1, -1]], [[-2, 3, 1, 0], [1, 2, 2, -4]]]
    last = [[[3, -1, 0, 2], [1, -2, 4, 1]]]
    pi = [["3/4", "1/4"], ["1/5", "4/5"], ["2/3", "1/3"], ["1/6", "5/6"]]
    mu = [["1/2", "1/2"], ["3/5", "2/5"], ["1/4", "3/4"], ["1/3", "2/3"]]
    Phi = [[1, 0, 2], [2, 1, -1], [0, 3, 1], [-1, 1, 1]]
    return Problem.from_mdp(MDP(P, [*R, *last], "4/5"), pi=pi, mu=mu, Phi=Phi, name=MADE)


def _policies(problem: Problem) -> tuple[Array, Array]:
    _, pi, mu = sampled(problem)
    return pi.astype(np.float64), mu.astype(np.float64)


def _observation(view: View, move: tuple[int, int, int, int], seen: list[Any], next_ratio: float) -> Observation:
    """`seen` are the reward, the ratio and the discount."""
    s, a, t, b = move
    reward, ratio, discount = map(float, seen)
    observation = Observation(*view.see(s, a, t, reward, ratio, discount))
    observation.state, observation.action, observation.next_state, observation.next_action = s, a, t, b
    observation.next_ratio, observation.gamma = float(next_ratio), float(view.problem.gamma)
    return observation
