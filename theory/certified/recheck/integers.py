r"""Rational matrices as (integer rows, one positive denominator): no gcd in any inner loop.

**Positive definite** is shown by a congruence and Gershgorin. Scale H by powers of two so that its diagonal is about
one, round its entries to a grid of width 2⁻ᵖ, and find an integer triangular T that about diagonalises the result, by
any means. With t_i = Σ_k|T_ik| the true THTᵀ is within t_i t_j units of TH̃Tᵀ in each entry; if it is strictly
diagonally dominant with a positive diagonal it is positive definite, T is invertible, and so H is too.

**On which side the roots of a rational polynomial lie**: Schur–Cohn and Routh, by the book.

A polynomial is a list of fractions, lowest coefficient first, its last one not zero.

**S_T = Σ_{j<T} (I − αX)ʲ of long windows**: short integers, one exponent, one error bound.

A matrix is (rows, e, δ): each true entry is within δ·2ᵉ of rows·2ᵉ, all integers. An entry of a product of n×n
matrices is then off by at most n(|A|δ_B + |B|δ_A + δ_A δ_B), |·| the largest entry, and rounding adds one unit.
Exponents are unbounded, so sums that explode or vanish as T grows cost no more than others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd as common_divisor
from math import isfinite, lcm
from operator import mul
from typing import Any

Rows = list[list[int]]
Matrix = tuple[Rows, int]

PRIME = 2**61 - 1
GRIDS = (64, 256, 1024, 4096)  # bits
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
    if n <= 3:
        minors = (determinant([row[:k] for row in H[:k]]) for k in range(1, n + 1))
        return all(minor > 0 for minor in minors)
    return any(_dominant(_on_grid(H, bits), bits) for bits in GRIDS)


def determinant(rows: Rows) -> int:
    """By fraction-free elimination (Bareiss)."""
    return _eliminated([row[:] for row in rows], len(rows))[1]


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
    """Entry (i, j) times 2^(bits − s_i − s_j), rounded down, 2^(2s_i) about H_ii: off by less than one unit."""
    s = [row[i].bit_length() // 2 for i, row in enumerate(H)]
    out = []
    for i, row in enumerate(H):
        shifts = [bits - s[i] - x for x in s]
        out.append([x << k if k >= 0 else x >> -k for x, k in zip(row, shifts, strict=True)])
    return out


def _dominant(H: Rows, bits: int) -> bool:
    """Is THTᵀ, T about the inverse of H's triangular factor, diagonally dominant whatever was rounded?"""
    T = _diagonalising(H, bits)
    if T is None:
        return False
    n = len(H)
    # Row i of T ends at i, so the products are triangular too; H is symmetric, and so is THTᵀ up to its rounding.
    TH = [[sum(map(mul, row, column)) for column in H] for row in T]
    M = [[sum(map(mul, TH[i], row)) for row in T[: i + 1]] for i in range(n)]
    t = [sum(map(abs, row)) for row in T]
    rest = [sum(map(abs, M[i][:i])) + sum(abs(M[j][i]) for j in range(i + 1, n)) for i in range(n)]
    return all(M[i][i] - rest[i] > t[i] * sum(t) for i in range(n))


def _diagonalising(H: Rows, bits: int) -> Rows | None:
    """T = L⁻¹ of H = LDLᵀ in units of 2^-bits, rounded on the way; None where a pivot is not positive."""
    n, L, pivots = len(H), list[list[int]](), list[int]()
    for i in range(n):
        row: list[int] = []  # L_ij d_j
        for j in range(i):
            row.append(H[i][j] - (sum(map(mul, row, L[j])) >> bits))
        factors = [(x << bits) // d for x, d in zip(row, pivots, strict=True)]
        pivot = H[i][i] - (sum(map(mul, row, factors)) >> bits)
        if pivot <= 0:
            return None
        L.append(factors)
        pivots.append(pivot)
    T: Rows = []
    for i in range(n):
        ends = [0] * n
        ends[i] = 1 << bits
        for j, c in enumerate(L[i]):
            if c:
                ends[: j + 1] = [x - (c * y >> bits) for x, y in zip(ends[: j + 1], T[j][: j + 1], strict=True)]
        T.append(ends)
    # The rows have very different sizes; a unit of each is enough to hold its own digits.
    half = bits // 2
    return [[x >> half for x in row] for row in T]


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


Rounded = tuple[Rows, int, int]


def rounded(M: Matrix, bits: int) -> Rounded:
    """An exact matrix to about `bits` bits."""
    rows, q = M
    shift = max(bits + q.bit_length() - _length(rows), 0)
    return [[(x << shift) // q for x in row] for row in rows], -shift, 1


def window_sum(X: Matrix, alpha: Fraction, T: int, bits: int) -> Rounded:
    """Σ_{j<T} (I − αX)ʲ, by doubling; every matrix is rounded to about `bits` bits."""
    n = len(X[0])
    step = rounded(minus(unit(n), scaled(alpha, X)), bits)
    power, total = step, (unit(n)[0], 0, 0)
    for bit in bin(T)[3:]:
        total = plus_rounded(total, product(power, total, bits), bits)
        power = product(power, power, bits)
        if bit == "1":
            total = plus_rounded(total, power, bits)
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


def product(a: Rounded, b: Rounded, bits: int) -> Rounded:
    """ab."""
    (A, e, d), (B, f, g) = a, b
    top_a, top_b = (max(abs(x) for row in M for x in row) for M in (A, B))
    return _rounded(times((A, 1), (B, 1))[0], e + f, len(A) * (top_a * g + top_b * d + d * g), bits)


def plus_rounded(a: Rounded, b: Rounded, bits: int) -> Rounded:
    """a + b on the finer grid of the two, unless it is so fine that it would not be seen."""
    (A, e, d), (B, f, g) = a, b
    low = max(min(e, f), max(e, f) - 2 * bits)
    (A, d), (B, g) = _on(A, e, d, low), _on(B, f, g, low)
    return _rounded([[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(A, B, strict=True)], low, d + g, bits)


def _rounded(rows: Rows, e: int, error: int, bits: int) -> Rounded:
    cut = max(_length(rows) - bits, error.bit_length() - bits, 0)  # an error has no digits worth keeping either
    rows, error = _on(rows, e, error, e + cut)
    return rows, e + cut, error


def _on(rows: Rows, e: int, error: int, low: int) -> tuple[Rows, int]:
    """The same matrix in units of 2**low; coarser units round down, which costs at most one."""
    if low <= e:
        return [[x << (e - low) for x in row] for row in rows], error << (e - low)
    return [[x >> (low - e) for x in row] for row in rows], (error >> (low - e)) + 2


def _length(rows: Rows) -> int:
    return max(abs(x).bit_length() for row in rows for x in row)
