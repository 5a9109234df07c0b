r"""det(λX − Y) of a rational pencil, short: common factors out first, then exact determinants at integers.

The roots do not change when rows and columns are multiplied by numbers, so every row of (X, Y), and then every column,
is divided by the greatest common divisor of its entries: features of scale 10⁴⁰ cost no more than others. The
determinant at n + 1 integers gives the polynomial by interpolation; X⁻¹Y, whose entries are n times as long, is never
formed.
"""

from __future__ import annotations

from itertools import islice
from math import gcd, lcm

from flint import fmpq, fmpq_mat, fmpq_poly, fmpz_mat

from theory.exact.polynomials import interpolate, short_points


def pencil_polynomial(X: fmpq_mat, Y: fmpq_mat) -> fmpq_poly:
    """det(λX − Y) up to a factor, monic; X must be invertible.

    >>> pencil_polynomial(fmpq_mat([[2, 0], [0, 3]]), fmpq_mat([[0, 2], [3, 0]]))
    x^2 + (-1)
    """
    n = X.nrows()
    if n == 0:
        return fmpq_poly([1])
    above, below = primitive_pair(X, Y)
    values = [(g, fmpq((above * int(g.p) - below).det())) for g in islice(short_points(), n + 1)]
    p = interpolate(values)
    return p / p.leading_coefficient()


def pencil_work(X: fmpq_mat, Y: fmpq_mat) -> float:
    """n⁵ times the bits of an entry: 10¹⁰ take about a second."""
    longest = max((int(x.height_bits()) for m in primitive_pair(X, Y) for x in m.entries()), default=0)
    return float(X.nrows()) ** 5 * longest


def primitive_pair(X: fmpq_mat, Y: fmpq_mat) -> tuple[fmpz_mat, fmpz_mat]:
    """Integer matrices of the same pencil, without common factors in a row or column of both."""
    n = X.nrows()
    rows = [_primitive(a + b) for a, b in zip(X.tolist(), Y.tolist(), strict=True)]
    columns = [_primitive([fmpq(row[k]) for k in (j, n + j) for row in rows]) for j in range(n)]
    return (
        fmpz_mat([[columns[j][i] for j in range(n)] for i in range(n)]),
        fmpz_mat([[columns[j][n + i] for j in range(n)] for i in range(n)]),
    )


def _primitive(numbers: list[fmpq]) -> list[int]:
    below = lcm(*(int(x.q) for x in numbers))
    above = [int(x.p) * (below // int(x.q)) for x in numbers]
    common = gcd(*above) or 1
    return [x // common for x in above]
