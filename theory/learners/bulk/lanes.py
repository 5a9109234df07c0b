"""Settings side by side: blocks of them, events in columns, and how a block is played to the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from theory.learners.bulk.data import Events, Moves, ValueSpace, positions
from theory.learners.bulk.job import Job
from theory.learners.bulk.layout import BLOCK, aligned
from theory.problems.numbers import Array, FloatArray

# Rows of the workspace after the values, the same for every kernel that is played; its own come after them.
ALPHA, _STEP, ERROR, _TOTAL, BELOW, OWN = range(6)


def event_columns(move: Moves, event: Events, dtype: str) -> tuple[Array, ...]:
    """Rows, next rows, weights, rewards, residuals, holds and untils of the events; the start has weight 0."""
    at = np.maximum(event.at, 0)
    weight = np.where(event.at < 0, 0.0, move.weight[at])
    numbers = (weight, move.reward[at], move.residual[at], event.hold, event.until)
    return move.row[at], move.next_row[at], *(x.astype(dtype) for x in numbers)


def play(
    job: Job,
    seed: int,
    block: Array,
    work: FloatArray,
    values: int,
    event: Events,
    kernel: Any,
    given: tuple[Any, ...],
    reader: ValueSpace | None = None,
) -> None:
    """Run a block to the end, stopping at the checkpoints to look; `reader` turns θ into errors."""
    record, limits = job.record, job.limits
    lanes = np.arange(len(block))
    sums, below = np.zeros(len(block)), np.full(len(block), -1.0)
    live, begin = len(block), 0
    for mark, end in [*enumerate(positions(event.at, record.marks)), (-1, len(event.at))]:
        if live and end > begin:
            live = int(kernel(work, lanes, sums, below, *given, begin, end, live, *limits))
            begin = end
        if mark >= 0:
            seen = work[:values, :live].T.astype(np.float64)
            errors = (seen if reader is None else reader.errors(seen))[:, : record.states]
            record.note(mark, seed, block[lanes[:live]], errors)
    final = np.full(len(block), np.inf)
    final[lanes[:live]] = work[values + ERROR, :live]
    record.sums[block, seed], record.below[block, seed], record.final[block, seed] = sums, below, final


def workspace(job: Job, values: FloatArray, block: Array, extra: int) -> FloatArray:
    """A block's lanes: the values they begin with, and `extra` rows of what the kernel needs besides."""
    work = aligned((len(values) + extra, BLOCK), job.dtype)
    work[: len(values), : len(block)] = values[:, None]
    work[len(values) + ALPHA, : len(block)] = job.settings["alpha"][block]
    work[len(values) + BELOW] = -1
    return work


def groups(settings: dict[str, Array], **defaults: float) -> Iterator[tuple[tuple[float, ...], Array]]:
    """Settings that agree in the named columns (with these values where there is none): values, and which they are."""
    size = len(next(iter(settings.values())))
    keys = np.stack([np.broadcast_to(settings.get(name, default), size) for name, default in defaults.items()], axis=1)
    for key in np.unique(keys, axis=0):
        yield tuple(key.tolist()), np.flatnonzero((keys == key).all(axis=1))


def blocks(rows: Array) -> Iterator[Array]:
    """Even blocks of at most BLOCK settings: 161 are 81 and 80, not 160 and 1."""
    yield from np.array_split(rows, -(-len(rows) // BLOCK))
