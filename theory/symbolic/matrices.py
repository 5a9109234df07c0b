"""Exact rational matrices: drawing them, and evaluating a form on them.

Everything is in ℚ (python-flint), so a nonzero residue is nonzero. Sequences are evaluated by their recursions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq, fmpq_mat

from theory.symbolic.context import Context
from theory.symbolic.forms import Form, Word


class Draw:
    """Random exact numbers and matrices for a model function; `dims` maps spaces to dimensions and may be changed."""

    def __init__(self, rng: random.Random, dims: dict[str, int]) -> None:
        self.rng = rng
        self.dims = dims

    def number(self) -> fmpq:
        """A rational that is neither 0 nor ±1."""
        return fmpq(self.rng.choice([2, 3, 5]), self.rng.choice([7, 11, 13])) * self.rng.choice([-1, 1])

    def matrix(self, rows: int, columns: int) -> fmpq_mat:
        """Small integers, rarely zero."""
        return fmpq_mat(rows, columns, [self.rng.choice([-3, -2, -1, 0, 1, 2, 3, 5]) for _ in range(rows * columns)])

    def symmetric(self, n: int) -> fmpq_mat:
        half = self.matrix(n, n)
        return half + half.transpose()

    def distribution(self, n: int) -> list[fmpq]:
        """Positive probabilities."""
        weights = [self.rng.randint(1, 5) for _ in range(n)]
        return [fmpq(w, sum(weights)) for w in weights]

    def stochastic(self, n: int) -> fmpq_mat:
        return fmpq_mat(n, n, [p for _ in range(n) for p in self.distribution(n)])

    def familiar(self, rows: int, columns: int, symmetric: bool = False) -> Iterator[fmpq_mat]:
        """Projections, involutions, orthogonal and nilpotent matrices; orthonormal columns or rows where not square."""
        n = max(rows, columns)
        skew = self.matrix(n, n)
        skew = skew - skew.transpose()
        one = identity_matrix(n)
        orthogonal = (one - skew) * (one + skew).inv()  # Cayley: 1 + S is invertible for every skew S
        if rows != columns:
            yield fmpq_mat([row[:columns] for row in orthogonal.tolist()[:rows]])
            return
        rank = self.rng.randint(1, n - 1) if n > 1 else 1
        turned = orthogonal.transpose()
        for basis, inverse in [(orthogonal, turned)] if symmetric else [(orthogonal, turned), self._basis(n)]:
            yield basis * self.diagonal([int(i < rank) for i in range(n)]) * inverse
            yield basis * self.diagonal([1 if i < rank else -1 for i in range(n)]) * inverse
            if not symmetric:
                yield basis * fmpq_mat(n, n, [int(j == i + n - 1) for i in range(n) for j in range(n)]) * inverse
                yield basis * fmpq_mat(n, n, [int(j == i + 1) for i in range(n) for j in range(n)]) * inverse
        yield one
        if not symmetric:
            yield orthogonal

    def _basis(self, n: int) -> tuple[fmpq_mat, fmpq_mat]:
        basis = self.matrix(n, n)
        while not basis.det():
            basis = self.matrix(n, n)
        return basis, basis.inv()

    @staticmethod
    def diagonal(entries: Sequence[Any]) -> fmpq_mat:
        n = len(entries)
        return fmpq_mat(n, n, [entries[i] if i == j else 0 for i in range(n) for j in range(n)])


@dataclass
class Model:
    """Values for all letters and scalars; `evaluate` gives the matrix of a form at chosen indices."""

    context: Context
    dims: dict[str, int]
    values: dict[str, Any]  # letter -> fmpq_mat, scalar -> fmpq
    instances: dict[str, int]
    _memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def evaluate(self, form: Form, indices: Mapping[str, int]) -> fmpq_mat:
        """The matrix of a form (1×1 for a relation among scalars) with each index at a natural number."""
        total = fmpq_mat(self.dims.get(form.target, 1), self.dims.get(form.source, 1))
        here = tuple(sorted(indices.items()))
        for (mono, word), c in form.terms.items():
            factor = fmpq(c.numerator, c.denominator)
            for s in mono:
                factor *= self.symbol(s, indices)
            part = self._word(word, indices, here) if word else identity_matrix(total.nrows())
            total += part * factor
        return total

    def _word(self, word: Word, indices: Mapping[str, int], here: Any) -> fmpq_mat:
        key = (word, here)
        if key not in self._memo:
            last = self.symbol(word[0], indices)
            self._memo[key] = last if len(word) == 1 else last * self._word(word[1:], indices, here)
        return self._memo[key]

    def symbol(self, name: str, indices: Mapping[str, int]) -> Any:
        """The value of one letter or scalar."""
        if name in self.values:
            return self.values[name]
        sequence = self.context.sequences.get(name)
        if sequence is None:
            flip = self.context.flips[name]
            if flip not in self.values and flip not in self.context.sequences:
                raise KeyError(name)  # not declared yet, while a model is being built
            return self.symbol(flip, indices).transpose()
        key = (name, tuple(sorted((i, n) for i, n in indices.items() if i in self.context.depends[name])))
        if key not in self._memo:
            n = indices[sequence.index]
            form, then = (sequence.start, indices) if n == 0 else (sequence.step, {**indices, sequence.index: n - 1})
            value = self.evaluate(form, then)
            self._memo[key] = value[0, 0] if name in self.context.scalars else value
        return self._memo[key]


def identity_matrix(n: int) -> fmpq_mat:
    """The n×n identity."""
    return fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
