r"""Where eigenvalues of X − γY cross the imaginary axis: polynomials in γ, exactly.

A crossing is at 0 or as a pair ±iω; either way a product over the eigenvalues λ_i vanishes,

    c(γ) = Π_i λ_i = det A        or        h(γ) = Π_{i<j} (λ_i + λ_j),

of degree at most r and r(r−1)/2 in γ. h is, up to sign, the last but one Hurwitz determinant of the characteristic
polynomial (Orlando's formula); both are found by exact evaluation at integers and interpolation. At γ = 0 A has
positive eigenvalues: c(0), h(0) > 0, so neither polynomial is ever identically zero.

Where det(λI − X + γY) has factors over ℚ[γ], every factor has crossing polynomials of its own, and far shorter ones:
an eigenvalue on the axis and its conjugate are roots of the same one. Each is monic in λ with coefficients of
λ^{m−j} of degree at most j, since the whole is, so the same degrees hold with m for r. (With X = x₀I and Y nilpotent
all is (λ − x₀)ʳ.) It is looked for only where it shows at one rational γ.
"""

from __future__ import annotations

from itertools import islice, pairwise

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.algebraic import MAX_FACTORED, AlgebraicNumber, algebraic_rational, simplest_between, unit_roots
from theory.exact.polynomials import is_anti_hurwitz
from theory.exact.rational_functions import interpolate, short_points
from theory.exact.two_variables import irreducible_factors
from theory.thresholds.sides import Sides, Stretch

GENERIC = fmpq(37, 89)  # a γ at which factors show; that more of them show there costs only time
SHARP = fmpq(1, 10**15)  # how closely irrational crossings are isolated

Factor = list[fmpq_poly]  # of det(λI − A(γ)): the coefficients of λ⁰, λ¹, …, monic, as polynomials in γ


def exact_sides(factors: list[Factor]) -> Sides:
    """On which side all factors' roots are, for every γ in [0, 1): exactly."""
    crossings: set[AlgebraicNumber] = set()
    for factor in factors:
        for p in crossing_polynomials(factor):
            crossings |= set(unit_roots(p))
    numbers = sorted(crossings)
    ends = [algebraic_rational(0), *numbers, algebraic_rational(1)]
    gaps = [x.interval(apart(x, ends)) for x in numbers]
    stable = [all(stable_at(f, point_between(a, b)) for f in factors) for a, b in pairwise(ends)]
    lows, highs = [fmpq(0), *(high for _, high in gaps)], [*(low for low, _ in gaps), fmpq(1)]
    stretches = [Stretch(low, high, side) for low, high, side in zip(lows, highs, stable, strict=True)]
    return Sides(tuple(stretches), dict(zip(gaps, numbers, strict=True)))


def key_factors(X: fmpq_mat, Y: fmpq_mat) -> list[Factor]:
    """The different factors of det(λI − X + γY), those that are found cheaply."""
    return [factor for factor, _ in counted_factors(X, Y)]


def counted_factors(X: fmpq_mat, Y: fmpq_mat) -> list[tuple[Factor, int]]:
    """The same with how often each divides it."""
    n = X.nrows()
    whole = _in_gamma(X, Y)
    at = fmpq_poly([p(GENERIC) for p in whole]).numer()
    if n == 1 or int(at.degree()) * int(at.height_bits()) > MAX_FACTORED:
        return [(whole, 1)]
    parts = at.factor()[1]
    if len(parts) == 1 and parts[0][1] == 1:
        return [(whole, 1)]
    # A factor's leading coefficient in λ is a number: the whole is monic.
    return [([p / factor[-1][0] for p in factor], count) for factor, count in irreducible_factors(whole)]


def factor_work(factor: Factor) -> float:
    """degree³ times the bits of an eigenvalue: what interpolating h and isolating its roots costs."""
    m = len(factor) - 1
    bits = max((_bits(p) / (m - j) for j, p in enumerate(factor[:-1])), default=0.0)
    return (m * (m - 1) / 2) ** 3 * bits


def crossing_polynomials(factor: Factor) -> tuple[fmpq_poly, fmpq_poly]:
    """c(γ) = Π λ_i and h(γ) = Π_{i<j} (λ_i + λ_j)."""
    m = len(factor) - 1
    degree = m * (m - 1) // 2
    samples = [(g, pair_sums([p(g) for p in factor])) for g in islice(short_points(), degree + 1)]
    return factor[0] * (-1) ** m, interpolate(samples)


def pair_sums(coefficients: list[fmpq]) -> fmpq:
    """Π_{i<j} (λ_i + λ_j) of a monic polynomial's roots: the Hurwitz determinant Δ_{n−1} of the mirrored one.

    >>> pair_sums([fmpq(c) for c in (-6, 11, -6, 1)])  # roots 1, 2, 3: 3·4·5
    60
    """
    n = len(coefficients) - 1
    if n < 2:
        return fmpq(1)
    # p(−s)·(−1)ⁿ = sⁿ + a_1 sⁿ⁻¹ + …: a_j = e_j(λ), the roots' elementary symmetric functions.
    a = [coefficients[n - j] * (-1) ** j for j in range(n + 1)]
    hurwitz = [[a[2 * i - j + 1] if 0 <= 2 * i - j + 1 <= n else 0 for j in range(n - 1)] for i in range(n - 1)]
    return fmpq_mat(hurwitz).det()


def stable_at(factor: Factor, gamma: fmpq) -> bool:
    """Are all roots at this γ right of the imaginary axis?"""
    return is_anti_hurwitz(fmpq_poly([p(gamma) for p in factor]))


def point_between(low: AlgebraicNumber, high: AlgebraicNumber) -> fmpq:
    """A short rational strictly between two different algebraic numbers."""
    width = fmpq(1, 16)
    while True:
        a, b = low.interval(width)[1], high.interval(width)[0]
        if a < b:
            third = (b - a) / 3
            return simplest_between(a + third, b - third)
        width *= width


def apart(x: AlgebraicNumber, numbers: list[AlgebraicNumber]) -> fmpq:
    """A width at which the isolating intervals of these numbers do not meet."""
    width, i = SHARP, numbers.index(x)
    for y in numbers[max(0, i - 1) : i + 2]:
        while y is not x and not (_below(x, y, width) or _below(y, x, width)):
            width *= width
    return width


def _below(x: AlgebraicNumber, y: AlgebraicNumber, width: fmpq) -> bool:
    return bool(x.interval(width)[1] < y.interval(width)[0])


def _in_gamma(X: fmpq_mat, Y: fmpq_mat) -> Factor:
    """det(λI − X + γY): the coefficient of λ^{n−j} is a polynomial of degree j in γ."""
    n = X.nrows()
    samples = [(g, (X - g * Y).charpoly()) for g in islice(short_points(), n + 1)]
    return [interpolate([(g, p[j]) for g, p in samples[: n - j + 1]]) for j in range(n + 1)]


def _bits(p: fmpq_poly) -> int:
    return int(p.numer().height_bits()) + int(p.denom().bit_length())
