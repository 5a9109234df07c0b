"""Multi-step chains with bounded traces: all heads of one chain side by side, one step size and one seed a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.learners.bulk.data import Moves, ValueSpace, moves
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.lanes import groups
from theory.learners.bulk.record import Record
from theory.learners.kernels.compile import LOST, TINY, aligned, padded
from theory.learners.kernels.corrected import SHIFT, corrected_kernel
from theory.learners.registry import default_lambda
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions


def run_corrected(
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
    """chained-vtrace, chained-retrace, chained-q."""
    real = np.dtype(dtype).type
    gram, gamma = space.gram.astype(dtype), space.gamma
    kernel = corrected_kernel(space.rows)
    limits = (real(record.limit), real(TINY[dtype]), real(LOST[dtype]))
    for (lambda_,), rows in groups(settings, lambda_=default_lambda(learner)):
        for seed in range(transitions.seeds):
            move = moves(space, transitions, seed)
            weight, decay = _corrections(learner, move, gamma, lambda_, options)
            numbers = (weight, move.residual, decay)
            stream = (move.row, move.next_row, *(x.astype(dtype) for x in numbers))
            stream = (*stream, move.first_next, move.first_residual.astype(dtype))
            start = space.errors(initials.theta[seed]).T.astype(dtype)  # (N, heads)
            heads, width = start.shape[1], padded(SHIFT + start.shape[1])
            for alpha in np.unique(settings["alpha"][rows]):
                chosen = rows[settings["alpha"][rows] == alpha]
                scored = settings["k"][chosen].astype(np.int64)
                e, c, d = (aligned(shape, dtype) for shape in ((space.rows, width), (width,), (width,)))
                e[:, SHIFT : SHIFT + heads] = start
                error = np.square(start[: space.states, scored]).sum(axis=0)
                sums, below = np.zeros(len(chosen)), np.full(len(chosen), -1.0)
                work = (e, c, d, np.zeros(space.rows, dtype), heads, space.states)
                given = (*work, real(alpha), gram, real(gamma), *stream, scored, error, sums, below, record.half)
                begin, lost = 0, False
                for mark, end in [*enumerate(record.marks.tolist()), (-1, record.steps)]:
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
