"""Short texts for exact numbers: decimals, polynomials, quadratic surds."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from flint import fmpz

MAX_DISCRIMINANT = 160  # bits; square factors of a larger discriminant are left under the root


def decimal_text(scaled: int, digits: int) -> str:
    """scaled/10^digits with all its digits.

    >>> decimal_text(-314, 2)
    '-3.14'
    """
    sign, body = "-" if scaled < 0 else "", str(abs(scaled)).rjust(digits + 1, "0")
    return sign + (f"{body[:-digits]}.{body[-digits:]}" if digits else body)


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
