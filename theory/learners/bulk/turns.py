"""One head in turn, many step sizes side by side: sequential chains and target networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.learners.bulk.data import ValueSpace, moves
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.lanes import blocks, groups
from theory.learners.bulk.record import Record
from theory.learners.kernels.compile import BLOCK, LOST, TINY, aligned, padded
from theory.learners.kernels.turns import ALPHA, BELOW, ERROR, HEAD, N_ROWS, STOPPED, turns_kernel
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions


def run_turns(
    record: Record,
    space: ValueSpace,
    transitions: Transitions,
    initials: Initials,
    settings: dict[str, Array],
    *,
    network: bool,
    options: Any,
    dtype: str,
) -> None:
    """chained-sequential, and (`network`) target-network."""
    real = np.dtype(dtype).type
    N, gram = space.rows, space.gram.astype(dtype)
    ring, wrap, hot = network or options.after == "ring", options.after == "wrap", network or options.hot
    last = initials.theta.shape[1] - 1
    kernel = turns_kernel(N)
    limits = (real(record.limit), real(TINY[dtype]), real(LOST[dtype]))
    for seed in range(transitions.seeds):
        move = moves(space, transitions, seed)
        start = space.errors(initials.theta[seed]).astype(dtype)  # (heads, N)
        stream = (move.row, move.next_row, move.weight.astype(dtype), move.residual.astype(dtype))
        for (window,), rows in groups(settings, window=1):
            alphas = np.unique(settings["alpha"][rows])
            heads = np.unique(settings["k"][rows]).astype(np.int64) if not ring else np.array([0])
            slots = np.full(last + 1, len(heads))
            slots[heads] = np.arange(len(heads))
            for block in blocks(alphas):
                n, m = padded(len(block)), len(block)
                work = aligned((2 * N + N_ROWS, BLOCK), dtype)
                first = 1 if network else 0
                work[:N, :m], work[N : 2 * N, :m] = start[first, :, None], start[0, :, None]
                work[2 * N + ALPHA, :m], work[2 * N + BELOW] = block, -1
                work[2 * N + ERROR, :m] = np.square(start[first]).sum()
                stored = np.zeros((1, 1, 1), dtype) if hot else np.tile(start[:, :, None], (1, 1, BLOCK))
                value = np.zeros((len(heads) + 1, N, BLOCK), dtype)
                value[:-1] = start[heads, :, None]
                squares = np.square(value).sum(axis=1)
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
                        lost = bool(kernel(*given, begin, end, record.steps, n, m, *limits))
                        begin = end
                    if mark >= 0 and not lost:
                        record.note(mark, seed, r, _present(work, value, clock, slots, ring, q, j, N))
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
