"""Rational matrices for Coq: written as lists, rounded, and factors that prove them positive definite.

M is positive definite when M = Lᵀ·diag(p)·L + E with L upper triangular, ones on its diagonal, p > 0 and a symmetric E
whose diagonal dominates. With E = δ·1 + rounding errors the factors need few binary digits, however long the entries
of M are; ``Rationals.v`` says why that is a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.coq.trees import NotExported

DIGITS = (8, 14, 22, 32, 48)  # binary digits of rounded factors, fewest first


def rational(x: Any) -> fmpq:
    """A number, or its text ``p/q``."""
    fraction = Fraction(x)
    return fmpq(fraction.numerator, fraction.denominator)


def matrix(rows: Iterable[Iterable[Any]]) -> fmpq_mat:
    """From numbers, or their texts."""
    return fmpq_mat([[rational(x) for x in row] for row in rows])


def diagonal(entries: Sequence[fmpq]) -> fmpq_mat:
    """diag(entries)."""
    n = len(entries)
    return fmpq_mat(n, n, [entries[i] if i == j else 0 for i in range(n) for j in range(n)])


def identity(n: int) -> fmpq_mat:
    """1."""
    return diagonal([fmpq(1)] * n)


def echelon(M: fmpq_mat) -> tuple[fmpq_mat, list[int]]:
    """The nonzero rows of the reduced echelon form, W, and its pivots: M is its pivot columns times W.

    >>> echelon(fmpq_mat([[1, 2], [2, 4]]))
    ([1, 2], [0])
    """
    reduced, rank = M.rref()
    rows = reduced.tolist()[:rank]
    return fmpq_mat(rank, M.ncols(), [x for row in rows for x in row]), [
        next(j for j, x in enumerate(row) if x) for row in rows
    ]


def definite(M: fmpq_mat) -> tuple[fmpq_mat, list[fmpq]]:
    """L and p that prove M positive definite, with few digits where few will do."""
    try:
        return _rounded_factors(M)
    except (OverflowError, np.linalg.LinAlgError, NotExported):
        return factor(M)


def _rounded_factors(M: fmpq_mat) -> tuple[fmpq_mat, list[fmpq]]:
    values = floats(M)
    smallest = float(np.linalg.eigvalsh(values)[0])
    if not smallest > 0:
        raise NotExported("a form that is not positive definite")
    lower = np.linalg.cholesky(values - smallest / 2 * np.eye(len(values)))
    pivots = np.diag(lower)
    for digits in DIGITS:
        L, p = rounded((lower / pivots).T, digits), rounded(pivots.reshape(-1, 1) ** 2, digits).entries()
        if min(p) > 0 and dominates(remainder(M, L, p)):
            return L, p
    raise NotExported("a form that is nearly not positive definite")


def remainder(M: fmpq_mat, L: fmpq_mat, p: Sequence[fmpq]) -> fmpq_mat:
    """E = M − Lᵀ·diag(p)·L."""
    return M - L.transpose() * diagonal(p) * L


def dominates(E: fmpq_mat) -> bool:
    """Whether each diagonal entry is at least the sum of the others' absolute values.

    >>> dominates(fmpq_mat([[1, -1], [-1, 2]]))
    True
    """
    return all(2 * abs(row[i]) >= sum(map(abs, row)) and row[i] >= 0 for i, row in enumerate(E.tolist()))


def factor(M: fmpq_mat) -> tuple[fmpq_mat, list[fmpq]]:
    """M = Lᵀ·diag(p)·L without a remainder.

    >>> factor(fmpq_mat([[2, 1], [1, 2]]))[1]
    [2, 3/2]
    """
    n, p = M.nrows(), []
    rest, L = fmpq_mat(M), identity(n)
    for i in range(n):
        if rest[i, i] <= 0:
            raise NotExported("a form that is not positive definite")
        p.append(rest[i, i])
        for j in range(i + 1, n):
            L[i, j] = rest[i, j] / p[i]
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                rest[j, k] -= p[i] * L[i, j] * L[i, k]
    return L, p


def rounded(values: np.ndarray | fmpq_mat, digits: int) -> fmpq_mat:
    """Each entry as an integer over a power of two, the largest with so many binary digits."""
    rows = [
        [Fraction(int(x.p), int(x.q)) if isinstance(x, fmpq) else Fraction(x) for x in row] for row in values.tolist()
    ]
    top = max(abs(x) for row in rows for x in row)
    scale = Fraction(2) ** (digits - top.numerator.bit_length() + top.denominator.bit_length())
    return matrix([[round(x * scale) / scale for x in row] for row in rows])


def floats(M: fmpq_mat) -> np.ndarray:
    """The nearest doubles; OverflowError beyond them."""
    return np.array([[int(x.p) / int(x.q) for x in row] for row in M.tolist()])


def length(M: fmpq_mat) -> int:
    """The binary digits of the longest entry."""
    return max(int(part).bit_length() for x in M.entries() for part in (x.p, x.q))


def coq_row(row: Sequence[fmpq]) -> str:
    """A list of numbers in Coq, over one denominator where that is not much longer.

    >>> coq_row([fmpq(1, 2), fmpq(-1, 3)])
    '[:: (Qmake (3) 6); (Qmake (-2) 6)]'
    """
    return _row(row, _common(row))


def coq_rows(M: fmpq_mat) -> str:
    """A list of rows in Coq, over one denominator where that is not much longer."""
    common = _common(M.entries())
    return f"[:: {'; '.join(_row(row, common) for row in M.tolist())}]"


def _common(numbers: Sequence[fmpq]) -> int | None:
    denominators = [int(x.q) for x in numbers]
    longest, common = max(denominators, default=1), 1
    for q in denominators:
        common = lcm(common, q)
        if common.bit_length() > 2 * longest.bit_length() + 16:
            return None
    return common


def _row(row: Sequence[fmpq], common: int | None) -> str:
    shown = [f"(Qmake ({x.p * ((common or x.q) // x.q)}) {common or x.q})" for x in row]
    return f"[:: {'; '.join(shown)}]"
