"""Episodes in a world that never ends.

A task may keep its terminal states as states, as Gymnasium's tables do: off-policy prediction needs one
endless stream under μ and a stationary distribution d_μ > 0. The form used here changes nothing that a learner
can see. (Without such states, rows of P sum to less than one: `theory.problems.validate`.) A terminal state
becomes an ordinary state in which

- the first action stays, with reward 0;
- every other action starts a new episode from the initial distribution, with reward 0;
- the target takes the first action, so that v_π(terminal) = 0;
- the behaviour takes every action with equal probability, so that episodes go on: the chain comes back,
  and d_μ is unique and positive wherever μ comes from the start;
- the discount γ(s) for arriving in it is 0, so that a transition into it bootstraps from 0, and γ = 1 is
  allowed where episodes end;
- the feature row is zero, so that a transition out of it moves no weight (φ = 0).

v_μ and r_μ keep their meaning at the terminal state too, where they are the value and reward of
waiting there for the next episode: v_μ(terminal) ≠ 0 in general, but no update ever looks at it.

`continuing` makes the MDP, `episodic_problem` the problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.mdp import MDP, depth
from theory.problems.numbers import InvalidProblem, as_array, one_kind
from theory.problems.problem import Problem
from theory.problems.validate import as_probabilities


def continuing(
    P: Any,
    R: Any,
    terminal_states: Sequence[int],
    start: Any,
    gamma: Any,
    states: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
) -> MDP:
    """The continuing MDP of an episodic task.

    `P` (S, A, S) and `R` (S, A) or (S, A, S) include the terminal states; what they say about moves
    out of those is ignored (so zero rows and absorbing rows are both fine). `start` (S,) is the
    distribution of the first state, none of it on a terminal state. At least two actions.

    >>> coin = continuing([[[0, 1], [1, 0]], [[0, 0], [0, 0]]], [[1, 0], [0, 0]], [1], [1, 0], "9/10")
    >>> coin.P[1].astype(int).tolist()
    [[0, 1], [1, 0]]
    """
    P, R = as_array(P, 3, "transitions"), as_array(R, depth(R), "rewards").copy()
    S, A = P.shape[:2]
    if A < 2:
        raise InvalidProblem("an episodic task needs a second action, to start again at the end", "actions")
    start = as_probabilities(start, (S,), "states", "start")
    P, start = (x.copy() for x in one_kind(P, start))
    for s in terminal_states:
        P[s], R[s] = start, 0
        P[s, 0] = [int(t == s) for t in range(S)]
    state_names, action_names = (None if names is None else tuple(names) for names in (states, actions))
    return MDP(P, R, gamma, state_names, action_names, discount=[int(s not in terminal_states) for s in range(S)])


def episodic_problem(mdp: MDP, *, pi: Any, mu: Any, Phi: Any, name: str = "problem") -> Problem:
    """The problem of a continuing MDP; what policies and features say of terminal states is replaced."""
    pi, mu, Phi = (as_array(rows, 2, key).copy() for key, rows in (("pi", pi), ("mu", mu), ("Phi", Phi)))
    if mdp.discount is not None:
        ends = np.flatnonzero(mdp.discount == 0)
        pi[ends], mu[ends], Phi[ends] = 0, Fraction(1, mdp.n_actions), 0
        pi[ends, 0] = 1
    return Problem.from_mdp(mdp, pi=pi, mu=mu, Phi=Phi, name=name)
