r"""Pencils (N, E), whose eigenvalues Nv = λEv decide a question: exactly, in balls, in doubles with bounds.

A `Pencil` is generic over its arithmetic, so that a proof is written once (`theory.certified.proofs`). The exact one
gives itself in balls of any precision; the one in doubles is formed from the start in doubles. There features must be
independent: X ≻ 0 is proved first, so that nothing has to be reduced.

    G_T = I − S_T A, hot start        S_T γY, cold start        S_T = α Σ_{j<T} (I − αX)ʲ

A hot start's G_T is the step I − α((S_T/α)A), whose disc has a form without cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import balls
from theory.certified.balls import unit as ball_unit
from theory.certified.bounded import Bounded, given, unit
from theory.certified.doubles import SAFE
from theory.certified.recheck.checker import LONGEST_EXACT_WINDOW
from theory.exact.matrices import identity
from theory.exact.solve import geometric_sum
from theory.problems import InvalidProblem
from theory.problems.numbers import Array, as_floats, is_exact

SMALLEST_STEP, LARGEST_STEP = 1e-290, 1e290  # of doubles

Matrix = TypeVar("Matrix")


@dataclass(frozen=True, eq=False)
class Pencil(Generic[Matrix]):
    """N and E (None for I); `disc` asks all |λ| < 1, else all Re λ > 0; with `alpha` it asks |1 − αλ| < 1."""

    disc: bool
    N: Matrix
    E: Matrix | None = None
    symmetric: Matrix | None = None  # Â of N = GÂ: where Â + Âᵀ ≻ 0 all Re λ > 0
    alpha: Any = None
    contracts: bool = True  # may a contraction be evidence? The checker knows none of windows


@dataclass(frozen=True, eq=False)
class ExactPencil(Pencil[fmpq_mat]):
    """A pencil with all its digits."""

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return int(self.N.nrows())

    def eigen(self) -> fmpq_mat:
        """E⁻¹N, or I − αN."""
        if self.alpha is not None:
            return identity(self.size) - self.alpha * self.N
        return self.N if self.E is None else self.E.solve(self.N)

    def in_balls(self) -> Pencil[arb_mat]:
        """The same at the present precision."""
        E, symmetric = (None if m is None else balls(m) for m in (self.E, self.symmetric))
        return Pencil(self.disc, balls(self.N), E, symmetric, None if self.alpha is None else arb(self.alpha))

    def work(self) -> float:
        """About how long an exact root count takes, in units of 4 ns: n⁴ times the length of an entry."""
        return float(self.size) ** 4 * (_height(*self.N.entries()) + (0 if self.alpha is None else _height(self.alpha)))


@dataclass(frozen=True, eq=False)
class WindowPencil:
    """G_T or S_T γY in independent features, exactly or in balls."""

    X: fmpq_mat  # GX̂
    moment: fmpq_mat  # GÂ or γGŶ
    alpha: fmpq
    window: int
    hot: bool
    disc: bool = True

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return int(self.X.nrows())

    def exact(self) -> ExactPencil:
        """The same with all digits: T times as long as the problem's."""
        one = identity(self.size)
        product = self.alpha * geometric_sum(one - self.alpha * self.X, self.window)[1] * self.moment
        return ExactPencil(True, one - product if self.hot else product)

    def in_balls(self) -> Pencil[arb_mat]:
        """A hot start with positive α as the step that it is."""
        one, alpha = ball_unit(self.size), arb(self.alpha)
        N = geometric_sum(one - balls(self.alpha * self.X), self.window, one)[1] * balls(self.moment)
        if self.hot and self.alpha > 0:
            return Pencil(True, N, alpha=alpha, contracts=False)
        return Pencil(True, one - alpha * N if self.hot else alpha * N, contracts=False)

    def work(self) -> float:
        """As of `ExactPencil`; infinite beyond what the checker would repeat."""
        if self.window > LONGEST_EXACT_WINDOW:
            return inf
        return float(self.size) ** 4 * self.window * (_height(*self.X.entries()) + _height(self.alpha))


def step_pencil(M: fmpq_mat, alpha: fmpq) -> ExactPencil:
    """I − αM; the form without cancellation divides by α."""
    return ExactPencil(True, M, alpha=alpha) if alpha > 0 else ExactPencil(True, identity(M.nrows()) - alpha * M)


class BoundedMoments(NamedTuple):
    """X, γY and A in doubles with bounds."""

    X: Bounded
    Y: Bounded
    A: Bounded


def bounded_moments(gamma: Any, Phi: Array, P: Array, d: Array) -> BoundedMoments | None:
    """None where the features depend on each other, or numbers are too large or too small."""
    Phi_, P_ = as_bounded(Phi), as_bounded(P)
    if Phi_ is None or P_ is None:
        return None
    weighted, ahead = Phi_.rows_scaled(as_floats(d, "d")).transpose(), P_ * Phi_
    X = weighted * Phi_
    if not X.is_positive_definite():
        return None
    discount = float(gamma)
    return BoundedMoments(X, (weighted * ahead).scaled(discount), weighted * (Phi_ - ahead.scaled(discount)))


def bounded_window(m: BoundedMoments, alpha: float, window: int, hot: bool) -> Pencil[Bounded] | None:
    """The pencil of a target network; None where powers leave the range of doubles."""
    one = unit(len(m.X.mid))
    with np.errstate(over="ignore", invalid="ignore"):
        total = geometric_sum(one - m.X.scaled(alpha), window, one)[1]
        N = total * m.A if hot else (total * m.Y).scaled(alpha)
    if not (np.isfinite(N.mid).all() and np.isfinite(N.rad).all()):
        return None
    return Pencil(True, N, alpha=alpha if hot else None, contracts=False)


def as_bounded(array: Array) -> Bounded | None:
    """A given matrix in doubles; None where they would leave their range."""
    try:
        values = as_floats(array)
    except InvalidProblem:
        return None
    largest = float(np.abs(values).max())
    return given(values, is_exact(array)) if largest == 0 or SAFE[0] < largest < SAFE[1] else None


def double_step(alpha: Fraction) -> float | None:
    """α as a double; None where it is not positive or beyond their range."""
    value = float(alpha) if abs(alpha) < 10**300 else inf
    return value if SMALLEST_STEP < value < LARGEST_STEP else None


def _height(*entries: fmpq) -> int:
    """The length in bits of the longest one.

    Not over one denominator as `theory.exact.matrices.entry_length`: the ladder's limits are measured in this, and by
    the other, which is longer, some ties would no longer be counted.
    """
    return max((int(x.p.bit_length()) + int(x.q.bit_length()) for x in entries), default=1)
