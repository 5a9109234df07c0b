r"""All heads of a chain at once: chained TD, n-step chains and chained Expected SARSA, in value space.

    c_k = α w (res + γ e[x, k−1] − e[s, k]),        e[i, k] += c_k G[i, s]            k = 1..K

with the weight w = ρ, a product of ratios, or 1. Head 0 learns from every move (s₀, x₀, res₀), the others only from
those with w ≠ 0, the events. Nothing flows back from the others to head 0, so `first_kernel` runs it ahead, for all
step sizes side by side, and leaves behind what the others read of it: e[x, 0] at each event, before its own step, or
after it where the chain goes in place. `concurrent_kernel` then visits the events alone.

In place, what head k−1 has just gained at x, c_{k−1} G[x, s], is added to e[x, k−1].

The head is the contiguous index. Heads are kept in parts of `PART`, each N rows of `WIDTH`
numbers, where column `BEFORE` holds the head before the part's first, and one row more for the steps c.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from theory.learners.bulk.layout import BLOCK, LANES, ROUND
from theory.machine_code import njit

# Every so many steps denormals are flushed and lost chains retired.
SETTLE = 4 * ROUND

# Heads of a part, whose first begins a cache line: with seven rows of errors they stay in a 32 KiB first-level cache.
PART = 256
BEFORE, ONE, WIDTH = LANES - 1, LANES, LANES + PART

# The rows of the first kernel's workspace after the errors.
ALPHA, STEP, ERROR, N_ROWS = range(4)


@lru_cache
def first_kernel(rows: int, scored: int, in_place: bool, normalise: bool) -> Any:
    """Head 0 for n step sizes: `work` is (rows + 3, BLOCK), and ``seen[j, m]`` becomes e[x, j] at event m.

    `sums` and `below` are those of the scored errors, kept where `counted`. Returns the number of the next event.
    """
    N, S, B = rows, scored, BLOCK
    # Constant offsets into the flat workspace, for the reason given in `single`.
    A, C, E = (N + ALPHA) * B, (N + STEP) * B, (N + ERROR) * B

    def kernel(  # type: ignore[no-untyped-def]
        work, seen, sums, below, gram, gamma, row, next_row, residual, at, event_row, counted, half,
        begin, end, m, n, limit, tiny,
    ):  # fmt: skip
        flat = work.reshape(work.size)
        zero, one = residual.dtype.type(0), residual.dtype.type(1)
        for t in range(begin, end):
            s, x, res = row[t], next_row[t], residual[t]
            here, there = flat[s * B : s * B + B], flat[x * B : x * B + B]
            # An event at −1 is the start, which moves nothing; what it reads must only be a number.
            while m < len(at) and at[m] < (t if in_place else t + 1):
                for j in range(n):
                    seen[j, m] = flat[event_row[m] * B + j]
                m += 1
            for j in range(n):
                flat[C + j] = flat[A + j] * (res + gamma * there[j] - here[j])
            if normalise:
                length = np.sqrt(gram[s, s]) if gram[s, s] > zero else one
                for j in range(n):
                    flat[C + j] = flat[A + j] * np.sign(flat[C + j]) / length
            for i in range(N):
                g = gram[s, i]
                values = flat[i * B : i * B + B]
                for j in range(n):
                    values[j] += flat[C + j] * g
            if counted:
                for j in range(n):
                    flat[E + j] = zero
                for i in range(S):
                    values = flat[i * B : i * B + B]
                    for j in range(n):
                        flat[E + j] += values[j] * values[j]
                for j in range(n):
                    sums[j] += flat[E + j] if t >= half else zero
                    below[j] = t if flat[E + j] <= limit else below[j]
            if in_place and m < len(at) and at[m] == t:
                for j in range(n):
                    seen[j, m] = flat[event_row[m] * B + j]
                m += 1
            if t % SETTLE == SETTLE - 1:
                for i in range(N * B):
                    flat[i] = zero if abs(flat[i]) < tiny else flat[i]
        return m

    return njit(kernel, nogil=True, cache=True)


@lru_cache
def concurrent_kernel(rows: int, scored: int, in_place: bool, normalise: bool) -> Any:
    """Heads 1..K over events; `e` is flat, `part_size(rows)` numbers a part. Returns whether all scored are lost.

    `columns` are where the scored heads begin in `e` (see `place`), `seen` head 0's errors at the events' next rows.
    """
    N, S, W, size = rows, scored, WIDTH, part_size(rows)
    C = rows * WIDTH + ONE

    def kernel(  # type: ignore[no-untyped-def]
        e, heads, alpha, gram, gamma, row, next_row, weight, residual, seen,
        columns, error, sums, below, hold, until, begin, end, limit, tiny, lost,
    ):  # fmt: skip
        zero, one = e.dtype.type(0), e.dtype.type(1)
        parts = len(e) // size
        for m in range(begin, end):
            s, x, res, rate = row[m], next_row[m], residual[m], alpha * weight[m]
            g = gram[s]
            # A state without features moves nothing, whatever its step is divided by.
            length = np.sqrt(g[s]) if g[s] > zero else one
            for p in range(parts):
                # Downwards, so that the part before has not moved yet; in place upwards, so that it has.
                b = p if in_place else parts - 1 - p
                part = e[b * size : b * size + size]
                n = min(PART, heads - 1 - b * PART)
                part[x * W + BEFORE] = seen[m] if b == 0 else e[(b - 1) * size + x * W + BEFORE + PART]
                here, there = part[s * W + ONE : s * W + W], part[x * W + BEFORE : x * W + BEFORE + PART]
                if in_place:
                    gained = zero
                    for k in range(n):
                        step = rate * (res + gamma * (there[k] + gained) - here[k])
                        if normalise:
                            step = alpha * np.sign(step) / length
                        part[C + k] = step
                        gained = step * g[x]
                else:
                    for k in range(n):
                        part[C + k] = rate * (res + gamma * there[k] - here[k])
                    if normalise:
                        for k in range(n):
                            part[C + k] = alpha * np.sign(part[C + k]) / length
                for i in range(N):
                    gi = g[i]
                    values = part[i * W + ONE : i * W + W]
                    for k in range(n):
                        values[k] += part[C + k] * gi
            h, u = hold[m], until[m]
            for q in range(len(columns)):
                at = columns[q]
                square = zero
                for i in range(S):
                    value = e[at + i * W]
                    square += value * value
                error[q] = square
                sums[q] += h * square
                below[q] = u if square <= limit else below[q]
            if m % SETTLE == SETTLE - 1:
                for i in range(len(e)):
                    e[i] = zero if abs(e[i]) < tiny else e[i]
                alive = False
                for q in range(len(columns)):
                    alive = alive or error[q] <= lost  # which NaN is not
                if not alive:
                    return True
        return False

    return njit(kernel, nogil=True, cache=True)


def part_size(rows: int) -> int:
    """Numbers of a part: its rows, and one for the steps."""
    return (rows + 1) * WIDTH


def place(rows: int, k: Any) -> Any:
    """Where head k ≥ 1 begins in the flat array; its rows are WIDTH apart.

    >>> place(7, 1), place(7, 257) - place(7, 1) == part_size(7)
    (16, True)
    """
    return (k - 1) // PART * part_size(rows) + ONE + (k - 1) % PART
