r"""What methods that look several moves ahead are made of, from the moves of trajectories in their order.

From the i-th move of a trajectory on, with the products W_j = ρ_i ⋯ ρ_{i+j−1},

    n-step     Y_n = mean of W_n φ_i φ_{i+n}ᵀ        b_n = mean of φ_i Σ_{j<n} γʲ W_{j+1} r_{i+j}
    TD(λ)      A(λ) = mean of e_t (φ_t − γρ_tφ'_t)ᵀ        b(λ) = mean of e_t ρ_t r_t
               e_t = φ_t + γλρ_{t−1} e_{t−1}, from the beginning of the episode on

over the moves that n − 1 others follow, or an end before, and X over the same moves. Summed over an episode, Σ e_t z_tᵀ
is Σ φ_i (Σ_j (γλ)ʲ W_j z_{i+j})ᵀ: a trace needs to see the end of its episode, so one trajectory that was cut off
leaves TD(λ) undecided: what was cut off is not a fair sample.

Between blocks of rows, n-step methods keep the moves that others may still follow, and TD(λ) the trace of each open
episode; both for `AHEAD` rows, so that a unit knows them from the rows before it (`theory.data.moments`). Rows must be
in the order of their moves; where φ' is not the next row's φ they are not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from theory.data.moments import LOOK, GroupedSums
from theory.problems.data import Batch
from theory.problems.numbers import Array, FloatArray

NEAR = 1e-9  # of the largest feature: φ' as recorded is the next row's φ
AHEAD = LOOK // 2  # rows within which a trajectory must go on


class _Rows(NamedTuple):
    """Moves in the order of their trajectories, and which of them the next one continues."""

    phi: FloatArray
    phi_next: FloatArray
    reward: FloatArray
    ratio: FloatArray
    done: Array
    cut: Array
    link: Array
    key: Array
    row: Array

    def some(self, which: Array) -> _Rows:
        """These moves."""
        return _Rows(*(x[..., which] for x in self))


def _rows(block: Batch, links: Array, keys: Array, first: int) -> _Rows:
    row = np.arange(first, first + len(block))
    return _Rows(block.phi, block.phi_next, block.reward, block.ratio, block.done, block.cut, links, keys, row)


def _ordered(rows: _Rows) -> _Rows:
    order = np.argsort(rows.link, kind="stable")
    return rows if (order[1:] > order[:-1]).all() else rows.some(order)


def _follows(rows: _Rows) -> tuple[Array, str | None]:
    """Does the next move continue this one? And which two rows do not, though they should."""
    links = np.zeros(len(rows.row), dtype=bool)
    links[:-1] = (rows.link[1:] == rows.link[:-1]) & ~(rows.done | rows.cut)[:-1]
    gap = np.zeros(len(links))
    gap[:-1] = np.abs(rows.phi_next[:, :-1] - rows.phi[:, 1:]).max(axis=0)
    apart = links & (gap > NEAR * np.abs(rows.phi).max(initial=0.0))
    return links, _unordered(*rows.row[np.argmax(apart) :][:2].tolist()) if apart.any() else None


def _unordered(one: int, other: int) -> str:
    return (
        f"rows {one + 1:,} and {other + 1:,} do not follow each other (next_phi is not phi): "
        "several steps are not seen in single moves"
    )


class NSteps:
    """Sums φ_i [φ_i; W_n φ_{i+n}; return]ᵀ over the moves that enough others follow."""

    def __init__(self, n_features: int, n: int, gamma: float) -> None:
        self.n, self.gamma = n, gamma
        self.sums = GroupedSums(n_features, 2 * n_features + 1)
        self.why_not: str | None = None
        self.open: _Rows | None = None  # moves that others may still follow

    def add(self, block: Batch, links: Array, keys: Array, first: int, length: int | None, count: bool) -> None:
        """The next rows; those before a unit are looked at and not counted."""
        if self.why_not is not None:
            return
        rows = _rows(block, links, keys, first)
        if self.open is not None:
            rows = _Rows(*(np.concatenate(pair, axis=-1) for pair in zip(self.open, rows, strict=True)))
        rows = _ordered(rows)
        follows, self.why_not = _follows(rows)
        n = len(rows.row)
        place, weight, returns, product = np.arange(n), np.ones(n), np.zeros(n), np.ones(n)
        goes_on, seen, never = np.ones(n, dtype=bool), np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
        for j in range(self.n):
            product = np.where(goes_on, product * rows.ratio[place], product)  # an end keeps it: its mean is 1
            weight = np.where(goes_on, product, 0.0)
            returns += self.gamma**j * weight * rows.reward[place]
            if j + 1 == self.n:
                break
            ended = goes_on & rows.done[place]
            seen &= ~goes_on | ended | follows[place]
            never |= goes_on & rows.cut[place] & ~rows.done[place]
            goes_on &= follows[place]
            place = np.where(goes_on, place + 1, place)
        if count and seen.any():
            key = rows.key if length is None else rows.row.astype(np.uint64) // np.uint64(length)
            ahead = weight[seen] * rows.phi_next[:, place[seen]]
            right = np.concatenate([rows.phi[:, seen], ahead, returns[None, seen]])
            self.sums.add(key[seen], right[: len(rows.phi)], right, product[seen])
        self.open = rows.some(np.flatnonzero(~seen & ~never & (rows.row >= first + len(block) - AHEAD)))

    def merge(self, other: NSteps, head: Any) -> None:
        """Add what was found in later rows."""
        self.sums.merge(other.sums, head)
        self.why_not = self.why_not or other.why_not
        self.open = None


class _Trace(NamedTuple):
    """Of an open episode: e and the sum of its weights, after its last move."""

    e: FloatArray  # (F + 1,)
    ratio: float
    phi_next: FloatArray
    row: int
    begun: int


class Traces:
    """Sums e_t [z_t; ρ_t r_t]ᵀ with the trace e; what is true of all rows is elsewhere (X, how many end)."""

    def __init__(self, n_features: int, lambda_: float, gamma: float) -> None:
        self.lambda_, self.gamma = lambda_, gamma
        self.sums = GroupedSums(n_features, n_features + 1)
        self.why_not: str | None = None
        self.open: dict[int, _Trace] = {}
        self.since: int | None = None  # the first row that was looked at

    def add(self, block: Batch, links: Array, keys: Array, first: int, length: int | None, count: bool) -> None:
        """The next rows; those before a unit are looked at and not counted."""
        if self.why_not is not None:
            return
        self.since = first if self.since is None else self.since
        rows = _ordered(_rows(block, links, keys, first))
        follows, self.why_not = _follows(rows)
        F, n = rows.phi.shape
        starts = np.append(0, np.flatnonzero(~follows[:-1]) + 1)
        lengths = np.diff(np.append(starts, n))
        e = np.ones((F + 1, n))
        e[:F] = rows.phi
        decay = np.zeros(n)
        decay[1:] = np.where(follows[:-1], self.gamma * self.lambda_ * rows.ratio[:-1], 0.0)
        begun = np.repeat(rows.row[starts], lengths)
        self._go_on(rows, starts, lengths, e, begun, count)
        longest_first = np.argsort(-lengths, kind="stable")
        starts, lengths = starts[longest_first], lengths[longest_first]
        still = np.searchsorted(-lengths, -np.arange(1, lengths[0] + 1), side="right")
        for k in range(1, int(lengths[0])):
            here = starts[: still[k]] + k
            e[:, here] += decay[here] * e[:, here - 1]
        if count:
            z = rows.phi - self.gamma * rows.ratio * rows.phi_next
            right = np.concatenate([z, (rows.ratio * rows.reward)[None]])
            key = rows.key if length is None else rows.row.astype(np.uint64) // np.uint64(length)
            self.sums.add(key, e[:F], right, e[F] * rows.ratio)
        self._keep(rows, e, begun, first + n)

    def _go_on(self, rows: _Rows, starts: Array, lengths: Array, e: Array, begun: Array, count: bool) -> None:
        """Where an open episode goes on: its trace is added to the first move's."""
        if not self.open:
            return
        firsts = starts[np.append(True, rows.link[starts[1:]] != rows.link[starts[1:] - 1])]
        ends = dict(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))
        for i in firsts.tolist():
            trace = self.open.pop(int(rows.link[i]), None)
            if trace is None:
                continue
            e[:, i] += self.gamma * self.lambda_ * trace.ratio * trace.e
            begun[i : ends[i]] = trace.begun
            if np.abs(trace.phi_next - rows.phi[:, i]).max() > NEAR * np.abs(rows.phi).max():
                self.why_not = _unordered(trace.row, int(rows.row[i]))
            if count and self.since and trace.begun < self.since + AHEAD:
                self.why_not = f"a trajectory stretches over more than {AHEAD:,} rows, and its trace with it"

    def _keep(self, rows: _Rows, e: Array, begun: Array, until: int) -> None:
        last = np.append(np.flatnonzero(rows.link[1:] != rows.link[:-1]), len(rows.row) - 1)
        for i in last[~(rows.done | rows.cut)[last]].tolist():
            kept = e[:, i].copy(), float(rows.ratio[i]), rows.phi_next[:, i].copy(), int(rows.row[i]), int(begun[i])
            self.open[int(rows.link[i])] = _Trace(*kept)
        self.open = {key: trace for key, trace in self.open.items() if trace.row >= until - AHEAD}

    def merge(self, other: Traces, head: Any) -> None:
        """Add what was found in later rows."""
        self.sums.merge(other.sums, head)
        self.why_not = self.why_not or other.why_not
        self.open = {}
