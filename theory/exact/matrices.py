r"""Rational matrices: between a problem's `Fraction` arrays and FLINT, which does the arithmetic.

A vector is an n×1 matrix. FLINT's ``fmpq_mat`` multiplies, solves, inverts and takes determinants and
characteristic polynomials exactly; this module adds the few things it lacks.

**Singular systems**: one reduction of [M | B] to row echelon form [R | C] answers everything. MZ = B has a solution
exactly when no pivot falls into the right part, R is then a basis of the row space of M, and the solution of least norm
is

    Z = Rᵀ(RRᵀ)⁻¹C = M⁺B.

**Blocks that a permutation uncovers**: what is triangular need not be treated as one. Write an edge i → j wherever some
of the given matrices has an entry (i, j). Ordered by the strongly connected components of this graph, all of them are
block triangular at once, so that

    det(λX − Y) = Π_b det(λX_b − Y_b)        and the eigenvalues of X − γY are those of the blocks' X_b − γY_b.

A corridor of any length falls into single numbers, problems side by side into their parts. An isolated row and
column of zeros is a block of its own.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.problems.graph import communicating_classes
from theory.problems.numbers import Array


def rational(value: Any) -> fmpq:
    """A FLINT rational from an int, Fraction, or anything with numerator and denominator."""
    return value if isinstance(value, fmpq) else fmpq(int(value.numerator), int(value.denominator))


def fraction(value: fmpq) -> Fraction:
    """A Python `Fraction` from a FLINT rational."""
    return Fraction(int(value.p), int(value.q))


def square_root(x: fmpq) -> float:
    """√x as a double, also where x itself is beyond their range; inf where √x is."""
    value: Fraction = fraction(x)
    if value == 0:
        return 0.0
    # √(p/q) = √(p·q·4ⁿ)/(q·2ⁿ); n makes the integer root at least 64 bits long before isqrt cuts it off.
    p, q = value.numerator, value.denominator
    n = max(0, 128 + q.bit_length() - p.bit_length())
    root = math.isqrt((p * q) << (2 * n))
    try:
        return float(Fraction(root, q << n))
    except OverflowError:
        return math.inf


def matrix(array: Array | Sequence[Any]) -> fmpq_mat:
    """A FLINT matrix from a 2-d array of rationals, or of floats as the rationals they denote; 1-d becomes a column."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "f":
        columns = 1 if array.ndim == 1 else array.shape[1]
        return fmpq_mat(len(array), columns, [fmpq(*x.as_integer_ratio()) for x in array.ravel().tolist()])
    rows = array.tolist() if isinstance(array, np.ndarray) else list(array)
    if rows and not isinstance(rows[0], list | tuple):
        rows = [[x] for x in rows]
    try:
        return fmpq_mat(rows)  # FLINT's numbers and integers, in one go
    except (TypeError, ValueError):
        return fmpq_mat([[rational(x) for x in row] for row in rows])


def fractions(m: fmpq_mat) -> Array:
    """A `Fraction` array from a FLINT matrix; one column becomes a vector."""
    out = np.empty((m.nrows(), m.ncols()), dtype=object)
    for i, row in enumerate(m.tolist()):
        out[i] = [fraction(x) for x in row]
    return out[:, 0] if m.ncols() == 1 else out


def array(m: Any) -> Array:
    """FLINT's numbers as they are, in an array; one column becomes a vector."""
    out = np.empty((m.nrows(), m.ncols()), dtype=object)
    for i, row in enumerate(m.tolist()):
        out[i] = row
    return out[:, 0] if m.ncols() == 1 else out


def joined(*parts: Any) -> Any:
    """Matrices of one kind side by side."""
    return type(parts[0])([[x for row in rows for x in row] for rows in zip(*(m.tolist() for m in parts), strict=True)])


def stacked(*parts: Any) -> Any:
    """Matrices of one kind, one below the other."""
    return type(parts[0])([row for m in parts for row in m.tolist()])


def identity(n: int) -> fmpq_mat:
    """The n×n unit matrix."""
    return fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def scaled_rows(d: Sequence[fmpq], m: fmpq_mat) -> fmpq_mat:
    """diag(d)·m without the S² products of a full multiplication."""
    return fmpq_mat([[w * x for x in row] for w, row in zip(d, m.tolist(), strict=True)])


def independent_columns(m: fmpq_mat) -> list[int]:
    """The pivot columns of m: a basis of its column space, leftmost first."""
    reduced, rank = m.rref()
    rows = reduced.tolist()
    return [next(j for j, x in enumerate(rows[i]) if x != 0) for i in range(rank)]


def columns(m: fmpq_mat, chosen: Sequence[int]) -> fmpq_mat:
    """The chosen columns, in that order."""
    return fmpq_mat(m.nrows(), len(chosen), [row[j] for row in m.tolist() for j in chosen])


def entry_length(*matrices: fmpq_mat) -> int:
    """The bits of the longest entry once each matrix is integer over one denominator: what exact work is counted in."""
    longest = 0
    for m in matrices:
        numerators, denominator = m.numer_denom()
        bits = max((x.height_bits() for x in numerators.entries()), default=0)
        longest = max(longest, bits + denominator.bit_length())
    return longest


def is_zero(m: fmpq_mat) -> bool:
    """Is every entry zero?"""
    return all(x == 0 for x in m.entries())


def is_positive_definite(m: fmpq_mat) -> bool:
    """Sylvester's criterion: symmetric, and all leading minors positive."""
    rows = m.tolist()
    minors = (fmpq_mat([row[:k] for row in rows[:k]]).det() for k in range(1, m.nrows() + 1))
    return m.transpose() == m and all(minor > 0 for minor in minors)


def block_bidiagonal(diagonal: Sequence[Any], below: Any) -> Any:
    """Square blocks `diagonal` down the diagonal and `below` under each but the last, in FLINT or in floats."""
    floats = isinstance(below, np.ndarray)
    F = len(below) if floats else below.nrows()
    n = len(diagonal) * F
    out: Any = np.zeros((n, n)) if floats else fmpq_mat(n, n)
    for k, block in enumerate(diagonal):
        for i in range(F):
            for j in range(F):
                out[k * F + i, k * F + j] = block[i, j]
                if k:
                    out[k * F + i, (k - 1) * F + j] = below[i, j]
    return out


def least_norm_solution(M: fmpq_mat, B: fmpq_mat) -> fmpq_mat | None:
    """The Z of least norm with MZ = B, or None where there is none.

    >>> least_norm_solution(fmpq_mat([[1, 1]]), fmpq_mat([[1]]))
    [1/2]
    [1/2]
    """
    n, m = M.ncols(), B.ncols()
    if M.nrows() == n:
        try:
            return M.solve(B)
        except ZeroDivisionError:  # singular: the general way
            pass
    joined = fmpq_mat([left + right for left, right in zip(M.tolist(), B.tolist(), strict=True)])
    reduced, rank = joined.rref()
    rows = [row for row in reduced.tolist()[:rank] if any(row[:n])]
    if len(rows) < rank:
        return None
    if not rows:
        return fmpq_mat(n, m)
    R, C = fmpq_mat([row[:n] for row in rows]), fmpq_mat([row[n:] for row in rows])
    return R.transpose() * (R * R.transpose()).solve(C)


def pseudo_inverse(M: fmpq_mat) -> fmpq_mat:
    """M⁺ of Moore and Penrose by the full-rank factorisation M = CR: M⁺ = Rᵀ(RRᵀ)⁻¹(CᵀC)⁻¹Cᵀ.

    >>> pseudo_inverse(fmpq_mat([[1, 1], [1, 1]]))
    [1/4, 1/4]
    [1/4, 1/4]
    """
    R, C = row_basis(M), columns(M, independent_columns(M))
    if R.nrows() == 0:
        return fmpq_mat(M.ncols(), M.nrows())
    Ct, Rt = C.transpose(), R.transpose()
    return Rt * (R * Rt).solve((Ct * C).solve(Ct))


def row_basis(M: fmpq_mat) -> fmpq_mat:
    """The nonzero rows of M's reduced row echelon form."""
    reduced, rank = M.rref()
    return fmpq_mat(rank, M.ncols(), [x for row in reduced.tolist()[:rank] for x in row])


def power(M: Any, k: int) -> Any:
    """Mᵏ by repeated squaring, in whatever arithmetic M has; M⁰ is rational."""
    if k == 0:
        return identity(M.nrows())
    out = M
    for bit in bin(k)[3:]:
        out = out * out
        if bit == "1":
            out = out * M
    return out


def geometric_sum(M: Any, k: int, one: Any = None, times: Callable[[Any, Any], Any] = operator.mul) -> tuple[Any, Any]:
    """Mᵏ and W_k = I + M + … + Mᵏ⁻¹, doubling k: W_2k = W_k + MᵏW_k and W_k+1 = W_k + Mᵏ.

    In whatever arithmetic M has; where that is not FLINT's rationals, `one` is its I, and `times` its product.
    """
    one = identity(M.nrows()) if one is None else one
    if k == 0:
        return one, one - one
    P, W = M, one
    for bit in bin(k)[3:]:
        P, W = times(P, P), W + times(P, W)
        if bit == "1":
            P, W = times(P, M), W + P
    return P, W


def strong_components(*matrices: fmpq_mat) -> list[list[int]]:
    """The index sets of the diagonal blocks, each ascending, in the order of their first members.

    >>> strong_components(fmpq_mat([[1, 5, 0], [0, 1, 2], [0, 3, 1]]))
    [[0], [1, 2]]
    """
    n = matrices[0].nrows()
    if n == 0:
        return []
    pattern = np.zeros((n, n), dtype=bool)
    for m in matrices:
        pattern |= np.array([x != 0 for x in m.entries()]).reshape(n, n)
    return [sorted(members) for members in communicating_classes(pattern)]


def block(m: fmpq_mat, members: list[int]) -> fmpq_mat:
    """The rows and columns of these members."""
    rows = m.tolist()
    return fmpq_mat([[rows[i][j] for j in members] for i in members])


def pencil_blocks(X: fmpq_mat, Y: fmpq_mat) -> list[tuple[fmpq_mat, fmpq_mat]]:
    """(X_b, Y_b), the different ones, the shortest first."""
    if X.nrows() == 0:
        return []
    parts = strong_components(X, Y)
    if len(parts) == 1:
        return [(X, Y)]
    found: dict[tuple[str, str], tuple[fmpq_mat, fmpq_mat]] = {}
    for members in parts:
        pair = block(X, members), block(Y, members)
        found.setdefault((str(pair[0].tolist()), str(pair[1].tolist())), pair)
    return sorted(found.values(), key=lambda pair: (pair[0].nrows(), entry_length(*pair)))
