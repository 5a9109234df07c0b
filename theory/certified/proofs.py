r"""Proofs about a pencil, written once for every arithmetic that encloses what it computes.

An `Arithmetic` adds, subtracts and multiplies matrices that stand for all matrices within their bounds, so that a
strict inequality that is true of them is true of the numbers: doubles with a bound on every entry
(`theory.certified.bounded`) and balls of any precision (`theory.certified.balls`). In each of them the same forms are
formed and found positive definite:

    half plane    Â + Âᵀ
    disc          [[E, Nᵀ], [N, E]]
    either        T of `theory.certified.candidates`, from a guess in floats or as precise as the balls

Rational arithmetic proves by counting roots instead (`theory.certified.decide`). Doubles with one bound for all entries
(`theory.certified.doubles`) stay apart, on purpose: their bounds are those of norms, known before anything is computed,
so that a certified verdict costs about as much as two eigenvalue calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

import numpy as np
from flint import fmpq

from theory.certified.candidates import Candidate, signature_form
from theory.certified.evidence import Evidence, Signature
from theory.certified.pencils import Pencil
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
