"""LAPACK on one small matrix, without what NumPy wraps around it: of a 10×10 matrix that is more than half of the time.

What decides many methods on many small problems spends its time here.
"""

from __future__ import annotations

import numpy as np

from theory.linear.lapack import dgeev, dgesdd, dgesv, dsyev
from theory.problems.numbers import Array, FloatArray


def eigenvalues(M: FloatArray) -> Array:
    """All of them, complex.

    >>> eigenvalues(np.array([[0.0, -2.0], [2.0, 0.0]]))
    array([0.+2.j, 0.-2.j])
    """
    if not len(M):
        return np.empty(0, dtype=complex)
    _check_finite(M)
    real, imaginary, _, _, info = dgeev(M, compute_vl=0, compute_vr=0)
    if info != 0:
        raise np.linalg.LinAlgError("no eigenvalues were found")
    found = np.empty(len(M), dtype=complex)
    found.real, found.imag = real, imaginary
    return found


def singular_values(M: FloatArray) -> FloatArray:
    """Descending.

    >>> singular_values(np.array([[0.0, 2.0], [-3.0, 0.0]]))
    array([3., 2.])
    """
    if not len(M):
        return np.empty(0)
    _check_finite(M)
    _, found, _, info = dgesdd(M, compute_uv=0)
    if info != 0:
        raise np.linalg.LinAlgError("no singular values were found")
    return np.asarray(found)


def largest_eigenvalue(X: FloatArray) -> float:
    """Of a symmetric matrix.

    >>> largest_eigenvalue(np.array([[2.0, 1.0], [1.0, 2.0]]))
    3.0
    """
    _check_finite(X)
    values, _, info = dsyev(X, compute_v=0)
    if info != 0:
        raise np.linalg.LinAlgError("no eigenvalues were found")
    return float(values[-1])


def solve(M: FloatArray, B: FloatArray) -> FloatArray:
    """M⁻¹B, B one vector or columns; a singular M is an error.

    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0]))
    array([1. , 0.5])
    """
    if not B.size:
        return np.empty_like(B)
    _, _, found, info = dgesv(M, B)
    if info != 0:
        raise np.linalg.LinAlgError("Singular matrix")
    return np.asarray(found.reshape(B.shape))


def _check_finite(M: FloatArray) -> None:
    """Of what is not finite LAPACK complains on standard output."""
    if not np.isfinite(M).all():
        raise np.linalg.LinAlgError("the matrix has entries that are not finite")
