r"""What a learner sees: features, reward and ratio of one move, never the state or the task.

For state values a move (s, a, s') is seen as φ = φ(s), φ' = φ(s'). For action values the "state" is the pair
(s, a): φ = φ(s, a), and there are two ways to look ahead,

    phi_next     φ̄_π(s') = Σ_a' π(a'|s') φ(s', a')    the expectation under the target, no ratio needed
    phi_follow   φ(s', a') with the a' that the behaviour takes next, as SARSA does

which for state values are one and the same φ(s'). The behaviour's head of a chain looks at the second.
Action values have one block of the state features per action, φ(s, a) = φ(s) ⊗ 1_a.

Where an episode ends, or a state has a discount of its own, both are multiplied by that `discount`, 0 at an end: what
bootstraps from them needs to know nothing of it. What remembers more than one move has to: a trace fades by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from theory.problems import Problem
from theory.problems.numbers import Array, one_kind
from theory.problems.sampling import Transitions, sampled

denoted = np.frompyfunc(Fraction, 1, 1)  # a double is a rational


class Transition(NamedTuple):
    """One move as a learner sees it; `ratio` is ρ = π(a|s)/μ(a|s)."""

    phi: Array  # (F,)
    reward: Any
    phi_next: Array  # (F,)
    ratio: Any
    phi_follow: Array  # (F,)
    discount: Any = 1  # beside γ; 0 where the episode ended


class View:
    """The features through which a problem is seen: of states, or of state-action pairs.

    Its arrays are exact where the problem was given exactly and ``exact`` is not False.
    """

    def __init__(self, problem: Problem, *, action_values: bool = False, exact: bool | None = None) -> None:
        _, target, _ = sampled(problem)
        self.problem = problem
        self.action_values = action_values
        kind = problem.is_exact if exact is None else exact
        self.Phi: Array = problem.exact.Phi if kind else problem.Phi
        pi: Array = np.asarray(denoted(target)) if kind else target.astype(np.float64)
        if action_values:
            S, A = pi.shape
            F = self.Phi.shape[1]
            zero = 0 * self.Phi[0, 0]
            pairs = np.full((S, A, F * A), zero, dtype=self.Phi.dtype)
            for a in range(A):
                pairs[:, a, a * F : (a + 1) * F] = self.Phi
            self.pairs: Array = pairs  # (S, A, F·A)
            pi, pairs = one_kind(pi, pairs)
            self.means: Array = sum((pi[:, a, None] * pairs[:, a] for a in range(A)), start=0 * pairs[:, 0])

    @property
    def n_features(self) -> int:
        return self.pairs.shape[2] if self.action_values else self.Phi.shape[1]

    @property
    def value_features(self) -> Array:
        """(S, F): row s gives v(s) from the parameters; for action values v(s) = Σ_a π(a|s) q(s, a)."""
        return self.means if self.action_values else self.Phi

    def see(self, s: int, a: int, t: int, reward: Any, ratio: Any, discount: Any = 1, b: int = 0) -> Transition:
        """The move from s by a to t, after which the behaviour takes action b."""
        if self.action_values:
            phi, phi_next, phi_follow = self.pairs[s, a], self.means[t], self.pairs[t, b]
        else:
            phi, phi_next, phi_follow = self.Phi[s], self.Phi[t], self.Phi[t]
        if discount == 1:
            return Transition(phi, reward, phi_next, ratio, phi_follow)
        return Transition(phi, reward, discount * phi_next, ratio, discount * phi_follow, discount)

    def stream(self, transitions: Transitions, seed: int = 0) -> Iterator[Transition]:
        """One seed's moves in order, as a learner sees them; an action value's move waits for the next action."""
        possible = list(zip(*(column.tolist() for column in transitions.possible), strict=True))
        drawn = transitions.drawn[seed].tolist()
        if not self.action_values:
            known = [self.see(*move) for move in possible]
            yield from (known[i] for i in drawn)
            return
        pairs = {(i, j): self.see(*possible[i], possible[j][1]) for i, j in set(pairwise(drawn))}  # type: ignore[call-arg]
        yield from (pairs[key] for key in pairwise(drawn))
