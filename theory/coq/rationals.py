"""Rational matrices as lists of rows: products, echelon forms, and factors that prove them positive definite.

M is positive definite when M = Lᵀ·diag(p)·L + E with L upper triangular, ones on its diagonal, p > 0 and a symmetric E
whose diagonal dominates. With E = δ·1 + rounding errors the factors need few binary digits, however long the entries
of M are; ``Rationals.v`` says why that is a proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from theory.coq.trees import NotExported

Rows = list[list[Fraction]]
DIGITS = (8, 14, 22, 32, 48)  # binary digits of rounded factors, fewest first


def product(a: Rows, b: Rows) -> Rows:
    """The matrix product."""
    columns = transpose(b)
    return [[sum((x * y for x, y in zip(r, c, strict=True) if x and y), Fraction(0)) for c in columns] for r in a]


def transpose(a: Rows) -> Rows:
    """Rows as columns."""
    return [list(column) for column in zip(*a, strict=True)]


def scaled(a: Rows, d: Sequence[Fraction]) -> Rows:
    """a·diag(d)."""
    return [[x * w for x, w in zip(row, d, strict=True)] for row in a]


def combined(a: Rows, c: Fraction, b: Rows) -> Rows:
    """a + c·b."""
    return [[x + c * y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def identity(n: int) -> Rows:
    """1."""
    return [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]


def echelon(M: Rows) -> tuple[Rows, list[int]]:
    """The nonzero rows of the reduced echelon form, W, and its pivots: M is its pivot columns times W.

    >>> echelon([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]])
    ([[Fraction(1, 1), Fraction(2, 1)]], [0])
    """
    rows, pivots, at = [list(row) for row in M], [], 0
    for j in range(len(M[0])):
        found = next((i for i in range(at, len(rows)) if rows[i][j]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        lead = rows[at][j]
        rows[at] = [x / lead for x in rows[at]]
        for i in range(len(rows)):
            if i != at and rows[i][j]:
                c = rows[i][j]
                rows[i] = [x - c * y for x, y in zip(rows[i], rows[at], strict=True)]
        pivots.append(j)
        at += 1
    return rows[:at], pivots


def solved(M: Rows, right: Rows) -> Rows:
    """M⁻¹·right, for an invertible M."""
    n = len(M)
    rows, pivots = echelon([[*r, *s] for r, s in zip(M, right, strict=True)])
    if pivots[:n] != list(range(n)):
        raise ValueError("a matrix without an inverse")
    return [row[n:] for row in rows[:n]]


def definite(M: Rows) -> tuple[Rows, list[Fraction]]:
    """L and p that prove M positive definite, with few digits where few will do."""
    try:
        return _rounded_factors(M)
    except (OverflowError, np.linalg.LinAlgError, NotExported):
        return factor(M)


def _rounded_factors(M: Rows) -> tuple[Rows, list[Fraction]]:
    values = floats(M)
    smallest = float(np.linalg.eigvalsh(values)[0])
    if not smallest > 0:
        raise NotExported("a form that is not positive definite")
    lower = np.linalg.cholesky(values - smallest / 2 * np.eye(len(M)))
    pivots = np.diag(lower)
    for digits in DIGITS:
        L = rounded((lower / pivots).T, digits)
        p = [c for [c] in rounded(pivots.reshape(-1, 1) ** 2, digits)]
        if all(c > 0 for c in p) and dominates(remainder(M, L, p)):
            return L, p
    raise NotExported("a form that is nearly not positive definite")


def remainder(M: Rows, L: Rows, p: Sequence[Fraction]) -> Rows:
    """E = M − Lᵀ·diag(p)·L."""
    return combined(M, Fraction(-1), product(scaled(transpose(L), p), L))


def dominates(E: Rows) -> bool:
    """Whether each diagonal entry is at least the sum of the others' absolute values.

    >>> dominates([[Fraction(1), Fraction(-1)], [Fraction(-1), Fraction(2)]])
    True
    """
    return all(2 * abs(row[i]) - sum(map(abs, row)) >= 0 <= row[i] for i, row in enumerate(E))


def factor(M: Rows) -> tuple[Rows, list[Fraction]]:
    """M = Lᵀ·diag(p)·L without a remainder.

    >>> factor([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]])[1]
    [Fraction(2, 1), Fraction(3, 2)]
    """
    n = len(M)
    rest = [list(row) for row in M]
    L = identity(n)
    p = []
    for i in range(n):
        if rest[i][i] <= 0:
            raise NotExported("a form that is not positive definite")
        p.append(rest[i][i])
        for j in range(i + 1, n):
            L[i][j] = rest[i][j] / p[i]
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                rest[j][k] -= p[i] * L[i][j] * L[i][k]
    return L, p


def rounded(values: np.ndarray, digits: int) -> Rows:
    """Each entry as an integer over a power of two, the largest with so many binary digits."""
    scale = Fraction(2) ** (digits - math.frexp(float(np.abs(values).max()))[1])
    return [[round(Fraction(float(x)) * scale) / scale for x in row] for row in values]


def floats(a: Rows) -> np.ndarray:
    """The nearest doubles; OverflowError beyond them."""
    return np.array([[float(x) for x in row] for row in a])


def length(a: Rows) -> int:
    """The binary digits of the longest entry."""
    return max(max(x.numerator.bit_length(), x.denominator.bit_length()) for row in a for x in row)


def coq_row(row: Sequence[Fraction]) -> str:
    """A list of numbers in Coq, over one denominator where that is not much longer.

    >>> coq_row([Fraction(1, 2), Fraction(-1, 3)])
    '[:: (Qmake (3) 6); (Qmake (-2) 6)]'
    """
    return _row(row, _common(row))


def coq_rows(rows: Rows) -> str:
    """A list of rows in Coq, over one denominator where that is not much longer."""
    common = _common([x for row in rows for x in row])
    return f"[:: {'; '.join(_row(row, common) for row in rows)}]"


def _common(numbers: Sequence[Fraction]) -> int | None:
    longest = max((x.denominator for x in numbers), default=1)
    common = 1
    for x in numbers:
        common = math.lcm(common, x.denominator)
        if common.bit_length() > 2 * longest.bit_length() + 16:
            return None
    return common


def _row(row: Sequence[Fraction], common: int | None) -> str:
    shown = []
    for x in row:
        over = common or x.denominator
        shown.append(f"(Qmake ({x.numerator * (over // x.denominator)}) {over})")
    return f"[:: {'; '.join(shown)}]"
