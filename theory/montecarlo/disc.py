r"""Is ρ(C) < 1? Repeated squaring, with an error bound, proves one or the other; compiled, one matrix at a time.

For every k, ‖C^(2ᵏ)‖ < 1 implies ρ(C) < 1, and |tr C^(2ᵏ)| > F implies ρ(C) > 1; norms are Frobenius norms. If ρ ≠ 1
one of them comes true: after about log₂(log κ / |log ρ|) squarings, where κ says how far C is from normal. A squaring
is a matrix product, which runs at the speed of the machine. A proof that fails says nothing.

**Errors.** Let C_k be computed and e_k a bound for ‖C_k − C^(2ᵏ)‖; e_0 is given. With u = 2⁻⁵³

    e_{k+1} = 2ν_k e_k + e_k² + (F + 2) u ‖C_k‖²          ν_k ≥ ‖C_k‖₂

and |tr C_k − tr C^(2ᵏ)| ≤ √F e_k. It begins with ν_k = ‖C_k‖, which costs nothing. Where e becomes too large, the
first powers, which have been kept, get the sharper ν_k = ‖CᵀC‖^½, one after the other, and the recursion is run again
with these: no power is computed twice.

**Few eigenvalues left.** High powers are nearly of low rank, which decides what is too close to the circle for the norm
and the trace, or too far from normal: `theory.montecarlo.deflation`.
"""

from __future__ import annotations

import numpy as np

from theory.machine_code import njit
from theory.montecarlo.deflation import HUGE, SQUARINGS, deflated, grown, low_rank, spectral_bound
from theory.montecarlo.dense import NO, OPEN, YES, Verdicts, copy, norm, product, trace_of
from theory.montecarlo.dense import UNIT as _U
from theory.problems.numbers import FloatArray

_LOW_RANK_FROM = 9  # squarings, after which a low rank is likely


def inside_disc(C: FloatArray, error: FloatArray) -> Verdicts:
    """YES where all |λ| < 1 for every matrix within `error` (n,) of C (n, F, F), NO where some |λ| > 1."""
    verdicts = np.full(len(C), OPEN, dtype=np.int8)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is left open
        _inside_each(np.ascontiguousarray(C), np.ascontiguousarray(error), verdicts)
    return verdicts


@njit(cache=True)
def _inside_each(C, error, verdicts):  # type: ignore[no-untyped-def]
    powers = room(C.shape[1])
    for i in range(len(C)):
        verdicts[i] = inside(C[i], error[i], powers)


@njit(cache=True)
def room(F):  # type: ignore[no-untyped-def]
    """What `inside` works in: the first powers, two for the others by turns, two for products."""
    # The first six, if they fit into the cache.
    return np.empty(((6 if F <= 256 else 2) + 4, F, F))


@njit(cache=True)
def inside(M, error, powers):  # type: ignore[no-untyped-def]
    """YES or NO to ρ(M') < 1 for all M' within `error` of M, or OPEN; `powers` is a `room`."""
    F, keep = len(M), len(powers) - 4
    D, E = powers[keep + 2], powers[keep + 3]
    root = np.sqrt(F)
    sizes = np.empty(SQUARINGS + 1)
    bounds = np.empty(SQUARINGS + 1)
    copy(M, powers[0])
    C, e, sharp = powers[0], error, 0
    for k in range(SQUARINGS + 1):
        size = norm(C)
        sizes[k] = bounds[k] = size
        if not size < HUGE:
            return OPEN
        trace = abs(trace_of(C)) - 2.0 * F * _U * size * root
        if size + e < 1.0:
            return YES
        if trace - root * e > F:
            return NO
        if k >= _LOW_RANK_FROM:
            verdict = low_rank(C, e, E)
            if verdict != OPEN:
                return verdict
        while e > (1e-2 if k <= _LOW_RANK_FROM else 1e-4):
            if sharp == min(k, keep):
                break
            bounds[sharp] = min(sizes[sharp], spectral_bound(powers[sharp], D, E, 1))
            sharp += 1
            e = error
            for i in range(k):
                e = grown(e, bounds[i], sizes[i], F)
        if size + e < 1.0:
            return YES
        if trace - root * e > F:
            return NO
        if not e < 1.0:
            break
        after = k + 1 if k + 1 < keep else keep + k % 2
        product(C, C, powers[after])
        C = powers[after]
        e = grown(e, size, size, F)
    return deflated(M, error, C, D, E)
