r"""Where the roots of a rational polynomial lie, decided exactly: half planes, unit disc, ties included.

**Half planes.** Write p(iω) = R(ω) + iI(ω). A polynomial h of degree m without roots on the imaginary
axis turns by π(n₋ − n₊) as ω runs over ℝ, n₋ and n₊ being its roots left and right of the axis, and
the turns are counted by a Cauchy index,

    n₋ − n₊ = Ind(−I/R) for even m,     n₋ − n₊ = Ind(R/I) for odd m,

which Sturm's theorem reads off the signs at ±∞ of the signed remainders f₀, f₁, f_{j+1} = −(f_{j−1} mod f_j).
This is the Routh table without its degenerate rows: any drop of degree is allowed.

Roots on the axis all sit in g = gcd(p(s), p(−s)), which holds every root λ as often as both λ and −λ are
roots. The cofactor p/g has none of them, and g = sʲ q(s²), so its roots on the axis are those at 0 and the
negative real roots of q, counted by Sturm; the others come in pairs ±λ, half on each side.

**Unit disc.** λ = (1 + s)/(1 − s) maps Re s < 0 onto |λ| < 1 and the axis onto the circle without −1;
λ = −1 goes to infinity, where it shows as a drop of the degree.

All counts are with multiplicity.

**det(λX − Y) of a rational pencil**, short: common factors out first, then exact determinants at integers.

The roots do not change when rows and columns are multiplied by numbers, so every row of (X, Y), and then every column,
is divided by the greatest common divisor of its entries: features of scale 10⁴⁰ cost no more than others. The
determinant at n + 1 integers gives the polynomial by interpolation; X⁻¹Y, whose entries are n times as long, is never
formed.

The irreducible factors of a rational polynomial in two variables, by FLINT.

Over ℚ, though denominators could be cleared: the wrapper of FLINT's factors over ℤ sorts them by machine integers, and
raises where a coefficient is longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice, pairwise
from math import gcd, lcm
from typing import NamedTuple

from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx, fmpq_poly, fmpz_mat

from theory.problems import InvalidProblem


class HalfPlanes(NamedTuple):
    """How many roots have Re < 0, Re = 0 and Re > 0."""

    left: int
    axis: int
    right: int


class Circle(NamedTuple):
    """How many roots have |λ| < 1, |λ| = 1 and |λ| > 1."""

    inside: int
    on: int
    outside: int


def characteristic_polynomial(m: fmpq_mat) -> fmpq_poly:
    """det(λI − m), monic; 1 for a 0×0 matrix.

    >>> characteristic_polynomial(fmpq_mat(2, 2, [0, -1, 1, 0]))
    x^2 + 1
    """
    if m.nrows() != m.ncols():
        raise InvalidProblem(f"is {m.nrows()}×{m.ncols()}, but only a square matrix has eigenvalues", "matrix")
    return fmpq_poly([1]) if m.nrows() == 0 else m.charpoly()


def half_planes(poly: fmpq_poly) -> HalfPlanes:
    """The roots left of, on and right of the imaginary axis.

    >>> s = fmpq_poly([0, 1])
    >>> half_planes((s + 1) * (s**2 + 4) * (s - 3) ** 2)
    HalfPlanes(left=1, axis=2, right=2)
    """
    p = _checked(poly)
    g = p.gcd(_mirrored(p))
    h = p // g
    turn = _turn(h)
    axis = _axis_roots_of_symmetric(g)
    paired = (g.degree() - axis) // 2
    return HalfPlanes((h.degree() + turn) // 2 + paired, axis, (h.degree() - turn) // 2 + paired)


def unit_circle(poly: fmpq_poly) -> Circle:
    """The roots inside, on and outside the unit circle.

    >>> z = fmpq_poly([0, 1])
    >>> unit_circle((z + 1) * (2 * z - 1) * (z**2 - 4))
    Circle(inside=1, on=1, outside=2)
    """
    p = _checked(poly)
    left, axis, right = half_planes(moebius(p, p.degree()))
    at_minus_one = p.degree() - left - axis - right
    return Circle(left, axis + at_minus_one, right)


def is_anti_hurwitz(poly: fmpq_poly) -> bool:
    """Do all roots have Re λ > 0? This is stability in the sign convention of θ ← θ + α(b − Aθ)."""
    return half_planes(poly).right == poly.degree()


def is_schur(poly: fmpq_poly) -> bool:
    """Do all roots have |λ| < 1?"""
    return unit_circle(poly).inside == poly.degree()


def spectral_radius_side(poly: fmpq_poly) -> int:
    """The sign of max|λ| − 1: −1 below, 0 a tie, +1 above; −1 where there is no root.

    >>> [spectral_radius_side(fmpq_poly([-fmpq(c), 0, 1])) for c in (fmpq(1, 2), 1, 2)]
    [-1, 0, 1]
    """
    _, on, outside = unit_circle(poly)
    return 1 if outside else 0 if on else -1


def moebius(poly: fmpq_poly, n: int) -> fmpq_poly:
    """(1 − s)ⁿ p((1 + s)/(1 − s)): with 1/μ = 1 − s the argument is −1 + 2μ, so shift, reverse, shift."""
    shifted = poly(fmpq_poly([-1, 2]))
    return fmpq_poly([shifted[n - j] for j in range(n + 1)])(fmpq_poly([1, -1]))


def signed_remainders(f0: fmpq_poly, f1: fmpq_poly) -> list[fmpq_poly]:
    """The sequence f₀, f₁, −(f₀ mod f₁), …, each scaled by a positive number to keep it short."""
    out = [_primitive(f0)]
    while not f1.is_zero():
        out.append(_primitive(f1))
        f1 = -(out[-2] % out[-1])
    return out


def cauchy_index(f1: fmpq_poly, f0: fmpq_poly) -> int:
    """The jumps of f₁/f₀ from −∞ to +∞ minus those from +∞ to −∞, over the real line."""
    chain = [f for f in signed_remainders(f0, f1) if not f.is_zero()]
    at_plus = [_sign(f.leading_coefficient()) for f in chain]
    at_minus = [s * (-1) ** f.degree() for s, f in zip(at_plus, chain, strict=True)]
    return _variations(at_minus) - _variations(at_plus)


def count_negative_roots(poly: fmpq_poly) -> int:
    """The real roots below 0, with multiplicity.

    Sturm counts the distinct ones; gcd(p, p') holds each once less, so the counts are summed along it.
    """
    total, p = 0, _checked(poly)
    while p.degree() > 0:
        if p[0] == 0:  # Sturm needs ends that are no roots
            p = p.right_shift(1)
            continue
        chain = signed_remainders(p, p.derivative())
        at_minus = [_sign(f.leading_coefficient()) * (-1) ** f.degree() for f in chain]
        total += _variations(at_minus) - _variations([_sign(f[0]) for f in chain])
        p = p.gcd(p.derivative())
    return total


def _turn(h: fmpq_poly) -> int:
    """n₋ − n₊ of a polynomial without roots on the axis."""
    c = h.coeffs()
    # iʲ = 1, i, −1, −i: even powers make R, odd ones I, with signs that alternate in pairs.
    real = fmpq_poly([x * (1 if j % 4 == 0 else -1) if j % 2 == 0 else 0 for j, x in enumerate(c)])
    imag = fmpq_poly([x * (1 if j % 4 == 1 else -1) if j % 2 == 1 else 0 for j, x in enumerate(c)])
    return cauchy_index(-imag, real) if h.degree() % 2 == 0 else cauchy_index(real, imag)


def _axis_roots_of_symmetric(g: fmpq_poly) -> int:
    """Roots on the axis of g = sʲ q(s²)."""
    c = g.coeffs()
    j = next(i for i, x in enumerate(c) if x != 0)
    return j + 2 * count_negative_roots(fmpq_poly(c[j::2]))


def _mirrored(p: fmpq_poly) -> fmpq_poly:
    """p(−s)."""
    return fmpq_poly([-x if j % 2 else x for j, x in enumerate(p.coeffs())])


def _primitive(p: fmpq_poly) -> fmpq_poly:
    """p over its positive content."""
    numerator = p.numer()
    return p if p.is_zero() else fmpq_poly(numerator) / abs(numerator.content())


def _sign(x: fmpq) -> int:
    return (x > 0) - (x < 0)


def _variations(signs: list[int]) -> int:
    seen = [s for s in signs if s]
    return sum(a != b for a, b in pairwise(seen))


def _checked(poly: fmpq_poly) -> fmpq_poly:
    if poly.is_zero():
        raise InvalidProblem("the zero polynomial has every number as a root", "poly")
    return poly


def interpolate(points: list[tuple[fmpq, fmpq]]) -> fmpq_poly:
    """The polynomial of least degree through the points, by Newton's divided differences.

    >>> interpolate([(fmpq(0), fmpq(1)), (fmpq(1), fmpq(2)), (fmpq(2), fmpq(5))])
    x^2 + 1
    """
    xs, table = [x for x, _ in points], [y for _, y in points]
    for level in range(1, len(points)):
        for i in range(len(points) - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (xs[i] - xs[i - level])
    out = fmpq_poly([0])
    for x, y in zip(reversed(xs), reversed(table), strict=True):
        out = out * fmpq_poly([-x, 1]) + y
    return out


def short_points() -> Iterator[fmpq]:
    """0, 1, −1, 2, −2, …: the integers, shortest first."""
    yield fmpq(0)
    for n in count(1):
        yield fmpq(n)
        yield fmpq(-n)


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
    longest = max((x.height_bits() for m in primitive_pair(X, Y) for x in m.entries()), default=0)
    return float(X.nrows()) ** 5 * longest


def primitive_pair(X: fmpq_mat, Y: fmpq_mat) -> tuple[fmpz_mat, fmpz_mat]:
    """Integer matrices of the same pencil, without common factors in a row or column of both."""
    n = X.nrows()
    rows = [_coprime(a + b) for a, b in zip(X.tolist(), Y.tolist(), strict=True)]
    columns = [_coprime([fmpq(row[k]) for k in (j, n + j) for row in rows]) for j in range(n)]
    return (
        fmpz_mat([[columns[j][i] for j in range(n)] for i in range(n)]),
        fmpz_mat([[columns[j][n + i] for j in range(n)] for i in range(n)]),
    )


def _coprime(numbers: list[fmpq]) -> list[int]:
    below = lcm(*(int(x.q) for x in numbers))
    above = [int(x.p) * (below // int(x.q)) for x in numbers]
    common = gcd(*above) or 1
    return [x // common for x in above]


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
