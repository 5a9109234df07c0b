r"""For which step sizes does a learner's error stay finite in mean square? Decided exactly.

Without the constant, x ← (C_m + αA_m)x and the second moments obey the linear map

    L(α)Y = (Σ_{m: i → j} p_m (C_m + αA_m) Y_i (C_m + αA_m)ᵀ)_j = (L₀ + αL₁ + α²L₂)Y,       ρ₂(α) = ρ(L(α)),

β = ratio·α where there is a second step size. L(α) maps tuples of positive semidefinite matrices to such tuples, so

- ρ₂ is an eigenvalue of L(α): it passes 1 only at roots of det(I − L(α)), and the largest mean-square stable step size,
  the end α* of the interval (0, α*) of stable ones, is the first positive root: an algebraic number;
- ρ₂ < 1 ⇔ Y = L(α)Y + I has a solution that is positive definite. If ρ₂ < 1 it is the sum of L(α)ⁿI. Conversely
  L(α)Y = Y − I ⪯ (1 − ε)Y for a solution Y ≻ 0, so ρ₂ ≤ 1 − ε. The solution is a certificate.

*Blocks.* Where all maps are block triangular in some order of the coordinates (a chain: head k sees head k − 1; action
values whose actions share no feature), the diagonal blocks decide: of the mixed moments of two blocks the radius is at
most the root of the product of both (Cauchy–Schwarz).

*In the mean.* The expected update x ← E(α)x, E = Σ_m d_m p_m (C_m + αA_m), has ρ(E)² = ρ(Y ↦ EYEᵀ): one node, one map,
and the largest step size in the mean comes out of the same determinant.

*Lumping.* L is taken on one moment of each orbit (`theory.noise.symmetry`), and these are lumped: let a partition be
such that the tuple I is constant on its classes and each of L₀, L₁, L₂ has equal row sums into classes within a class.
Tuples constant on classes are then invariant and hold I, an interior point of the cone, whose orbit grows like ρ₂ⁿ: the
lumped map has the same ρ₂ and the same solution.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.algebraic import AlgebraicNumber, real_roots
from theory.exact.matrices import (
    block,
    fraction,
    identity,
    is_positive_definite,
    rational,
    strong_components,
)
from theory.exact.polynomials import interpolate, short_points
from theory.learners.rule import Rule
from theory.noise.errors import ErrorChain, step_maps
from theory.noise.moments import Moments
from theory.problems import InvalidProblem, Problem

MAX_NUMBERS = 1200  # second moments of one block
MAX_CONNECTED = 120  # and of a strongly connected part: a determinant of 114 takes four seconds
MAX_UNLUMPED = 240  # different moments whose determinant may be quick, once lumped
QUICK = 4e8  # n⁴·bits of a determinant's polynomial, at two nanoseconds each
LUMPED = 4  # what lumping may save of these: beyond, it is not tried


class SquareMap:
    """L(α) of one diagonal block whose maps are C + αA, exactly."""

    def __init__(self, chain: ErrorChain) -> None:
        self.moments = Moments(chain)
        count = len(chain.nodes) * chain.size * (chain.size + 1) // 2
        if count > MAX_NUMBERS:
            raise InvalidProblem(f"{count:,} second moments are more than {MAX_NUMBERS:,}", "learner")
        self.n = len(self.moments.numbered(2, constant=False))

    @cached_property
    def _lumped(self) -> tuple[list[int], list[fmpq_mat]]:
        """The class of each moment, and L₀, L₁, L₂ on tuples that are constant on classes."""
        powers = self.moments.exact_powers()
        classes = lump(powers, [a == b for _, (a, b) in self.moments.numbered(2, constant=False).first])
        return classes, powers if len(set(classes)) == len(classes) else [_on_classes(m, classes) for m in powers]

    @property
    def powers(self) -> list[fmpq_mat]:
        """L₀, L₁, L₂, (n, n) each for n classes."""
        return self._lumped[1]

    def at(self, alpha: Fraction) -> fmpq_mat:
        """L(α)."""
        a = rational(alpha)
        constant, linear, square = self.powers
        return constant + a * linear + a * a * square

    def witness(self, alpha: Fraction) -> list[fmpq_mat] | None:
        """Y ≻ 0 with Y = L(α)Y + I, one matrix a node: exists exactly where ρ₂(α) < 1."""
        numbered, D, (classes, _) = self.moments.numbered(2, constant=False), self.moments.size, self._lumped
        n = max(classes) + 1
        unit = [fmpq(0)] * n
        for c, (_, (a, b)) in zip(classes, numbered.first, strict=True):
            unit[c] = fmpq(int(a == b))
        gap = identity(n) - self.at(alpha)
        if gap.det() == 0:
            return None
        y = np.array(gap.solve(fmpq_mat(n, 1, unit)).entries(), dtype=object)[classes]
        found, (i, j) = [], np.triu_indices(D)
        for columns in numbered.columns:
            Y = np.empty((D, D), dtype=object)
            Y[i, j] = Y[j, i] = y[columns]
            found.append(fmpq_mat(Y.tolist()))
        return found if all(is_positive_definite(Y) for Y in found) else None

    def stable(self, alpha: Fraction) -> bool:
        """Is ρ₂(α) < 1? Exactly."""
        return self.witness(alpha) is not None

    @cached_property
    def parts(self) -> list[list[int]]:
        """Strongly connected classes: det(I − L(α)) is the product of theirs."""
        return strong_components(*self.powers)

    @property
    def is_quick(self) -> bool:
        """Does `first_root` take less than a second?"""
        if self.n > MAX_UNLUMPED:
            return False
        entries = [abs(x) for x in self.moments.chain.parts.flat if x]
        bits = 2 * max(max(int(x.p).bit_length(), int(x.q).bit_length()) for x in entries)  # of products of two
        if self.n**4 * bits > LUMPED * QUICK:
            return False
        entries = [abs(x) for power in self.powers for x in power.entries() if x]
        bits = max(max(int(x.p).bit_length(), int(x.q).bit_length()) for x in entries)
        return max(map(len, self.parts)) ** 4 * bits <= QUICK

    def first_root(self) -> AlgebraicNumber | None:
        """The first positive root of det(I − L(α)); None where there is none or where 1 is an eigenvalue for all α."""
        roots: list[AlgebraicNumber] = []
        for members in self.parts:
            if len(members) > MAX_CONNECTED:
                raise InvalidProblem(f"a determinant of {len(members)} second moments is too long", "learner")
            constant, linear, square = (block(m, members) for m in self.powers)
            one = identity(len(members))
            points = islice(short_points(), 2 * len(members) + 1)
            p = interpolate([(a, (one - constant - a * linear - a * a * square).det()) for a in points])
            if p.is_zero():
                return None
            if p.degree() > 0:
                roots += [x for x in real_roots(p) if x > 0]
        return min(roots, default=None)


def lump(matrices: Sequence[fmpq_mat], start: Sequence[Hashable]) -> list[int]:
    """The coarsest partition with equal row sums into classes within a class, which tells the values of start apart.

    Classes are split by these sums until none is.

    >>> lump([fmpq_mat([[1, 2, 0], [2, 1, 0], [0, 0, 5]])], [0, 0, 0])
    [0, 0, 1]
    """
    rows = [[{c: x for c, x in enumerate(row) if x} for row in m.tolist()] for m in matrices]
    classes = _numbered(start)
    while True:
        signatures = [(c, *(frozenset(_sums(own[i], classes).items()) for own in rows)) for i, c in enumerate(classes)]
        finer = _numbered(signatures)
        if max(finer) == max(classes):
            return finer
        classes = finer


def _sums(row: dict[int, fmpq], classes: Sequence[int]) -> dict[int, fmpq]:
    """Of a row into each class, those that are zero left out."""
    sums: dict[int, fmpq] = {}
    for column, x in row.items():
        sums[classes[column]] = sums.get(classes[column], fmpq(0)) + x
    return {c: x for c, x in sums.items() if x}


def _numbered(values: Sequence[Hashable]) -> list[int]:
    seen: dict[Hashable, int] = {}
    return [seen.setdefault(value, len(seen)) for value in values]


def _on_classes(m: fmpq_mat, classes: Sequence[int]) -> fmpq_mat:
    """A matrix on the functions constant on classes."""
    n, rows = max(classes) + 1, m.tolist()
    out = fmpq_mat(n, n)
    for c in range(n):
        for column, x in _sums(dict(enumerate(rows[classes.index(c)])), classes).items():
            out[c, column] = x
    return out


@dataclass(frozen=True)
class StepSizeLimit:
    """α*: stable in mean square for 0 < α < α*, and not at α*; None where no small α is, ∞ as `unbounded`.

    Where there is a `bracket` instead, its ends have opposite certificates, and what is below is not proved.
    """

    value: AlgebraicNumber | None
    unbounded: bool = False
    bracket: tuple[Fraction, Fraction] | None = None

    def __str__(self) -> str:
        if self.bracket is not None:
            return "between {} and {}".format(*map(float, self.bracket))
        if self.value is None:
            return "inf" if self.unbounded else "none"
        return str(self.value)


def exact_chain(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> ErrorChain:
    """A rule that closes at all α with β = ratio·α, exactly; doubles are the rationals that they denote."""
    return step_maps(rule, problem, exact=True).of_ratio(ratio)


def square_maps(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> list[SquareMap]:
    """The different diagonal blocks of a rule that closes, with β = ratio·α, of a problem given exactly."""
    if not problem.is_exact:
        raise InvalidProblem("roots of determinants need a problem given exactly, this one is in floats")
    return [SquareMap(one) for one in exact_chain(rule, problem, ratio).blocks]


def mean_maps(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> list[SquareMap]:
    """The same of the expected update x ← E x: Y ↦ E Y Eᵀ, whose radius is ρ(E)²."""
    return [SquareMap(one) for one in exact_chain(rule, problem, ratio).averaged.blocks]


def largest_step_size(maps: list[SquareMap]) -> StepSizeLimit:
    """The least α* of the blocks."""
    limits = []
    for one in maps:
        root = one.first_root()
        if not one.stable(Fraction(1) if root is None else _below(root)):
            return StepSizeLimit(None)
        if root is not None:
            limits.append(root)
    return StepSizeLimit(min(limits)) if limits else StepSizeLimit(None, unbounded=True)


def _below(root: AlgebraicNumber) -> Fraction:
    """A number between 0 and a positive root, however small it is."""
    low, width = root.low, root.high
    while low <= 0:
        width = width / 4
        low = root.interval(width)[0]
    return fraction(low) / 2
