"""Multi-step chains with bounded traces: all heads of one chain side by side, one step size and one seed a call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from theory.learners.bulk.data import moves
from theory.learners.bulk.job import Job
from theory.learners.bulk.lanes import groups
from theory.learners.bulk.layout import aligned, padded
from theory.learners.corrected.kernel import SHIFT, corrected_kernel
from theory.problems.numbers import FloatArray


def run(job: Job) -> None:
    """Settings that share λ share the traces."""
    record, space, settings, dtype, real = job.record, job.space, job.settings, job.dtype, job.real
    gram, gamma = space.gram.astype(dtype), space.gamma
    kernel = corrected_kernel(space.rows)
    for (lambda_,), rows in groups(settings, lambda_=0.0):
        for seed in range(job.transitions.seeds):
            move = moves(space, job.transitions, seed)
            c, weight = _coefficients(replace(job.rule, lambda_=lambda_), move.ratio)
            left = np.concatenate([[1.0], move.discount[:-1]])
            numbers = (weight, move.residual, gamma * c * left)
            stream = (move.row, move.next_row, *(x.astype(dtype) for x in numbers))
            stream = (*stream, move.first_next, move.first_residual.astype(dtype))
            start = space.errors(job.initials.theta[seed]).T.astype(dtype)  # (N, heads)
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
                        lost = bool(kernel(*given, begin, end, *job.limits))
                        begin = end
                    if mark >= 0 and not lost:
                        record.note(mark, seed, chosen, e[: space.states, SHIFT + scored].T.astype(np.float64))
                record.sums[chosen, seed] = np.inf if lost else sums
                record.final[chosen, seed] = np.inf if lost else error
                record.below[chosen, seed] = below


def _coefficients(rule: Any, ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """c and w of every move, from the rule itself: they depend on this move's ratio and, by what it left, the last's.

    There are few different ratios, so the rule is asked once for every pair of them, and for the first move.
    """
    ratios, which = np.unique(ratio, return_inverse=True)
    left = [0.0, *(rule.coefficients(rho, 0.0)[2] for rho in ratios.tolist())]
    table = np.array(
        [[rule.coefficients(rho, carried)[:2] for rho in ratios.tolist()] for carried in left], dtype=float
    )
    before = np.concatenate([[0], 1 + which[:-1]])
    return table[before, which, 0], table[before, which, 1]
