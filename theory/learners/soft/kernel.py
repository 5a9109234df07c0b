"""Two value vectors per setting, the learner's and its target's: e += c G[:, s], p ← (1 − τ)p + τe."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theory.learners.bulk.layout import BLOCK, LANES, ROUND
from theory.learners.bulk.tidy import tidy
from theory.machine_code import njit


@lru_cache
def soft_kernel(rows: int, scored: int) -> Any:
    """`work` is (2·rows + 5, BLOCK): e and p, then α, c, squared error, running total, the last step below."""
    N, S, B = rows, scored, BLOCK
    P, ALPHA, C, ERROR, TOTAL, BELOW = (row * B for row in (N, 2 * N, 2 * N + 1, 2 * N + 2, 2 * N + 3, 2 * N + 4))

    def kernel(  # type: ignore[no-untyped-def]
        work, lanes, sums, last_below, gram, gamma, tau,
        row, next_row, weight, residual, hold, until, begin, end, live, limit, tiny, lost,
    ):  # fmt: skip
        flat = work.reshape(work.size)
        zero, one = weight.dtype.type(0), weight.dtype.type(1)
        n = -(-live // LANES) * LANES
        for m in range(begin, end):
            s, x, w, res, h, u = row[m], next_row[m], weight[m], residual[m], hold[m], until[m]
            for j in range(n):
                flat[C + j] = flat[ALPHA + j] * (w * (res + gamma * flat[P + x * B + j] - flat[s * B + j]))
                flat[ERROR + j] = zero
            for i in range(N):
                for j in range(n):
                    value = flat[i * B + j] + flat[C + j] * gram[s, i]
                    flat[i * B + j] = value
                    flat[P + i * B + j] = (one - tau) * flat[P + i * B + j] + tau * value
                    if i < S:
                        flat[ERROR + j] += value * value
            for j in range(n):
                flat[TOTAL + j] += h * flat[ERROR + j]
                flat[BELOW + j] = u if flat[ERROR + j] <= limit else flat[BELOW + j]
            if m % ROUND == ROUND - 1 or m == len(row) - 1:
                live = tidy(work, lanes, sums, last_below, 2 * N, 2 * N + 2, live, tiny, lost)
                n = -(-live // LANES) * LANES
                if live == 0:
                    break
        return live

    return njit(kernel, nogil=True, cache=True)
