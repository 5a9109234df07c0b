r"""All heads of a multi-step chain at once: V-trace, Retrace and Q(π), with the trace t in value space that they share.

    t ← decay·t + G[:, s]
    e[i, k] += α (e[s, k−1] − e[s, k]) G[i, s] + α w (res + γ e[x, k−1] − e[s, k−1]) t[i]                 k = 1..K

One step size and one seed a call; the head is the contiguous index. Head k sits in column k + SHIFT, so that heads
1, 2, … begin on a cache line. Every move is an event; head 0 has its own residual and next row.

Only the heads in `scored` are measured: their squared error counts from step `half` on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theory.learners.bulk.layout import LANES, ROUND
from theory.machine_code import njit

# Every so many steps denormals are flushed and lost chains retired.
SETTLE = 4 * ROUND

# The columns of heads 0 and 1.
SHIFT, ONE = LANES - 1, LANES


@njit(nogil=True, cache=True)
def measure(e, states, scored, error, sums, below, hold, until, limit):  # type: ignore[no-untyped-def]
    """Read the squared errors of the scored heads off e and add them up."""
    for q in range(len(scored)):
        k = scored[q]
        square = e.dtype.type(0)
        for i in range(states):
            square += e[i, k + SHIFT] * e[i, k + SHIFT]
        error[q] = square
        sums[q] += square * hold
        below[q] = until if square <= limit else below[q]


@njit(nogil=True, cache=True)
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
def corrected_kernel(rows: int) -> Any:
    """The kernel for `rows` rows; `e` is (rows, SHIFT + heads) and more, returns whether all scored heads are lost."""
    N = rows

    def kernel(  # type: ignore[no-untyped-def]
        e, c, d, trace, heads, states, alpha, gram, gamma,
        row, next_row, weight, residual, decay, first_next, first_residual,
        scored, error, sums, below, half, begin, end, limit, tiny, lost,
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
            measure(e, states, scored, error, sums, below, 1.0 if t >= half else 0.0, t, limit)
            if t % SETTLE == SETTLE - 1 and settle(e, scored, error, tiny, lost):
                return True
        return False

    return njit(kernel, nogil=True, cache=True)
