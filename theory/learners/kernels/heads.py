r"""All heads of a chain at once, one step size and one seed a call; the head is the contiguous index.

`concurrent_kernel`: chained TD, n-step chains and chained Expected SARSA.

    c_k = α w (res + γ e[x, k−1] − e[s, k]),        e[i, k] += c_k G[i, s]            k = 1..K

with the weight w = ρ, a product of ratios, or 1; head 0 moves by its own event (s₀, x₀, res₀) at every step. Where
w = 0 only head 0 moves. In place, what head k−1 has just gained at x, c_{k−1} G[x, s], is added to e[x, k−1].

`corrected_kernel`: V-trace, Retrace and Q(π), with the trace t in value space that all heads share.

    t ← decay·t + G[:, s]
    e[i, k] += α (e[s, k−1] − e[s, k]) G[i, s] + α w (res + γ e[x, k−1] − e[s, k−1]) t[i]

Head k sits in column k + SHIFT, so that heads 1, 2, … begin on a cache line.

Only the heads in `scored` are measured: their squared error after a step counts `hold` times. Head 0 changes at every
step whatever w is, so its `hold` is 1 on every scored step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from theory.learners.kernels.compile import LANES, ROUND, compiled

# Every so many steps denormals are flushed and lost chains retired.
SETTLE = 4 * ROUND

# The columns of heads 0 and 1.
SHIFT, ONE = LANES - 1, LANES


@compiled
def measure(e, states, t, moved, scored, error, sums, below, hold, until, half, limit):  # type: ignore[no-untyped-def]
    """Read the squared errors of the scored heads off e and add them up."""
    for q in range(len(scored)):
        k = scored[q]
        if k > 0 and not moved:
            continue
        square = e.dtype.type(0)
        for i in range(states):
            square += e[i, k + SHIFT] * e[i, k + SHIFT]
        error[q] = square
        sums[q] += square * (hold[t] if k > 0 else (1.0 if t >= half else 0.0))
        if square <= limit:
            below[q] = until[t] if k > 0 else t


@compiled
def settle(e, scored, error, tiny, lost):  # type: ignore[no-untyped-def]
    """Flush denormals; are all scored heads lost?"""
    zero = e.dtype.type(0)
    for i in range(e.shape[0]):
        values = e[i]
        for k in range(e.shape[1]):
            values[k] = zero if abs(values[k]) < tiny else values[k]
    lost_heads = 0
    for q in range(len(scored)):
        lost_heads += 0 if error[q] <= lost else 1  # counts NaN as lost
    return lost_heads == len(scored)


@lru_cache
def concurrent_kernel(rows: int, in_place: bool, normalise: bool) -> Any:
    """The kernel for `rows` rows; `e` is (rows, SHIFT + heads) and more, returns whether all scored heads are lost."""
    N = rows

    def kernel(  # type: ignore[no-untyped-def]
        e, c, heads, states, alpha, gram, gamma, first_gamma,
        row, next_row, weight, residual, first_row, first_next, first_residual,
        scored, error, sums, below, hold, until, half, begin, end, limit, tiny, lost,
    ):  # fmt: skip
        K = heads - 1
        zero = e.dtype.type(0)
        first_scored = scored.min() == 0
        # Head 0 moves at every step: keep it contiguous, and put it in its column when somebody looks there.
        zeroth = e[:, SHIFT].copy()
        for t in range(begin, end):
            s0, x0, w = first_row[t], first_next[t], weight[t]
            first = alpha * (first_residual[t] + first_gamma * zeroth[x0] - zeroth[s0])
            if normalise:
                first = alpha * np.sign(first) / np.sqrt(gram[s0, s0])
            if w != zero:
                s, x, res = row[t], next_row[t], residual[t]
                e[x, SHIFT] = zeroth[x]
                here, there = e[s, ONE : ONE + K], e[x, SHIFT : SHIFT + K]
                rate = alpha * w
                if in_place:
                    gained = first * gram[s0, x]
                    for k in range(K):
                        step = rate * (res + gamma * (there[k] + gained) - here[k])
                        if normalise:
                            step = alpha * np.sign(step) / np.sqrt(gram[s, s])
                        c[k] = step
                        gained = step * gram[s, x]
                else:
                    for k in range(K):
                        c[k] = rate * (res + gamma * there[k] - here[k])
                    if normalise:
                        for k in range(K):
                            c[k] = alpha * np.sign(c[k]) / np.sqrt(gram[s, s])
                for i in range(N):
                    g = gram[s, i]
                    values = e[i, ONE : ONE + K]
                    for k in range(K):
                        values[k] += c[k] * g
            for i in range(N):
                zeroth[i] += first * gram[s0, i]
            if first_scored:
                for i in range(N):
                    e[i, SHIFT] = zeroth[i]
            if w != zero or first_scored:
                measure(e, states, t, w != zero, scored, error, sums, below, hold, until, half, limit)
            if t % SETTLE == SETTLE - 1:
                for i in range(N):
                    zeroth[i] = zero if abs(zeroth[i]) < tiny else zeroth[i]
                if settle(e, scored, error, tiny, lost):
                    return True
        for i in range(N):
            e[i, SHIFT] = zeroth[i]
        return False

    return compiled(kernel)


@lru_cache
def corrected_kernel(rows: int) -> Any:
    """The kernel for `rows` rows; `e` is (rows, SHIFT + heads) and more, returns whether all scored heads are lost."""
    N = rows

    def kernel(  # type: ignore[no-untyped-def]
        e, c, d, trace, heads, states, alpha, gram, gamma,
        row, next_row, weight, residual, decay, first_next, first_residual,
        scored, error, sums, below, hold, until, half, begin, end, limit, tiny, lost,
    ):  # fmt: skip
        K = heads - 1
        for t in range(begin, end):
            s, x, x0, w, res = row[t], next_row[t], first_next[t], weight[t], residual[t]
            here, before, there = e[s, ONE : ONE + K], e[s, SHIFT : SHIFT + K], e[x, SHIFT : SHIFT + K]
            first = alpha * (first_residual[t] + gamma * e[x0, SHIFT] - e[s, SHIFT])
            for k in range(K):
                c[k] = alpha * (before[k] - here[k])
                d[k] = alpha * (w * (res + gamma * there[k] - before[k]))
            for i in range(N):
                trace[i] = decay[t] * trace[i] + gram[s, i]
            for i in range(N):
                g, carried = gram[s, i], trace[i]
                values = e[i, ONE : ONE + K]
                for k in range(K):
                    values[k] += c[k] * g + d[k] * carried
                e[i, SHIFT] += first * g
            measure(e, states, t, True, scored, error, sums, below, hold, until, half, limit)
            if t % SETTLE == SETTLE - 1 and settle(e, scored, error, tiny, lost):
                return True
        return False

    return compiled(kernel)
