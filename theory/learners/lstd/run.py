r"""LSTD in bulk: sums over moves are sums over pairs of states, so a prefix is one small matrix.

With C[s, s'] the total ratio of the moves s → s' and r[s] that of ratio times reward among the first t moves,
Â = Φᵀ(diag(C1) − γC)Φ and b̂ = Φᵀr. Solving at every step would cost all the time there is, so the error over the last
half is the mean over `SOLVES` prefixes of it, evenly spaced and ending with the last; θ is zero before the first move.
"""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import ValueSpace, moves
from theory.learners.bulk.job import Job
from theory.problems.numbers import FloatArray

SOLVES = 100


def run(job: Job) -> None:
    """The starts only say how many features there are."""
    record, space = job.record, job.space
    F = job.initials.theta.shape[2]
    late = np.unique(np.linspace(record.half + 1, record.steps, SOLVES).astype(np.int64))
    rows = np.arange(record.settings)
    scored = record.steps - record.half
    for seed in range(job.transitions.seeds):
        move = moves(space, job.transitions, seed)
        s, t = move.row - space.first, move.next_row - space.first
        C, r, begin = np.zeros((space.states, space.rows - space.first)), np.zeros(space.states), 0
        for end in np.union1d(late, record.marks).tolist():
            part = slice(begin, end)
            np.add.at(C, (s[part], t[part]), move.weight[part])
            np.add.at(r, s[part], (move.weight * move.reward)[part])
            begin = end
            every = np.stack([space.errors(_solve(space, C, r, F, x)) for x in job.settings["epsilon"]])
            errors = every[:, : space.states]
            square = np.square(errors).sum(axis=1)
            if end in late:
                record.sums[:, seed] += square * (scored / len(late))
                record.below[square <= record.limit, seed] = end - 1
            record.final[:, seed] = square
            for mark in np.flatnonzero(record.marks == end):
                record.note(int(mark), seed, rows, errors)


def _solve(space: ValueSpace, C: FloatArray, r: FloatArray, F: int, epsilon: float) -> FloatArray:
    every = space.features[space.first :]
    Phi = every[: space.states]
    A = Phi.T @ (C.sum(axis=1)[:, None] * Phi - space.gamma * (C @ every))
    return np.linalg.lstsq(A + epsilon * np.eye(F), Phi.T @ r, rcond=None)[0]
