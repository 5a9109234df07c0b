"""S_T = Σ_{j<T} (I − αX)ʲ of long windows: short integers, one exponent, one error bound.

A matrix is (rows, e, δ): each true entry is within δ·2ᵉ of rows·2ᵉ, all integers. An entry of a product of n×n
matrices is then off by at most n(|A|δ_B + |B|δ_A + δ_A δ_B), |·| the largest entry, and rounding adds one unit.
Exponents are unbounded, so sums that explode or vanish as T grows cost no more than others.
"""

from __future__ import annotations

from fractions import Fraction

from theory.certified.recheck.integers import Matrix, Rows, minus, plus, scaled, times, unit

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
