"""Following the behaviour through a table of moves: what `theory.problems.sampling` does by NumPy, compiled."""

from __future__ import annotations

from theory.learners.kernels.compile import compiled


@compiled
def walk(upper, bits, first, next_state, state, keys, drawn):  # type: ignore[no-untyped-def]
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
