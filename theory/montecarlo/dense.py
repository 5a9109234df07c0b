"""Small dense linear algebra, compiled, for `theory.montecarlo.kernel`, and the three answers of its tests.

Products are BLAS calls (``np.dot``), each in a function of its own because that compiles faster. Loops run over whole
rows, so that they vectorise. Inverses are not trusted: whoever calls measures the residual. Sums that may be reordered
(``reassoc``) are used in error bounds that hold for any order.
"""

from __future__ import annotations

import numpy as np

from theory.machine_code import njit
from theory.problems.numbers import FloatArray

UNIT = 2.0**-53
YES, NO, OPEN = 1, 0, -1
Verdicts = np.ndarray  # (n,) int8 of YES, NO, OPEN
_WHOLE = 26  # matrices below this are inverted row by row


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
    # Copies of the pivot's row and column: loops that read and write one array do not vectorise as well.
    across, down = np.empty(F, M.dtype), np.empty(F, M.dtype)
    for j in range(F):
        p = j
        for row in range(j + 1, F):
            if abs(M[row, j]) > abs(M[p, j]):
                p = row
        order[j] = p
        pivot = M[p, j]
        if not abs(pivot) > 0.0:
            return False
        f = 1.0 / pivot
        for c in range(F):
            across[c] = M[p, c] * f
        if p != j:
            for c in range(F):
                M[p, c] = M[j, c]
        across[j] = f
        for row in range(F):
            down[row] = M[row, j]
            M[row, j] = 0.0
        for row in range(F):
            f = down[row]
            for c in range(F):
                M[row, c] -= f * across[c]
        for c in range(F):
            M[j, c] = across[c]
    for j in range(F - 1, -1, -1):
        p = order[j]
        if p != j:
            for row in range(F):
                M[row, j], M[row, p] = M[row, p], M[row, j]
    return True


@njit(cache=True)
def invert_blocks(M, order):  # type: ignore[no-untyped-def]
    """The inverse of M in place by halves, so that most of the work is products; False where a pivot is zero.

    With pivots within halves only: it may be inaccurate where `invert` is not.
    """
    F = len(M)
    if F < _WHOLE:
        return invert(M, order)
    m = F // 2
    a, b = M[:m, :m].copy(), M[:m, m:].copy()
    c, d = M[m:, :m].copy(), M[m:, m:].copy()
    if not invert_blocks(a, order):
        return False
    left, right = np.dot(c, a), np.dot(a, b)
    d -= np.dot(left, b)  # Schur's complement
    if not invert_blocks(d, order):
        return False
    corner = np.dot(right, d)
    a += np.dot(corner, left)
    lower = np.dot(d, left)
    for i in range(m):
        for j in range(m):
            M[i, j] = a[i, j]
        for j in range(F - m):
            M[i, m + j] = -corner[i, j]
    for i in range(F - m):
        for j in range(m):
            M[m + i, j] = -lower[i, j]
        for j in range(F - m):
            M[m + i, m + j] = d[i, j]
    return True


@njit(cache=True, fastmath={"reassoc"})
def norm(M):  # type: ignore[no-untyped-def]
    """‖M‖_F, a little rounded up. The order of the sum is free, so that it vectorises."""
    flat = M.reshape(M.size)  # one long loop: with short rows, half of the time would go into beginning them
    total = 0.0
    for a in range(len(flat)):
        total += flat[a] * flat[a]
    return np.sqrt(total) * (1.0 + 4.0 * M.size * UNIT)


@njit(cache=True, fastmath={"reassoc"})
def length(x):  # type: ignore[no-untyped-def]
    """‖x‖, a little rounded up."""
    total = 0.0
    for a in range(len(x)):
        total += x[a] * x[a]
    return np.sqrt(total) * (1.0 + 4.0 * len(x) * UNIT)


@njit(cache=True, fastmath={"reassoc"})
def dot(x, y):  # type: ignore[no-untyped-def]
    """xᵀy."""
    total = 0.0
    for a in range(len(x)):
        total += x[a] * y[a]
    return total


@njit(cache=True)
def apply(M, x, out):  # type: ignore[no-untyped-def]
    """Mx into `out`."""
    for a in range(len(M)):
        out[a] = dot(M[a], x)


@njit(cache=True)
def copy_vector(x, out):  # type: ignore[no-untyped-def]
    """x into `out`."""
    for a in range(len(x)):
        out[a] = x[a]


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
        r = dot(Phi[s], Phi[s])
        for f in range(F):
            out[s, f] = d[s] * Phi[s, f]
        trace += d[s] * r
        largest = max(largest, r)
    return trace, largest


@njit(cache=True)
def column_sums(weights, M, out):  # type: ignore[no-untyped-def]
    """Mᵀ · weights into `out`."""
    rows, columns = M.shape
    for b in range(columns):
        out[b] = 0.0
    for a in range(rows):
        for b in range(columns):
            out[b] += weights[a] * M[a, b]


@njit(cache=True)
def less(A, factor, B, out):  # type: ignore[no-untyped-def]
    """A − factor · B into `out`, which may be A."""
    rows, columns = A.shape
    for a in range(rows):
        for b in range(columns):
            out[a, b] = A[a, b] - factor * B[a, b]


@njit(cache=True)
def largest_entry(M):  # type: ignore[no-untyped-def]
    """Row and column of the entry of largest modulus."""
    rows, columns = M.shape
    best, at = -1.0, 0
    for a in range(rows):
        top = 0.0
        for b in range(columns):
            top = max(top, abs(M[a, b]))
        if top > best:
            best, at = top, a
    column = 0
    for b in range(columns):
        if abs(M[at, b]) == best:
            column = b
    return at, column


@njit(cache=True)
def cross(M, u, v):  # type: ignore[no-untyped-def]
    """The cross through the largest entry: M ← M − u vᵀ, whose row and column there are zero. False if M = 0."""
    row, column = largest_entry(M)
    pivot = M[row, column]
    if not abs(pivot) > 0.0:
        return False
    root = np.sqrt(abs(pivot))
    for a in range(len(M)):
        u[a] = M[a, column] / root
        v[a] = M[row, a] * (root / pivot)
    for a in range(len(M)):
        for b in range(len(M)):
            M[a, b] -= u[a] * v[b]
    return True


@njit(cache=True)
def trace_of(M):  # type: ignore[no-untyped-def]
    """tr M."""
    total = 0.0
    for a in range(len(M)):
        total += M[a, a]
    return total


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
