r"""Proofs about a pencil, written once for every arithmetic that encloses what it computes.

Matrices stand for all matrices within their bounds, so that a strict inequality that is true of them is true of the
numbers: doubles with a bound on every entry (`theory.model.bounded`) and balls of any precision
(`theory.model.balls`). In both the same forms are formed and found positive definite:

    half plane    Â + Âᵀ
    disc          [[E, Nᵀ], [N, E]]
    either        T of `theory.certified.evidence`, from a guess in floats or as precise as the balls

Rational arithmetic proves by counting roots instead (`theory.certified.decide`).

**Pencils** (N, E), whose eigenvalues Nv = λEv decide a question: exactly, in balls, in doubles with bounds.

A `Pencil` is generic over its arithmetic, so that a proof is written once. The exact ones
give themselves in balls of any precision.

    G_T = I − S_T A, hot start        S_T γY, cold start        S_T = α Σ_{j<T} (I − αX)ʲ
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, TypeVar

import numpy as np
from flint import acb_mat, arb, arb_mat, ctx, fmpq, fmpq_mat

from theory.certified.evidence import Candidate, Evidence, Signature, eigenbasis, lyapunov, signature_form
from theory.certified.recheck.checker import LONGEST_EXACT_WINDOW
from theory.exact.matrices import geometric_sum, identity
from theory.model.balls import balls, dyadic, exponent, floats, is_positive_definite, precision, symmetric_blocks, unit
from theory.model.bounded import Bounded, given
from theory.problems.numbers import Array, FloatArray

LONGEST = 20_000  # bits: what is written down has exponents of no more
Matrix = TypeVar("Matrix")
Guess = Callable[..., Candidate | None]


def working(bits: int | None) -> AbstractContextManager[Any]:
    """Balls of so many bits, or doubles; overflow is no error, since what is not finite proves nothing."""
    entered = ExitStack()
    entered.enter_context(np.errstate(all="ignore"))
    if bits is not None:
        entered.enter_context(precision(bits))
    return entered


def exactly(array: Array, like: Any) -> Any:
    """Numbers that are what they are, in the arithmetic of a matrix."""
    return given(array, exact=False) if isinstance(like, Bounded) else balls(array)


def proofs(
    pencil: Pencil[Any], bits: int | None = None, simple: bool = True, precise: bool = False
) -> Iterator[Evidence]:
    """Evidence that decides a question either way, one piece after the other, in balls of so many bits or in doubles.

    `simple` tries what needs no guess; guesses are made in floats, or as precise as the balls.
    """
    if simple:
        with working(bits):
            natural = _is_natural(pencil)
        if natural:
            yield Signature(None, (1,) * pencil.N.nrows())
    floating: list[Guess] = [eigenbasis, lyapunov]
    for guess in [precise_eigenbasis] if precise else floating:
        with working(bits):
            pair: Any = (pencil.N, pencil.E) if precise else _midpoints(pencil)
            candidate: Candidate | None = None if pair is None else guess(*pair, pencil.disc)
            proved = candidate is not None and is_signature(pencil, candidate)
        if candidate is not None and proved:
            yield Signature(candidate.K, tuple(int(s) for s in candidate.signs))


def is_signature(pencil: Pencil[Any], candidate: Candidate) -> bool:
    """Is T surely positive definite?"""
    K, S, W = (exactly(m, pencil.N) for m in (candidate.K, np.diag(candidate.signs), candidate.W))
    return is_positive_definite(signature_form(pencil.N, pencil.E, pencil.disc, K, S, W))


def _is_natural(pencil: Pencil[Any]) -> bool:
    """Does the norm that the question has by itself decrease?"""
    if pencil.disc:
        return is_positive_definite(symmetric_blocks(pencil.E, pencil.N))
    A = pencil.symmetric
    return A is not None and is_positive_definite(A + A.transpose())


def _midpoints(pencil: Pencil[Any]) -> tuple[FloatArray, FloatArray | None] | None:
    """N and E in floats; None where they do not fit."""
    if isinstance(pencil.N, Bounded):
        return pencil.N.mid, None if pencil.E is None else pencil.E.mid
    return floats(pencil.N, pencil.E, pencil.disc)


def precise_eigenbasis(N: arb_mat, E: arb_mat | None, disc: bool) -> Candidate | None:
    """`eigenbasis` at the present precision: K and W as arrays of dyadic fractions."""
    n = N.nrows()
    try:
        M = N.mid() if E is None else E.mid().solve(N.mid()).mid()
        values, vectors = acb_mat(M).eig(right=True, algorithm="approx")
    except (ValueError, ZeroDivisionError):
        return None
    if not all(v.is_finite() for v in values):
        return None
    size = max(abs(v).mid() for v in values) + arb(2) ** -ctx.prec
    columns: list[list[arb]] = []
    signs: list[int] = []
    for j, value in enumerate(values):
        re, im = value.real.mid(), value.imag.mid()
        if abs(im) < size * arb(2) ** (-ctx.prec // 2):
            im = arb(0)
        elif im < 0:
            continue  # its conjugate brings both parts
        v = [vectors[i, j] for i in range(n)]
        largest = max(v, key=lambda x: float(abs(x).mid()))
        if not largest.is_finite() or not abs(largest) > 0:
            return None
        v = [x / largest for x in v]
        size_squared = re * re + im * im
        margin = 1 - size_squared if disc else re
        parts = [[x.real.mid() for x in v]] if im == 0 else [[x.real.mid() for x in v], [x.imag.mid() for x in v]]
        columns += parts
        signs += [1 if margin > 0 else -1] * len(parts)
    if len(columns) != n:
        return None
    W = arb_mat(columns).transpose()
    try:
        K = (W if E is None else E.mid() * W).mid().inv().mid()
    except ZeroDivisionError:
        return None
    if not all(x.is_finite() and abs(exponent(x)) < LONGEST for m in (K, W) for x in m.entries() if x != 0):
        return None
    return Candidate(dyadic(K), np.array(signs), dyadic(W))


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
        one = unit(self.size)
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
