"""On which side the roots of a rational polynomial lie: Schur–Cohn and Routh, by the book.

A polynomial is a list of fractions, lowest coefficient first, its last one not zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd as common_divisor
from math import lcm

from theory.certified.recheck.integers import Matrix, times

Polynomial = list[Fraction]


def characteristic(M: Matrix) -> Polynomial:
    """det(λI − M) by Faddeev–LeVerrier on integers: M_k = M(M_{k−1} + c I), c_k = −tr(M_k)/k."""
    (m, q), n = M, len(M[0])
    coefficients, work = [1], [[int(i == j) for j in range(n)] for i in range(n)]
    for k in range(1, n + 1):
        work = times((m, 1), (work, 1))[0]
        c = -sum(work[i][i] for i in range(n)) // k
        coefficients.append(c)
        for i in range(n):
            work[i][i] += c
    return [Fraction(c, q**k) for k, c in enumerate(coefficients)][::-1]


def circle_side(p: Polynomial) -> int:
    """The sign of max|λ| − 1. Split off g = gcd(p, p reversed), which holds all roots on the circle.

    A tie is: the rest has its roots inside, and g on the circle. By Gauss–Lucas a squarefree g equal to its
    own reverse up to sign has all roots on the circle exactly when g' has all of them inside (Cohn).
    """
    if schur(p):
        return -1
    while p[0] == 0:
        p = p[1:]
    g = gcd(p, p[::-1])
    h, _ = divided(p, g)
    squarefree, _ = divided(g, gcd(g, derivative(g)))
    return 0 if len(g) > 1 and schur(h) and schur(derivative(squarefree)) else 1


def axis_side(p: Polynomial) -> int:
    """−1 if all Re λ > 0, 0 if min Re λ = 0, 1 otherwise.

    g = gcd(p(s), p(−s)) holds all roots on the axis; a squarefree g(s) = ±g(−s) has all of them there exactly
    when g + g' is Hurwitz (Hermite–Biehler: g and g' interlace along the axis).
    """
    mirrored = [-c if j % 2 else c for j, c in enumerate(p)]
    if hurwitz(mirrored):
        return -1
    g = gcd(p, mirrored)
    h, _ = divided(mirrored, g)
    squarefree, _ = divided(g, gcd(g, derivative(g)))
    slope = [*derivative(squarefree), Fraction(0)]
    interlaced = [x + y for x, y in zip(squarefree, slope, strict=True)]
    return 0 if len(g) > 1 and hurwitz(h) and hurwitz(interlaced) else 1


def schur(p: Polynomial) -> bool:
    """All |λ| < 1: Schur–Cohn, |p(0)| < |leading| and then (a_n p − a_0 p*)/z again."""
    while len(p) > 1:
        low, high = p[0], p[-1]
        if abs(low) >= abs(high):
            return False
        p = short([high * x - low * y for x, y in zip(p[1:], p[-2::-1], strict=True)])
    return True


def hurwitz(p: Polynomial) -> bool:
    """All Re λ < 0: a Routh table whose first column has one sign and no zero."""
    p = [c / p[-1] for c in p]
    upper, lower = p[::-1][0::2], p[::-1][1::2]
    while lower:
        if lower[0] <= 0:
            return False
        padded = [*lower[1:], *[Fraction(0)] * (len(upper) - len(lower))]
        rest = [lower[0] * u - upper[0] * v for u, v in zip(upper[1:], padded, strict=True)]
        upper, lower = lower, short(rest)
    return True


def gcd(a: Polynomial, b: Polynomial) -> Polynomial:
    """The greatest common divisor, up to a factor (Euclid)."""
    while b:
        a, b = b, short(divided(a, b)[1])
    return a


def divided(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder."""
    rest, quotient = a[:], [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    for k in reversed(range(len(quotient))):
        quotient[k] = rest[k + len(b) - 1] / b[-1]
        for j, c in enumerate(b):
            rest[k + j] -= quotient[k] * c
    rest = rest[: len(b) - 1]
    while rest and rest[-1] == 0:
        rest.pop()
    return quotient, rest


def derivative(p: Polynomial) -> Polynomial:
    """p'."""
    return [k * c for k, c in enumerate(p)][1:]


def short(p: Sequence[Fraction]) -> Polynomial:
    """p over a positive number that makes its coefficients coprime integers."""
    q = lcm(*(c.denominator for c in p))
    common = common_divisor(*(int(c * q) for c in p)) or 1
    return [c * q / common for c in p]
