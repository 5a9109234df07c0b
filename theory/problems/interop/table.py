"""Gymnasium's transition tables, ``P[s][a] = [(probability, next_state, reward, terminated), …]``.

From table to MDP. Follow the table from the initial distribution under all actions and never beyond a
termination: the states met are *live*. A state entered by a terminated transition is *terminal*; it
becomes a state of the MDP that every action keeps, with reward 0. Where a live state is entered with
termination, such transitions lead to one additional state, "terminal". What is not met is dropped;
labels keep the environment's numbers, s0, s1, …

Several outcomes may share a next state. Their probabilities add up, and R[s, a, s'] is the mean of their
rewards: every expectation is kept, though not the variance of the reward given s'. Where the reward does
not depend on s' it is R[s, a].

Reading doubles. A table says 0.3333333333333333 and means 1/3. If every probability met lies within two
units in the last place of a fraction with denominator at most 1000, and these fractions sum to one in
every row, the fractions are used; rewards are read in the same way, apart from the probabilities.
If not, or if S·A·S exceeds 200,000, the numbers stay doubles.

A table of many states is read into columns (`Outcomes`), of which P is made sparse. An end is no state then: the
target's episodes end, so its rows sum to less than one (`theory.problems.termination`), and the behaviour starts again
at once, which is what d_μ is stationary for. X, Y and b are those of the dense form up to one factor: the time that
the behaviour waits at an end.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.interop.arrays import mdp_of
from theory.problems.mdp import MDP
from theory.problems.numbers import Array, FloatArray, is_exact
from theory.problems.problem import Problem
from theory.problems.validate import SUM_TOLERANCE

EXACT_SIZE = 200_000  # S·A·S up to which fractions are affordable
MAX_SIZE = 50_000_000  # S·A·S up to which a dense array is: 0.4 GB

# Value iteration: change in a step, relative to the values, and steps; difference of actions that count as tied.
SETTLED, LONGEST, TIE = 1e-10, 20_000, 1e-9

_MAX_DENOMINATOR = 1000
_Rows = list[list[tuple[float, int, float, bool]]]  # the outcomes of one state, by action


@dataclass(frozen=True, eq=False)
class Episodes:
    """What a table describes: arrays of an MDP whose terminal states are absorbing with reward 0."""

    P: Array  # (S, A, S)
    R: Array  # (S, A) or (S, A, S)
    start: Array  # (S,)
    terminal: tuple[int, ...]  # indices into the S states
    numbers: tuple[int | None, ...]  # the environment's number of each state; None for the additional one

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple("terminal" if n is None else f"s{n}" for n in self.numbers)


def read_table(table: Any, start: Any) -> Episodes:
    """The live and terminal part of `table` from the initial distribution `start` over its states."""
    first = read_start(start, len(table))
    live = live_states(table, first)
    ends = {t for rows in live.values() for row in rows for _, t, _, terminated in row if terminated}
    additional: list[int | None] = [None] if ends & live.keys() else []
    numbers: list[int | None] = [*sorted(live.keys() | ends), *additional]
    place = {number: i for i, number in enumerate(numbers)}
    terminal = tuple(i for i, number in enumerate(numbers) if number not in live)
    S, A = len(numbers), len(next(iter(live.values())))
    if S * A * S > MAX_SIZE:
        raise InvalidProblem(f"{S} states and {A} actions are too many for dense arrays", "P")
    outcomes = {
        (place[s], a): [(p, place[None if end and t in live else t], r) for p, t, r, end in row]
        for s, rows in live.items()
        for a, row in enumerate(rows)
    }
    outcomes |= {(i, a): [(1.0, i, 0.0)] for i in terminal for a in range(A)}
    P, R = _arrays(outcomes, S, A)
    fractions = read_distributions([list(first.values())]) if is_exact(P) else None
    initial = {(place[s],): fractions[p] if fractions else p for s, p in first.items()}
    return Episodes(P, R, _filled((S,), initial, fractions is not None), terminal, tuple(numbers))


class Outcomes:
    """The outcomes of a table in columns: from s by a to t, with probability p and reward r, going on or not."""

    def __init__(self, table: Any, start: Any) -> None:
        first = read_start(start, len(table))
        live = live_states(table, first)
        self.numbers = tuple(sorted(live))  # the environment's number of each state
        place = {number: i for i, number in enumerate(self.numbers)}
        rows = [
            (place[s], a, place.get(t, 0), p, r, end)
            for s in self.numbers
            for a, outcomes in enumerate(live[s])
            for p, t, r, end in outcomes
        ]
        self.s, self.a, self.t, self.p, self.r, end = (np.array(column) for column in zip(*rows, strict=True))
        self.goes_on = ~end
        self.n_states, self.n_actions = len(live), len(next(iter(live.values())))
        self.start = np.zeros(self.n_states)
        self.start[[place[number] for number in first]] = list(first.values())

    def under(self, policy: Array) -> tuple[Any, FloatArray, FloatArray]:
        """P, sparse, r and the chance to end, (S, S), (S,) and (S,)."""
        from scipy import sparse

        S, weight, on = self.n_states, policy[self.s, self.a] * self.p, self.goes_on
        P = sparse.coo_array((weight[on], (self.s[on], self.t[on])), shape=(S, S)).tocsr()
        return P, np.bincount(self.s, weight * self.r, S), np.bincount(self.s, weight * ~on, S)

    def optimal_policy(self, gamma: float) -> Array:
        """A greedy policy after value iteration, the action of lowest index among the best."""
        from scipy import sparse

        S, A = self.n_states, self.n_actions
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


def to_gymnasium_table(problem_or_mdp: Problem | MDP) -> dict[int, dict[int, list[tuple[float, int, float, bool]]]]:
    """The MDP as a table of Gymnasium's toy environments; what terminates is what arrives with a discount of 0.

    >>> to_gymnasium_table(MDP([[[0, 1]], [["1/2", "1/2"]]], [[2], [0]], 0))[1]
    {0: [(0.5, 0, 0.0, False), (0.5, 1, 0.0, False)]}
    """
    mdp = mdp_of(problem_or_mdp)
    discount = np.ones(mdp.n_states) if mdp.discount is None else mdp.discount.astype(np.float64)
    if mdp.start is not None or not np.isin(discount, (0, 1)).all():
        raise InvalidProblem("a table says of a state only whether it ends the episode, not with which discount")
    P, R = mdp.P.astype(np.float64), mdp.R.astype(np.float64)
    table: dict[int, dict[int, list[tuple[float, int, float, bool]]]] = {}
    for s in range(mdp.n_states):
        table[s] = {a: [] for a in range(mdp.n_actions)}
    for s, a, t in np.argwhere(mdp.P > 0).tolist():
        reward = R[s, a] if R.ndim == 2 else R[s, a, t]
        table[s][a].append((float(P[s, a, t]), t, float(reward), bool(discount[t] == 0)))
    return table


def read_fractions(values: Iterable[float]) -> dict[float, Fraction] | None:
    """For every double the fraction p/q, q ≤ 1000, within two units in its last place; None if one has none.

    >>> read_fractions([0.33333333333333337, -1.0])
    {0.33333333333333337: Fraction(1, 3), -1.0: Fraction(-1, 1)}
    """
    read: dict[float, Fraction] = {}
    for x in values:
        if x not in read:
            read[x] = Fraction(x).limit_denominator(_MAX_DENOMINATOR)
            if abs(read[x] - Fraction(x)) > 2 * Fraction(math.ulp(x)):
                return None
    return read


def read_distributions(rows: Collection[list[float]]) -> dict[float, Fraction] | None:
    """`read_fractions` of all rows' entries, None also where the fractions of a row do not sum to one."""
    read = read_fractions(p for row in rows for p in row)
    if read is None or any(sum(read[p] for p in row) != 1 for row in rows):
        return None
    return read


def read_start(start: Any, n_states: int) -> dict[int, float]:
    """The states in which an episode may begin, with their probabilities."""
    try:
        first = {s: float(p) for s, p in enumerate(start) if p != 0}
    except (TypeError, ValueError):
        first = {}
    fine = all(s < n_states and p > 0 for s, p in first.items()) and abs(sum(first.values()) - 1) <= SUM_TOLERANCE
    if not fine:
        raise InvalidProblem(f"is no distribution over the {n_states} states of P", "initial_state_distrib")
    return first


def live_states(table: Any, first: Iterable[int]) -> dict[int, _Rows]:
    """The states met from `first`, never beyond a termination, each with its outcomes by action."""
    live: dict[int, _Rows] = {}
    waiting = list(first)
    while waiting:
        s = waiting.pop()
        if s in live:
            continue
        live[s] = _read_state(table, s)
        if len(live[s]) != len(next(iter(live.values()))):
            raise InvalidProblem(f"has {len(live[s])} actions, but another state has another number", "P", s)
        waiting += [t for row in live[s] for _, t, _, terminated in row if not terminated]
    return live


def _read_state(table: Any, s: int) -> _Rows:
    rows: _Rows = []
    try:
        for a in range(len(table[s])):
            rows.append([(float(p), index(t), float(r), bool(end)) for p, t, r, end in table[s][a] if p != 0])
    except (LookupError, TypeError, ValueError):
        complaint = "is not a list of (probability, next state, reward, terminated)"
        raise InvalidProblem(complaint, "P", s, len(rows)) from None
    for a, row in enumerate(rows):
        for p, t, r, _ in row:
            if not (p > 0 and 0 <= t < len(table) and math.isfinite(r)):
                raise InvalidProblem(f"({p}, {t}, {r}) is no probability, next state and reward", "P", s, a)
        total = sum(p for p, *_ in row)
        if not abs(total - 1) <= SUM_TOLERANCE:
            raise InvalidProblem(f"probabilities sum to {total:.6g}, not 1", "P", s, a)
    return rows


def _arrays(outcomes: dict[tuple[int, int], list[tuple[float, int, float]]], S: int, A: int) -> tuple[Array, Array]:
    chances = rewards = None
    if S * A * S <= EXACT_SIZE:
        chances = read_distributions([[p for p, _, _ in row] for row in outcomes.values()])
        rewards = read_fractions(r for row in outcomes.values() for _, _, r in row) if chances else None
    moves: dict[tuple[int, int, int], list[tuple[Any, Any]]] = {}
    for (s, a), row in outcomes.items():
        for p, t, r in row:
            move = (chances[p] if chances else p, rewards[r] if rewards else r)
            moves.setdefault((s, a, t), []).append(move)
    P = _filled((S, A, S), {key: sum(p for p, _ in parts) for key, parts in moves.items()}, chances is not None)
    R = {key: _mean(parts) for key, parts in moves.items()}
    by_action: dict[tuple[int, int], set[Any]] = {}
    for (s, a, _), r in R.items():
        by_action.setdefault((s, a), set()).add(r)
    if all(len(values) == 1 for values in by_action.values()):
        return P, _filled((S, A), {key: r for key, (r,) in by_action.items()}, rewards is not None)
    return P, _filled((S, A, S), R, rewards is not None)


def _mean(parts: list[tuple[Any, Any]]) -> Any:
    first = parts[0][1]
    if all(r == first for _, r in parts):
        return first  # not via a quotient, which would round in floats
    return sum(p * r for p, r in parts) / sum(p for p, _ in parts)


def _filled(shape: tuple[int, ...], entries: Mapping[Any, Any], exact: bool) -> Array:
    array: Array = np.full(shape, Fraction(0) if exact else 0.0, dtype=object if exact else np.float64)
    for key, value in entries.items():
        array[key] = value
    return array
