"""Two vectors per setting, parameters and auxiliary weights: a block of settings side by side, seed after seed."""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import events, moves
from theory.learners.bulk.job import Job
from theory.learners.bulk.lanes import OWN, blocks, event_columns, play, workspace
from theory.learners.gradient.kernel import pair_kernel

# Rows of the workspace that only this kernel has: β, what w shrinks by, and two steps.
BETA, SHRINK, EXTRA = OWN, OWN + 1, OWN + 4


def run(job: Job) -> None:
    """A move of ratio 0 changes nothing unless the rule says that w moves then."""
    space, initials, rule, N = job.space, job.initials, job.rule, job.space.rows
    kappa = float(rule.ridge)
    kernel = pair_kernel(N, space.states, rule.corrected, rule.reading, kappa > 0)
    given = (space.gram.astype(job.dtype), job.real(space.gamma))
    for seed in range(job.transitions.seeds):
        move = moves(space, job.transitions, seed)
        every = np.ones(len(move.weight), dtype=bool)
        event = events(move.weight != 0 if rule.reading == "textbook" and kappa == 0 else every, job.record.half)
        row, next_row, weight, _, residual, hold, until = event_columns(move, event, job.dtype)
        u = np.zeros(N) if initials.w is None else space.features @ initials.w[seed]
        values = np.concatenate([space.errors(initials.theta[seed, 0]), u])
        for block in blocks(np.arange(job.record.settings)):
            work = workspace(job, values, block, extra=EXTRA)
            beta = job.settings["beta"][block]
            work[2 * N + BETA, : len(block)] = beta
            work[2 * N + SHRINK, : len(block)] = 1 - beta * kappa
            stream = (row, next_row, weight, residual, hold, until)
            play(job, seed, block, work, 2 * N, event, kernel, (*given, *stream))
