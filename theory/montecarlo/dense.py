"""Small dense linear algebra, compiled, for `theory.montecarlo.kernel`.

Products are BLAS calls (``np.dot``), each in a function of its own because that compiles faster. Loops run over whole
rows, so that they vectorise. Inverses are not trusted: whoever calls measures the residual.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from theory.problems.numbers import FloatArray

UNIT = 2.0**-53


def inverse_factors(X: FloatArray) -> FloatArray:
    """L⁻¹ with X = LLᵀ for each matrix of a stack; all NaN where a pivot is not positive."""
    K = np.empty(X.shape)
    work = np.empty(X.shape[1:])
    for one, out in zip(np.ascontiguousarray(X), K, strict=True):
        if not inverse_factor(one, out, work):
            out[:] = np.nan
    return K


@njit(cache=True)
def inverse_factor(X, K, U):  # type: ignore[no-untyped-def]
    """K = L⁻¹ with X = LLᵀ; False where a pivot is not positive. U is room to work."""
    F = len(X)
    copy(X, U)
    for j in range(F):
        for c in range(F):
            K[j, c] = 0.0
        K[j, j] = 1.0
    for j in range(F):
        if not U[j, j] > 0.0:
            return False
        scale = 1.0 / np.sqrt(U[j, j])
        for c in range(j, F):
            U[j, c] *= scale
        for c in range(j + 1):
            K[j, c] *= scale
        for row in range(j + 1, F):
            f = U[j, row]
            for c in range(row, F):
                U[row, c] -= f * U[j, c]
            for c in range(j + 1):
                K[row, c] -= f * K[j, c]
    return True


@njit(cache=True)
def invert(M, order):  # type: ignore[no-untyped-def]
    """Gauss and Jordan's inverse in place, with row pivots; False where a pivot is zero."""
    F = len(M)
    for j in range(F):
        p = j
        for row in range(j + 1, F):
            if abs(M[row, j]) > abs(M[p, j]):
                p = row
        order[j] = p
        if p != j:
            for c in range(F):
                M[j, c], M[p, c] = M[p, c], M[j, c]
        pivot = M[j, j]
        if not abs(pivot) > 0.0:
            return False
        M[j, j] = 1.0
        f = 1.0 / pivot
        for c in range(F):
            M[j, c] *= f
        for row in range(F):
            if row != j:
                f = M[row, j]
                M[row, j] = 0.0
                for c in range(F):
                    M[row, c] -= f * M[j, c]
    for j in range(F - 1, -1, -1):
        p = order[j]
        if p != j:
            for row in range(F):
                M[row, j], M[row, p] = M[row, p], M[row, j]
    return True


@njit(cache=True, fastmath={"reassoc"})
def norm(M):  # type: ignore[no-untyped-def]
    """‖M‖_F, a little rounded up. The order of the sum is free, so that it vectorises."""
    F = len(M)
    total = 0.0
    for a in range(F):
        for b in range(F):
            total += M[a, b] * M[a, b]
    return np.sqrt(total) * (1.0 + 4.0 * F * F * UNIT)


@njit(cache=True)
def product(A, B, out):  # type: ignore[no-untyped-def]
    """AB into `out`, another matrix."""
    np.dot(A, B, out)


@njit(cache=True)
def left_product(A, B, out):  # type: ignore[no-untyped-def]
    """AᵀB into `out`, another matrix."""
    np.dot(A.T, B, out)


@njit(cache=True)
def right_product(A, B, out):  # type: ignore[no-untyped-def]
    """ABᵀ into `out`, another matrix."""
    np.dot(A, B.T, out)


@njit(cache=True)
def copy(M, out):  # type: ignore[no-untyped-def]
    """M into `out`."""
    rows, columns = M.shape
    for a in range(rows):
        for b in range(columns):
            out[a, b] = M[a, b]


@njit(cache=True)
def weigh(Phi, d, out):  # type: ignore[no-untyped-def]
    """DΦ into `out`; returns tr X = Σ_s d_s r_s and max_s r_s, with r_s = Σ_f Φ_sf²."""
    S, F = Phi.shape
    trace = largest = 0.0
    for s in range(S):
        r = 0.0
        for f in range(F):
            r += Phi[s, f] * Phi[s, f]
            out[s, f] = d[s] * Phi[s, f]
        trace += d[s] * r
        largest = max(largest, r)
    return trace, largest


@njit(cache=True)
def symmetrise(M, out):  # type: ignore[no-untyped-def]
    """(M + Mᵀ)/2 into `out`, which may be M."""
    for a in range(len(M)):
        for b in range(a + 1):
            out[a, b] = out[b, a] = 0.5 * (M[a, b] + M[b, a])


@njit(cache=True)
def scale(M, factor):  # type: ignore[no-untyped-def]
    """M ← factor · M."""
    for a in range(len(M)):
        for b in range(len(M)):
            M[a, b] *= factor


@njit(cache=True)
def shift(M, by):  # type: ignore[no-untyped-def]
    """M ← M + by · I."""
    for a in range(len(M)):
        M[a, a] += by
