"""One head in turn, many step sizes side by side: sequential chains and target networks."""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import moves
from theory.learners.bulk.job import Job
from theory.learners.bulk.lanes import blocks, groups
from theory.learners.bulk.layout import BLOCK, aligned, padded
from theory.learners.sequential.kernel import ALPHA, BELOW, ERROR, HEAD, N_ROWS, STOPPED, turns_kernel
from theory.problems.numbers import Array, FloatArray


def run(job: Job) -> None:
    """A target network is the hot ring of two heads that starts with the second."""
    record, space, settings, dtype, real, rule = job.record, job.space, job.settings, job.dtype, job.real, job.rule
    N, S, gram = space.rows, space.states, space.gram.astype(dtype)
    ring, wrap, hot, first = rule.after == "ring", rule.after == "wrap", rule.hot, rule.first_head
    last = job.initials.theta.shape[1] - 1
    kernel = turns_kernel(N, S)
    for seed in range(job.transitions.seeds):
        move = moves(space, job.transitions, seed)
        start = space.errors(job.initials.theta[seed]).astype(dtype)  # (heads, N)
        stream = (move.row, move.next_row, move.weight.astype(dtype), move.residual.astype(dtype))
        for (window,), rows in groups(settings, window=1):
            alphas = np.unique(settings["alpha"][rows])
            heads = np.unique(settings["k"][rows]).astype(np.int64) if not ring else np.array([0])
            slots = np.full(last + 1, len(heads))
            slots[heads] = np.arange(len(heads))
            for block in blocks(alphas):
                n, m = padded(len(block)), len(block)
                work = aligned((2 * N + N_ROWS, BLOCK), dtype)
                work[:N, :m], work[N : 2 * N, :m] = start[first, :, None], start[0, :, None]
                work[2 * N + ALPHA, :m], work[2 * N + BELOW] = block, -1
                work[2 * N + ERROR, :m] = np.square(start[first, :S]).sum()
                stored = np.zeros((1, 1, 1), dtype) if hot else np.tile(start[:, :, None], (1, 1, BLOCK))
                value = np.zeros((len(heads) + 1, N, BLOCK), dtype)
                value[:-1] = start[heads, :, None]
                squares = np.square(value[:, :S]).sum(axis=1)
                sums, below = np.zeros(squares.shape), np.full(squares.shape, -1.0)
                clock, since = np.array([first, 0, 0]), np.zeros(len(heads) + 1, dtype=np.int64)
                books = (slots, value, squares, sums, below, since)
                rules = (int(window), last, hot, wrap, ring, record.half)
                given = (work, stored, clock, *books, gram, real(space.gamma), *stream, *rules)
                which = [
                    (r, int(slots[int(settings["k"][r])]) if not ring else 0, int(np.searchsorted(block, a)))
                    for r, a in zip(rows.tolist(), settings["alpha"][rows].tolist(), strict=True)
                    if block[0] <= a <= block[-1]
                ]
                r, q, j = (np.array(column) for column in zip(*which, strict=True))
                begin, lost = 0, False
                for mark, end in [*enumerate(record.marks.tolist()), (-1, record.steps)]:
                    if not lost and end > begin:
                        lost = bool(kernel(*given, begin, end, record.steps, n, m, *job.limits))
                        begin = end
                    if mark >= 0 and not lost:
                        record.note(mark, seed, r, _present(work, value, clock, slots, ring, q, j, N)[:, :S])
                record.sums[r, seed] = np.inf if lost else sums[q, j]
                record.final[r, seed] = np.inf if lost else squares[q, j]
                record.below[r, seed] = below[q, j]


def _present(
    work: FloatArray, value: FloatArray, clock: Array, slots: Array, ring: bool, q: Array, j: Array, N: int
) -> FloatArray:
    """Errors of the scored heads as they are: the one in training is in `work`, the others wait in `value`."""
    seen = value[q, :, j]
    if not clock[STOPPED]:
        training = q == (0 if ring else slots[clock[HEAD]])
        seen = np.where(training[:, None], work[:N, j].T, seen)
    return seen.astype(np.float64)
