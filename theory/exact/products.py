r"""Exact products of large matrices of doubles, at the speed of BLAS (Ozaki).

A double is an integer times a power of two. Cut the entries of A and B into slices of w bits on one grid each,

    A = Σ_i A_i 2^{a − wi},     B = Σ_j B_j 2^{b − wj},     integers |A_i|, |B_j| < 2ʷ,     i, j = 1, 2, …

With 2w + log₂n ≤ 53 for n columns of A every A_iB_j is right in doubles, whatever the order of its sums, and AB is
the sum of 2^{a + b − w(i + j)}A_iB_j in integers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat

from theory.problems.numbers import Array, FloatArray

SLICES = 24  # of each matrix, at most: entries that differ by more than 10¹⁰⁰ or so are for rational arithmetic
BLOCK = 500_000  # entries of A that are sliced at a time


def float_product(A: FloatArray, B: FloatArray) -> fmpq_mat | None:
    """AB exactly, for the rationals that the doubles denote; None where their sizes differ too much for few slices.

    >>> float_product(np.array([[0.5, 2.0**-60]]), np.array([[1.0], [2.0]]))
    [288230376151711745/576460752303423488]
    """
    width = (53 - (A.shape[1] - 1).bit_length()) // 2
    (a, lowest_a), (b, lowest_b) = _range(A), _range(B)
    if max(a - lowest_a, b - lowest_b) > SLICES * width:
        return None
    right = list(_slices(B, b, lowest_b, width))
    stacked = np.hstack(right)
    rows = max(1, BLOCK // A.shape[1])
    blocks = [_integers(A[i : i + rows], a, lowest_a, width, stacked, len(right)) for i in range(0, len(A), rows)]
    levels = _count(a, lowest_a, width) + len(right)
    numerators = fmpz_mat(len(A), B.shape[1], [x for block in blocks for x in block.ravel().tolist()])
    return fmpq_mat(numerators) * fmpq(2) ** (a + b - width * levels)


def _integers(A: FloatArray, top: int, lowest: int, width: int, stacked: FloatArray, count: int) -> Array:
    """AB over its grid, (rows, columns) of integers."""
    columns = stacked.shape[1] // count
    levels = [np.zeros((len(A), columns), np.int64) for _ in range(_count(top, lowest, width) + count - 1)]
    for i, slice_ in enumerate(_slices(A, top, lowest, width)):
        product = (slice_ @ stacked).astype(np.int64)  # a sum of fewer than 2⁹ such numbers fits
        for j in range(count):
            levels[i + j] += product[:, j * columns : (j + 1) * columns]
    total = levels[0].astype(object)
    for level in levels[1:]:
        total = total * (1 << width) + level
    return total


def _range(M: FloatArray) -> tuple[int, int]:
    """Every entry is below 2ᵃ and a multiple of 2ˡ: a and l."""
    exponents = np.frexp(M[M != 0])[1]
    return (int(exponents.max()), int(exponents.min()) - 53) if exponents.size else (0, 0)


def _count(top: int, lowest: int, width: int) -> int:
    return max(1, -(-(top - lowest) // width))


def _slices(M: FloatArray, top: int, lowest: int, width: int) -> Iterator[FloatArray]:
    """M_1, M_2, … until nothing is left."""
    rest = M.copy()
    for i in range(1, _count(top, lowest, width) + 1):
        out = np.trunc(np.ldexp(rest, width * i - top))
        yield out
        rest -= np.ldexp(out, top - width * i)
