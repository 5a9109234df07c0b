r"""A problem and a seed's moves as steps want them: rows and residuals in value space.

Rows are what is valued. For state values, the states. For action values, first the states (their value is the mean of q
under π), then all pairs (s, a). Each row has a feature vector and a true value,

    error e = features·θ − truth,       residual of a move  R + γ truth[next] − truth[row],

so that the TD error of any learner is residual + γ e[next] − e[row]; γ is the move's own, 0 where the episode ended.
The error that counts is the mean square of the first S rows: those of the states themselves, or, before them, of
linear functions Le of the states' errors,

    uniform   Σ_s e(s)²/S
    d_mu      Σ_s d_μ(s) e(s)²              the value error VE           L = √(S D)
    pbe       ‖Π(r_π + γP_πv − v)‖²_D       the projected Bellman error  L = √S (√D Π)(γP_π − I), in a basis of span Φ
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.learners.rule import Moves, one_of
from theory.learners.transition import View
from theory.model.linear_model import value_model
from theory.model.points import target_values
from theory.problems import Problem
from theory.problems.numbers import FloatArray
from theory.problems.sampling import Transitions

ERRORS = ("uniform", "d_mu", "pbe")


@dataclass(frozen=True, eq=False)
class ValueSpace:
    """Features and true values of all rows; the first `states` are scored, those of the states begin at `first`."""

    features: FloatArray  # (N, F)
    truth: FloatArray  # (N,)
    states: int
    n_actions: int
    gamma: float
    action_values: bool
    first: int = 0

    def errors(self, theta: FloatArray) -> FloatArray:
        """Errors of all rows, (…, N), of parameters (…, F)."""
        return theta @ self.features.T - self.truth

    def moves(self, transitions: Transitions, seed: int) -> Moves:
        """One seed's moves. Action values take one move less, since each needs the action that follows it."""
        *indices, reward, ratio, discount = transitions.seed(seed)
        s, a, t = (x.astype(np.int64) for x in indices)
        row = self.first + s
        next_row = follow_row = self.first + t
        if self.action_values:
            pair = self.first + self.states + s * self.n_actions + a
            row, next_row, follow_row = pair[:-1], next_row[:-1], pair[1:]
            reward, ratio, discount = reward[:-1], ratio[:-1], discount[:-1]
        gamma = self.gamma * discount
        residual, follow = (reward + gamma * self.truth[x] - self.truth[row] for x in (next_row, follow_row))
        return Moves(row, next_row, follow_row, ratio, gamma, residual, follow)


def value_space(problem: Problem, *, action_values: bool = False, error: str = "uniform") -> ValueSpace:
    """The rows of a problem with an MDP behind it, scored by one of `ERRORS`."""
    one_of(error, ERRORS, "error")
    view = View(problem, action_values=action_values, exact=False)
    v, gamma, S = target_values(problem), problem.gamma, problem.n_states
    mdp = problem.mdp
    assert mdp is not None  # or View had complained
    features, truth = [view.value_features], [v]
    if action_values:
        q = mdp.expected_rewards().astype(np.float64) + gamma * (mdp.going_on.astype(np.float64) @ v)
        features.append(view.pairs.reshape(S * mdp.n_actions, -1))
        truth.append(q.ravel())
    if error != "uniform":
        L = _weights(problem, error)
        features.insert(0, L @ features[0])
        truth.insert(0, L @ v)
    first = 0 if error == "uniform" else S
    return ValueSpace(np.concatenate(features), np.concatenate(truth), S, mdp.n_actions, gamma, action_values, first)


def _weights(problem: Problem, error: str) -> FloatArray:
    """L, (S, S)."""
    S = problem.n_states
    if error == "d_mu":
        return np.diag(np.sqrt(S * problem.d_mu))
    m = value_model(problem)
    dual = m.weighted(m.Phi).T  # ‖Πx‖²_D = ‖dual x‖²
    L = np.zeros((S, S))
    L[: len(dual)] = np.sqrt(S) * dual @ (problem.gamma * problem.P_pi - np.eye(S))
    return L
