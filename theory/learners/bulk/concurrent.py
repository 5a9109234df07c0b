"""Concurrent chains: head 0 of all step sizes side by side, then all other heads of one chain after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.learners.bulk.data import Events, Moves, ValueSpace, events, moves, positions
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.lanes import blocks, event_columns, groups
from theory.learners.bulk.record import Record
from theory.learners.kernels.compile import BLOCK, LOST, TINY, aligned
from theory.learners.kernels.concurrent import (
    ALPHA,
    ERROR,
    N_ROWS,
    PART,
    WIDTH,
    concurrent_kernel,
    first_kernel,
    part_size,
    place,
)
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions


def run_concurrent(
    record: Record,
    space: ValueSpace,
    transitions: Transitions,
    initials: Initials,
    settings: dict[str, Array],
    *,
    options: Any,
    dtype: str,
) -> None:
    """chained-concurrent, chained-n-step, chained-expected-sarsa."""
    real = np.dtype(dtype).type
    N, S, gram, gamma = space.rows, space.states, space.gram.astype(dtype), space.gamma
    in_place = options.order == "in-place"
    kernel = concurrent_kernel(N, S, in_place, options.normalise)
    limits = (real(record.limit), real(TINY[dtype]), real(LOST[dtype]))
    for (n,), rows in groups(settings, n=1):
        alphas, heads = settings["alpha"][rows], settings["k"][rows].astype(np.int64)
        for seed in range(transitions.seeds):
            move = moves(space, transitions, seed, int(n))
            event = events(move.weight != 0, record.half)
            row, next_row, weight, _, residual, hold, until = event_columns(move, event, dtype)
            start = space.errors(initials.theta[seed]).astype(dtype)  # (heads, N)
            parts, squares = _parts(start), np.square(start[:, :S]).sum(axis=1)
            ends = [*enumerate(positions(event.at, record.marks)), (-1, len(event.at))]
            for block in blocks(np.unique(alphas)):
                seen = _first(record, space, move, event, next_row, start[0], seed, block, rows, alphas, heads, options)
                for alpha, before in zip(block.tolist(), seen, strict=True):
                    here = (alphas == alpha) & (heads > 0)
                    if not here.any():
                        continue
                    chosen, scored = rows[here], heads[here]
                    e, error = aligned(parts.shape, dtype), squares[scored]
                    e[:] = parts
                    sums, below = np.zeros(len(chosen)), np.full(len(chosen), -1.0)
                    at = place(N, scored)
                    books = (at, error, sums, below, hold, until)
                    stream = (row, next_row, weight, residual, before)
                    given = (e, len(start), real(alpha), gram, real(gamma ** int(n)), *stream, *books)
                    begin, lost = 0, False
                    for mark, end in ends:
                        if not lost and end > begin:
                            lost = bool(kernel(*given, begin, end, *limits))
                            begin = end
                        if mark >= 0 and not lost:
                            errors = e[at[:, None] + WIDTH * np.arange(S)]
                            record.note(mark, seed, chosen, errors.astype(np.float64))
                    record.sums[chosen, seed] = np.inf if lost else sums
                    record.final[chosen, seed] = np.inf if lost else error
                    record.below[chosen, seed] = below


def _first(
    record: Record,
    space: ValueSpace,
    move: Moves,
    event: Events,
    event_row: Array,
    start: FloatArray,
    seed: int,
    block: Array,
    rows: Array,
    alphas: Array,
    heads: Array,
    options: Any,
) -> FloatArray:
    """Run head 0 for a block of step sizes, record it where it is scored, and say what it was worth at the events."""
    dtype, N, S, n = start.dtype.name, space.rows, space.states, len(block)
    kernel = first_kernel(N, S, options.order == "in-place", options.normalise)
    work = aligned((N + N_ROWS, BLOCK), dtype)
    work[:N, :n], work[N + ALPHA, :n] = start[:, None], block
    work[N + ERROR, :n] = np.square(start[:S]).sum()
    seen = np.empty((n, len(event.at)), dtype)
    sums, below = np.zeros(n), np.full(n, -1.0)
    here = np.flatnonzero((heads == 0) & (alphas >= block[0]) & (alphas <= block[-1]))
    chosen, lane = rows[here], np.searchsorted(block, alphas[here])
    stream = (move.first_row, move.first_next, move.first_residual.astype(dtype), event.at, event_row)
    real = start.dtype.type
    given = (work, seen, sums, below, space.gram.astype(dtype), real(space.gamma), *stream, len(here) > 0, record.half)
    limits = (real(record.limit), real(TINY[dtype]))
    begin, m = 0, 0
    for mark, end in [*enumerate(record.marks.tolist()), (-1, record.steps)]:
        if end > begin:
            m = kernel(*given, begin, end, m, n, *limits)
            begin = end
        if mark >= 0 and len(here):
            record.note(mark, seed, chosen, work[:S, lane].T.astype(np.float64))
    record.sums[chosen, seed], record.below[chosen, seed] = sums[lane], below[lane]
    record.final[chosen, seed] = work[N + ERROR, lane]
    return seen


def _parts(start: FloatArray) -> FloatArray:
    """Heads 1..K of (heads, N) errors in the kernel's order."""
    heads, N = start.shape
    e = np.zeros(-(-(heads - 1) // PART) * part_size(N), start.dtype)
    e[place(N, np.arange(1, heads))[:, None] + WIDTH * np.arange(N)] = start[1:]
    return e
