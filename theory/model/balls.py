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

**Balls**: every entry an interval that surely holds the true number, at any precision.

FLINT's ``arb`` carries a midpoint and a radius through all operations, so a strict inequality that is
true of balls is true of the numbers. Used for what floats are too short for: verifying a candidate
signature close to the boundary, and the powers (I − αX)ᵀ of long windows, T up to millions.

The precision is FLINT's context: ``with precision(256): …``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from theory.budgets import BALL_ROWS
from theory.exact.algebraic import dyadic_rational
from theory.exact.matrices import fraction
from theory.problems.numbers import Array, FloatArray

BITS = 128  # of moments between bounds, and of what is made of them
LARGE = 24  # elimination takes longer in balls, from here on, than rounding to doubles and trying there
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
            H, n = (H + H.T) / 2, len(H)
            off = (R.sum(axis=0) + R.sum(axis=1)) / 2 + UNIT * np.abs(H).sum(axis=1) + n * _UNDERFLOW
            delta = float(off.max(initial=0.0)) * _INFLATE
            del shift, R  # many states are large matrices
            top = float(H.diagonal().max(initial=1.0))
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
    with precision(64):
        return as_bounded(arb_mat(M))


def precision(bits: int) -> Any:
    """A context in which balls carry so many bits."""
    return ctx.workprec(bits)


def balls(m: Any) -> arb_mat:
    """A ball matrix from a FLINT matrix, an array of floats, or an array of fractions."""
    if isinstance(m, np.ndarray):
        return arb_mat([[arb(fmpq(x.numerator, x.denominator)) if isinstance(x, Fraction) else arb(x) for x in row]
                        for row in m.tolist()])  # fmt: skip
    return arb_mat(m)


def as_balls(m: Bounded) -> arb_mat:
    """Doubles with bounds as balls."""
    pairs = zip(m.mid.tolist(), m.rad.tolist(), strict=True)
    return arb_mat([[arb(x, r) for x, r in zip(*row, strict=True)] for row in pairs])


def as_bounded(m: Any) -> Bounded:
    """A matrix of balls, in FLINT or as an array, as doubles with bounds."""
    shape = m.shape if isinstance(m, np.ndarray) else (m.nrows(), m.ncols())
    entries = [arb(x) for row in m.tolist() for x in row]
    mid = np.array([float(x.mid()) for x in entries]).reshape(shape)
    rad = np.array([float(x.rad().abs_upper()) for x in entries]).reshape(shape)
    return Bounded(mid, rad * (1 + 4 * UNIT) + 2 * UNIT * np.abs(mid) + 1e-300)


def unit(n: int) -> arb_mat:
    """I."""
    return arb_mat([[int(i == j) for j in range(n)] for i in range(n)])


def symmetric_blocks(diagonal: Any, below: Any) -> Any:
    """[[E, Nᵀ], [N, E]] in balls or in doubles with bounds; E = None is I."""
    n = below.nrows()
    if isinstance(below, Bounded):
        E = Bounded(np.eye(n), np.zeros((n, n))) if diagonal is None else diagonal
        pairs = (E.mid, below.mid), (E.rad, below.rad)
        return Bounded(*(np.block([[a, b.T], [b, a]]) for a, b in pairs))
    rows = (unit(n) if diagonal is None else diagonal).tolist()
    above = [a + b for a, b in zip(rows, below.transpose().tolist(), strict=True)]
    return arb_mat(above + [a + b for a, b in zip(below.tolist(), rows, strict=True)])


def is_positive_definite(T: Any) -> bool:
    """Is every symmetric matrix within the bounds positive definite? False may also mean: not proved.

    Large balls first in doubles (`theory.model.balls`), then by elimination with pivots surely positive.
    """
    if isinstance(T, Bounded):
        return T.is_positive_definite()
    n = T.nrows()
    if n > LARGE:
        if as_bounded(T).is_positive_definite():
            return True
        if n > BALL_ROWS:
            return False
    a = T.tolist()
    for k in range(n):
        pivot = a[k][k]
        if not pivot > 0:
            return False
        for i in range(k + 1, n):  # the lower triangle alone
            factor = a[i][k] / pivot
            for j in range(k + 1, i + 1):
                a[i][j] -= factor * a[j][k]
    return True


def dyadic(m: arb_mat) -> Array:
    """The midpoints as fractions p/2ᵏ."""
    out = np.empty((m.nrows(), m.ncols()), dtype=object)
    for i, row in enumerate(m.tolist()):
        out[i] = [fraction(dyadic_rational(x)) for x in row]
    return out


def exponent(x: arb) -> int:
    """About log₂|x| of a ball's midpoint; very small for 0."""
    mantissa, power = (int(v) for v in x.mid().man_exp())
    return abs(mantissa).bit_length() + power if mantissa else -(10**9)
