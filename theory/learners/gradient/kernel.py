r"""Two value vectors per setting: GTD2, TDC and TDRC. With u = Φw,

    δ_j = res + γ e[x, j] − e[s, j]
    u[i, j] ← shrink_j u[i, j] + b_j G[i, s]         b_j = β_j ρ (δ_j − u[s, j]),  or β_j (ρδ_j − u[s, j])
    e[i, j] ← e[i, j] + c_j G[i, s] + k_j G[i, x]
                          gtd2: c_j = α_j ρ u[s, j], or α_j u[s, j],   k_j = −γ α_j ρ u[s, j]
                          tdc:  c_j = α_j ρ δ_j,                       k_j = −γ α_j ρ u[s, j]

With the textbook's auxiliary update a move of ratio 0 changes nothing and is no event; in the other readings and with a
ridge every move is one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theory.learners.bulk.layout import BLOCK, LANES, ROUND, UNROLLED
from theory.learners.bulk.tidy import tidy
from theory.machine_code import njit


@lru_cache
def pair_kernel(rows: int, scored: int, correction: bool, reading: str, ridge: bool) -> Any:
    """The kernel for `rows` rows of which the first `scored` are scored; `correction` is TDC's rule.

    `work` is (2·rows + 9, BLOCK): e and u, then α, c, squared error, running total, the last step below the limit,
    β, shrink, b and k. Returns how many settings are still alive.
    """
    N, S, B = rows, scored, BLOCK
    textbook, plain = reading == "textbook", reading == "plain-first"
    # Constant offsets into the flat workspace, for the reason given in `single`.
    U, ALPHA, C, ERROR, TOTAL, BELOW = (
        N * B,
        2 * N * B,
        (2 * N + 1) * B,
        (2 * N + 2) * B,
        (2 * N + 3) * B,
        (2 * N + 4) * B,
    )
    BETA, SHRINK, STEP, K = (2 * N + 5) * B, (2 * N + 6) * B, (2 * N + 7) * B, (2 * N + 8) * B
    unrolled = rows <= UNROLLED

    def kernel(  # type: ignore[no-untyped-def]
        work, lanes, sums, last_below, gram, gamma,
        row, next_row, weight, residual, hold, until, begin, end, live, limit, tiny, lost,
    ):  # fmt: skip
        flat = work.reshape(work.size)
        zero = weight.dtype.type(0)
        n = -(-live // LANES) * LANES
        for m in range(begin, end):
            s, x, rho, res, h, last = row[m], next_row[m], weight[m], residual[m], hold[m], until[m]
            here, there = flat[s * B : s * B + B], flat[x * B : x * B + B]
            estimates = flat[U + s * B : U + s * B + B]
            for j in range(n):  # in a loop of its own: with fewer rows to tell apart, both vectorise
                flat[K + j] = res + gamma * there[j] - here[j]
            for j in range(n):
                delta = flat[K + j]
                estimate = estimates[j]
                surprise = rho * (delta - estimate) if textbook else rho * delta - estimate
                flat[STEP + j] = flat[BETA + j] * surprise
                rate = flat[ALPHA + j] * rho
                flat[C + j] = flat[ALPHA + j] * estimate if plain else rate * (delta if correction else estimate)
                flat[K + j] = -gamma * (rate * estimate)
            gs, gx = gram[s], gram[x]
            if unrolled:
                for j in range(n):
                    c, k = flat[C + j], flat[K + j]
                    square = zero
                    for i in range(N):
                        value = flat[i * B + j] + (c * gs[i] + k * gx[i])
                        flat[i * B + j] = value
                        if i < S:
                            square += value * value
                    flat[ERROR + j] = square
                    flat[TOTAL + j] += h * square
                    flat[BELOW + j] = last if square <= limit else flat[BELOW + j]
            else:
                for j in range(n):
                    flat[ERROR + j] = zero
                for i in range(N):
                    gsi, gxi = gs[i], gx[i]
                    values = flat[i * B : i * B + B]
                    for j in range(n):
                        values[j] = values[j] + (flat[C + j] * gsi + flat[K + j] * gxi)
                    if i < S:
                        for j in range(n):
                            flat[ERROR + j] += values[j] * values[j]
                for j in range(n):
                    square = flat[ERROR + j]
                    flat[TOTAL + j] += h * square
                    flat[BELOW + j] = last if square <= limit else flat[BELOW + j]
            for i in range(N):
                g = gs[i]
                auxiliary = flat[U + i * B : U + i * B + B]
                for j in range(n):
                    kept = flat[SHRINK + j] * auxiliary[j] if ridge else auxiliary[j]
                    auxiliary[j] = kept + flat[STEP + j] * g
            if m % ROUND == ROUND - 1 or m == len(row) - 1:
                live = tidy(work, lanes, sums, last_below, 2 * N, 2 * N + 2, live, tiny, lost)
                n = -(-live // LANES) * LANES
                if live == 0:
                    break
        return live

    return njit(kernel, nogil=True, cache=True)
