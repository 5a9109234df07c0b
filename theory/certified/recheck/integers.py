"""Rational matrices as (integer rows, one positive denominator): no gcd in any inner loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

Rows = list[list[int]]
Matrix = tuple[Rows, int]

PRIME = 2**61 - 1


def number(value: Any) -> Fraction:
    """A number of a document: an integer, a float (the rational it denotes) or text such as 9/10."""
    return Fraction(value)


def matrix(rows: Sequence[Sequence[Any]]) -> Matrix:
    """A matrix of a document, over the least common denominator."""
    exact = [[Fraction(x) for x in row] for row in rows]
    if any(len(row) != len(exact[0]) for row in exact):
        raise ValueError("ragged")
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
    return [[sum(x * y for x, y in zip(row, c, strict=True)) for c in columns] for row in A[0]], A[1] * B[1]


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
    """Symmetric with all leading minors positive, by fraction-free elimination (Bareiss)."""
    a, n = [row[:] for row in M[0]], len(M[0])
    if any(a[i][j] != a[j][i] for i in range(n) for j in range(i)):
        return False
    previous = 1
    for k in range(n):
        if a[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                a[i][j] = a[j][i] = (a[k][k] * a[i][j] - a[i][k] * a[k][j]) // previous
        previous = a[k][k]
    return True


def solve(E: Matrix, N: Matrix) -> Matrix:
    """E⁻¹N."""
    n = len(E[0])
    rows = [[Fraction(x, E[1]) for x in e] + [Fraction(x, N[1]) for x in r] for e, r in zip(E[0], N[0], strict=True)]
    chosen, rows = echelon(rows, lambda x: 1 / x, 0)
    if chosen[:n] != list(range(n)):
        raise ZeroDivisionError("singular")
    return matrix([row[n:] for row in rows])


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
