"""One vector per setting: a block of settings side by side, one seed after the other, in value space or on θ itself."""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import events, moves
from theory.learners.bulk.job import Job
from theory.learners.bulk.lanes import OWN, blocks, event_columns, groups, play, workspace
from theory.learners.td.kernel import single_kernel
from theory.learners.td.parameters import parameter_kernel


def run(job: Job) -> None:
    """Learners that share n and λ share events and traces."""
    space, initials, real, rule = job.space, job.initials, job.real, job.rule
    F, N = space.features.shape[1], space.rows
    on_parameters = job.arithmetic["space"] == "parameters"
    gram, Phi, truth = (x.astype(job.dtype) for x in (space.gram, space.features, space.truth))
    for (n, lambda_), rows in groups(job.settings, n=1, lambda_=0.0):
        gammas = (real(space.gamma ** int(n)), real(space.gamma * lambda_), real(lambda_), rule.emphatic)
        for seed in range(job.transitions.seeds):
            move = moves(space, job.transitions, seed, int(n))
            if not rule.corrected:
                move = move._replace(weight=np.ones_like(move.weight))
            event = events(move.weight != 0, job.record.half)
            row, next_row, weight, reward, residual, hold, until = event_columns(move, event, job.dtype)
            if on_parameters:
                kernel, values, trace = parameter_kernel(F, space.states, rule.traced), initials.theta[seed, 0], F + 1
                given, driven_by = [Phi, truth], reward
            else:
                kernel, values = single_kernel(N, space.states, rule.traced), space.errors(initials.theta[seed, 0])
                given, driven_by, trace = [gram], residual, N + 1
            carry = np.where(event.at < 0, 1.0, move.discount[np.maximum(event.at, 0)]).astype(job.dtype)
            stream = (row, next_row, weight, driven_by, hold, until, event.time, carry)
            for block in blocks(rows):
                work, memory = workspace(job, values, block, extra=OWN + 1), np.zeros(trace, job.dtype)
                reader = space if on_parameters else None
                play(job, seed, block, work, len(values), event, kernel, (*given, memory, *gammas, *stream), reader)
