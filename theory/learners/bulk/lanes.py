"""The families with one or two vectors per setting: a block of settings side by side, one seed after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from theory.learners.bulk.data import Events, Moves, ValueSpace, events, moves, positions
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.record import Record
from theory.learners.kernels.compile import BLOCK, LOST, TINY, aligned
from theory.learners.kernels.pair import pair_kernel
from theory.learners.kernels.parameters import parameter_kernel
from theory.learners.kernels.single import single_kernel
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions

# Rows of the workspace after the values: the first five are those of every kernel.
ALPHA, _STEP, ERROR, _TOTAL, BELOW, BETA, SHRINK = range(7)


def run_single(
    record: Record,
    space: ValueSpace,
    transitions: Transitions,
    initials: Initials,
    settings: dict[str, Array],
    *,
    corrected: bool,
    emphatic: bool,
    traced: bool,
    parameters: bool,
    dtype: str,
) -> None:
    """td, off-policy-td, n-step, td-lambda, etd; with `parameters` on θ itself."""
    real = np.dtype(dtype).type
    F = space.features.shape[1]
    gram, Phi, truth = (x.astype(dtype) for x in (space.gram, space.features, space.truth))
    for (n, lambda_), rows in groups(settings, n=1, lambda_=0.0):
        gammas = (real(space.gamma ** int(n)), real(space.gamma * lambda_), real(lambda_), emphatic)
        for seed in range(transitions.seeds):
            move = moves(space, transitions, seed, int(n))
            if not corrected:
                move = move._replace(weight=np.ones_like(move.weight))
            event = events(move.weight != 0, record.half)
            row, next_row, weight, reward, residual, hold, until = event_columns(move, event, dtype)
            if parameters:
                kernel, values, trace = parameter_kernel(F, space.states, traced), initials.theta[seed, 0], F + 1
            else:
                kernel = single_kernel(space.rows, space.states, traced)
                values, trace = space.errors(initials.theta[seed, 0]), space.rows + 1
            for block in blocks(rows):
                memory = np.zeros(trace, dtype)
                given = (Phi, truth) if parameters else (gram,)
                driven_by = reward if parameters else residual
                stream = (row, next_row, weight, driven_by, hold, until, event.time)
                work = _workspace(values, block, settings, dtype, extra=6)
                reader = space if parameters else None
                _play(record, seed, block, work, len(values), event, kernel, (*given, memory, *gammas, *stream), reader)


def run_pair(
    record: Record,
    space: ValueSpace,
    transitions: Transitions,
    initials: Initials,
    settings: dict[str, Array],
    *,
    correction: bool,
    textbook: bool,
    kappa: float,
    dtype: str,
) -> None:
    """gtd2, tdc, tdrc (the one with κ > 0)."""
    kernel = pair_kernel(space.rows, correction, textbook, kappa > 0)
    given = (space.gram.astype(dtype), np.dtype(dtype).type(space.gamma))
    N = space.rows
    for seed in range(transitions.seeds):
        move = moves(space, transitions, seed)
        changes = move.weight != 0 if textbook and kappa == 0 else np.ones(len(move.weight), dtype=bool)
        event = events(changes, record.half)
        row, next_row, weight, _, residual, hold, until = event_columns(move, event, dtype)
        u = np.zeros(N) if initials.w is None else space.features @ initials.w[seed]
        values = np.concatenate([space.errors(initials.theta[seed, 0]), u])
        for block in blocks(np.arange(record.settings)):
            work = _workspace(values, block, settings, dtype, extra=9)
            beta = settings["beta"][block]
            work[2 * N + BETA, : len(block)] = beta
            work[2 * N + SHRINK, : len(block)] = 1 - beta * kappa
            stream = (row, next_row, weight, residual, hold, until)
            _play(record, seed, block, work, 2 * N, event, kernel, (*given, *stream), None)


def event_columns(move: Moves, event: Events, dtype: str) -> tuple[Array, ...]:
    """Rows, next rows, weights, rewards, residuals, holds and untils of the events; the start has weight 0."""
    at = np.maximum(event.at, 0)
    weight = np.where(event.at < 0, 0.0, move.weight[at])
    numbers = (weight, move.reward[at], move.residual[at], event.hold, event.until)
    return move.row[at], move.next_row[at], *(x.astype(dtype) for x in numbers)


def _play(
    record: Record,
    seed: int,
    block: Array,
    work: FloatArray,
    values: int,
    event: Events,
    kernel: Any,
    given: tuple[Any, ...],
    reader: ValueSpace | None,
) -> None:
    """Run a block to the end, stopping at the checkpoints to look; `reader` turns θ into errors."""
    real = work.dtype.type
    limits = (real(record.limit), real(TINY[work.dtype.name]), real(LOST[work.dtype.name]))
    lanes = np.arange(len(block))
    sums, below = np.zeros(len(block)), np.full(len(block), -1.0)
    live, begin = len(block), 0
    for mark, end in [*enumerate(positions(event.at, record.marks)), (-1, len(event.at))]:
        if live and end > begin:
            live = int(kernel(work, lanes, sums, below, *given, begin, end, live, *limits))
            begin = end
        if mark >= 0:
            seen = work[:values, :live].T.astype(np.float64)
            errors = seen[:, : record.states] if reader is None else reader.errors(seen)
            record.note(mark, seed, block[lanes[:live]], errors)
    final = np.full(len(block), np.inf)
    final[lanes[:live]] = work[values + ERROR, :live]
    record.sums[block, seed], record.below[block, seed], record.final[block, seed] = sums, below, final


def _workspace(values: FloatArray, block: Array, settings: dict[str, Array], dtype: str, extra: int) -> FloatArray:
    work = aligned((len(values) + extra, BLOCK), dtype)
    work[: len(values), : len(block)] = values[:, None]
    work[len(values) + ALPHA, : len(block)] = settings["alpha"][block]
    work[len(values) + BELOW] = -1
    return work


def groups(settings: dict[str, Array], **defaults: float) -> Iterator[tuple[tuple[float, ...], Array]]:
    """Settings that agree in the named columns: their values, and which settings they are."""
    size = len(next(iter(settings.values())))
    keys = np.stack([np.broadcast_to(settings.get(name, default), size) for name, default in defaults.items()], axis=1)
    for key in np.unique(keys, axis=0):
        yield tuple(key.tolist()), np.flatnonzero((keys == key).all(axis=1))


def blocks(rows: Array) -> Iterator[Array]:
    """Even blocks of at most BLOCK settings: 161 are 81 and 80, not 160 and 1."""
    yield from np.array_split(rows, -(-len(rows) // BLOCK))
