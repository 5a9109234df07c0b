r"""Polynomials in a parameter p one of which vanishes where an eigenvalue is on the border, in plain integers.

For a polynomial f(z, p), its coefficients of z⁰, z¹, … polynomials in p, its roots z_i leave the right half plane or
the unit disc only where one of these is zero:

    half plane   Π z_i  and  Π_{i<j} (z_i + z_j)
    disc         Π (1 − z_i),  Π (1 + z_i)  and  Π_{i<j} (1 − z_i z_j)

or where the leading coefficient is and a root comes from infinity. The last product is a Hurwitz determinant (Orlando),
of the disc after z = (1 + s)/(1 − s); it is found by interpolation. Where one of them is zero, not all roots are on
the right side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb, lcm

from theory.certified.recheck.integers import determinant
from theory.certified.recheck.roots import Polynomial, divided, hurwitz, schur, short

Curve = list[Polynomial]  # the coefficients of z⁰, z¹, …, each a polynomial in p

DEEPEST = 400  # halvings of an interval before a root is presumed in it


def value(p: Sequence[Fraction], x: Fraction) -> Fraction:
    """p(x)."""
    out = Fraction(0)
    for c in reversed(p):
        out = out * x + c
    return out


def trimmed(p: Sequence[Fraction]) -> Polynomial:
    """Without leading zeros."""
    out = list(p)
    while out and out[-1] == 0:
        out.pop()
    return out


def borders(f: Curve, disc: bool) -> list[Polynomial]:
    """The polynomials in p without whose roots no root z of f changes sides."""
    m = len(f) - 1
    found = [f[-1]]
    if m >= 1:
        found += [_sum(f, 1), _sum(f, -1)] if disc else [f[0]]
    if m >= 2:
        found.append(_pair_product(f, disc))
    return [p for p in map(trimmed, found) if len(p) != 1]  # a number that is not zero never vanishes


def inside(f: Curve, p: Fraction, disc: bool) -> bool:
    """Are all roots z at this p on the right side?"""
    at = [value(c, p) for c in f]
    if at[-1] == 0:
        raise ValueError("a root at infinity")
    return schur(at) if disc else hurwitz([-c if j % 2 else c for j, c in enumerate(at)])


def may_vanish(p: Polynomial, low: Fraction, high: Fraction | None) -> bool:
    """Is there, for all that is proved, a root strictly between? False is a proof: Descartes' rule, piece by piece.

    Without `high` it is all beyond low.
    """
    if not p:
        return True
    todo = [(_beyond(p, low) if high is None else _within(p, low, high), 0)]
    while todo:
        q, depth = todo.pop()
        changes = _changes(_shifted(q[::-1]))
        if changes == 0:
            continue
        d = len(q) - 1
        left = [c << (d - i) for i, c in enumerate(q)]
        right = _shifted(left)
        if changes == 1 or depth > DEEPEST or right[0] == 0:
            return True
        todo += [(left, depth + 1), (right, depth + 1)]
    return False


def is_isolated(p: Polynomial, low: Fraction, high: Fraction) -> bool:
    """One root between low and high, a simple one, and none at the ends."""
    ends = low < high and value(p, low) * value(p, high) < 0
    return ends and _changes(_shifted(_within(p, low, high)[::-1])) == 1


def without(q: Polynomial, p: Polynomial) -> tuple[Polynomial, int]:
    """q over as many powers of p as divide it, and how many these are."""
    times = 0
    while len(q) >= len(p):
        quotient, rest = divided(q, p)
        if rest:
            break
        q, times = quotient, times + 1
    return q, times


def _sum(f: Curve, sign: int) -> Polynomial:
    length = max(map(len, f))
    out = [Fraction(0)] * length
    for k, c in enumerate(f):
        for i, x in enumerate(c):
            out[i] += x * sign**k
    return out


def _pair_product(f: Curve, disc: bool) -> Polynomial:
    m = len(f) - 1
    degrees = [len(c) - 1 for c in reversed(f)]  # of a_0, a_1, …
    most = (m - 1) * max(degrees)
    if not disc and degrees[0] == 0:  # every term of the determinant has indices that add up to m(m − 1)/2
        slope = max(-(-d // k) for k, d in enumerate(degrees) if k)
        most = min(most, slope * m * (m - 1) // 2)
    q = lcm(*(x.denominator for c in f for x in c))
    scaled = [[int(x * q) for x in c] for c in f]

    def at(x: int) -> int:
        values = [_at(c, x) for c in scaled]
        return _hurwitz_determinant(_in_half_plane(values) if disc else values)

    return interpolated(at, most)


def interpolated(at: Callable[[int], int], degree: int) -> Polynomial:
    """The polynomial of at most this degree with these values at integers (Newton)."""
    points = [(k + 1) // 2 * (-1) ** k for k in range(degree + 1)]  # 0, −1, 1, −2, …
    table = [Fraction(at(x)) for x in points]
    for k in range(1, degree + 1):
        for i in range(degree, k - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (points[i] - points[i - k])
    out = [table[degree]]
    for i in range(degree - 1, -1, -1):  # out·(x − x_i) + table[i]
        out = [Fraction(0), *out]
        for j in range(len(out) - 1):
            out[j] -= points[i] * out[j + 1]
        out[0] += table[i]
    return out


def _hurwitz_determinant(values: list[int]) -> int:
    m = len(values) - 1
    a = values[::-1]
    rows = [[a[2 * i - j + 1] if 0 <= 2 * i - j + 1 <= m else 0 for j in range(m - 1)] for i in range(m - 1)]
    return determinant(rows)


def _in_half_plane(values: list[int]) -> list[int]:
    """(1 − s)ᵐ f((1 + s)/(1 − s))."""
    m = len(values) - 1
    out = [0] * (m + 1)
    for k, c in enumerate(values):
        for i in range(k + 1):
            for j in range(m - k + 1):
                out[i + j] += c * comb(k, i) * comb(m - k, j) * (-1) ** j
    return out


def _within(p: Polynomial, low: Fraction, high: Fraction) -> list[int]:
    """p(low + (high − low)x) up to a positive factor, in integers."""
    c = lcm(low.denominator, high.denominator)
    start, width = int(low * c), int((high - low) * c)
    out: list[int] = []
    for k, coefficient in enumerate(reversed(short(p))):
        raised = [0] * (len(out) + 1)
        for i, x in enumerate(out):
            raised[i] += start * x
            raised[i + 1] += width * x
        raised[0] += int(coefficient) * c**k
        out = raised
    return out


def _beyond(p: Polynomial, low: Fraction) -> list[int]:
    """(1 − t)ᵈ p(low + t/(1 − t)): on (0, 1) what p is beyond low."""
    moved, d = _within(p, low, low + 1), len(p) - 1
    out = [0] * (d + 1)
    for k, c in enumerate(moved):
        for j in range(d - k + 1):
            out[k + j] += c * comb(d - k, j) * (-1) ** j
    return out


def _shifted(p: Sequence[int]) -> list[int]:
    """p(x + 1)."""
    out = list(p)
    for k in range(len(out) - 1):
        for i in range(len(out) - 2, k - 1, -1):
            out[i] += out[i + 1]
    return out


def _changes(p: Sequence[int]) -> int:
    signs = [c > 0 for c in p if c]
    return sum(a != b for a, b in pairwise(signs))


def _at(p: Sequence[int], x: int) -> int:
    out = 0
    for c in reversed(p):
        out = out * x + c
    return out
