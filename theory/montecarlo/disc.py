r"""Is ρ(C) < 1? The squaring of `theory.montecarlo.squaring`, compiled, one matrix at a time.

**Errors.** e_{k+1} = 2ν_k e_k + e_k² + (F + 2)u‖C_k‖² holds for any ν_k ≥ ‖C_k‖₂. It begins with ν_k = ‖C_k‖, which
costs nothing. Where e becomes too large, the first powers, which have been kept, get the sharper ν_k = ‖CᵀC‖^½, and if
that does not help ν_k = ‖(CᵀC)²‖^¼, and the recursion is run again with these: no power is computed twice.

**Low rank.** High powers are nearly of rank m ≤ 4, as what else there was has died out: C_k = UVᵀ + R with ‖R‖ ≤ r < 1,
by crosses with the largest entry as pivot. With T = VᵀU (m×m)

    det(I − wC_k) = det(I − wR) det(I − wT − wΔ(w)),      Δ(w) = Σ_{j≥1} wʲVᵀRʲU,      ‖Δ‖ ≤ δ = ‖U‖‖V‖ r/(1 − r)

on |w| ≤ 1. Δ changes det(I − wT) by at most mδ(1 + ‖T‖ + δ)^{m−1}, and `series.winding` says whether a polynomial
that is known that well has zeros in the disc. That decides what is too close to the circle for the norm and the trace.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from theory.montecarlo.dense import UNIT as _U
from theory.montecarlo.dense import copy, cross, dot, left_product, length, norm, product, trace_of
from theory.montecarlo.series import winding
from theory.montecarlo.squaring import HUGE, NO, OPEN, SQUARINGS, YES, Verdicts
from theory.problems.numbers import FloatArray

_LOW_RANK_FROM = 9  # squarings, after which a low rank is likely
_RANK = 4


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
        if size + e < 1.0:
            return YES
        if not size < HUGE:
            return OPEN
        trace = abs(trace_of(C)) - 2.0 * F * _U * size * root
        if trace - root * e > F:
            return NO
        if k >= _LOW_RANK_FROM:
            verdict = _low_rank(C, e, E)
            if verdict != OPEN:
                return verdict
        while sharp < 2 and (e > 1e-2 or (k > _LOW_RANK_FROM and e > 1e-4)):
            sharp += 1
            for j in range(min(k, keep)):
                bounds[j] = min(bounds[j], _sharper(powers[j], D, E, sharp))
            e = error
            for j in range(k):
                e = _next(e, bounds[j], sizes[j], F)
            if size + e < 1.0:
                return YES
            if trace - root * e > F:
                return NO
        if not e < 1.0:
            return OPEN
        after = k + 1 if k + 1 < keep else keep + k % 2
        product(C, C, powers[after])
        C = powers[after]
        e = _next(e, size, size, F)
    return OPEN


@njit(cache=True)
def _next(e, bound, size, F):  # type: ignore[no-untyped-def]
    return 1.01 * (2.0 * bound * e + e * e + (F + 2) * _U * size * size)


@njit(cache=True)
def _sharper(C, D, E, level):  # type: ignore[no-untyped-def]
    left_product(C, C, D)
    if level == 1:
        return np.sqrt(norm(D)) * 1.0001
    product(D, D, E)
    return np.sqrt(np.sqrt(norm(E))) * 1.0001


@njit(cache=True)
def _low_rank(C, e, R):  # type: ignore[no-untyped-def]
    """On which side of the circle the largest eigenvalue lies, where C is nearly of low rank."""
    F = len(C)
    size = norm(C)
    U, V, T = np.empty((_RANK, F)), np.empty((_RANK, F)), np.zeros((_RANK, _RANK))
    copy(C, R)
    total_U = total_V = 0.0
    for m in range(1, min(F, _RANK) + 1):
        if not cross(R, U[m - 1], V[m - 1]):
            return OPEN
        total_U += length(U[m - 1]) ** 2
        total_V += length(V[m - 1]) ** 2
        for j in range(m):
            T[m - 1, j] = dot(V[m - 1], U[j])
            T[j, m - 1] = dot(V[j], U[m - 1])
        uv = np.sqrt(total_U * total_V)
        r = norm(R) + e + 8.0 * _U * (size + uv)
        if r < 0.5:
            delta = 1.01 * uv * r / (1.0 - r) + 2.0 * (F + 8) * _U * uv
            small = T[:m, :m].copy()
            reach = 1.0 + norm(small) + delta
            # Coefficients of det(I − wT) are rounded a few hundred times at most.
            off = 1.01 * m * delta * reach ** (m - 1) + 1e-12 * reach**m
            if off < 0.1:
                verdict = winding(_coefficients(small), m, off)
                if verdict != OPEN:
                    return verdict
    return OPEN


@njit(cache=True)
def _coefficients(T):  # type: ignore[no-untyped-def]
    """c with det(I − wT) = 1 − Σ c_k w^{k+1}, by Faddeev and LeVerrier's recursion."""
    m = len(T)
    c = np.empty(m)
    M = T.copy()
    for k in range(m):
        c[k] = trace_of(M) / (k + 1)
        for a in range(m):
            M[a, a] -= c[k]
        M = np.dot(T, M)
    return c
