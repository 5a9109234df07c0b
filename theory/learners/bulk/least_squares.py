r"""LSTD in bulk: sums over moves are sums over pairs of states, so a prefix is one small matrix.

With C[s, s'] the total ratio of the moves s → s' and r[s] that of ratio times reward among the first t moves,
Â = Φᵀ(diag(C1) − γC)Φ and b̂ = Φᵀr. Solving at every step would cost all the time there is, so the error over the last
half is the mean over `SOLVES` prefixes of it, evenly spaced and ending with the last; θ is zero before the first move.
"""

from __future__ import annotations

import numpy as np

from theory.learners.bulk.data import ValueSpace, moves
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.record import Record
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions

SOLVES = 100


def run_lstd(
    record: Record, space: ValueSpace, transitions: Transitions, initials: Initials, settings: dict[str, Array]
) -> None:
    """lstd; `initials` only says how many features there are."""
    F = initials.theta.shape[2]
    late = np.unique(np.linspace(record.half + 1, record.steps, SOLVES).astype(np.int64))
    rows = np.arange(record.settings)
    scored = record.steps - record.half
    for seed in range(transitions.seeds):
        move = moves(space, transitions, seed)
        C, r, begin = np.zeros((space.states, space.states)), np.zeros(space.states), 0
        for t in np.union1d(late, record.marks).tolist():
            part = slice(begin, t)
            np.add.at(C, (move.row[part], move.next_row[part]), move.weight[part])
            np.add.at(r, move.row[part], (move.weight * move.reward)[part])
            begin = t
            errors = np.stack([space.errors(_solve(space, C, r, F, x)) for x in settings["epsilon"]])
            square = np.square(errors).sum(axis=1)
            if t in late:
                record.sums[:, seed] += square * (scored / len(late))
                record.below[square <= record.limit, seed] = t - 1
            record.final[:, seed] = square
            for mark in np.flatnonzero(record.marks == t):
                record.note(int(mark), seed, rows, errors)


def _solve(space: ValueSpace, C: FloatArray, r: FloatArray, F: int, epsilon: float) -> FloatArray:
    Phi = space.features
    A = Phi.T @ (C.sum(axis=1)[:, None] * Phi - space.gamma * (C @ Phi))
    return np.linalg.lstsq(A + epsilon * np.eye(F), Phi.T @ r, rcond=None)[0]
