r"""Pencils (N, E), whose eigenvalues Nv = λEv decide a question: exactly, in balls, in doubles with bounds.

A `Pencil` is generic over its arithmetic, so that a proof is written once (`theory.certified.proofs`). The exact ones
give themselves in balls of any precision.

    G_T = I − S_T A, hot start        S_T γY, cold start        S_T = α Σ_{j<T} (I − αX)ʲ
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import balls
from theory.certified.balls import unit as ball_unit
from theory.certified.recheck.checker import LONGEST_EXACT_WINDOW
from theory.exact.matrices import geometric_sum, identity

Matrix = TypeVar("Matrix")


@dataclass(frozen=True, eq=False)
class Pencil(Generic[Matrix]):
    """N and E (None for I); `disc` asks all |λ| < 1, else all Re λ > 0."""

    disc: bool
    N: Matrix
    E: Matrix | None = None
    symmetric: Matrix | None = None  # Â of N = GÂ: where Â + Âᵀ ≻ 0 all Re λ > 0


@dataclass(frozen=True, eq=False)
class ExactPencil(Pencil[fmpq_mat]):
    """A pencil with all its digits."""

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return int(self.N.nrows())

    def exact(self) -> ExactPencil:
        """Itself."""
        return self

    def eigen(self) -> fmpq_mat:
        """E⁻¹N."""
        return self.N if self.E is None else self.E.solve(self.N)

    def in_balls(self) -> Pencil[arb_mat]:
        """The same at the present precision."""
        E, symmetric = (None if m is None else balls(m) for m in (self.E, self.symmetric))
        return Pencil(self.disc, balls(self.N), E, symmetric)

    def work(self) -> float:
        """About how long an exact root count takes, in units of 4 ns: n⁴ times the length of an entry."""
        return float(self.size) ** 4 * _height(*self.N.entries())


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
        """The same at the present precision, by log₂ T products."""
        one = ball_unit(self.size)
        total = geometric_sum(one - balls(self.alpha * self.X), self.window, one)[1]
        product = arb(self.alpha) * (total * balls(self.moment))
        return Pencil(True, one - product if self.hot else product)

    def work(self) -> float:
        """As of `ExactPencil`; infinite beyond what the checker would repeat."""
        if self.window > LONGEST_EXACT_WINDOW:
            return inf
        return float(self.size) ** 4 * self.window * (_height(*self.X.entries()) + _height(self.alpha))


def _height(*entries: fmpq) -> int:
    """The length in bits of the longest one."""
    return max((int(x.p.bit_length()) + int(x.q.bit_length()) for x in entries), default=1)
