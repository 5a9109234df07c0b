r"""Where do eigenvalues lie? Plain `Fraction`s, no code of the library.

The characteristic polynomial comes from Faddeev and LeVerrier, c_j = −tr(M B_j)/j. All roots have Re < 0 exactly
when the first column of Routh's array is positive throughout; all |λ| < 1 exactly when Schur and Cohn's reduction
finds |p(0)| < |leading coefficient| at every degree. Both tests are strict: a tie is a no.
"""

from __future__ import annotations

from fractions import Fraction

Matrix = list[list[Fraction]]


def product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [[sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0)) for column in columns] for row in a]


def transpose(a: Matrix) -> Matrix:
    return [list(row) for row in zip(*a, strict=True)]


def solve(a: Matrix, b: Matrix) -> Matrix:
    """a⁻¹b by elimination; ZeroDivisionError where a is singular."""
    n = len(a)
    rows = [list(x) + list(y) for x, y in zip(a, b, strict=True)]
    for j in range(n):
        pivot = next((i for i in range(j, n) if rows[i][j]), None)
        if pivot is None:
            raise ZeroDivisionError("singular")
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [x / rows[j][j] for x in rows[j]]
        for i in range(n):
            if i != j and rows[i][j]:
                factor = rows[i][j]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[j], strict=True)]
    return [row[n:] for row in rows]


def characteristic_polynomial(m: Matrix) -> list[Fraction]:
    """Coefficients of det(λ − m), the leading 1 first."""
    n = len(m)
    out, b = [Fraction(1)], [[Fraction(i == j) for j in range(n)] for i in range(n)]
    for j in range(1, n + 1):
        mb = product(m, b)
        c = -sum((mb[i][i] for i in range(n)), Fraction(0)) / j
        out.append(c)
        b = [[x + (c if i == k else 0) for k, x in enumerate(row)] for i, row in enumerate(mb)]
    return out


def all_right(m: Matrix) -> bool:
    """Have all eigenvalues positive real part?"""
    n = len(m)
    p = [c * (-1) ** i for i, c in enumerate(characteristic_polynomial(m))]  # p(−s) up to sign: roots mirrored
    top, below = p[0::2], p[1::2]
    for _ in range(n):
        below = below + [Fraction(0)] * (len(top) - len(below))
        if top[0] <= 0 or below[0] <= 0:
            return False
        factor = top[0] / below[0]
        reduced = [x - factor * y for x, y in zip(top[1:], below[1:], strict=True)]
        top, below = below, reduced or [Fraction(0)]
        while len(top) > 1 and top[-1] == 0:
            top = top[:-1]
        if not any(below):
            return len(top) == 1
    return True


def all_inside(m: Matrix) -> bool:
    """Have all eigenvalues modulus below one?"""
    p = characteristic_polynomial(m)
    while len(p) > 1:
        if abs(p[-1]) >= abs(p[0]):
            return False
        ratio = p[-1] / p[0]
        p = [x - ratio * y for x, y in zip(p, reversed(p), strict=True)][:-1]
    return True


def moments(Phi: Matrix, P: Matrix, d: list[Fraction]) -> tuple[Matrix, Matrix]:
    """X and Y."""
    weighted = transpose([[w * x for x in row] for w, row in zip(d, Phi, strict=True)])
    return product(weighted, Phi), product(weighted, product(P, Phi))
