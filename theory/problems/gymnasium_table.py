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
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import index
from typing import Any, NamedTuple

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.interop import mdp_of
from theory.problems.mdp import MDP
from theory.problems.numbers import Array
from theory.problems.problem import Problem
from theory.problems.validate import SUM_TOLERANCE

EXACT_SIZE = 200_000  # S·A·S up to which fractions are affordable
MAX_SIZE = 50_000_000  # S·A·S up to which a dense array is: 0.4 GB

# Value iteration: change in a step, relative to the values, and steps; difference of actions that count as tied.
SETTLED, LONGEST, TIE = 1e-10, 20_000, 1e-9

_MAX_DENOMINATOR = 1000
_Rows = list[list[tuple[float, int, float, bool]]]  # the outcomes of one state, by action


class Episodes(NamedTuple):
    """What a table describes: arrays of an MDP whose terminal states are absorbing with reward 0."""

    P: Array  # (S, A, S)
    R: Array  # (S, A) or (S, A, S)
    start: Array  # (S,)
    terminal: tuple[int, ...]  # indices into the S states
    numbers: tuple[int | None, ...]  # the environment's number of each state; None for the additional one


class Outcomes:
    """The moves of a table from its live states, in columns: from s by a to t, with probability p and reward r."""

    def __init__(self, table: Any, start: Any, actions: Sequence[str] | None = None) -> None:
        first = _read_start(start, len(table))
        live = _live_states(table, first)
        rows = [(s, a, *move) for s in sorted(live) for a, moves in enumerate(live[s]) for move in moves]
        s, self.a, self.p, self.t, self.r, self.end = (np.array(column) for column in zip(*rows, strict=True))
        self.numbers = np.unique(s)  # the environment's number of each live state; t is such a number
        self.s = np.searchsorted(self.numbers, s)
        self.n_table, self.n_states, self.n_actions = len(table), len(live), int(self.a.max()) + 1
        self.actions = tuple(actions) if actions is not None and len(actions) == self.n_actions else None
        self.start = np.zeros(self.n_states)
        self.start[np.searchsorted(self.numbers, list(first))] = list(first.values())

    def dense(self) -> Episodes:
        """The arrays, with terminal states as states."""
        known = np.union1d(self.numbers, self.t[self.end])
        again = self.end & np.isin(self.t, self.numbers)  # terminated in a live state
        S, A = len(known) + int(again.any()), self.n_actions
        if S * A * S > MAX_SIZE:
            raise InvalidProblem(f"{S} states and {A} actions are too many for dense arrays", "P")
        live = np.searchsorted(known, self.numbers)
        terminal = np.setdiff1d(np.arange(S), live)
        stay = np.repeat(terminal, A)
        s, t = np.append(live[self.s], stay), np.append(np.where(again, S - 1, np.searchsorted(known, self.t)), stay)
        a = np.append(self.a, np.tile(np.arange(A), len(terminal)))
        p, r = np.append(self.p, np.ones(len(stay))), np.append(self.r, np.zeros(len(stay)))
        start: Array = np.zeros(S)
        start[live] = self.start
        if S * A * S <= EXACT_SIZE and (exact := read_distributions(p, s * A + a)) is not None:
            fractions, firsts = read_fractions(r), read_distributions(start, 0 * start)
            p, r, start = exact, r if fractions is None else fractions, start if firsts is None else firsts
        P, R = np.zeros((S, A, S), dtype=p.dtype), np.zeros((S, A, S), dtype=r.dtype)
        np.add.at(P, (s, a, t), p)
        R[s, a, t] = r
        mixed = R[s, a, t] != r  # outcomes of one move with different rewards
        if mixed.any():
            total = np.zeros((S, A, S), dtype=r.dtype)
            np.add.at(total, (s, a, t), (p * r).astype(r.dtype))
            move = s[mixed], a[mixed], t[mixed]
            R[move] = total[move] / P[move]
        by_action = np.zeros((S, A), dtype=r.dtype)
        by_action[s, a] = R[s, a, t]
        if (by_action[s, a] == R[s, a, t]).all():
            R = by_action
        return Episodes(P, R, start, tuple(terminal.tolist()), (*known.tolist(), *[None] * int(again.any())))

    def under(self, policy: Array) -> tuple[Any, Array, Array]:
        """P, sparse, r and the chance to end, (S, S), (S,) and (S,), over live states alone."""
        weight = policy[self.s, self.a] * self.p
        r, ends = (np.bincount(self.s, weight * x, self.n_states) for x in (self.r, self.end))
        return self._ahead(weight, self.s, self.n_states), r, ends

    def _ahead(self, weight: Array, row: Array, rows: int) -> Any:
        from scipy import sparse

        on = ~self.end
        moves = (row[on], np.searchsorted(self.numbers, self.t[on]))
        return sparse.coo_array((weight[on], moves), shape=(rows, self.n_states)).tocsr()

    def optimal_policy(self, gamma: float) -> Array:
        """A greedy policy after value iteration, the action of lowest index among the best."""
        S, A = self.n_states, self.n_actions
        pair = self.s * A + self.a
        ahead = self._ahead(gamma * self.p, pair, S * A)
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


def read_fractions(values: Iterable[float]) -> Array | None:
    """For every double the fraction p/q, q ≤ 1000, within two units in its last place; None if one has none.

    >>> read_fractions([0.33333333333333337, -1.0]).tolist()
    [Fraction(1, 3), Fraction(-1, 1)]
    """
    read: dict[float, Fraction] = {}
    for x in (numbers := [float(value) for value in values]):
        if x not in read:
            read[x] = Fraction(x).limit_denominator(_MAX_DENOMINATOR)
            if abs(read[x] - Fraction(x)) > 2 * Fraction(math.ulp(x)):
                return None
    return np.array([read[x] for x in numbers], dtype=object)


def read_distributions(values: Iterable[float], rows: Array) -> Array | None:
    """`read_fractions` of probabilities, None also where the fractions of a row do not sum to one."""
    read = read_fractions(values)
    if read is not None:
        total = np.zeros(int(max(rows)) + 1, dtype=object)
        np.add.at(total, np.asarray(rows, dtype=np.int64), read)
        return read if (total == 1).all() else None
    return None


def _read_start(start: Any, n_states: int) -> dict[int, float]:
    """The states in which an episode may begin, with their probabilities."""
    try:
        first = {s: float(p) for s, p in enumerate(start) if p != 0}
    except (TypeError, ValueError):
        first = {}
    fine = all(s < n_states and p > 0 for s, p in first.items()) and abs(sum(first.values()) - 1) <= SUM_TOLERANCE
    if not fine:
        raise InvalidProblem(f"is no distribution over the {n_states} states of P", "initial_state_distrib")
    return first


def _live_states(table: Any, first: Iterable[int]) -> dict[int, _Rows]:
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
