r"""Matrices of doubles with a bound on the error of every entry: proofs at the speed of BLAS.

A `Bounded` matrix is (mid, rad): the true matrix is within rad of mid, entry by entry. A product computed in doubles,
in whatever order and with or without fused operations, is off by at most n u/(1 − n u) times |A||B|, so

    rad(AB) = |A| rad(B) + rad(A) (|B| + rad(B)) + n u |A||B|        u = 2⁻⁵³,

in doubles again, inflated by 1 + 10⁻⁹ for their own rounding (n is far below 10⁶). Below the normal range of doubles
rounding is not relative: a product is off by u|ab| + η, η = 2⁻¹⁰⁷⁴, and so is the double nearest to an exact number.
So everything that a further factor may enlarge (the factors of `scaled`, the bounds inside a product)
is first raised by τ = 2⁻¹⁰²² ≫ n η, and each result by 10⁻³⁰⁰ ≫ n η for its own underflow.

Positive definiteness is tried after a scaling by powers of two that makes the diagonal about one; a bound in the norm
is the largest sum over a row.

**Positive definiteness** (Rump). If Cholesky of the float matrix H − cI, n×n, runs to its end, then H is off from a
positive definite matrix by less than c' = 2(n + 3)u·n·h, h the largest entry on the diagonal of H; so if the true
matrix is within δ of H in norm and c ≥ δ + c', then it is positive definite. For an entrywise error ε, δ = nε.

A proof that fails says nothing; the caller goes on with balls. A proof that succeeds also shows that Φ has full column
rank, since dependent columns put an eigenvalue exactly on the boundary of TD's half plane, of the disc of I − αM, and
make E = X singular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import fmpq_mat

from theory.exact.matrices import doubles
from theory.problems.numbers import FloatArray

UNIT = 2.0**-53
UNRESOLVED = (
    "undecided: the features depend on each other, or nearly so, or are beyond 10^±60: "
    "that X ≻ 0 is not proved in doubles; leave out or rescale columns"
)
SAFE = (1e-60, 1e60)
_INFLATE, _UNDERFLOW = 1 + 1e-9, 1e-300
TINY = 2.0**-1022  # τ: above every absolute error of a rounding that is not relative


@dataclass(frozen=True, eq=False)
class Bounded:
    """The true matrix is within `rad` of `mid`, entry by entry."""

    mid: FloatArray
    rad: FloatArray

    def nrows(self) -> int:
        """How many rows it has, as of FLINT's matrices."""
        return len(self.mid)

    def transpose(self) -> Bounded:
        """Mᵀ."""
        return Bounded(self.mid.T, self.rad.T)

    def __mul__(self, other: Bounded) -> Bounded:
        """The matrix product, as of FLINT's matrices."""
        a, b = np.abs(self.mid), np.abs(other.mid)
        n = self.mid.shape[1]
        rad = a @ (other.rad + (1.01 * n * UNIT) * b + TINY) + self.rad @ (b + other.rad)
        return Bounded(self.mid @ other.mid, rad * _INFLATE + _UNDERFLOW)

    def __add__(self, other: Bounded) -> Bounded:
        return self._sum(other, self.mid + other.mid)

    def __sub__(self, other: Bounded) -> Bounded:
        return self._sum(other, self.mid - other.mid)

    def _sum(self, other: Bounded, mid: FloatArray) -> Bounded:
        return Bounded(mid, (self.rad + other.rad + UNIT * np.abs(mid)) * _INFLATE + _UNDERFLOW)

    def __rmul__(self, factor: float) -> Bounded:
        return self.scaled(factor)

    def scaled(self, c: float | FloatArray) -> Bounded:
        """Times a number, or rows times one each, itself rounded: off by |c| rad + (u|c| + τ)(|M| + rad) + u|cM|."""
        mid, size = c * self.mid, np.abs(c)
        rad = size * self.rad + (UNIT * size + TINY) * (np.abs(self.mid) + self.rad) + UNIT * np.abs(mid)
        return Bounded(mid, rad * _INFLATE + _UNDERFLOW)

    def is_positive_definite(self) -> bool:
        """Is every symmetric matrix within the bounds positive definite? False may also mean: not proved."""
        with np.errstate(all="ignore"):
            diagonal = self.mid.diagonal()
            if not (np.isfinite(self.mid).all() and np.isfinite(self.rad).all() and diagonal.min(initial=1.0) > 0):
                return False
            e = -(np.frexp(diagonal)[1] // 2)
            shift = e[:, None] + e  # powers of two, in one go: exact, or off by η
            H, R = np.ldexp(self.mid, shift), np.ldexp(self.rad, shift)
            H, R = (H + H.T) / 2, (R + R.T) / 2 + UNIT * np.abs(H) + _UNDERFLOW
            delta = float(R.sum(axis=1).max(initial=0.0)) * _INFLATE
            top = float(H.diagonal().max(initial=1.0))
            n = len(H)
            H.flat[:: n + 1] -= 1.01 * (delta + 2 * (n + 3) * UNIT * n * top)
            if not np.isfinite(H).all():
                return False
            try:
                np.linalg.cholesky(H)
            except np.linalg.LinAlgError:
                return False
            return True


def given(array: FloatArray, exact: bool) -> Bounded:
    """Numbers as given: floats are themselves, the doubles of exact numbers are off by a rounding each."""
    return Bounded(array, UNIT * np.abs(array) + TINY if exact else np.zeros_like(array))


def nearest(M: fmpq_mat) -> Bounded:
    """A matrix of rationals; infinite, which proves nothing, where doubles end."""
    mid, power = doubles(M)  # within three roundings
    with np.errstate(over="ignore", invalid="ignore"):
        mid = np.ldexp(mid, power)
        return Bounded(mid, 4 * UNIT * np.abs(mid) + 2 * TINY)
