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
"""

from __future__ import annotations

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
from theory.noise.limits import NONE, StepSizeLimit
from theory.noise.moments import Moments
from theory.problems import InvalidProblem, Problem

MAX_NUMBERS = 1200  # second moments of one block
MAX_CONNECTED = 120  # and of a strongly connected part: a determinant of 114 takes four seconds
QUICK = 4e8  # n⁴·bits of a determinant's polynomial, at two nanoseconds each
SPLIT = 30  # what connected parts may save of these: beyond, they are not looked for


class SquareMap:
    """L(α) of one diagonal block whose maps are C + αA, exactly."""

    def __init__(self, chain: ErrorChain) -> None:
        self.moments = Moments(chain)
        count = len(chain.nodes) * chain.size * (chain.size + 1) // 2
        if count > MAX_NUMBERS:
            raise InvalidProblem(f"{count:,} second moments are more than {MAX_NUMBERS:,}", "learner")
        self.n = len(self.moments.numbered(2, constant=False))

    @cached_property
    def powers(self) -> list[fmpq_mat]:
        """L₀, L₁, L₂, (n, n) each for n different moments."""
        return self.moments.exact_powers()

    def at(self, alpha: Fraction) -> fmpq_mat:
        """L(α)."""
        a = rational(alpha)
        constant, linear, square = self.powers
        return constant + a * linear + a * a * square

    def witness(self, alpha: Fraction) -> list[fmpq_mat] | None:
        """Y ≻ 0 with Y = L(α)Y + I, one matrix a node: exists exactly where ρ₂(α) < 1."""
        numbered, D = self.moments.numbered(2, constant=False), self.moments.size
        gap = identity(self.n) - self.at(alpha)
        if gap.det() == 0:
            return None
        unit = fmpq_mat(self.n, 1, [fmpq(int(a == b)) for _, (a, b) in numbered.first])
        y = np.array(gap.solve(unit).entries(), dtype=object)
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
        entries = [abs(x) for x in self.moments.chain.parts.flat if x]
        bits = 2 * max(max(int(x.p).bit_length(), int(x.q).bit_length()) for x in entries)  # of products of two
        connected = QUICK / (self.n**4 * bits)
        return connected >= 1 or (connected >= 1 / SPLIT and max(map(len, self.parts)) ** 4 * bits <= QUICK)

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
            return NONE
        if root is not None:
            limits.append(root)
    return StepSizeLimit(min(limits)) if limits else StepSizeLimit(unbounded=True)


def _below(root: AlgebraicNumber) -> Fraction:
    """A number between 0 and a positive root, however small it is."""
    low, width = root.low, root.high
    while low <= 0:
        width = width / 4
        low = root.interval(width)[0]
    return fraction(low) / 2
