"""A block of step sizes side by side, one seed after the other; every move is an event, since the target moves."""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import events, moves
from theory.learners.bulk.job import Job
from theory.learners.bulk.lanes import OWN, blocks, event_columns, play, workspace
from theory.learners.soft.kernel import soft_kernel


def run(job: Job) -> None:
    """All settings on all seeds."""
    space, real = job.space, job.real
    kernel = soft_kernel(space.rows, space.states)
    given = (space.gram.astype(job.dtype), real(space.gamma), real(job.rule.tau))
    for seed in range(job.transitions.seeds):
        move = moves(space, job.transitions, seed)
        event = events(np.ones(len(move.weight), dtype=bool), job.record.half)
        row, next_row, weight, _, residual, hold, until = event_columns(move, event, job.dtype)
        target, values = space.errors(job.initials.theta[seed])
        both = np.concatenate([values, target])
        stream = (row, next_row, weight, residual, hold, until)
        for block in blocks(np.arange(job.record.settings)):
            work = workspace(job, both, block, extra=OWN)
            play(job, seed, block, work, len(both), event, kernel, (*given, *stream))
