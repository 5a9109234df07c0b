r"""One value vector per setting: TD, off-policy TD, n-step TD, TD(λ), ETD(λ), in value space.

    c_j = α_j w (res + γ e[x, j] − e[s, j]),        e[i, j] += c_j g[i],        error_j = Σ_i e[i, j]²

for an event (s, x, w, res): w is the weight (1, ρ, or a product of ratios), res = R + γv[x] − v[s] the residual of the
true values, and g the direction: column s of the Gram matrix, or the trace seen in value space,

    t ← ρ (γλ t + M G[:, s]),        w = 1,

which all settings with the same λ share. A move of ratio 0 empties the trace and changes nothing else, so such moves
are no events, and a gap in the events' times means an empty trace.

The error after an event counts `hold` times, as many scored steps as it lasts; `until` is the last of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theory.learners.bulk.layout import BLOCK, LANES, ROUND, UNROLLED
from theory.learners.bulk.tidy import tidy
from theory.machine_code import njit


@lru_cache
def single_kernel(rows: int, scored: int, traced: bool) -> Any:
    """The kernel for `rows` rows of which the first `scored` are states.

    `work` is (rows + 5, BLOCK): errors e, then α, c, squared error, running total, and the last step below the limit.
    Returns how many settings are still alive.
    """
    N, S, B = rows, scored, BLOCK
    # Offsets of the rows in the flat workspace. As constants they tell the compiler that no two rows overlap; as
    # views of their own they would need more run-time checks than it is willing to make, and nothing would vectorise.
    ALPHA, STEP, ERROR, TOTAL, BELOW = N * B, (N + 1) * B, (N + 2) * B, (N + 3) * B, (N + 4) * B
    unrolled = rows <= UNROLLED

    def kernel(  # type: ignore[no-untyped-def]
        work, lanes, sums, last_below, gram, trace, gamma, decay, lambda_, emphatic,
        row, next_row, weight, residual, hold, until, time, carry, begin, end, live, limit, tiny, lost,
    ):  # fmt: skip
        flat = work.reshape(work.size)
        one = weight.dtype.type(1)
        zero = weight.dtype.type(0)
        n = -(-live // LANES) * LANES
        for m in range(begin, end):
            s, x, w, res, h, u = row[m], next_row[m], weight[m], residual[m], hold[m], until[m]
            here, there = flat[s * B : s * B + B], flat[x * B : x * B + B]
            if traced:
                if m > 0 and time[m] != time[m - 1] + 1:
                    trace[:] = zero
                left = carry[m - 1] if m > 0 else one
                follow = left * trace[N] + one
                emphasis = lambda_ + (one - lambda_) * follow if emphatic else one
                for i in range(N):
                    trace[i] = w * (decay * left * trace[i] + emphasis * gram[s, i])
                trace[N] = gamma * w * follow
                w = one
                g = trace[:N]
            else:
                g = gram[s]
            for j in range(n):
                flat[STEP + j] = flat[ALPHA + j] * (w * (res + gamma * there[j] - here[j]))
            if unrolled:
                for j in range(n):
                    step = flat[STEP + j]
                    square = zero
                    for i in range(N):
                        value = flat[i * B + j] + step * g[i]
                        flat[i * B + j] = value
                        if i < S:
                            square += value * value
                    flat[ERROR + j] = square
                    flat[TOTAL + j] += h * square
                    flat[BELOW + j] = u if square <= limit else flat[BELOW + j]
            else:
                for j in range(n):
                    flat[ERROR + j] = zero
                for i in range(N):
                    gi = g[i]
                    values = flat[i * B : i * B + B]
                    for j in range(n):
                        values[j] += flat[STEP + j] * gi
                    if i < S:
                        for j in range(n):
                            flat[ERROR + j] += values[j] * values[j]
                for j in range(n):
                    square = flat[ERROR + j]
                    flat[TOTAL + j] += h * square
                    flat[BELOW + j] = u if square <= limit else flat[BELOW + j]
            if m % ROUND == ROUND - 1 or m == len(row) - 1:
                live = tidy(work, lanes, sums, last_below, N, N + 2, live, tiny, lost)
                n = -(-live // LANES) * LANES
                if live == 0:
                    break
        return live

    return njit(kernel, nogil=True, cache=True)
