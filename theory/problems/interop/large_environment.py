"""A Gymnasium table of many states as a problem whose P stays sparse.

The states are the live ones that the table reaches. An end is no state here: the target's episodes end, so its rows sum
to less than one (`theory.problems.termination`), and the behaviour starts again at once, which is what d_μ is
stationary for. Of the dense form, which keeps ends as silent states, X, Y and b are the same up to one factor: the time
that the behaviour waits there.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy import sparse

from theory.problems.errors import InvalidProblem
from theory.problems.interop.table import live_states, read_start
from theory.problems.large import Sparse, sparse_stationary
from theory.problems.numbers import Array, FloatArray, parse_number
from theory.problems.problem import Problem
from theory.problems.validate import check_covers

SETTLED, LONGEST, TIE = 1e-10, 20_000, 1e-9  # of value iteration


class Moves:
    """The outcomes of a table in columns: from s by a to t, with probability p and reward r, ending or not."""

    def __init__(self, table: Any, start: Any) -> None:
        first = read_start(start, len(table))
        live = live_states(table, first)
        place = {number: i for i, number in enumerate(sorted(live))}
        rows = [
            (place[s], a, place.get(t, 0), p, r, end)
            for s in sorted(live)
            for a, outcomes in enumerate(live[s])
            for p, t, r, end in outcomes
        ]
        s, a, t, p, r, end = (np.array(column) for column in zip(*rows, strict=True))
        self.s, self.a, self.t, self.p, self.r, self.goes_on = s, a, t, p, r, ~end
        self.states, self.actions = len(live), len(next(iter(live.values())))
        self.start = np.zeros(self.states)
        self.start[[place[number] for number in first]] = list(first.values())

    def under(self, policy: Array) -> tuple[Sparse, FloatArray, FloatArray]:
        """P, r and the chance to end, (S, S), (S,) and (S,)."""
        weight, on = policy[self.s, self.a] * self.p, self.goes_on
        shape = (self.states, self.states)
        P = sparse.coo_array((weight[on], (self.s[on], self.t[on])), shape=shape).tocsr()
        r: FloatArray = np.bincount(self.s, weight * self.r, self.states).astype(np.float64)
        ends: FloatArray = np.bincount(self.s, weight * ~on, self.states).astype(np.float64)
        return P, r, ends

    def optimal(self, gamma: float) -> Array:
        """A greedy policy after value iteration, the action of lowest index among the best."""
        S, A = self.states, self.actions
        pair = self.s * A + self.a
        weight = np.where(self.goes_on, gamma * self.p, 0.0)
        ahead = sparse.coo_array((weight, (pair, self.t)), shape=(S * A, S)).tocsr()
        r, v = np.bincount(pair, self.p * self.r, S * A), np.zeros(S)
        for _ in range(LONGEST):
            q = (r + ahead @ v).reshape(S, A)
            change, v = float(np.abs(q.max(axis=1) - v).max()), q.max(axis=1)
            if change <= SETTLED * (1 - gamma) * (float(np.abs(v).max()) or 1.0):
                break
        near = q >= v[:, None] - TIE * (np.abs(q).max(axis=1, keepdims=True) + np.abs(q).max() * 1e-4)
        return np.eye(A)[near.argmax(axis=1)]


def large_environment(
    table: Any, start: Any, actions: tuple[str, ...] | None, ours: dict[str, str], name: str
) -> Problem:
    """The problem of a table, with `ours` as of `theory.problems.interop.gymnasium`."""
    gamma = parse_number(ours["gamma"], "gamma")
    moves = Moves(table, start)
    pi, mu = (_policy(moves, ours[key], actions, float(gamma), key) for key in ("target", "behaviour"))
    check_covers(pi, mu, "behaviour")
    P_pi, r_pi, _ = moves.under(pi)
    P_mu, r_mu, ends = moves.under(mu)
    again = sparse.csr_array(ends[:, None]) @ sparse.csr_array(moves.start[None, :])
    return Problem.from_matrices(
        gamma,
        Phi=_features(moves.states, ours),
        P_pi=P_pi,
        d_mu=sparse_stationary(sparse.csr_array(P_mu + again), "behaviour"),
        r_pi=r_pi,
        P_mu=P_mu,
        r_mu=r_mu,
        name=name,
        episodic=True,
    )


def _policy(moves: Moves, text: str, actions: tuple[str, ...] | None, gamma: float, key: str) -> Array:
    A = moves.actions
    if text == "uniform":
        return np.full((moves.states, A), 1 / A)
    if text == "optimal":
        return moves.optimal(gamma)
    number = (
        (actions or ()).index(text) if text in (actions or ()) else int(text) if re.fullmatch("[0-9]{1,9}", text) else A
    )
    if number >= A:
        raise InvalidProblem(f"of many states it is uniform, optimal, or one of {A} actions, got {text!r}", key)
    return np.tile(np.eye(A)[number], (moves.states, 1))


def _features(S: int, ours: dict[str, str]) -> FloatArray:
    if ours["features"] == "tabular":
        raise InvalidProblem(f"one feature for each of {S:,} states is too many: aggregated or random", "features")
    key = "groups" if ours["features"] == "aggregated" else "count"
    if not re.fullmatch("[0-9]{1,4}", ours[key]) or not 1 <= int(ours[key]) <= 1000:
        raise InvalidProblem(f"must be an integer from 1 to 1000, got {ours[key]!r}", key)
    F = int(ours[key])
    if key == "groups":
        return np.eye(F)[np.arange(S) * F // S]
    seed = parse_number(ours["seed"], "seed")
    return np.rint(100 * np.random.default_rng(int(seed)).standard_normal((S, F))) / 100
