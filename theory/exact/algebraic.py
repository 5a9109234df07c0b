r"""Exact real algebraic numbers: thresholds in γ are roots of polynomials, seldom fractions.

A number is a squarefree integer polynomial and a rational interval that holds exactly one of its real roots: the
number. The polynomial is the minimal one wherever factoring is affordable. Sign changes confirm every isolation and
refine it by bisection. x = y is decided by whether the greatest common divisor of the two polynomials changes sign
in the common part of the intervals; x < y by refining until the intervals part, which they do if x ≠ y.

The largest modulus among the roots of a rational polynomial, as an exact algebraic number.

For a real root λ it is |λ|, for a complex pair |λ|² = λλ̄, a root of the polynomial of all products of two roots,

    q(x) = Π_{i<j} (x − λ_iλ_j)    of degree n(n−1)/2.

the characteristic polynomial of the second exterior power of f's companion matrix, whose entries are its 2×2 minors.
No product is larger than the square of the largest modulus, so this is the largest of all |λ| and of √x, x the largest
real root of q. Factors whose roots are surely too small, by FLINT's balls, are left out; a factor f(x) = g(xᵐ) is
deflated first: its roots are the m-th roots of those of g.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from itertools import combinations, pairwise
from typing import Any

from flint import acb, arb, fmpq, fmpq_mat, fmpq_poly, fmpz, fmpz_poly

from theory.budgets import ALGEBRAIC, FACTORED
from theory.exact.matrices import fraction, rational
from theory.text.numbers import decimal_text, polynomial_text, surd_text

MAX_TEXT = 600  # degree times bits up to which a polynomial is spelt out in the text
MAX_JSON = 60_000  # and in JSON


@total_ordering
@dataclass(frozen=True, eq=False, repr=False)
class AlgebraicNumber:
    """The one root of `polynomial` in [low, high]; build it with `real_roots` or `algebraic_rational`."""

    polynomial: fmpz_poly  # squarefree, primitive, leading coefficient > 0
    low: fmpq
    high: fmpq  # equal to low exactly where the number is known to be rational

    @property
    def degree(self) -> int:
        return self.polynomial.degree()

    @property
    def is_rational(self) -> bool:
        return self.low == self.high

    def interval(self, width: Fraction | fmpq) -> tuple[fmpq, fmpq]:
        """An isolating interval at most `width` wide, inside the stored one."""
        return _refined(self.polynomial, self.low, self.high, rational(width))

    def decimal(self, digits: int) -> str:
        """The decimal expansion rounded to `digits` places, every digit certain.

        >>> real_roots(fmpz_poly([-2, 0, 1]))[1].decimal(20)
        '1.41421356237309504880'
        """
        scale = 10**digits
        width = Fraction(1, 4 * scale)
        while True:
            low, high = (round(fraction(x) * scale) for x in self.interval(width))
            if low == high:  # comes true: a tie between two decimals would be a rational number
                return decimal_text(low, digits)
            width /= 16

    def __float__(self) -> float:
        """The nearest double."""
        width = max(abs(fraction(self.low)), abs(fraction(self.high))) / 2**60
        while True:
            low, high = (float(fraction(x)) for x in self.interval(width))
            if low == high:
                return low
            width /= 16

    def sympy(self) -> Any:
        """The same number in SymPy: a Rational, radicals of a quadratic, or a ``CRootOf``."""
        import sympy

        if self.is_rational:
            return sympy.Rational(int(self.low.p), int(self.low.q))
        x = sympy.Symbol("x")
        # SymPy counts the real roots from the left.
        place = sum(other < self for other in real_roots(self.polynomial))
        return sympy.rootof(sympy.Poly([int(c) for c in reversed(self.polynomial.coeffs())], x), place, radicals=True)

    def root(self, n: int) -> AlgebraicNumber:
        """The positive n-th root of a positive number: a root of p(xⁿ)."""
        if n == 1:
            return self
        raised = _without_zero(self.polynomial)(fmpz_poly([0] * n + [1]))
        bits = 64
        while True:  # until the n-th powers of the outward rounded ends still isolate
            low, high = root_bounds(*self.interval((self.high - self.low) / 2**bits), n, 2 * bits)
            if low > 0 and (self.is_rational or (low**n > self.low and high**n < self.high)):
                return _simplest(raised, low, high)
            bits *= 2

    def reciprocal(self) -> AlgebraicNumber:
        """1/x of a positive number."""
        low, high = self.low, self.high
        while low <= 0:
            low, high = self.interval((high - low) / 4)
        reverse = fmpz_poly(_without_zero(self.polynomial).coeffs()[::-1])
        return AlgebraicNumber(_positive(reverse), 1 / high, 1 / low)

    def __abs__(self) -> AlgebraicNumber:
        return -self if self < 0 else self

    def __neg__(self) -> AlgebraicNumber:
        mirrored = fmpz_poly([-c if j % 2 else c for j, c in enumerate(self.polynomial.coeffs())])
        return AlgebraicNumber(_positive(mirrored), -self.high, -self.low)

    def __eq__(self, other: object) -> bool:
        try:
            number = _algebraic(other)
        except TypeError:
            return NotImplemented
        low, high = max(self.low, number.low), min(self.high, number.high)
        if low > high:
            return False
        common = self.polynomial.gcd(number.polynomial)
        return common(low) * common(high) <= 0

    def __lt__(self, other: Any) -> bool:
        number = _algebraic(other)
        if number.is_rational:
            return self._is_below(number.low)
        if self == number:
            return False
        if self.is_rational:
            return not number._is_below(self.low)
        mine, theirs = (self.low, self.high), (number.low, number.high)
        while mine[0] <= theirs[1] and theirs[0] <= mine[1]:
            width = max(mine[1] - mine[0], theirs[1] - theirs[0]) / 4
            mine, theirs = _refined(self.polynomial, *mine, width), _refined(number.polynomial, *theirs, width)
        return mine[1] < theirs[0]

    def _is_below(self, x: fmpq) -> bool:
        """By one sign: no refinement, however close a rational number is."""
        if x <= self.low or self.is_rational:
            return self.low < x
        if x > self.high:
            return True
        at = self.polynomial(x)
        return at != 0 and (at > 0) == (self.polynomial(self.high) > 0)

    def __hash__(self) -> int:
        return hash(float(self))

    def __str__(self) -> str:
        """``15/17``, ``(1+sqrt(5))/2`` or ``root of x^3 - 2 in [1.25, 1.26]``."""
        if self.is_rational:
            return str(self.low)
        if self.degree == 2:
            c = [int(x) for x in self.polynomial.coeffs()]
            return surd_text(*c, larger=self > Fraction(-c[1], 2 * c[2]))
        text = f"a polynomial of degree {self.degree}"
        if self.degree * self.polynomial.height_bits() <= MAX_TEXT:
            text = polynomial_text([int(c) for c in self.polynomial.coeffs()])
        low, high = self.decimal_interval()
        return f"root of {text} in [{low}, {high}]"

    def __repr__(self) -> str:
        return f"AlgebraicNumber({self})"

    def decimal_interval(self, digits: int = 6) -> tuple[str, str]:
        """Decimals that isolate the root; more digits than asked where another root, or an integer, is closer."""
        while True:
            scale = 10**digits
            low, high = (fraction(x) * scale for x in self.interval(Fraction(1, 10 * scale)))
            bottom, top = low.__floor__(), high.__ceil__()
            whole = -(-bottom // scale)
            beside = whole * scale <= top and self.polynomial(whole) != 0
            if not beside and _is_isolated(self.polynomial, fmpq(bottom, scale), fmpq(top, scale)):
                return decimal_text(bottom, digits), decimal_text(top, digits)
            digits *= 2

    def to_dict(self) -> dict[str, Any]:
        """For JSON: exact text, value, isolating interval, and the polynomial's coefficients from the constant up.

        A polynomial of more than some ten thousand digits is null there; the number itself has it.
        """
        short = self.degree * self.polynomial.height_bits() <= MAX_JSON
        ends = (self.low, self.high) if self.is_rational else (Fraction(x) for x in self.decimal_interval(15))
        return {
            "exact": str(self),
            "value": float(self),
            "interval": [str(x) for x in ends],
            "polynomial": [str(c) for c in self.polynomial.coeffs()] if short else None,
        }


def algebraic_rational(value: Any) -> AlgebraicNumber:
    """A rational number as an algebraic one."""
    x = rational(value)
    return AlgebraicNumber(fmpz_poly([-x.p, x.q]), x, x)


def real_roots(poly: fmpz_poly | fmpq_poly) -> list[AlgebraicNumber]:
    """The distinct real roots in ascending order.

    >>> [str(x) for x in real_roots(fmpz_poly([0, 2, 0, -1]))]
    ['-sqrt(2)', '0', 'sqrt(2)']
    """
    numerator = poly.numer() if isinstance(poly, fmpq_poly) else poly
    if numerator.is_zero():
        raise ValueError("the zero polynomial has every number as a root")
    return sorted(root for factor in factors(numerator) for root in _roots_of_squarefree(factor))


def unit_roots(poly: fmpz_poly | fmpq_poly) -> list[AlgebraicNumber]:
    """The distinct roots in (0, 1), by Descartes' rule of signs and bisection.

    No root elsewhere costs anything, however large or close to another it is; FLINT isolates all complex ones.

    >>> [str(x) for x in unit_roots(fmpz_poly([-1, 0, 2]) * fmpz_poly([-2, 0, 1]))]
    ['sqrt(2)/2']
    """
    numerator = poly.numer() if isinstance(poly, fmpq_poly) else poly
    if numerator.is_zero():
        raise ValueError("the zero polynomial has every number as a root")
    return sorted(
        _simplest(f, low, high, factored=True) for f in factors(numerator) for low, high in _unit_intervals(f)
    )


def _unit_intervals(f: fmpz_poly) -> list[tuple[fmpq, fmpq]]:
    """Intervals in [0, 1] with one root each of a squarefree f, and a change of sign; or that root, twice."""
    out = []
    todo = [(f, 0, 0)]  # p on (0, 1) is f on (k/2ⁿ, (k + 1)/2ⁿ), but for a root at 0
    while todo:
        p, k, n = todo.pop()
        if p[0] == 0:
            p = fmpz_poly(p.coeffs()[1:])
        changes = _changes(p)
        low, high = fmpq(k, 2**n), fmpq(k + 1, 2**n)
        if changes == 1 and f(low) * f(high) < 0:
            out.append((low, high))
        elif changes:
            d = p.degree()
            left = fmpz_poly([c * 2 ** (d - i) for i, c in enumerate(p.coeffs())])
            right = left(fmpz_poly([1, 1]))
            if right[0] == 0:
                out.append(((low + high) / 2,) * 2)
            todo += [(left, 2 * k, n + 1), (right, 2 * k + 1, n + 1)]
    return out


def _changes(p: fmpz_poly) -> int:
    """A bound on the number of roots in (0, 1), and that number where it is 0 or 1 (Descartes).

    (1 + x)ᵈ p(1/(1 + x)) has as many positive roots: no more than its coefficients change sign.
    """
    signs = [c > 0 for c in fmpz_poly(p.coeffs()[::-1])(fmpz_poly([1, 1])).coeffs() if c != 0]
    return sum(a != b for a, b in pairwise(signs))


def _is_isolated(f: fmpz_poly, low: fmpq, high: fmpq) -> bool:
    """Is there one root in [low, high], as far as signs tell? A root at an end does not count as isolated by it."""
    if low == high:
        return f(low) == 0
    if f(low) == 0 or f(high) == 0:
        return len([x for x in _roots_of_squarefree(f) if low <= x <= high]) == 1
    within: fmpq_poly = fmpq_poly(f)(fmpq_poly([low, high - low]))
    return _changes(within.numer()) == 1


def factors(poly: fmpz_poly) -> list[fmpz_poly]:
    """Coprime squarefree factors without multiplicity: irreducible ones where that is affordable."""
    affordable = poly.degree() * poly.height_bits() <= FACTORED
    found = poly.factor()[1] if affordable else poly.factor_squarefree()[1]
    return [_positive(f) for f, _ in found]


def complex_roots(f: fmpz_poly) -> list[acb]:
    """Balls around the roots of a squarefree polynomial, one root each; the real ones have imaginary part 0 exactly."""
    found: Any = f.complex_roots()
    return [acb(z) for z, _ in found]


def rational_ball(x: arb) -> tuple[fmpq, fmpq]:
    """The ends of a ball as rationals: it is a dyadic number give or take another."""
    middle, radius = dyadic_rational(x), dyadic_rational(x.rad())
    return middle - radius, middle + radius


def _roots_of_squarefree(f: fmpz_poly) -> list[AlgebraicNumber]:
    if f.degree() == 1:
        return [algebraic_rational(fmpq(-f[0], f[1]))]
    balls = sorted(rational_ball(z.real) for z in complex_roots(f) if z.imag == 0)
    for i, (low, high) in enumerate(balls):
        confirmed = f(low) == 0 if low == high else f(low) * f(high) < 0
        if not confirmed or (i and balls[i - 1][1] >= low):
            raise ArithmeticError(f"the isolation of the roots of {f} is not confirmed by signs")
    return [_simplest(f, low, high, factored=True) for low, high in balls]


def _simplest(f: fmpz_poly, low: fmpq, high: fmpq, *, factored: bool = False) -> AlgebraicNumber:
    """The root of f in [low, high], a rational number where it is seen to be one, with f factored where affordable."""
    if not factored:
        f = next(g for g in factors(f) if g(low) * g(high) <= 0)
    if f.degree() > 1:  # a rational root of a factor that was too long to split further
        low, high = AlgebraicNumber(f, low, high).interval(max(fmpq(1), abs(high)) / 2**64)
        guess = simplest_between(low, high)
        if f(guess) != 0:
            return AlgebraicNumber(_positive(f), low, high)
        return algebraic_rational(guess)
    return algebraic_rational(fmpq(-f[0], f[1]))


def simplest_between(low: fmpq, high: fmpq) -> fmpq:
    """The rational of smallest denominator in [low, high], by continued fractions.

    >>> simplest_between(fmpq(31, 100), fmpq(32, 100))
    5/16
    """
    if low > high:
        raise ValueError(f"empty interval [{low}, {high}]")
    if low <= 0 <= high:
        return fmpq(0)
    if high < 0:
        return -simplest_between(-high, -low)
    # low = [a₀; a₁, …] and high share partial quotients up to where an integer parts them; p/q are the convergents.
    (p, before_p), (q, before_q) = (fmpz(1), fmpz(0)), (fmpz(0), fmpz(1))
    while True:
        whole = low.floor()
        last = whole if whole == low else whole + 1
        if last <= high:
            return fmpq(last * p + before_p, last * q + before_q)
        p, before_p, q, before_q = whole * p + before_p, p, whole * q + before_q, q
        low, high = 1 / (high - whole), 1 / (low - whole)


def root_bounds(low: fmpq, high: fmpq, n: int, bits: int) -> tuple[fmpq, fmpq]:
    """Dyadic bounds of the n-th roots, outward."""
    scale = 1 << bits

    def floor_root(x: fmpq) -> int:
        target = (fraction(x) * scale**n).__floor__()
        return int(fmpz(target).root(n))

    return fmpq(floor_root(low), scale), fmpq(floor_root(high) + 1, scale)


def _positive(f: fmpz_poly) -> fmpz_poly:
    return -f if f.leading_coefficient() < 0 else f


def _without_zero(f: fmpz_poly) -> fmpz_poly:
    return f.right_shift(1) if f[0] == 0 else f


def dyadic_rational(x: arb) -> fmpq:
    """The midpoint of a ball."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _algebraic(value: Any) -> AlgebraicNumber:
    if isinstance(value, AlgebraicNumber):
        return value
    if isinstance(value, int | Fraction | fmpq | fmpz):
        return algebraic_rational(value)
    raise TypeError(f"cannot compare an algebraic number with {type(value).__name__}")


def _refined(f: fmpz_poly, low: fmpq, high: fmpq, target: fmpq) -> tuple[fmpq, fmpq]:
    """The root of f that [low, high] isolates by a change of sign, at most `target` wide, by bisection."""
    if high - low <= target:
        return low, high
    rising = f(high) > 0
    while high - low > target:
        x = _short_middle(low, high)
        at = f(x)
        if at == 0:
            return x, x
        low, high = (low, x) if (at > 0) == rising else (x, high)
    return low, high


def _short_middle(low: fmpq, high: fmpq) -> fmpq:
    """A dyadic number near the middle of the interval, with no more bits than its width needs."""
    width = high - low
    bits = max(0, int(width.q).bit_length() - int(width.p).bit_length() + 3)
    scale = fmpz(1) << bits
    middle = fmpq(((low + high) / 2 * scale).floor(), scale)
    return middle if low < middle < high else (low + high) / 2


@dataclass(frozen=True)
class Radius:
    """A modulus: exact where it was affordable, and always an interval that holds it."""

    exact: AlgebraicNumber | None
    low: fmpq
    high: fmpq
    reason: str | None = None  # why there is no exact form


def largest_modulus(poly: fmpq_poly) -> Radius:
    """max |λ| over the roots; 0 where there is no root but 0.

    >>> x = fmpq_poly([0, 1])
    >>> str(largest_modulus((x**2 + x + 5) * (x - 2)).exact)
    'sqrt(5)'
    """
    found = [algebraic_rational(0)]
    low, high, work = fmpq(0), fmpq(0), 0
    # The factors other than x, as g(xᵐ), and balls around the moduli of their roots.
    parts = [(f.deflation(), [(z.imag == 0, abs(z)) for z in complex_roots(f)]) for f in factors(poly.numer())]
    lowest = max((rational_ball(size)[0] for _, sizes in parts for _, size in sizes), default=low)
    for (g, m), sizes in parts:
        reach = [(real, *rational_ball(size)) for real, size in sizes]
        reach = [part for part in reach if part[2] >= lowest and part[2] > 0]
        low, high = max([low, *(x for _, x, _ in reach)]), max([high, *(x for _, _, x in reach)])
        work += 0 if all(real for real, _, _ in reach) else pair_work(g)
        if reach and work <= ALGEBRAIC:
            found += [abs(x).root(int(m)) for x in real_roots(g) if x != 0]
            if any(not real for real, _, _ in reach):
                found += [x.root(2 * int(m)) for x in real_roots(pair_products(g))[-1:] if x > 0]
    if work > ALGEBRAIC:
        return Radius(None, low, high, "an exact form needs the products of two roots of a polynomial: too long")
    best = max(found)
    return Radius(best, best.low, best.high)


def pair_products(f: fmpz_poly) -> fmpq_poly:
    """Π_{i<j} (x − λ_iλ_j) over the roots λ of f, monic: of the second exterior power of the companion matrix.

    >>> pair_products(fmpz_poly([-6, 11, -6, 1]))  # roots 1, 2, 3
    x^3 + (-11)*x^2 + 36*x + (-36)
    """
    n, last = f.degree(), [fmpq(-c, f.leading_coefficient()) for c in f.coeffs()[:-1]]
    C = [[fmpq(int(j == i + 1)) for j in range(n)] for i in range(n - 1)] + [last]
    pairs = list(combinations(range(n), 2))
    return fmpq_mat([[C[i][k] * C[j][m] - C[i][m] * C[j][k] for k, m in pairs] for i, j in pairs]).charpoly()


def pair_work(f: fmpz_poly) -> int:
    """Degree times degree times bits of the product polynomial: what isolating its roots costs."""
    n = f.degree()
    size = n * (n - 1) // 2
    return size * size * (n - 1) * f.height_bits()
