r"""The learners of `single` on θ itself, for what value space hides.

Emphatic TD's bursts amplify rounding, and rounding of θ is not rounding of Φθ − v_π: which runs survive depends on the
coordinates and the precision. Same events, same trace recursion, but

    c_j = α_j w (R + γ φ(x)ᵀθ_j − φ(s)ᵀθ_j),        θ[f, j] += c_j g[f],        error_j = Σ_i (φ(i)ᵀθ_j − v_i)².
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theory.learners.bulk.layout import BLOCK, LANES, ROUND
from theory.learners.bulk.tidy import tidy
from theory.machine_code import njit


@lru_cache
def parameter_kernel(features: int, rows: int, traced: bool) -> Any:
    """The kernel for `rows` states and `features` features.

    `work` is (features + 6, BLOCK): θ, then α, c, squared error, running total, the last step below the limit, and a
    row of values. Returns how many settings are still alive.
    """
    F, S, B = features, rows, BLOCK

    def kernel(  # type: ignore[no-untyped-def]
        work, lanes, sums, last_below, Phi, truth, trace, gamma, decay, lambda_, emphatic,
        row, next_row, weight, reward, hold, until, time, carry, begin, end, live, limit, tiny, lost,
    ):  # fmt: skip
        theta = work[:F].reshape(F * B)
        alpha, c, error, total, below, value = work[F], work[F + 1], work[F + 2], work[F + 3], work[F + 4], work[F + 5]
        n = -(-live // LANES) * LANES
        one = weight.dtype.type(1)
        zero = weight.dtype.type(0)
        for m in range(begin, end):
            s, x, w, h, u = row[m], next_row[m], weight[m], hold[m], until[m]
            if traced:
                if m > 0 and time[m] != time[m - 1] + 1:
                    trace[:] = zero
                left = carry[m - 1] if m > 0 else one
                follow = left * trace[F] + one
                emphasis = lambda_ + (one - lambda_) * follow if emphatic else one
                for f in range(F):
                    trace[f] = w * (decay * left * trace[f] + emphasis * Phi[s, f])
                trace[F] = gamma * w * follow
                w = one
                g = trace[:F]
            else:
                g = Phi[s]
            for j in range(n):
                value[j] = reward[m]
            for f in range(F):
                difference = gamma * Phi[x, f] - Phi[s, f]
                if difference != zero:
                    column = theta[f * B : f * B + B]
                    for j in range(n):
                        value[j] += difference * column[j]
            for j in range(n):
                c[j] = alpha[j] * (w * value[j])
                error[j] = zero
            for f in range(F):
                gf = g[f]
                if gf != zero:
                    column = theta[f * B : f * B + B]
                    for j in range(n):
                        column[j] += c[j] * gf
            for i in range(S):
                for j in range(n):
                    value[j] = -truth[i]
                for f in range(F):
                    phi = Phi[i, f]
                    if phi != zero:
                        column = theta[f * B : f * B + B]
                        for j in range(n):
                            value[j] += phi * column[j]
                for j in range(n):
                    error[j] += value[j] * value[j]
            for j in range(n):
                total[j] += h * error[j]
                below[j] = u if error[j] <= limit else below[j]
            if m % ROUND == ROUND - 1 or m == len(row) - 1:
                live = tidy(work, lanes, sums, last_below, F, F + 2, live, tiny, lost)
                n = -(-live // LANES) * LANES
                if live == 0:
                    break
        return live

    return njit(kernel, nogil=True, cache=True)
