r"""The largest modulus among the roots of a rational polynomial, as an exact algebraic number.

FLINT isolates the complex roots in balls, which already tells the dominant ones. Of those

- a real root λ gives |λ| itself;
- a complex pair of the irreducible factor f, of degree n, gives |λ|² = λλ̄, a root of the polynomial of all
  products of two roots,  q(x) = Π_{i<j} (x − λ_iλ_j)  of degree n(n−1)/2. Its power sums are
  (s_k² − s_{2k})/2, where s_k = Σ λ_iᵏ, so Newton's identities give its coefficients without any root. The ball of
  |λ|² then says which root of q it is.

Roots whose balls overlap (a tie, or nearly one) are all made exact and compared exactly. A factor f(x) = g(xᵐ)
is deflated first: its roots are the m-th roots of those of g.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpq_poly, fmpz_poly

from theory.exact.algebraic import (
    AlgebraicNumber,
    algebraic_rational,
    complex_roots,
    factors,
    rational_ball,
    real_roots,
)

# Exact work grows with the degree of q and the length of its coefficients; past this product (about two
# seconds) the certified enclosure is given instead.
MAX_WORK = 250_000_000


@dataclass(frozen=True)
class Radius:
    """A modulus: exact where it was affordable, and always an interval that holds it."""

    exact: AlgebraicNumber | None
    low: fmpq
    high: fmpq
    reason: str | None = None  # why there is no exact form


def largest_modulus(poly: fmpq_poly, *, max_work: int = MAX_WORK) -> Radius:
    """max |λ| over the roots; 0 where there is no root but 0.

    >>> x = fmpq_poly([0, 1])
    >>> str(largest_modulus((x**2 + x + 5) * (x - 2)).exact)
    'sqrt(5)'
    """
    candidates = [(modulus(z), z, f, m) for f, m in _nonzero_factors(poly) for z in complex_roots(f) if z.imag >= 0]
    if not candidates:
        zero = algebraic_rational(0)
        return Radius(zero, zero.low, zero.high)
    candidates = [(_root(size, m), z, f, m) for size, z, f, m in candidates]
    best = max(size.lower() for size, *_ in candidates)
    dominant = [c for c in candidates if c[0].upper() >= best]
    balls = [rational_ball(size) for size, *_ in dominant]
    low, high = max(ball[0] for ball in balls), max(ball[1] for ball in balls)
    paired = {id(f): f for _, z, f, _ in dominant if not _is_real(z)}
    if paired and sum(pair_work(f) for f in paired.values()) > max_work:
        degree = max(f.degree() for f in paired.values())
        reason = f"an exact form needs the products of two roots of a polynomial of degree {degree}: too long"
        return Radius(None, low, high, reason)
    products = {key: real_roots(pair_products(f)) for key, f in paired.items()}
    found = max(_exact_modulus(z, f, products.get(id(f), [])).root(m) for _, z, f, m in dominant)
    return Radius(found, found.low, found.high)


def pair_products(f: fmpz_poly) -> fmpq_poly:
    """Π_{i<j} (x − λ_iλ_j) over the roots λ of f, monic.

    >>> pair_products(fmpz_poly([-6, 11, -6, 1]))  # roots 1, 2, 3
    x^3 + (-11)*x^2 + 36*x + (-36)
    """
    n = f.degree()
    size = n * (n - 1) // 2
    s = power_sums(f, 2 * size)
    return from_power_sums([(s[k] * s[k] - s[2 * k]) / 2 for k in range(size + 1)])


def power_sums(f: fmpz_poly, count: int) -> list[fmpq]:
    """s_0, …, s_count of the roots of f, by Newton's identities."""
    n = f.degree()
    lead = fmpq(f.leading_coefficient())
    c = [fmpq(f[n - j]) / lead for j in range(n + 1)]  # 1, −e_1, e_2, …
    s = [fmpq(n)]
    for k in range(1, count + 1):
        total = -k * c[k] if k <= n else fmpq(0)
        for j in range(1, min(k - 1, n) + 1):
            total -= c[j] * s[k - j]
        s.append(total)
    return s


def from_power_sums(s: list[fmpq]) -> fmpq_poly:
    """The monic polynomial of degree len(s) − 1 whose roots have the power sums s."""
    n = len(s) - 1
    c = [fmpq(1)]
    for k in range(1, n + 1):
        c.append(-sum((c[k - j] * s[j] for j in range(1, k + 1)), fmpq(0)) / k)
    return fmpq_poly(c[::-1])


def modulus(z: Any) -> arb:
    """|z| of a root in a ball."""
    return abs(z) if isinstance(z, acb) else abs(acb(z))


def pair_work(f: fmpz_poly) -> int:
    """Degree times degree times bits of the product polynomial: what isolating its roots costs."""
    n = f.degree()
    size = n * (n - 1) // 2
    return size * size * (n - 1) * int(f.height_bits())


def _nonzero_factors(poly: fmpq_poly) -> list[tuple[fmpz_poly, int]]:
    """The irreducible factors g(y), y = xᵐ, other than x itself."""
    out = []
    for f in factors(poly.numer()):
        if f[0] == 0:
            continue
        g, m = f.deflation()
        out.append((g, int(m)))
    return out


def _is_real(z: Any) -> bool:
    return bool(z.imag == 0)


def _root(size: arb, m: int) -> arb:
    return size if m == 1 else size.root(m)


def _exact_modulus(z: Any, f: fmpz_poly, products: list[AlgebraicNumber]) -> AlgebraicNumber:
    """|z| for the root z of f in this ball."""
    if _is_real(z):
        return abs(_in_ball(z.real, real_roots(f), f, real=True))
    return _in_ball(z, products, f, real=False).root(2)


def _in_ball(z: Any, roots: list[AlgebraicNumber], f: fmpz_poly, *, real: bool) -> AlgebraicNumber:
    """The one of `roots` that z, or |z|², is; raises the precision until only one is left."""
    precision = ctx.prec
    try:
        while True:
            low, high = rational_ball(z if real else z.real * z.real + z.imag * z.imag)
            left = [x for x in roots if x >= low and x <= high]
            if len(left) == 1:
                return left[0]
            ctx.prec *= 2
            centre = z
            z = next(y if not real else y.real for y in complex_roots(f) if _same_root(y, centre))
    finally:
        ctx.prec = precision


def _same_root(fine: Any, coarse: Any) -> bool:
    return bool(fine.real.overlaps(coarse.real) and fine.imag.overlaps(coarse.imag))
