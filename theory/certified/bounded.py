r"""Matrices of doubles with a bound on the error of every entry: proofs at the speed of BLAS.

A `Bounded` matrix is (mid, rad): the true matrix is within rad of mid, entry by entry. A product computed in doubles,
in whatever order and with or without fused operations, is off by at most n u/(1 − n u) times |A||B|, so

    rad(AB) = |A| rad(B) + rad(A) (|B| + rad(B)) + n u |A||B|        u = 2⁻⁵³,

in doubles again, inflated by 1 + 10⁻⁹ for their own rounding (n is far below 10⁶) and raised by 10⁻³⁰⁰ for
underflow. These bounds see the size of every entry, where `theory.certified.doubles` sees only the largest one: they
decide large problems with rare states, at a few more products.

Positive definiteness is Rump's test of `theory.certified.doubles` after a scaling by powers of two that makes the
diagonal about one; a bound in the norm is the largest sum over a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.certified.doubles import UNIT, definite
from theory.problems.numbers import FloatArray

_INFLATE, _UNDERFLOW = 1 + 1e-9, 1e-300


@dataclass(frozen=True, eq=False)
class Bounded:
    """The true matrix is within `rad` of `mid`, entry by entry."""

    mid: FloatArray
    rad: FloatArray

    def transpose(self) -> Bounded:
        """Mᵀ."""
        return Bounded(self.mid.T, self.rad.T)

    def __mul__(self, other: Bounded) -> Bounded:
        """The matrix product, as of FLINT's matrices."""
        a, b = np.abs(self.mid), np.abs(other.mid)
        n = self.mid.shape[1]
        rad = a @ (other.rad + (1.01 * n * UNIT) * b) + self.rad @ (b + other.rad)
        return Bounded(self.mid @ other.mid, rad * _INFLATE + _UNDERFLOW)

    def __add__(self, other: Bounded) -> Bounded:
        return self._sum(other, self.mid + other.mid)

    def __sub__(self, other: Bounded) -> Bounded:
        return self._sum(other, self.mid - other.mid)

    def _sum(self, other: Bounded, mid: FloatArray) -> Bounded:
        return Bounded(mid, (self.rad + other.rad + UNIT * np.abs(mid)) * _INFLATE)

    def __rmul__(self, factor: float) -> Bounded:
        return self.scaled(factor)

    def scaled(self, factor: float) -> Bounded:
        """Times a number that is itself rounded."""
        mid = factor * self.mid
        return Bounded(mid, (abs(factor) * self.rad * (1 + UNIT) + 3 * UNIT * np.abs(mid)) * _INFLATE + _UNDERFLOW)

    def rows_scaled(self, factors: FloatArray) -> Bounded:
        """diag(factors)·M, the factors themselves rounded."""
        d = factors[:, None]
        mid = d * self.mid
        rad = (np.abs(d) * self.rad * (1 + UNIT) + 3 * UNIT * np.abs(mid)) * _INFLATE + _UNDERFLOW
        return Bounded(mid, rad)

    def is_positive_definite(self) -> bool:
        """Is every symmetric matrix within the bounds positive definite? False may also mean: not proved."""
        with np.errstate(all="ignore"):
            diagonal = self.mid.diagonal()
            if not (np.isfinite(self.mid).all() and np.isfinite(self.rad).all() and diagonal.min(initial=1.0) > 0):
                return False
            s = np.ldexp(1.0, -(np.frexp(diagonal)[1] // 2))  # powers of two: the scaling is exact
            H, R = s[:, None] * self.mid * s, s[:, None] * self.rad * s
            H, R = (H + H.T) / 2, (R + R.T) / 2 + UNIT * np.abs(H) + _UNDERFLOW
            delta = float(R.sum(axis=1).max(initial=0.0)) * _INFLATE
            top = float(H.diagonal().max(initial=1.0))
        return bool(np.isfinite(delta) and np.isfinite(H).all()) and definite(H, top, delta)


def given(array: FloatArray, exact: bool) -> Bounded:
    """Numbers as given: floats are themselves, the doubles of exact numbers are off by a rounding each."""
    return Bounded(array, UNIT * np.abs(array) + 5e-324 if exact else np.zeros_like(array))


def unit(n: int) -> Bounded:
    """I."""
    return Bounded(np.eye(n), np.zeros((n, n)))


def power_sum(X: Bounded, alpha: float, T: int) -> Bounded:
    """Σ_{j<T} (I − αX)ʲ, by doubling."""
    n = len(X.mid)
    step = unit(n) - X.scaled(alpha)
    power, total = step, unit(n)
    for bit in bin(T)[3:]:
        total, power = total + power * total, power * power
        if bit == "1":
            total, power = total + power, power * step
    return total
