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

*Lumping.* Let a partition of the coordinates (node, i ≤ j) be such that the tuple I is constant on its classes and each
of L₀, L₁, L₂ has equal row sums into classes within a class. Tuples constant on classes are then invariant and hold I,
an interior point of the cone, whose orbit grows like ρ₂ⁿ: the lumped map has the same ρ₂ and the same solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.algebraic import AlgebraicNumber, real_roots
from theory.exact.matrices import block, fraction, identity, is_positive_definite, matrix, rational, strong_components
from theory.exact.polynomials import interpolate, short_points
from theory.learners.affine import Affine
from theory.learners.rule import Rule
from theory.learners.transition import Transition
from theory.noise.cone import MoveFamily
from theory.noise.errors import Frame
from theory.noise.lumping import Rows, lump, lumped
from theory.noise.step_maps import size_parts
from theory.problems import InvalidProblem, Problem
from theory.problems.graph import communicating_classes
from theory.problems.numbers import Array, Number

MAX_NUMBERS = 1200  # second moments of one block before lumping
MAX_LUMPED = 120  # and of a strongly connected part after it: a determinant of 114 takes four seconds
QUICK = 4e8  # n⁴·bits of a determinant's polynomial, at two nanoseconds each


@dataclass(frozen=True, eq=False)
class SquareMap:
    """L(α) of one diagonal block, lumped; n classes."""

    nodes: int
    size: int  # D: the block's coordinates
    classes: tuple[int, ...]  # class of each coordinate (node, i ≤ j)
    powers: tuple[fmpq_mat, fmpq_mat, fmpq_mat]  # L₀, L₁, L₂, (n, n) each

    def at(self, alpha: Fraction) -> fmpq_mat:
        """L(α)."""
        a = rational(alpha)
        constant, linear, square = self.powers
        return constant + a * linear + a * a * square

    def radius(self, alpha: Fraction) -> float:
        """ρ₂(α) in floats, by eigenvalues of the lumped matrix."""
        L = self.at(alpha)
        floats = np.array([float(fraction(x)) for x in L.entries()]).reshape(L.nrows(), L.ncols())
        return float(np.abs(np.linalg.eigvals(floats)).max())

    def witness(self, alpha: Fraction) -> list[fmpq_mat] | None:
        """Y ≻ 0 with Y = L(α)Y + I, one matrix a node: exists exactly where ρ₂(α) < 1."""
        n = self.powers[0].nrows()
        i, j = np.triu_indices(self.size)
        unit = [fmpq(0)] * n
        for c, one in zip(self.classes, np.tile(i == j, self.nodes), strict=True):
            unit[c] = fmpq(int(one))
        gap = identity(n) - self.at(alpha)
        if gap.det() == 0:
            return None
        y = gap.solve(fmpq_mat(n, 1, unit)).entries()
        found = []
        for block_classes in np.split(np.array(self.classes), self.nodes):
            Y = fmpq_mat(self.size, self.size)
            for a, b, c in zip(i.tolist(), j.tolist(), block_classes.tolist(), strict=True):
                Y[a, b] = Y[b, a] = y[c]
            found.append(Y)
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
        entries = (x for power in self.powers for x in power.entries())
        bits = max(max(abs(int(x.p)).bit_length(), int(x.q).bit_length()) for x in entries)
        return max(map(len, self.parts)) ** 4 * bits <= QUICK

    def first_root(self) -> AlgebraicNumber | None:
        """The first positive root of det(I − L(α)); None where there is none or where 1 is an eigenvalue for all α."""
        roots: list[AlgebraicNumber] = []
        for members in self.parts:
            if len(members) > MAX_LUMPED:
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


def square_maps(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> list[SquareMap]:
    """The different diagonal blocks of a rule that closes, with β = ratio·α, of a problem given exactly."""
    _exactly_given(problem)
    found, constant, linear = _parts(rule, problem, ratio)
    node, next_node = (np.array([getattr(m, name) for m in found.moves]) for name in ("node", "next_node"))
    probability = [m.probability for m in found.moves]
    return _square_maps(node, next_node, probability, (constant, linear), len(found.nodes))


def mean_maps(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> list[SquareMap]:
    """The same of the expected update x ← E x: Y ↦ E Y Eᵀ, whose radius is ρ(E)²."""
    _exactly_given(problem)
    found, *both = _parts(rule, problem, ratio)
    _one_update(found)
    weights = np.array([found.law[m.node] * m.probability for m in found.moves])[:, None, None]
    constant, linear = ((weights * x).sum(axis=0)[None] for x in both)
    zero = np.zeros(1, dtype=int)
    return _square_maps(zero, zero, [Fraction(1)], (constant, linear), 1)


def move_families(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> list[MoveFamily]:
    """The different diagonal blocks with all their moves, unlumped; doubles are the rationals that they denote."""
    found, constant, linear = _parts(rule, problem, ratio)
    node, next_node = (np.array([getattr(m, name) for m in found.moves]) for name in ("node", "next_node"))
    probability = [Fraction(m.probability) for m in found.moves]
    families: dict[str, MoveFamily] = {}
    for members in _blocks((constant, linear)):
        C, A = (x[:, members][:, :, members] for x in (constant, linear))
        families.setdefault(
            str((C.tolist(), A.tolist())), MoveFamily(len(found.nodes), node, next_node, probability, C, A)
        )
    return list(families.values())


def mean_parts(rule: Rule, problem: Problem, ratio: Fraction = Fraction(1)) -> tuple[Array, Array]:
    """C and A of the expected update x ← (C + αA)x, exactly."""
    found, *both = _parts(rule, problem, ratio)
    _one_update(found)
    weights = np.array([found.law[m.node] * m.probability for m in found.moves])[:, None, None]
    linear = (weights * both[1]).sum(axis=0)
    # The law of a problem in doubles sums to one up to rounding only; without a step all moves do the same.
    same = (both[0] == both[0][0]).all()
    return both[0][0] if same else (weights * both[0]).sum(axis=0), linear


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


def _one_update(found: Affine) -> None:
    """An average over moves, and over past moves where those are remembered; not over what takes turns."""
    for node in found.nodes:
        for memory in node.memory.values():
            if not (isinstance(memory, tuple) and all(isinstance(move, Transition) for move in memory)):
                raise InvalidProblem("its updates take turns, and have no one mean", "learner")


@lru_cache(maxsize=2)
def _parts(rule: Rule, problem: Problem, ratio: Fraction) -> tuple[Affine, Array, Array]:
    """The moves and, of each, C and A of x ← (C + αA)x."""
    found, parts = size_parts(rule, problem, True)
    frame, D = Frame(found), found.size
    constant, linear = [], []
    for part in parts:
        slope = part.alpha if part.beta is None else part.alpha + ratio * part.beta
        constant.append(frame.inside(part.constant[:, :D]))
        linear.append(frame.inside(slope[:, :D]))
    return found, np.array(constant), np.array(linear)


def _exactly_given(problem: Problem) -> None:
    if not problem.is_exact:
        raise InvalidProblem("roots of determinants need a problem given exactly, this one is in floats")


def _affordable(nodes: int, size: int) -> None:
    count = nodes * size * (size + 1) // 2
    if count > MAX_NUMBERS:
        raise InvalidProblem(f"{count:,} second moments are more than {MAX_NUMBERS:,}", "learner")


def _square_maps(
    node: Array, next_node: Array, probability: list[Number], both: tuple[Array, Array], nodes: int
) -> list[SquareMap]:
    maps: dict[str, SquareMap] = {}
    for members in _blocks(both):
        C, A = (x[:, members][:, :, members] for x in both)
        one = _square_map(node, next_node, probability, C, A, nodes)
        maps.setdefault(str([m.tolist() for m in one.powers]), one)
    return list(maps.values())


def _blocks(both: tuple[Array, Array]) -> list[list[int]]:
    """The coordinates of the diagonal blocks, in the finest order in which all maps are block triangular."""
    pattern = np.any([(x != 0).any(axis=0) for x in both], axis=0)
    return [sorted(members) for members in communicating_classes(pattern.astype(bool))]


def _square_map(node: Array, next_node: Array, probability: list[Number], C: Array, A: Array, nodes: int) -> SquareMap:
    size = C.shape[1]
    i, j = np.triu_indices(size)
    h = len(i)
    _affordable(nodes, size)
    rows: Rows = [{} for _ in range(nodes * h)]
    pairs = list(zip(i.tolist(), j.tolist(), strict=True))
    place = {pair: n for n, pair in enumerate(pairs)}
    for a, b, chance, c, s in zip(node.tolist(), next_node.tolist(), probability, C, A, strict=True):
        p = rational(chance)
        # Nearly all entries of the maps are zero. FLINT's rationals: there are many products.
        entries = [
            [(k, rational(c[r, k]), rational(s[r, k])) for k in range(size) if c[r, k] != 0 or s[r, k] != 0]
            for r in range(size)
        ]
        for row, (r, t) in enumerate(pairs):
            into = rows[b * h + row]
            for k, ck, sk in entries[r]:
                for m, cm, sm in entries[t]:
                    column = a * h + place[min(k, m), max(k, m)]
                    x, y, z = into.get(column, (0, 0, 0))
                    into[column] = (x + p * ck * cm, y + p * (ck * sm + sk * cm), z + p * sk * sm)
    classes = lump(rows, [int(r == t) for _ in range(nodes) for r, t in pairs])
    return SquareMap(nodes, size, tuple(classes), tuple(matrix(m) for m in lumped(rows, classes)))  # type: ignore[arg-type]
