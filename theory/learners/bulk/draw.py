"""Moves for bulk runs: the streams of `theory.problems.sampling`, drawn by a compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.machine_code import njit
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.problems.sampling import IntArray, Table, Transitions, sample_transitions


def draw_transitions(
    rng: np.random.Generator, problem: Problem, steps: int, seeds: int, *, start: Any = None
) -> Transitions:
    """What `sample_transitions` gives for the same generator, move by move, two to four times faster."""
    return sample_transitions(rng, problem, steps, seeds, start=start, walk=_walk)


def _walk(moves: Table, next_state: IntArray, state: IntArray, keys: IntArray, drawn: Array) -> None:
    _follow(moves.upper, moves.bits, moves.first, next_state, state, keys, drawn)


@njit(nogil=True, cache=True)
def _follow(upper, bits, first, next_state, state, keys, drawn):  # type: ignore[no-untyped-def]
    """``drawn[i, t]`` is the move of ``state[i]`` that ``keys[i, t]`` selects; `state` is moved along.

    The moves of state s are ``first[s]``, …, ``first[s + 1] − 1``, and move o ends before ``upper[o]``.
    """
    for i in range(keys.shape[0]):
        s = state[i]
        for t in range(keys.shape[1]):
            key = (s << bits) + keys[i, t]
            low, high = first[s], first[s + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if upper[middle] > key:
                    high = middle
                else:
                    low = middle + 1
            drawn[i, t] = low
            s = next_state[low]
        state[i] = s
