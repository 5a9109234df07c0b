r"""The moments of recorded transitions in one pass: what batches add, and what is merged.

A move adds φ [φ; ρφ'; ρr]ᵀ to the sums of its trajectory, and nothing of it is kept. Trajectories are told apart by
`episode`, else by the ends of episodes; else blocks of consecutive rows stand in for them, whose length is the power of
two below √n. Up to some thousand trajectories have sums of their own. Beyond, a trajectory adds to group
hash(trajectory) mod G: which group that is does not depend on the data, so that groups are independent of each other as
trajectories are, and a trajectory that goes on in another batch, file or machine needs no care. Memory is G·F·(2F+1)
doubles beside a block of rows, whatever the number of rows.

**The same numbers wherever batches and files are cut.** Floating-point sums depend on their order, so the order is
fixed by the rows' numbers in the whole recording: rows are added in blocks of 2ᵏ rows, blocks in units of 2²⁰, and
units are merged from the first to the last. A unit needs no other one, so that any number of machines may compute them.

A trajectory that is open where a unit begins, of those told apart by their ends, is `HEAD` there; merging knows it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.problems.cells import mixed
from theory.problems.data import Batch
from theory.problems.numbers import Array, FloatArray

UNIT = 2**20  # rows that are added up from nothing
LOOK = 2**16  # rows before a unit that methods of several steps look at
GROUPS = 1024
MOST = 4096  # trajectories with sums of their own
FEWEST_GROUPS = 64
BYTES = 2**28  # of sums, unless that leaves too few groups
HEAD = np.uint64(2**64 - 1)
SKETCH = 1024  # smallest hashes, which tell how many there are


def block_rows(n_features: int) -> int:
    """How many rows are added at once: a power of two, some 16 MB of φ."""
    return min(2**16, max(2**10, 2 ** int(np.log2(2**21 / n_features))))


class GroupedSums:
    """Σ l rᵀ over the rows of each trajectory, or of each group of trajectories once there are many."""

    def __init__(self, n_left: int, n_right: int) -> None:
        most = int(np.clip(BYTES // (8 * n_left * (2 * n_left + 1)), FEWEST_GROUPS, MOST))
        self.most, self.n_groups = most, min(GROUPS, most)
        self.slot_of: dict[int, int] | None = {}  # of a trajectory; None: its group is its key mod G
        self.sums = np.zeros((0, n_left, n_right))
        self.moves = np.zeros(0)
        self.weights = np.zeros(0)

    @property
    def n(self) -> int:
        """How many have sums."""
        return self.n_groups if self.slot_of is None else len(self.slot_of)

    def add(self, keys: Array, left: FloatArray, right: FloatArray, weight: FloatArray | None = None) -> None:
        """Rows with their trajectories' keys, (n,); left (L, n) and right (R, n)."""
        if not len(keys):
            return
        slot = self.slots(keys)
        first = np.append(0, np.flatnonzero(slot[1:] != slot[:-1]) + 1)
        self.moves += np.bincount(slot, minlength=len(self.moves))
        if weight is not None:
            self.weights += np.bincount(slot, weight, len(self.weights))
        if len(first) > len(np.unique(slot[first])):
            order = np.argsort(slot, kind="stable")
            same = left.base is right or (right.base is not None and left.base is right.base)
            slot, right = slot[order], np.take(right, order, axis=1)
            left = right[: len(left)] if same else np.take(left, order, axis=1)
            first = np.append(0, np.flatnonzero(slot[1:] != slot[:-1]) + 1)
        for i, a, b in zip(slot[first].tolist(), first.tolist(), [*first[1:].tolist(), len(slot)], strict=True):
            self.sums[i] += left[:, a:b] @ right[:, a:b].T

    def merge(self, other: GroupedSums, head: Any = HEAD) -> None:
        """Add the sums of later rows, in which HEAD is the trajectory `head`."""
        if other.slot_of is None:
            self._fold()
            self._add_slots(np.arange(self.n_groups), other, slice(0, self.n_groups))
            if other.moves[-1]:
                self._add_slots(self.slots(np.array([head], dtype=np.uint64)), other, slice(-1, None))
        elif other.slot_of:
            keys = np.fromiter(other.slot_of, dtype=np.uint64, count=len(other.slot_of))
            self._add_slots(self.slots(np.where(keys == HEAD, head, keys)), other, slice(0, len(keys)))

    def coarsen(self, factor: int) -> None:
        """Make one block of so many neighbouring ones: keys count blocks."""
        assert self.slot_of is not None
        old, keys = self._copy(), np.fromiter(self.slot_of, dtype=np.uint64, count=len(self.slot_of))
        self.slot_of = {}
        self.sums, self.moves, self.weights = self.sums[:0], self.moves[:0], self.weights[:0]
        slots = self.slots(keys // np.uint64(factor))
        self._add_slots(slots, old, slice(0, len(keys)))

    def slots(self, keys: Array) -> Array:
        """Where the sums of these trajectories are; room is made for new ones."""
        if self.slot_of is not None:
            few, first, where = np.unique(keys, return_index=True, return_inverse=True)
            listed = few.tolist()
            new = [key for _, key in sorted(zip(first.tolist(), listed, strict=True)) if key not in self.slot_of]
            if len(self.slot_of) + len(new) <= self.most:
                for key in new:
                    self.slot_of[key] = len(self.slot_of)
                self._room(len(self.slot_of))
                return np.array([self.slot_of[key] for key in listed], dtype=np.int64)[where]
            self._fold()
        found = (keys % np.uint64(self.n_groups)).astype(np.int64)
        return np.where(keys == HEAD, self.n_groups, found)

    def _copy(self) -> GroupedSums:
        old = object.__new__(GroupedSums)
        old.__dict__.update(self.__dict__)
        return old

    def _fold(self) -> None:
        """From trajectories to groups; HEAD stays alone, behind them."""
        if self.slot_of is None:
            return
        old, keys = self._copy(), np.fromiter(self.slot_of, dtype=np.uint64, count=len(self.slot_of))
        self.slot_of = None
        shape = (self.n_groups + 1, *self.sums.shape[1:])
        self.sums, self.moves, self.weights = np.zeros(shape), np.zeros(shape[0]), np.zeros(shape[0])
        if len(keys):
            self._add_slots(self.slots(keys), old, slice(0, len(keys)))

    def _add_slots(self, slots: Array, other: GroupedSums, part: slice) -> None:
        for mine, theirs in ((self.moves, other.moves), (self.weights, other.weights)):
            np.add.at(mine, slots, theirs[part])
        for slot, sums in zip(slots.tolist(), other.sums[part], strict=True):
            self.sums[slot] += sums

    def _room(self, n: int) -> None:
        if n > len(self.moves):
            size = min(self.most, max(n, 2 * len(self.moves), 16))
            for name in ("sums", "moves", "weights"):
                old = getattr(self, name)
                new = np.zeros((size, *old.shape[1:]))
                new[: len(old)] = old
                setattr(self, name, new)


@dataclass
class Ratios:
    """What is known of the ratios, whose mean estimates 1."""

    total: float = 0.0
    squares: float = 0.0
    largest: float = -1.0
    row: int = 0  # of the largest

    def add(self, ratio: FloatArray, first: int) -> None:
        """More of them, from this row on."""
        self._take(float(ratio.sum()), float(ratio @ ratio), float(ratio.max()), first + int(np.argmax(ratio)))

    def merge(self, other: Ratios) -> None:
        """Those of later rows."""
        self._take(other.total, other.squares, other.largest, other.row)

    def _take(self, total: float, squares: float, largest: float, row: int) -> None:
        self.total, self.squares = self.total + total, self.squares + squares
        if largest > self.largest:
            self.largest, self.row = largest, row


class Runs:
    """Rows of one trajectory after each other: how many such runs there are, and how many do not end with an end."""

    def __init__(self) -> None:
        self.n = self.cut = 0  # the last run is not in `cut`
        self.first: int | None = None
        self.last: tuple[int, bool] | None = None  # key, done
        self.smallest = np.zeros(0, dtype=np.uint64)  # hashes of keys
        self.ended: dict[int, bool] | None = {}  # does a trajectory's last row end it? while there are few

    def add(self, keys: Array, done: Array, most: int) -> None:
        """Rows in their order."""
        ends = np.append(np.flatnonzero(keys[1:] != keys[:-1]), len(keys) - 1)
        inner = Runs()
        inner.n, inner.cut = len(ends), int((~done[ends[:-1]]).sum())
        inner.first, inner.last = int(keys[0]), (int(keys[-1]), bool(done[-1]))
        inner.smallest = np.unique(keys[ends])[:SKETCH]
        if self.ended is None or len(self.ended) + len(inner.smallest) > 2 * most:
            inner.ended = None
        else:
            inner.ended = dict(zip(keys[ends].tolist(), done[ends].tolist(), strict=True))
        self.merge(inner, most)

    def merge(self, other: Runs, most: int, head: Any = HEAD) -> None:
        """Those of later rows."""
        if other.last is None:
            return
        head = int(head)
        first, last = (head if key == int(HEAD) else key for key in (other.first or 0, other.last[0]))
        joined = self.last is not None and self.last[0] == first
        if self.last is not None and not joined:
            self.cut += not self.last[1]
        self.n, self.cut = self.n + other.n - joined, self.cut + other.cut
        self.first = first if self.first is None else self.first
        self.last = (last, other.last[1])
        hashes = other.smallest[other.smallest != HEAD]
        self.smallest = np.unique(np.concatenate([self.smallest, hashes]))[:SKETCH]
        if self.ended is not None and other.ended is not None:
            self.ended.update((head if key == int(HEAD) else key, end) for key, end in other.ended.items())
        if other.ended is None or (self.ended is not None and len(self.ended) > most):
            self.ended = None

    @property
    def trajectories(self) -> tuple[int, bool]:
        """How many there are, and whether that is exact; a sketch tells where rows of many are mixed."""
        if self.ended is not None:
            return len(self.ended), True
        about = int((SKETCH - 1) / (float(self.smallest[-1]) / 2.0**64)) if len(self.smallest) == SKETCH else self.n
        return (self.n, True) if self.n < 1.3 * about else (int(float(f"{about:.2g}")), False)

    @property
    def unended(self) -> int:
        """Trajectories that do not end with an end."""
        if self.ended is not None:
            return sum(not end for end in self.ended.values())
        return self.cut + (self.last is not None and not self.last[1])


class Moments:
    """What was added so far."""

    def __init__(self, n_features: int, how: str, start: int = 0, steps: Iterable[Any] = ()) -> None:
        self.how = how  # trajectories are told apart by "episode" or "ends", or they are "blocks"
        self.start, self.rows = start, 0
        self.base = GroupedSums(n_features, 2 * n_features + 1)
        self.steps = list(steps)
        self.ratios, self.runs = Ratios(), Runs()
        self.largest = 0.0
        self.seen: FloatArray | None = np.zeros((0, n_features))  # different features, while there are at most F
        self.length = 1  # of a block
        self._begun = 0 if start == 0 else -1  # the row with which the open trajectory began

    @property
    def n_features(self) -> int:
        """F."""
        return int(self.base.sums.shape[1])

    @property
    def open(self) -> Any:
        """The key of the trajectory that the next row belongs to, of those told apart by their ends."""
        return HEAD if self._begun < self.start and self.start else mixed(np.array([self._begun], dtype=np.uint64))[0]

    @property
    def _block(self) -> int | None:
        """Rows of a block, where blocks stand in for trajectories."""
        return self.length if self.how == "blocks" else None

    def look(self, block: Batch, first: int) -> None:
        """Rows before the first, which are counted elsewhere."""
        links, keys = self._links(block, first)
        for step in self.steps:
            step.add(block, links, keys, first, self._block, count=False)

    def add(self, block: Batch) -> None:
        """The next rows."""
        first, n = self.start + self.rows, len(block)
        links, keys = self._links(block, first)
        F = self.n_features
        right = np.empty((2 * F + 1, n))
        right[:F] = block.phi
        np.multiply(block.phi_next, block.ratio, out=right[F : 2 * F])
        np.multiply(block.reward, block.ratio, out=right[-1])
        self.base.add(keys, right[:F], right)
        self.rows += n
        self.ratios.add(block.ratio, first)
        if self.how != "blocks":
            self.runs.add(keys, block.done, self.base.most)
        self.largest = max(self.largest, block.largest)
        for matrix in (block.phi, block.phi_next):
            self.seen = _different(self.seen, matrix)
        for step in self.steps:
            step.add(block, links, keys, first, self._block, count=True)

    def merge(self, other: Moments) -> None:
        """Add what was found in the rows that follow."""
        head = self.open
        if self.how == "blocks":
            self._coarsen(max(self.length, other.length))
            other._coarsen(self.length)
        self.base.merge(other.base, head)
        for mine, theirs in zip(self.steps, other.steps, strict=True):
            mine.merge(theirs, head)
        if self.how != "blocks":
            self.runs.merge(other.runs, self.base.most, head)
        self.ratios.merge(other.ratios)
        self.rows += other.rows
        self.largest = max(self.largest, other.largest)
        self.seen = None if other.seen is None else _different(self.seen, other.seen.T)
        if other._begun >= other.start:
            self._begun = other._begun
        self.settle()

    def settle(self) -> None:
        """Blocks as long as so many rows ask for."""
        if self.how == "blocks" and self.rows:
            wanted = 2 ** int(np.log2(max(1.0, np.sqrt(self.rows)))) if self.rows > 3 else 1
            while self.rows / wanted > self.base.most:
                wanted *= 2
            self._coarsen(max(wanted, self.length))

    def _coarsen(self, length: int) -> None:
        if length > self.length and self.rows:
            for sums in (self.base, *(step.sums for step in self.steps)):
                sums.coarsen(length // self.length)
        self.length = max(self.length, length)

    def _links(self, block: Batch, first: int) -> tuple[Array, Array]:
        """Which rows are of one trajectory, as far as these rows tell; and under which key they are added."""
        n = len(block)
        if self.how == "episode":
            assert block.key is not None
            return block.key, block.key
        if self.how == "blocks":
            length = self.length
            while (self.rows + n) / length > self.base.most:
                length *= 2
            self._coarsen(length)
            rows = np.arange(first, first + n, dtype=np.uint64)
            return np.zeros(n, dtype=np.uint64), rows // np.uint64(self.length)
        after = np.flatnonzero(block.done | block.cut) + 1
        begun = np.full(n + 1, self._begun)
        begun[after] = first + after
        begun = np.maximum.accumulate(begun)
        self._begun = int(begun[-1])
        links = begun[:-1]
        keys = mixed(np.maximum(links, 0).astype(np.uint64))
        if self.start:
            keys = np.where(links < self.start, HEAD, keys)
        return links.view(np.uint64), keys


def _different(known: FloatArray | None, matrix: FloatArray) -> FloatArray | None:
    """The different columns that are not 0, with those known; None where there are more than features."""
    if known is None or not matrix.size:
        return known
    F = len(matrix)

    def few(rows: FloatArray) -> FloatArray | None:
        rows = np.unique(np.vstack([known, rows]) + 0.0, axis=0)
        rows = rows[rows.any(axis=1)]
        return rows if len(rows) <= F else None

    begin = few(matrix[:, : 2 * F + 2].T)
    if begin is None:
        return None
    marks = np.sqrt(np.arange(2.0, F + 2)) @ matrix
    _, where, back = np.unique(marks, return_index=True, return_inverse=True)
    if len(where) > 50 * F + 50:
        return None  # rows with different marks are different, but for rounding
    if (matrix[:, where][:, back] != matrix).any():
        where = np.arange(matrix.shape[1])
    return few(matrix[:, where].T)


def blocks(batches: Iterable[Batch], size: int) -> Iterator[Batch]:
    """The same rows in blocks of `size`, in memory as if they had been read so."""
    waiting: deque[Batch] = deque()
    held = 0
    for batch in batches:
        waiting.append(batch)
        held += len(batch)
        while held >= size:
            yield _take(waiting, size)
            held -= size
    if held:
        yield _take(waiting, held)


def _take(waiting: deque[Batch], n: int) -> Batch:
    """The first n rows of what waits."""
    parts: list[list[Array]] = []
    largest = 0.0
    while n:
        batch = waiting.popleft()
        arrays, largest = batch.arrays(), max(largest, batch.largest)
        if len(batch) > n:
            waiting.appendleft(_batch([x[..., n:] for x in arrays], batch.largest))
            arrays = [x[..., :n] for x in arrays]
        parts.append(arrays)
        n -= min(n, len(batch))
    if len(parts) == 1:
        return _batch([np.ascontiguousarray(x) for x in parts[0]], largest)
    return _batch([np.concatenate(same, axis=-1) for same in zip(*parts, strict=True)], largest)


def _batch(arrays: list[Array], largest: float) -> Batch:
    phi, phi_next, reward, ratio, done, cut, *key = arrays
    return Batch(phi, phi_next, reward, ratio, done, cut, key[0] if key else None, largest)
