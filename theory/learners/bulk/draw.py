"""Moves for bulk runs: the streams of `theory.problems.sampling`, drawn by a compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.learners.kernels.walk import walk
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.problems.sampling import IntArray, Table, Transitions, sample_transitions


def draw_transitions(
    rng: np.random.Generator, problem: Problem, steps: int, seeds: int, *, start: Any = None
) -> Transitions:
    """What `sample_transitions` gives for the same generator, move by move, two to four times faster."""
    return sample_transitions(rng, problem, steps, seeds, start=start, walk=_walk)


def _walk(moves: Table, next_state: IntArray, state: IntArray, keys: IntArray, drawn: Array) -> None:
    walk(moves.upper, moves.bits, moves.first, next_state, state, keys, drawn)
