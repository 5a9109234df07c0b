r"""A problem and a seed's moves as the kernels want them: rows, weights and residuals in value space.

Rows are what is valued. For state values, the states. For action values, first the states (their value is the mean of q
under π), then all pairs (s, a). Each row has a feature vector and a true value,

    error e = features·θ − truth,       residual of a move  R + γ truth[next] − truth[row],

so that the TD error of any learner is residual + γ e[next] − e[row]. A move that ends the episode has the end as its
next row, with features and value 0; one into a state with a discount of its own has a copy of that row, multiplied by
it. The error that counts is the mean square of the first S rows: those of the states themselves, or, before them, of
linear functions Le of the states' errors,

    uniform   Σ_s e(s)²/S
    d_mu      Σ_s d_μ(s) e(s)²              the value error VE           L = √(S D)
    pbe       ‖Π(r_π + γP_πv − v)‖²_D       the projected Bellman error  L = √S (√D Π)(γP_π − I), in a basis of span Φ
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from theory.learners.checks import one_of
from theory.learners.transition import View
from theory.model.linear_model import value_model
from theory.model.points import target_values
from theory.problems import MDP, InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray
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
    arrivals: Array | None = None  # (N,): the row in which one arrives, where episodes end or states have discounts
    end: int = -1

    @property
    def gram(self) -> FloatArray:
        """(N, N): all inner products of features."""
        return self.features @ self.features.T

    @property
    def rows(self) -> int:
        return len(self.truth)

    def errors(self, theta: FloatArray) -> FloatArray:
        """Errors of all rows, (…, N), of parameters (…, F)."""
        return theta @ self.features.T - self.truth


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
    rows, values = np.concatenate(features), np.concatenate(truth)
    space = ValueSpace(rows, values, S, mdp.n_actions, gamma, action_values, 0 if error == "uniform" else S)
    return _with_ends(space, mdp) if mdp.ends else space


def _with_ends(space: ValueSpace, mdp: MDP) -> ValueSpace:
    """With a row for the end, and one more for each whose state has a discount between 0 and 1."""
    N, A = space.rows, space.n_actions
    c = np.ones(space.states) if mdp.discount is None else mdp.discount.astype(np.float64)
    factor = np.concatenate([np.ones(space.first), c, np.repeat(c, A) if space.action_values else []])
    partly = np.flatnonzero((factor > 0) & (factor < 1))
    arrivals = np.where(factor == 0, N, np.arange(N))
    arrivals[partly] = N + 1 + np.arange(len(partly))
    features = np.vstack([space.features, 0 * space.features[:1], factor[partly, None] * space.features[partly]])
    truth = np.concatenate([space.truth, [0.0], factor[partly] * space.truth[partly]])
    return replace(space, features=features, truth=truth, arrivals=arrivals, end=N)


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


class Moves(NamedTuple):
    """One seed's moves, all (steps,). `first_*` is what head 0 of a chain learns from; its weight is 1."""

    row: Array
    next_row: Array
    weight: FloatArray  # ρ, or the product of n ratios; 1 for action values
    reward: FloatArray
    residual: FloatArray
    ratio: FloatArray
    first_next: Array
    first_row: Array
    first_residual: FloatArray
    discount: FloatArray  # of the move itself: 0 where it ended the episode


def moves(space: ValueSpace, transitions: Transitions, seed: int, n: int = 1) -> Moves:
    """Seed number `seed`; with n > 1 the window that ends with each move, weight 0 until there are n moves.

    Action values take one move less, since each needs the action that follows it.
    """
    *indices, reward, ratio, discount = transitions.seed(seed)
    s, a, t = (x.astype(np.int64) for x in indices)
    truth, gamma = space.truth, space.gamma
    s, t = space.first + s, space.first + t
    if space.action_values:
        pair = space.states + space.first + (s - space.first) * space.n_actions + a
        row, next_row, follow = pair[:-1], t[:-1], pair[1:]
        reward, ratio, discount = reward[:-1], ratio[:-1], discount[:-1]
        weight = np.ones(len(row))
    else:
        row, next_row, follow, weight = s, t, t, ratio
    if space.arrivals is not None:
        next_row, follow = (np.where(discount == 0, space.end, space.arrivals[x]) for x in (next_row, follow))
    first_residual = reward + gamma * truth[follow] - truth[row]
    first_row, total = row, reward
    if n > 1:
        ended = None if space.arrivals is None else _ended(discount)
        row, next_row, weight, total = _windows(row, next_row, weight, reward, gamma, n, ended, space.end)
    residual = total + gamma**n * truth[next_row] - truth[row]
    return Moves(row, next_row, weight, total, residual, ratio, follow, first_row, first_residual, discount)


def _ended(discount: FloatArray) -> Array:
    if not np.isin(discount, (0.0, 1.0)).all():
        raise InvalidProblem("in bulk, returns of several moves know ends, but no states with discounts", "n")
    return discount == 0


def _windows(
    row: Array, next_row: Array, ratio: FloatArray, reward: FloatArray, gamma: float, n: int, ended: Any, end: int
) -> tuple[Array, Array, FloatArray, FloatArray]:
    steps = len(row)
    begin = np.maximum(np.arange(steps) - n + 1, 0)
    weight, total, discount = np.ones(steps), np.zeros(steps), 1.0
    over = np.zeros(steps, dtype=bool)  # has the episode ended within the window?
    for i in range(n):
        at = np.minimum(begin + i, steps - 1)
        weight = np.where(over, weight, weight * ratio[at])
        total = np.where(over, total, total + discount * reward[at])
        discount *= gamma
        if ended is not None and i < n - 1:
            over = over | ended[at]
    weight[: n - 1] = 0.0
    return row[begin], np.where(over, end, next_row), weight, total


class Events(NamedTuple):
    """The moves that change something, (m,); before them, where the first move changes nothing, the start itself."""

    at: Array  # which move; −1 for the start
    time: Array  # the same, but 0 for the start
    hold: FloatArray  # scored steps for which the state after the event lasts
    until: FloatArray  # the last step for which it does


def events(changes: Array, half: int) -> Events:
    """From a mask over the moves; step t is scored when t ≥ half.

    >>> events(np.array([False, True, False, False, True, False]), 3)[2:]
    (array([0., 1., 2.]), array([0., 3., 5.]))
    """
    steps = len(changes)
    at = np.flatnonzero(changes)
    if not changes[0]:
        at = np.concatenate([[-1], at])
    time = np.maximum(at, 0)
    after = np.concatenate([at[1:], [steps]])
    hold = np.maximum(0, after - np.maximum(time, half)).astype(np.float64)
    return Events(at, time, hold, (after - 1).astype(np.float64))


def positions(at: Array, marks: Array) -> list[int]:
    """How many events belong to the first c moves, for each checkpoint c."""
    return np.searchsorted(at, marks, side="left").tolist()
