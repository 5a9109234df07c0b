"""Short texts for exact numbers and for balls: fractions, decimals, polynomials, quadratic surds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, inf

from flint import acb, arb, fmpq, fmpz

from theory.problems.numbers import is_short

MAX_DISCRIMINANT = 160  # bits; square factors of a larger discriminant are left under the root


def decimal_text(scaled: int, digits: int) -> str:
    """scaled/10^digits with all its digits.

    >>> decimal_text(-314, 2)
    '-3.14'
    """
    sign, body = "-" if scaled < 0 else "", str(abs(scaled)).rjust(digits + 1, "0")
    return sign + (f"{body[:-digits]}.{body[-digits:]}" if digits else body)


def fraction_text(x: fmpq, longest: int = 24) -> str:
    """The fraction up to `longest` characters, with its decimal value where that helps; else the value alone.

    >>> [fraction_text(fmpq(*x)) for x in ((3, 4), (1000, 3333), (10**50, 3))]
    ['3/4', '1000/3333 ≈ 0.30003', '≈ 3.33333333333e+49']
    """
    if digit_count(x) <= 60:
        text = str(x)
        if x.q == 1 or len(text) <= 7:
            return text
        if len(text) <= longest:
            return f"{text} ≈ {significant(arb(x), 6)}"
    return f"≈ {significant(arb(x), 12)}"


def short_text(x: Fraction, longest: int = 12, digits: int = 6) -> str:
    """The fraction where its text is at most so long, and otherwise its first digits, whatever the size of the number.

    >>> [short_text(x) for x in (Fraction(3, 4), Fraction(10**20, 3), Fraction(10) ** 400 / 3, Fraction(0))]
    ['3/4', '3.33333e+19', '3.33333e+399', '0']
    """
    if is_short(x) and len(str(x)) <= longest:
        return str(x)
    if 2.0**-1000 < abs(x) < 2**1000:
        return f"{float(x):.{digits}g}"
    return significant(arb(fmpq(x.numerator, x.denominator)), digits)


def value_text(value: Fraction | int | float, longest: int = 12) -> str:
    """A number of a table: a short fraction as it is, else six digits, never −0.

    >>> value_text(Fraction(1, 3)), value_text(-0.0), value_text(2 / 3)
    ('1/3', '0', '0.666667')
    """
    return f"{value + 0.0:.6g}" if isinstance(value, float) else short_text(Fraction(value), longest)


def rank_note(features: int, rank: int, what: str = "θ") -> str:
    """What is said of a solution where the features are dependent."""
    noun = "feature" if features == 1 else "features"
    return f"{features} {noun} of rank {rank}: {what} of least norm, values unique"


def ball_text(x: arb, digits: int = 12) -> str:
    """At most so many digits of the number in a ball, all of them certain up to one unit in the last; or a bound on it.

    >>> ball_text(arb(2).sqrt(), 6), ball_text(arb(0, 1e-40), 6)
    ('1.41421', '|·| < 1.0e-40')
    """
    if x.is_zero():
        return "0"
    if x.contains(0):
        return f"|·| < {significant(x.abs_upper() * arb(1.01), 2, strip=False)}"
    return significant(x, digits)


def decimal_ends(x: arb, digits: int = 40) -> tuple[str, str]:
    """Two decimals with the ball between them, about so many digits long.

    >>> decimal_ends(arb(0.5, 0.25), 2)
    ('2499999e-7', '7500001e-7')
    """
    middle, radius, exponent = (int(v) for v in x.mid_rad_10exp(digits))
    return f"{middle - radius}e{exponent}", f"{middle + radius}e{exponent}"


def nearest_double(x: arb) -> float:
    """The double nearest to the middle of a ball (FLINT's own conversion rounds towards zero); ±inf beyond them all."""
    mantissa, exponent = (int(v) for v in x.mid().man_exp())
    try:
        return float(Fraction(mantissa) * Fraction(2) ** exponent)
    except OverflowError:
        return inf if mantissa > 0 else -inf


def significant(x: arb, digits: int, *, strip: bool = True) -> str:
    """As many digits as asked for or as the ball has, without the zeros that a double would not show either."""
    text: str = x.str(digits, radius=False)
    mantissa, mark, exponent = text.partition("e")
    if strip and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + mark + exponent


def complex_text(z: acb, digits: int = 6, *, around_one: bool = False) -> str:
    """A complex number with at most so many digits of each part, all certain; ± for it and its conjugate.

    What a ball cannot tell from zero is shown as 0 beside a part that it can. With `around_one` a real number that six
    digits would round to 1 is shown by its distance from it.

    >>> complex_text(acb(fmpq(1, 4), 2)), complex_text(acb(1 - arb(2) ** -40), around_one=True)
    ('0.25±2i', '1 − 9.09495e-13')
    """
    re, im = z.real, z.imag
    if im.contains(0):
        if around_one and not re.contains(1) and abs(1 - re) < arb("1e-6"):
            return f"1 {'−' if re < 1 else '+'} {significant(abs(1 - re), digits)}"
        if re.contains(0):
            return "0" if im.is_zero() and re.is_zero() else ball_text(abs(z), digits)
        return significant(re, digits)
    real = "" if re.is_zero() else "0" if re.contains(0) else significant(re, digits)
    return f"{real}±{significant(abs(im), digits)}i"


def digit_count(x: fmpq) -> int:
    """About how many digits numerator and denominator have, together."""
    return int((int(x.p.height_bits()) + int(x.q.height_bits())) * 0.30103) + 2


def polynomial_text(coefficients: Sequence[int]) -> str:
    """A polynomial in x from its coefficients, the constant first.

    >>> polynomial_text([-2, 1, 0, -3])
    '-3*x^3 + x - 2'
    """
    terms = []
    for j, c in reversed(list(enumerate(coefficients))):
        if c:
            size = "" if abs(c) == 1 and j else str(abs(c))
            power = "" if j == 0 else "x" if j == 1 else f"x^{j}"
            terms.append(("- " if c < 0 else "+ ") + "*".join(part for part in (size, power) if part))
    text = " ".join(terms) or "+ 0"
    return text[2:] if text.startswith("+ ") else "-" + text[2:]


def surd_text(c0: int, c1: int, c2: int, *, larger: bool) -> str:
    """The larger or smaller root of c0 + c1 x + c2 x², c2 > 0, as (a+b*sqrt(c))/d.

    >>> surd_text(-1, -1, 1, larger=True), surd_text(-1, 0, 2, larger=False)
    ('(1+sqrt(5))/2', '-sqrt(2)/2')
    """
    under, outside = c1 * c1 - 4 * c0 * c2, 1
    if under.bit_length() <= MAX_DISCRIMINANT:
        for prime, power in fmpz(under).factor():
            outside *= int(prime) ** (power // 2)
            under //= int(prime) ** (2 * (power // 2))
    a, b, d = -c1, outside if larger else -outside, 2 * c2
    common = gcd(a, b, d)
    a, b, d = a // common, b // common, d // common
    size = "" if abs(b) == 1 else f"{abs(b)}*"
    sign = "-" if b < 0 else "+" if a else ""
    text = f"{a or ''}{sign}{size}sqrt({under})"
    if d == 1:
        return text
    return f"({text})/{d}" if a else f"{text}/{d}"
