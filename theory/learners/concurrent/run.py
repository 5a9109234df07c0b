"""Concurrent chains: head 0 of all step sizes side by side, then all other heads of one chain after the other."""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import Events, Moves, events, moves, positions
from theory.learners.bulk.job import Job
from theory.learners.bulk.lanes import blocks, event_columns, groups
from theory.learners.bulk.layout import BLOCK, aligned
from theory.learners.concurrent.kernel import (
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


def run(job: Job) -> None:
    """Also chains of other estimators that update every head along φ(s) alone: n-step, Expected SARSA."""
    record, space, settings, dtype, real = job.record, job.space, job.settings, job.dtype, job.real
    N, S, gram, gamma = space.rows, space.states, space.gram.astype(dtype), space.gamma
    variant = _variant(job)
    kernel = concurrent_kernel(N, S, *variant)
    for (n,), rows in groups(settings, n=1):
        alphas, heads = settings["alpha"][rows], settings["k"][rows].astype(np.int64)
        for seed in range(job.transitions.seeds):
            move = moves(space, job.transitions, seed, int(n))
            event = events(move.weight != 0, record.half)
            row, next_row, weight, _, residual, hold, until = event_columns(move, event, dtype)
            start = space.errors(job.initials.theta[seed]).astype(dtype)  # (heads, N)
            parts, squares = _parts(start), np.square(start[:, :S]).sum(axis=1)
            ends = [*enumerate(positions(event.at, record.marks)), (-1, len(event.at))]
            for block in blocks(np.unique(alphas)):
                seen = _first(job, move, event, next_row, start[0], seed, block, rows, alphas, heads)
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
                            lost = bool(kernel(*given, begin, end, *job.limits))
                            begin = end
                        if mark >= 0 and not lost:
                            errors = e[at[:, None] + WIDTH * np.arange(S)]
                            record.note(mark, seed, chosen, errors.astype(np.float64))
                    record.sums[chosen, seed] = np.inf if lost else sums
                    record.final[chosen, seed] = np.inf if lost else error
                    record.below[chosen, seed] = below


def _variant(job: Job) -> tuple[bool, bool]:
    """In place? Normalised? Only the plain concurrent chain can be."""
    return getattr(job.rule, "order", "jacobi") == "in-place", getattr(job.rule, "normalise", False)


def _first(
    job: Job,
    move: Moves,
    event: Events,
    event_row: Array,
    start: FloatArray,
    seed: int,
    block: Array,
    rows: Array,
    alphas: Array,
    heads: Array,
) -> FloatArray:
    """Run head 0 for a block of step sizes, record it where it is scored, and say what it was worth at the events."""
    record, space, dtype = job.record, job.space, job.dtype
    N, S, n = space.rows, space.states, len(block)
    kernel = first_kernel(N, S, *_variant(job))
    work = aligned((N + N_ROWS, BLOCK), dtype)
    work[:N, :n], work[N + ALPHA, :n] = start[:, None], block
    work[N + ERROR, :n] = np.square(start[:S]).sum()
    seen = np.empty((n, len(event.at)), dtype)
    sums, below = np.zeros(n), np.full(n, -1.0)
    here = np.flatnonzero((heads == 0) & (alphas >= block[0]) & (alphas <= block[-1]))
    chosen, lane = rows[here], np.searchsorted(block, alphas[here])
    stream = (move.first_row, move.first_next, move.first_residual.astype(dtype), event.at, event_row)
    real = job.real
    given = (work, seen, sums, below, space.gram.astype(dtype), real(space.gamma), *stream, len(here) > 0, record.half)
    begin, m = 0, 0
    for mark, end in [*enumerate(record.marks.tolist()), (-1, record.steps)]:
        if end > begin:
            m = kernel(*given, begin, end, m, n, *job.limits[:2])
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
