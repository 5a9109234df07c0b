r"""Proofs about a pencil, written once for every arithmetic that encloses what it computes.

An `Arithmetic` adds, subtracts and multiplies matrices that stand for all matrices within their bounds, so that a
strict inequality that is true of them is true of the numbers: doubles with a bound on every entry
(`theory.certified.bounded`) and balls of any precision (`theory.certified.balls`). In each of them the same forms are
formed and found positive definite:

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

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import balls
from theory.certified.balls import unit as ball_unit
from theory.certified.evidence import Candidate, Evidence, Signature, signature_form
from theory.certified.recheck.checker import LONGEST_EXACT_WINDOW
from theory.exact.matrices import geometric_sum, identity
from theory.problems.numbers import Array

Matrix = TypeVar("Matrix")


class Arithmetic(Protocol[Matrix]):
    """Matrices with +, −, * (products, and numbers from the left) and `transpose`, and what depends on their kind."""

    @property
    def guesses(self) -> Sequence[Callable[[Pencil[Matrix]], Candidate | None]]:
        """Where candidates for a signature come from; they need not be right."""

    def working(self) -> AbstractContextManager[Any]:
        """Its precision, its errors: entered for every computation, left before anything is given away."""

    def exactly(self, array: Array) -> Matrix:
        """A matrix of numbers that are what they are."""

    def number(self, x: fmpq) -> Any:
        """A factor."""

    def symmetric_blocks(self, diagonal: Matrix | None, below: Matrix) -> Matrix:
        """[[E, Nᵀ], [N, E]]; E = None is I."""

    def size(self, M: Matrix) -> int:
        """How many rows it has."""

    def is_positive_definite(self, T: Matrix) -> bool:
        """Is every symmetric matrix within the bounds positive definite? False may also mean: not proved."""


def proofs(pencil: Pencil[Any], arithmetic: Arithmetic[Any], simple: bool = True) -> Iterator[Evidence]:
    """Evidence that decides a question either way, one piece after the other; `simple` tries what needs no guess."""
    if simple:
        with arithmetic.working():
            natural = _is_natural(pencil, arithmetic)
        if natural:
            yield Signature(None, (1,) * arithmetic.size(pencil.N))
    for guess in arithmetic.guesses:
        with arithmetic.working():
            candidate = guess(pencil)
            proved = candidate is not None and is_signature(pencil, arithmetic, candidate)
        if candidate is not None and proved:
            yield Signature(candidate.K, tuple(int(s) for s in candidate.signs))


def is_signature(pencil: Pencil[Any], arithmetic: Arithmetic[Any], candidate: Candidate) -> bool:
    """Is T surely positive definite?"""
    K, S, W = (arithmetic.exactly(m) for m in (candidate.K, np.diag(candidate.signs), candidate.W))
    return arithmetic.is_positive_definite(signature_form(pencil.N, pencil.E, pencil.disc, K, S, W))


def _is_natural(pencil: Pencil[Any], arithmetic: Arithmetic[Any]) -> bool:
    """Does the norm that the question has by itself decrease?"""
    if pencil.disc:
        return arithmetic.is_positive_definite(arithmetic.symmetric_blocks(pencil.E, pencil.N))
    A = pencil.symmetric
    return A is not None and arithmetic.is_positive_definite(A + A.transpose())


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
