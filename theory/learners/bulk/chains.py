"""The families with heads: all heads of one chain side by side, or one head in turn for many step sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.learners.bulk.data import Moves, ValueSpace, events, moves
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.lanes import blocks, groups
from theory.learners.bulk.record import Record
from theory.learners.kernels.compile import BLOCK, LOST, TINY, aligned, padded
from theory.learners.kernels.heads import SHIFT, concurrent_kernel, corrected_kernel
from theory.learners.kernels.turns import ALPHA, BELOW, ERROR, HEAD, N_ROWS, STOPPED, turns_kernel
from theory.learners.registry import default_lambda
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions


def run_heads(
    record: Record,
    space: ValueSpace,
    transitions: Transitions,
    initials: Initials,
    settings: dict[str, Array],
    *,
    learner: str,
    options: Any,
    dtype: str,
) -> None:
    """chained-concurrent, chained-n-step, chained-expected-sarsa, chained-vtrace, chained-retrace, chained-q."""
    real = np.dtype(dtype).type
    gram, gamma = space.gram.astype(dtype), space.gamma
    traced = learner in ("chained-vtrace", "chained-retrace", "chained-q")
    limits = (real(record.limit), real(TINY[dtype]), real(LOST[dtype]))
    for (n, lambda_), rows in groups(settings, n=1, lambda_=default_lambda(learner)):
        for seed in range(transitions.seeds):
            move = moves(space, transitions, seed, int(n))
            start = space.errors(initials.theta[seed]).T.astype(dtype)  # (N, heads)
            heads, width = start.shape[1], padded(SHIFT + start.shape[1])
            weight, decay = move.weight, np.zeros_like(move.weight)
            if traced:
                weight, decay = _corrections(learner, move, gamma, lambda_, options)
            changes = np.ones(len(weight), dtype=bool) if traced else weight != 0
            event = events(changes, record.half)
            hold, until = np.zeros(len(weight), dtype), np.zeros(len(weight), dtype)
            inside = event.at >= 0
            hold[event.at[inside]], until[event.at[inside]] = event.hold[inside], event.until[inside]
            stream = (move.row, move.next_row, weight.astype(dtype), move.residual.astype(dtype))
            first = (move.first_row, move.first_next, move.first_residual.astype(dtype))
            for alpha in np.unique(settings["alpha"][rows]):
                chosen = rows[settings["alpha"][rows] == alpha]
                scored = settings["k"][chosen].astype(np.int64)
                e, c = aligned((space.rows, width), dtype), aligned((width,), dtype)
                e[:, SHIFT : SHIFT + heads] = start
                error = np.square(start[: space.states, scored]).sum(axis=0)
                sums, below = np.zeros(len(chosen)), np.full(len(chosen), -1.0)
                if not inside[0]:  # until the first event the start itself is what the heads predict
                    waiting = scored > 0
                    sums[waiting] += event.hold[0] * error[waiting]
                    below[waiting & (error <= record.limit)] = event.until[0]
                measured = (scored, error, sums, below, hold, until, record.half)
                if traced:
                    kernel, memory = corrected_kernel(space.rows), np.zeros(space.rows, dtype)
                    head = (
                        e,
                        c,
                        aligned((width,), dtype),
                        memory,
                        heads,
                        space.states,
                        real(alpha),
                        gram,
                        real(gamma),
                        *stream,
                    )
                    given: tuple[Any, ...] = (*head, decay.astype(dtype), *first[1:], *measured)
                else:
                    kernel = concurrent_kernel(space.rows, options.order == "in-place", options.normalise)
                    gammas = (real(gamma ** int(n)), real(gamma))
                    given = (e, c, heads, space.states, real(alpha), gram, *gammas, *stream, *first, *measured)
                begin, lost = 0, False
                for mark, end in [*enumerate(np.minimum(record.marks, len(weight)).tolist()), (-1, len(weight))]:
                    if not lost and end > begin:
                        lost = bool(kernel(*given, begin, end, *limits))
                        begin = end
                    if mark >= 0 and not lost:
                        record.note(mark, seed, chosen, e[: space.states, SHIFT + scored].T.astype(np.float64))
                record.sums[chosen, seed] = np.inf if lost else sums
                record.final[chosen, seed] = np.inf if lost else error
                record.below[chosen, seed] = below


def _corrections(
    learner: str, move: Moves, gamma: float, lambda_: float, options: Any
) -> tuple[FloatArray, FloatArray]:
    """w and γc of every move."""
    ratio = move.ratio
    if learner == "chained-vtrace":
        carried = lambda_ * np.minimum(options.c_bar, ratio)
        return np.minimum(options.rho_bar, ratio), gamma * np.concatenate([[0.0], carried[:-1]])
    cut = np.minimum(1.0, ratio) if learner == "chained-retrace" else np.ones_like(ratio)
    return np.ones_like(ratio), gamma * lambda_ * cut


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
    for (window,), rows in groups(settings, window=1):
        alphas = np.unique(settings["alpha"][rows])
        heads = np.unique(settings["k"][rows]).astype(np.int64) if not ring else np.array([0])
        slots = np.full(last + 1, len(heads))
        slots[heads] = np.arange(len(heads))
        for seed in range(transitions.seeds):
            move = moves(space, transitions, seed)
            start = space.errors(initials.theta[seed]).astype(dtype)  # (heads, N)
            stream = (move.row, move.next_row, move.weight.astype(dtype), move.residual.astype(dtype))
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
