r"""One head at a time: sequential chained TD and target-network TD, many step sizes a call.

    head 0:   c_j = α_j (res + γ e[x, j] − e[s, j])              head k:   c_j = α_j ρ (res + γ p[x, j] − e[s, j])
    e[i, j] += c_j G[i, s]

with e the head in training and p the one before it. At the end of a window p takes e's place and e stays (hot start)
or becomes the next head's stored values (cold start).

Which error counts for what: every scored head has a slot. The head in training adds its error to its slot as it
changes; a head that waits has a constant error, which is added when it is trained again or at the end. All that is
needed is how many scored steps lie in [a, b): `max(0, b − max(a, half))`. After the last move of a window the next
head has already been handed its start, so its time begins with that very step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theory.learners.bulk.layout import BLOCK, UNROLLED
from theory.machine_code import njit

# The rows of `work` after e and p.
ALPHA, STEP, ERROR, TOTAL, BELOW, N_ROWS = range(6)

# What `clock` holds: head in training, step from which its error counts next, whether all has stopped.
HEAD, SINCE, STOPPED = range(3)


@njit(nogil=True, cache=True)
def credit(work, base, q, slot_sum, slot_below, since, until, half, n, limit):  # type: ignore[no-untyped-def]
    """Close the books of the head in training up to step `until`, exclusive."""
    error, total, below = work[base + ERROR], work[base + TOTAL], work[base + BELOW]
    hold = max(0, until - max(since, half))
    for j in range(n):
        slot_sum[q, j] += total[j] + hold * error[j]
        total[j] = 0
        if until > since and error[j] <= limit:
            below[j] = until - 1
        slot_below[q, j] = below[j]


@njit(nogil=True, cache=True)
def wait(q, slot_error, slot_sum, slot_below, slot_since, until, half, n, limit):  # type: ignore[no-untyped-def]
    """Add a waiting head's constant error up to step `until`, exclusive."""
    since = slot_since[q]
    hold = max(0, until - max(since, half))
    for j in range(n):
        if hold > 0:
            slot_sum[q, j] += hold * slot_error[q, j]
        if until > since and slot_error[q, j] <= limit:
            slot_below[q, j] = until - 1
    slot_since[q] = until


@njit(nogil=True, cache=True)
def shelve(work, N, base, q, slot_value, slot_error, n):  # type: ignore[no-untyped-def]
    """Keep values and squared error of the head in training in its slot."""
    for j in range(n):
        slot_error[q, j] = work[base + ERROR, j]
    for i in range(N):
        for j in range(n):
            slot_value[q, i, j] = work[i, j]


@njit(nogil=True, cache=True)
def weigh(work, S, base, n):  # type: ignore[no-untyped-def]
    """The squared error of e as it stands."""
    error = work[base + ERROR]
    for j in range(n):
        error[j] = 0
    for i in range(S):
        for j in range(n):
            error[j] += work[i, j] * work[i, j]


@lru_cache
def turns_kernel(rows: int, scored: int) -> Any:
    """The kernel for `rows` rows, the first `scored` of them scored; `work` is (2·rows + 5, BLOCK).

    Returns whether every setting is lost.
    """
    N, S, B = rows, scored, BLOCK
    base = 2 * rows
    # Constant offsets into the flat workspace, for the reason given in `single`.
    P, A, C, E, T, L = (row * B for row in (N, base + ALPHA, base + STEP, base + ERROR, base + TOTAL, base + BELOW))
    unrolled = rows <= UNROLLED

    def kernel(  # type: ignore[no-untyped-def]
        work, heads, clock, slots, slot_value, slot_error, slot_sum, slot_below, slot_since, gram, gamma,
        row, next_row, ratio, residual, window, last, hot, wrap, ring, half, begin, end, steps, n, settings,
        limit, tiny, lost,
    ):  # fmt: skip
        flat = work.reshape(work.size)
        one = ratio.dtype.type(1)
        zero = ratio.dtype.type(0)
        idle = len(slot_since) - 1  # the slot of all heads that nobody scores
        k, since = clock[HEAD], clock[SINCE]
        q = 0 if ring else slots[k]
        for t in range(begin, end):
            if clock[STOPPED]:
                break
            w = one if k == 0 else ratio[t]
            if w != zero:
                s, x, res = row[t], next_row[t], residual[t]
                hold = ratio.dtype.type(max(0, t - max(since, half)))
                seen = t > since
                lasted = ratio.dtype.type(t - 1)
                since = t
                here = flat[s * B : s * B + B]
                there = flat[x * B : x * B + B] if k == 0 else flat[P + x * B : P + x * B + B]
                for j in range(n):
                    flat[C + j] = flat[A + j] * (w * (res + gamma * there[j] - here[j]))
                for j in range(n):
                    flat[T + j] += hold * flat[E + j]
                if seen:
                    for j in range(n):
                        flat[L + j] = lasted if flat[E + j] <= limit else flat[L + j]
                g = gram[s]
                if unrolled:
                    for j in range(n):
                        step = flat[C + j]
                        square = zero
                        for i in range(N):
                            value = flat[i * B + j] + step * g[i]
                            flat[i * B + j] = value
                            if i < S:
                                square += value * value
                        flat[E + j] = square
                else:
                    for i in range(N):
                        gi = g[i]
                        values = flat[i * B : i * B + B]
                        for j in range(n):
                            values[j] += flat[C + j] * gi
                    weigh(work, S, base, n)
            if (t + 1) % window == 0 and not (last == 0 and (wrap or ring)):
                stop = k == last and not wrap and not ring
                # A ring predicts with the head in training, so the step of the handover is the next head's.
                credit(work, base, q, slot_sum, slot_below, since, t if ring else t + 1, half, n, limit)
                slot_since[q] = t + 1
                shelve(work, N, base, q, slot_value, slot_error, n)
                clock[STOPPED] = 1 if stop else 0
                if stop:
                    break
                for i in range(N):
                    for j in range(n):
                        value = work[i, j]
                        value = zero if abs(value) < tiny else value
                        work[N + i, j] = value
                        if not hot:
                            heads[k, i, j] = value
                        work[i, j] = value
                if k == last:
                    k = 0
                    if not ring and slots[0] != idle:
                        wait(slots[0], slot_error, slot_sum, slot_below, slot_since, t, half, n, limit)
                        shelve(work, N, base, slots[0], slot_value, slot_error, n)
                k += 1
                if not hot:
                    for i in range(N):
                        for j in range(n):
                            work[i, j] = heads[k, i, j]
                    weigh(work, S, base, n)
                q = 0 if ring else slots[k]
                if not ring and q != idle:
                    wait(q, slot_error, slot_sum, slot_below, slot_since, t, half, n, limit)
                for j in range(n):
                    flat[L + j] = slot_below[q, j]
                since = t
                alive = False
                for j in range(settings):
                    alive = alive or flat[E + j] <= lost
                if not alive:
                    return True
        clock[HEAD], clock[SINCE] = k, since
        if end == steps:
            if not clock[STOPPED]:
                credit(work, base, q, slot_sum, slot_below, since, steps, half, n, limit)
                shelve(work, N, base, q, slot_value, slot_error, n)
                slot_since[q] = steps
            if not ring:
                for slot in range(idle):
                    wait(slot, slot_error, slot_sum, slot_below, slot_since, steps, half, n, limit)
        return False

    return njit(kernel, nogil=True, cache=True)
