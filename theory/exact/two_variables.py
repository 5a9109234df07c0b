"""The irreducible factors of a rational polynomial in two variables, by FLINT.

Over ℚ, though denominators could be cleared: the wrapper of FLINT's factors over ℤ sorts them by machine integers, and
raises where a coefficient is longer.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpq_poly

Polynomial = list[fmpq_poly]  # the coefficients of z⁰, z¹, …, polynomials in the other variable


def irreducible_factors(coefficients: Sequence[fmpq_poly]) -> list[tuple[Polynomial, int]]:
    """The different factors over ℚ, with their multiplicities; up to a number their product is the polynomial.

    >>> x = fmpq_poly([0, 1])
    >>> sorted(irreducible_factors([-(x**2), fmpq_poly([0]), fmpq_poly([1])]), key=str)  # z² − x²
    [([(-1)*x, 1], 1), ([x, 1], 1)]
    """
    context = fmpq_mpoly_ctx.get(("z", "x"), Ordering.lex)
    terms: dict[tuple[int, ...], fmpq] = {
        (i, j): c for i, p in enumerate(coefficients) for j, c in enumerate(p.coeffs()) if c != 0
    }
    out = []
    for factor, multiplicity in context.from_dict(terms).factor()[1]:
        rows: list[dict[int, fmpq]] = [{} for _ in range(factor.degrees()[0] + 1)]
        for (i, j), c in factor.to_dict().items():
            rows[i][j] = c
        polynomial = [fmpq_poly([row.get(j, fmpq(0)) for j in range(max(row, default=0) + 1)]) for row in rows]
        out.append((polynomial, int(multiplicity)))
    return out
