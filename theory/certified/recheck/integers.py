r"""Rational matrices as (integer rows, one positive denominator): no gcd in any inner loop.

**Positive definite** is shown by a congruence and Gershgorin. Scale H by powers of two so that its diagonal is about
one, round its entries to a grid of width 2⁻ᵖ, and find an integer triangular T that about diagonalises the result, by
any means. With t_i = Σ_k|T_ik| the true THTᵀ is within t_i t_j units of TH̃Tᵀ in each entry; if it is strictly
diagonally dominant with a positive diagonal it is positive definite, T is invertible, and so H is too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite, lcm
from operator import mul
from typing import Any

Rows = list[list[int]]
Matrix = tuple[Rows, int]

PRIME = 2**61 - 1
GRIDS = (64, 256, 1024, 4096)  # bits
_TEXT = re.compile(r"([+-]?)([0-9]+)(?:/([0-9]+)|\.([0-9]+))?")
_CHUNK = 4000  # Python reads integers of up to 4300 digits


def number(value: Any) -> Fraction:
    """A number of a document: an integer, a float (the rational it denotes) or text such as 9/10 or 0.9."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        if match is None:
            raise ValueError("not a number")
        sign, whole, below, decimals = match.groups()
        size = Fraction(_read(whole + (decimals or "")), _read(below) if below else 10 ** len(decimals or ""))
        return -size if sign == "-" else size
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("not a number")
    return Fraction(value)


def _read(digits: str) -> int:
    if len(digits) <= _CHUNK:
        return int(digits)
    half = len(digits) // 2
    return _read(digits[:-half]) * 10**half + _read(digits[-half:])


def whole(value: Any) -> int:
    """An integer of a document."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("not an integer")
    return value


def matrix(rows: Sequence[Sequence[Any]]) -> Matrix:
    """A matrix of a document, over the least common denominator."""
    exact = [[number(x) for x in row] for row in rows]
    if not exact or any(len(row) != len(exact[0]) for row in exact):
        raise ValueError("empty or ragged")
    q = lcm(*(x.denominator for row in exact for x in row))
    return [[x.numerator * (q // x.denominator) for x in row] for row in exact], q


def unit(n: int) -> Matrix:
    """I."""
    return [[int(i == j) for j in range(n)] for i in range(n)], 1


def transposed(M: Matrix) -> Matrix:
    """Mᵀ."""
    return [list(column) for column in zip(*M[0], strict=True)], M[1]


def times(A: Matrix, B: Matrix) -> Matrix:
    """AB."""
    columns = list(zip(*B[0], strict=True))
    if len(A[0][0]) != len(B[0]):
        raise ValueError("shapes")
    return [[sum(map(mul, row, c)) for c in columns] for row in A[0]], A[1] * B[1]


def weighted(d: Sequence[Fraction], M: Matrix) -> Matrix:
    """diag(d)·M."""
    q = lcm(*(x.denominator for x in d))
    factors = [x.numerator * (q // x.denominator) for x in d]
    return [[c * x for x in row] for c, row in zip(factors, M[0], strict=True)], q * M[1]


def plus(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    q = lcm(A[1], B[1])
    a, b = q // A[1], q // B[1]
    return [[a * x + b * y for x, y in zip(r, s, strict=True)] for r, s in zip(A[0], B[0], strict=True)], q


def minus(A: Matrix, B: Matrix) -> Matrix:
    """A − B."""
    return plus(A, ([[-x for x in row] for row in B[0]], B[1]))


def scaled(c: Fraction, M: Matrix) -> Matrix:
    """cM."""
    return [[c.numerator * x for x in row] for row in M[0]], c.denominator * M[1]


def blocks(A: Matrix, B: Matrix, C: Matrix, D: Matrix) -> Matrix:
    """The block matrix with rows (A, B) and (C, D)."""
    q = lcm(A[1], B[1], C[1], D[1])
    a, b, c, d = ([[x * (q // M[1]) for x in row] for row in M[0]] for M in (A, B, C, D))
    return [*(r + s for r, s in zip(a, b, strict=True)), *(r + s for r, s in zip(c, d, strict=True))], q


def largest(M: Matrix) -> Fraction:
    """The largest absolute entry."""
    return Fraction(max(abs(x) for row in M[0] for x in row), M[1])


def positive(M: Matrix) -> bool:
    """Symmetric and positive definite; a matrix that is so only just, beyond all grids, counts as not."""
    H, n = M[0], len(M[0])
    if any(H[i][j] != H[j][i] for i in range(n) for j in range(i)) or any(H[i][i] <= 0 for i in range(n)):
        return False
    if n <= 3:
        minors = (determinant([row[:k] for row in H[:k]]) for k in range(1, n + 1))
        return all(minor > 0 for minor in minors)
    return any(_dominant(_on_grid(H, bits), bits) for bits in GRIDS)


def determinant(rows: Rows) -> int:
    """By fraction-free elimination (Bareiss)."""
    return _eliminated([row[:] for row in rows], len(rows))[1]


def solve(E: Matrix, N: Matrix) -> Matrix:
    """E⁻¹N, by fraction-free elimination of (E | N): E becomes det(E)·I."""
    n = len(E[0])
    rows, det = _eliminated([e + r for e, r in zip(E[0], N[0], strict=True)], n)
    if det == 0:
        raise ZeroDivisionError("singular")
    sign = 1 if det > 0 else -1
    return [[sign * E[1] * x for x in row[n:]] for row in rows], sign * det * N[1]


def _eliminated(a: Rows, n: int) -> tuple[Rows, int]:
    """The first n columns become det·I (Gauss–Jordan–Bareiss, every division exact); their determinant."""
    previous = sign = 1
    for k in range(n):
        pivot = next((i for i in range(k, n) if a[i][k]), None)
        if pivot is None:
            return a, 0
        if pivot != k:
            a[k], a[pivot], sign = a[pivot], a[k], -sign
        p, top = a[k][k], a[k]
        for i in range(n):
            if i != k:
                c = a[i][k]
                a[i] = [(p * x - c * y) // previous for x, y in zip(a[i], top, strict=True)]
        previous = p
    return [[sign * x for x in row] for row in a], sign * previous


def _on_grid(H: Rows, bits: int) -> Rows:
    """Entry (i, j) times 2^(bits − s_i − s_j), rounded down, 2^(2s_i) about H_ii: off by less than one unit."""
    s = [row[i].bit_length() // 2 for i, row in enumerate(H)]
    out = []
    for i, row in enumerate(H):
        shifts = [bits - s[i] - x for x in s]
        out.append([x << k if k >= 0 else x >> -k for x, k in zip(row, shifts, strict=True)])
    return out


def _dominant(H: Rows, bits: int) -> bool:
    """Is THTᵀ, T about the inverse of H's triangular factor, diagonally dominant whatever was rounded?"""
    T = _diagonalising(H, bits)
    if T is None:
        return False
    n = len(H)
    # Row i of T ends at i, so the products are triangular too; H is symmetric, and so is THTᵀ up to its rounding.
    TH = [[sum(map(mul, row, column)) for column in H] for row in T]
    M = [[sum(map(mul, TH[i], row)) for row in T[: i + 1]] for i in range(n)]
    t = [sum(map(abs, row)) for row in T]
    rest = [sum(map(abs, M[i][:i])) + sum(abs(M[j][i]) for j in range(i + 1, n)) for i in range(n)]
    return all(M[i][i] - rest[i] > t[i] * sum(t) for i in range(n))


def _diagonalising(H: Rows, bits: int) -> Rows | None:
    """T = L⁻¹ of H = LDLᵀ in units of 2^-bits, rounded on the way; None where a pivot is not positive."""
    n, L, pivots = len(H), list[list[int]](), list[int]()
    for i in range(n):
        row: list[int] = []  # L_ij d_j
        for j in range(i):
            row.append(H[i][j] - (sum(map(mul, row, L[j])) >> bits))
        factors = [(x << bits) // d for x, d in zip(row, pivots, strict=True)]
        pivot = H[i][i] - (sum(map(mul, row, factors)) >> bits)
        if pivot <= 0:
            return None
        L.append(factors)
        pivots.append(pivot)
    T: Rows = []
    for i in range(n):
        ends = [0] * n
        ends[i] = 1 << bits
        for j, c in enumerate(L[i]):
            if c:
                ends[: j + 1] = [x - (c * y >> bits) for x, y in zip(ends[: j + 1], T[j][: j + 1], strict=True)]
        T.append(ends)
    # The rows have very different sizes; a unit of each is enough to hold its own digits.
    half = bits // 2
    return [[x >> half for x in row] for row in T]


def row_space(Phi: Matrix) -> tuple[list[int], Matrix]:
    """The leftmost independent columns and the nonzero rows of the reduced echelon form."""
    F = len(Phi[0][0])
    # A rank modulo a prime never exceeds the rank: if it is full, nothing depends on anything.
    if len(echelon([[x % PRIME for x in row] for row in Phi[0]], lambda x: pow(x, -1, PRIME), PRIME)[0]) == F:
        return list(range(F)), unit(F)
    chosen, rows = echelon([[Fraction(x) for x in row] for row in Phi[0]], lambda x: 1 / x, 0)
    return chosen, matrix(rows) if chosen else ([], 1)


def echelon(a: list[list[Any]], inverse: Callable[[Any], Any], modulus: int) -> tuple[list[int], list[list[Any]]]:
    """The pivot columns and the nonzero rows of the reduced echelon form, over the rationals or modulo a prime."""
    chosen: list[int] = []
    for j in range(len(a[0])):
        r = len(chosen)
        pivot = next((i for i in range(r, len(a)) if a[i][j]), None)
        if pivot is None:
            continue
        a[r], a[pivot] = a[pivot], a[r]
        scale = inverse(a[r][j])
        a[r] = [x * scale % modulus if modulus else x * scale for x in a[r]]
        for i, row in enumerate(a):
            if i != r and row[j]:
                c = row[j]
                a[i] = [(x - c * y) % modulus if modulus else x - c * y for x, y in zip(row, a[r], strict=True)]
        chosen.append(j)
    return chosen, a[: len(chosen)]
