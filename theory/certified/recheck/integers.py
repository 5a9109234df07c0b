r"""Rational matrices as (integer rows, one positive denominator): no gcd in any inner loop.

**Positive definite**: H is scaled by powers of two so that its diagonal is about one, its entries are rounded to a
grid of width 2⁻ᵖ, n units are taken off the diagonal for that, and what is left is LLᵀ, for any L, and a matrix that is
diagonally dominant.

**On which side the roots of a rational polynomial lie**: Routh, by the book; the disc is turned into a half plane.

A polynomial is a list of fractions, lowest coefficient first, its last one not zero.

**S_T = Σ_{j<T} (I − αX)ʲ of long windows** in fixed point: a matrix is (rows, δ), integers in units of 2^−bits, and
each true entry is within δ units. An entry of a product of n×n matrices is off by n(|A|δ_B + |B|δ_A + δ_A δ_B) at most,
|·| the largest entry, and rounding adds one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd as common_divisor
from math import isfinite, isqrt, lcm
from operator import mul
from typing import Any

Rows = list[list[int]]
Matrix = tuple[Rows, int]

PRIME = 2**61 - 1
GRIDS = (64, 256, 1024, 4096)  # bits
HUGE = 4096  # bits of an entry of a window that grows
_TEXT = re.compile(r"([+-]?)([0-9]+)(?:/([0-9]+)|\.([0-9]+))?")
_CHUNK = 4000  # Python reads integers of up to 4300 digits


def number(value: Any) -> Fraction:
    """A number of a document: an integer, a float (the rational it denotes) or text such as 9/10 or 0.9."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        if match is None:
            raise ValueError("not a number")
        sign, whole, below, decimals = match.groups()
        size = Fraction(_read(whole + (decimals or "")), _read(below) if below else 10 ** len(decimals or ""))
        return -size if sign == "-" else size
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("not a number")
    return Fraction(value)


def _read(digits: str) -> int:
    if len(digits) <= _CHUNK:
        return int(digits)
    half = len(digits) // 2
    return _read(digits[:-half]) * 10**half + _read(digits[-half:])


def whole(value: Any) -> int:
    """An integer of a document."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("not an integer")
    return value


def matrix(rows: Sequence[Sequence[Any]]) -> Matrix:
    """A matrix of a document, over the least common denominator."""
    exact = [[number(x) for x in row] for row in rows]
    if not exact or any(len(row) != len(exact[0]) for row in exact):
        raise ValueError("empty or ragged")
    q = lcm(*(x.denominator for row in exact for x in row))
    return [[x.numerator * (q // x.denominator) for x in row] for row in exact], q


def unit(n: int) -> Matrix:
    """I."""
    return [[int(i == j) for j in range(n)] for i in range(n)], 1


def transposed(M: Matrix) -> Matrix:
    """Mᵀ."""
    return [list(column) for column in zip(*M[0], strict=True)], M[1]


def times(A: Matrix, B: Matrix) -> Matrix:
    """AB."""
    columns = list(zip(*B[0], strict=True))
    if len(A[0][0]) != len(B[0]):
        raise ValueError("shapes")
    return [[sum(map(mul, row, c)) for c in columns] for row in A[0]], A[1] * B[1]


def weighted(d: Sequence[Fraction], M: Matrix) -> Matrix:
    """diag(d)·M."""
    q = lcm(*(x.denominator for x in d))
    factors = [x.numerator * (q // x.denominator) for x in d]
    return [[c * x for x in row] for c, row in zip(factors, M[0], strict=True)], q * M[1]


def plus(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    q = lcm(A[1], B[1])
    a, b = q // A[1], q // B[1]
    return [[a * x + b * y for x, y in zip(r, s, strict=True)] for r, s in zip(A[0], B[0], strict=True)], q


def minus(A: Matrix, B: Matrix) -> Matrix:
    """A − B."""
    return plus(A, ([[-x for x in row] for row in B[0]], B[1]))


def scaled(c: Fraction, M: Matrix) -> Matrix:
    """cM."""
    return [[c.numerator * x for x in row] for row in M[0]], c.denominator * M[1]


def blocks(A: Matrix, B: Matrix, C: Matrix, D: Matrix) -> Matrix:
    """The block matrix with rows (A, B) and (C, D)."""
    q = lcm(A[1], B[1], C[1], D[1])
    a, b, c, d = ([[x * (q // M[1]) for x in row] for row in M[0]] for M in (A, B, C, D))
    return [*(r + s for r, s in zip(a, b, strict=True)), *(r + s for r, s in zip(c, d, strict=True))], q


def largest(M: Matrix) -> Fraction:
    """The largest absolute entry."""
    return Fraction(max(abs(x) for row in M[0] for x in row), M[1])


def positive(M: Matrix) -> bool:
    """Symmetric and positive definite; a matrix that is so only just, beyond all grids, counts as not."""
    H, n = M[0], len(M[0])
    if any(H[i][j] != H[j][i] for i in range(n) for j in range(i)) or any(H[i][i] <= 0 for i in range(n)):
        return False
    return any(_has_factor(_on_grid(H, bits), bits) for bits in GRIDS)


def solve(E: Matrix, N: Matrix) -> Matrix:
    """E⁻¹N, by fraction-free elimination of (E | N): E becomes det(E)·I."""
    n = len(E[0])
    rows, det = _eliminated([e + r for e, r in zip(E[0], N[0], strict=True)], n)
    if det == 0:
        raise ZeroDivisionError("singular")
    sign = 1 if det > 0 else -1
    return [[sign * E[1] * x for x in row[n:]] for row in rows], sign * det * N[1]


def _eliminated(a: Rows, n: int) -> tuple[Rows, int]:
    """The first n columns become det·I (Gauss–Jordan–Bareiss, every division exact); their determinant."""
    previous = sign = 1
    for k in range(n):
        pivot = next((i for i in range(k, n) if a[i][k]), None)
        if pivot is None:
            return a, 0
        if pivot != k:
            a[k], a[pivot], sign = a[pivot], a[k], -sign
        p, top = a[k][k], a[k]
        for i in range(n):
            if i != k:
                c = a[i][k]
                a[i] = [(p * x - c * y) // previous for x, y in zip(a[i], top, strict=True)]
        previous = p
    return [[sign * x for x in row] for row in a], sign * previous


def _on_grid(H: Rows, bits: int) -> Rows:
    """Entry (i, j) times 2^(bits − s_i − s_j), 2^(2s_i) about H_ii, rounded down, and n less on the diagonal.

    What is rounded off is at most one an entry, so in norm at most n: where this is positive definite so is H.
    """
    s, n = [row[i].bit_length() // 2 for i, row in enumerate(H)], len(H)
    out = [[_shifted(x, bits - a - b) for x, b in zip(row, s, strict=True)] for row, a in zip(H, s, strict=True)]
    for i in range(n):
        out[i][i] -= n
    return out


def _shifted(x: int, by: int) -> int:
    return x << by if by >= 0 else x >> -by


def _has_factor(H: Rows, bits: int) -> bool:
    """Is H − LLᵀ/2^bits diagonally dominant, with a positive diagonal, for the L of a Cholesky factorisation?

    Every division leaves less than L_jj off the diagonal, and on it 2n units are left on purpose.
    """
    L: Rows = []
    for i, given in enumerate(H):
        row: list[int] = []
        for j in range(i):
            row.append(((given[j] << bits) - sum(map(mul, row, L[j]))) // L[j][j])
        pivot = (given[i] - 2 * len(H) << bits) - sum(map(mul, row, row))
        if pivot <= 0:
            return False
        L.append([*row, isqrt(pivot)])
    return all(0 < row[-1] < 2 << bits for row in L)


def row_space(Phi: Matrix) -> tuple[list[int], Matrix]:
    """The leftmost independent columns and the nonzero rows of the reduced echelon form."""
    F = len(Phi[0][0])
    # A rank modulo a prime never exceeds the rank: if it is full, nothing depends on anything.
    if len(echelon([[x % PRIME for x in row] for row in Phi[0]], lambda x: pow(x, -1, PRIME), PRIME)[0]) == F:
        return list(range(F)), unit(F)
    chosen, rows = echelon([[Fraction(x) for x in row] for row in Phi[0]], lambda x: 1 / x, 0)
    return chosen, matrix(rows) if chosen else ([], 1)


def echelon(a: list[list[Any]], inverse: Callable[[Any], Any], modulus: int) -> tuple[list[int], list[list[Any]]]:
    """The pivot columns and the nonzero rows of the reduced echelon form, over the rationals or modulo a prime."""
    chosen: list[int] = []
    for j in range(len(a[0])):
        r = len(chosen)
        pivot = next((i for i in range(r, len(a)) if a[i][j]), None)
        if pivot is None:
            continue
        a[r], a[pivot] = a[pivot], a[r]
        scale = inverse(a[r][j])
        a[r] = [x * scale % modulus if modulus else x * scale for x in a[r]]
        for i, row in enumerate(a):
            if i != r and row[j]:
                c = row[j]
                a[i] = [(x - c * y) % modulus if modulus else x - c * y for x, y in zip(row, a[r], strict=True)]
        chosen.append(j)
    return chosen, a[: len(chosen)]


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
    """The sign of max|λ| − 1: by λ = (1 − s)/(1 + s) the disc becomes the right half plane, and −1 infinity."""
    turned, power = [Fraction(0)], [Fraction(1)]
    for c in p[::-1]:
        turned = [x + c * y for x, y in zip(_by_linear(turned, -1), [*power, Fraction(0)], strict=True)]
        power = _by_linear(power, 1)
    while turned[-1] == 0:
        turned.pop()
    side = axis_side(turned) if len(turned) > 1 else -1
    return side if len(turned) == len(p) else max(side, 0)


def _by_linear(p: Polynomial, sign: int) -> Polynomial:
    """p(s)·(1 ± s)."""
    return [x + sign * y for x, y in zip([*p, Fraction(0)], [Fraction(0), *p], strict=True)]


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


Fixed = tuple[Rows, int]


def fixed(M: Matrix, bits: int) -> Fixed:
    """An exact matrix in units of 2^−bits."""
    rows, q = M
    return [[(x << bits) // q for x in row] for row in rows], 1


def window_sum(X: Matrix, alpha: Fraction, T: int, bits: int) -> Fixed:
    """Σ_{j<T} (I − αX)ʲ, by doubling; raises where it grows beyond all use."""
    n = len(X[0])
    step = fixed(minus(unit(n), scaled(alpha, X)), bits)
    power, total = step, fixed(unit(n), bits)
    for bit in bin(T)[3:]:
        total = fixed_sum(total, product(power, total, bits))
        power = product(power, power, bits)
        if bit == "1":
            total = fixed_sum(total, power)
            power = product(power, step, bits)
    return total


def exact_sum(X: Matrix, alpha: Fraction, T: int) -> Matrix:
    """The same with all digits, for short windows: T times as many as X has."""
    step = minus(unit(len(X[0])), scaled(alpha, X))
    power, total = step, unit(len(X[0]))
    for bit in bin(T)[3:]:
        total, power = plus(total, times(power, total)), times(power, power)
        if bit == "1":
            total, power = plus(total, power), times(power, step)
    return total


def product(a: Fixed, b: Fixed, bits: int) -> Fixed:
    """ab, rounded down: off by n(|a|δ_b + |b|δ_a + δ_a δ_b) and one unit."""
    (A, d), (B, g) = a, b
    top_a, top_b = (max(abs(x) for row in M for x in row) for M in (A, B))
    if max(top_a, top_b).bit_length() > bits + HUGE:
        raise OverflowError("a window that grows")
    rows = [[x >> bits for x in row] for row in times((A, 1), (B, 1))[0]]
    return rows, (len(A) * (top_a * g + top_b * d + d * g) >> bits) + 2


def fixed_sum(a: Fixed, b: Fixed) -> Fixed:
    """a + b."""
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(a[0], b[0], strict=True)], a[1] + b[1]
