r"""The plane of two letters: on which side every point falls, and the algebraic curves between the sides.

A plane belongs to a family, or to one problem: ``gamma`` and entries ``phi[s,f]`` of Φ, counted from 1, become letters.
*Shading*: both spectra in floats on a grid. *Curves*: the plane is cut into cells by the boundary polynomials
(`theory.derivation.cells`), each with certified verdicts. Over a column of cells the polynomials' roots keep their
order (Collins), so that the j-th root, as the first letter runs through the column, is one branch of an algebraic curve
with one certified verdict below and one above it. A branch across which a verdict changes is drawn; points on it are
roots by FLINT, exact before they become floats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import sympy

from theory.derivation.cells import Cell, check_letters, cut, roots_within, walls_at
from theory.derivation.conditions import conditions
from theory.derivation.letters import FamilyForms, family_forms
from theory.problems import InvalidProblem, Problem
from theory.problems.files import problem_document
from theory.problems.formulas import DISCOUNTS, Family, Range, family_from
from theory.problems.numbers import Array, FloatArray

MOST_STEPS = 96  # points of a branch from one side of the window to the other
ROWS, COLUMNS = 81, 120
_ENTRY = re.compile(r"phi\[(\d+),(\d+)\]")


@dataclass(frozen=True, eq=False)
class Curve:
    """A branch of a wall of TD's or the chain's, and what is below and above it: left and right of a vertical one."""

    side: str  # "td" or "chain"
    x: FloatArray
    y: FloatArray
    below: bool  # stable or unbiased there, certified
    above: bool


@dataclass(frozen=True, eq=False)
class Plane:
    """Two letters in a window, the others at `fixed`."""

    forms: FamilyForms
    over: tuple[str, str]  # the letters as the family names them
    names: tuple[str, str]  # as they were asked for
    window: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
    fixed: dict[str, Fraction]

    def shading(self, rows: int = ROWS, columns: int = COLUMNS) -> tuple[FloatArray, FloatArray, Array]:
        """x (columns,), y (rows,), quadrants (rows, columns): 0 nothing fails, 1 only TD, 2 only the chain, 3 both."""
        (a, b), (c, d) = ((float(lo), float(hi)) for lo, hi in self.window)
        x, y = a + (b - a) * (np.arange(columns) + 0.5) / columns, c + (d - c) * (np.arange(rows) + 0.5) / rows
        grid = dict(zip(self.over, np.meshgrid(x, y), strict=True))
        f = self.forms
        values = {name: grid.get(name, float(self.fixed.get(name, 0))) for name in f.symbols}
        Phi, P, d_mu = (_on_grid(m, f.symbols, values, (rows, columns)) for m in (f.Phi, f.P, f.d))
        gamma = np.broadcast_to(values["gamma"], (rows, columns))[..., None, None]
        weighted = np.swapaxes(Phi, -1, -2) * np.swapaxes(d_mu, -1, -2)  # ΦᵀD
        A = weighted @ (Phi - gamma * (P @ Phi))
        spectrum = np.linalg.eigvals(A)
        kept = np.argsort(np.abs(spectrum), axis=-1)[..., Phi.shape[-1] - len(f.basis) :]
        least = np.take_along_axis(spectrum.real, kept, -1).min(axis=-1)
        chosen = Phi[..., list(f.basis)]
        weighted = np.swapaxes(chosen, -1, -2) * np.swapaxes(d_mu, -1, -2)
        X, Y = weighted @ chosen, weighted @ (P @ chosen)
        B = gamma * np.linalg.pinv(X) @ Y
        radius = np.abs(np.linalg.eigvals(B)).max(axis=-1)
        return x, y, ((least <= 0) + 2 * (radius >= 1)).astype(np.int8)

    def curves(self) -> list[Curve]:
        """The branches across which a verdict changes, certified on both sides."""
        found = conditions(self.forms)
        cells = cut(self.forms, found, self.over, self.fixed)
        columns = [list(column) for _, column in groupby(cells, key=lambda cell: cell.bounds[self.over[0]])]
        walls = walls_at(self.forms, found, self.over, self.fixed)
        out = [curve for column in columns for curve in self._branches(column, walls)]
        for left, right in pairwise(columns):
            out += self._upright(left, right, walls)
        return out

    def _branches(self, column: list[Cell], walls: list[sympy.Expr]) -> Iterator[Curve]:
        changes = [
            (j, *change) for j, (below, above) in enumerate(pairwise(column)) for change in _changes(below, above)
        ]
        if not changes:
            return
        low, high = (float(end) for end in column[0].bounds[self.over[0]])
        share = (high - low) / float(self.window[0][1] - self.window[0][0])
        x = _towards_ends(low, high, max(8, round(MOST_STEPS * share)))
        roots = [self._roots(walls, value) for value in x]
        if any(len(r) != len(column) - 1 for r in roots):
            keep = [i for i, r in enumerate(roots) if len(r) == len(column) - 1]
            x, roots = x[keep], [roots[i] for i in keep]
        for j, side, below_it, above_it in changes:
            yield Curve(side, x, np.array([r[j] for r in roots]), below_it, above_it)

    def _upright(self, left: list[Cell], right: list[Cell], walls: list[sympy.Expr]) -> Iterator[Curve]:
        """A vertical line between two columns, where a verdict differs across it."""
        at = left[0].bounds[self.over[0]][1]
        if right[0].continues:
            return
        width = float(self.window[0][1] - self.window[0][0])
        sides = [(left, float(at) - 1e-7 * width), (right, float(at) + 1e-7 * width)]
        low, high = (float(end) for end in self.window[1])
        breaks = [[low, *self._roots(walls, x), high] for _, x in sides]
        marks = sorted({y for one in breaks for y in one})
        for a, b in pairwise(marks):
            middle = (a + b) / 2
            before, after = (
                column[min(int(np.searchsorted(one[1:-1], middle)), len(column) - 1)]
                for (column, _), one in zip(sides, breaks, strict=True)
            )
            for side, there, here in _changes(before, after):
                yield Curve(side, np.array([float(at)] * 2), np.array([a, b]), there, here)

    def _roots(self, walls: list[sympy.Expr], x: float) -> list[float]:
        """The roots of all walls above x, in the window, in order and each once."""
        first, second = (self.forms.symbols[name] for name in self.over)
        value = sympy.Rational(Fraction(x).limit_denominator(10**9))
        there = [wall.subs(first, value) for wall in walls]
        return [float(root) for root in roots_within(there, second, Range(*self.window[1]))]


def plane_of_family(
    family: Family, over: tuple[str, str], fixed: dict[str, Fraction], gamma: Fraction | None = None
) -> Plane:
    """Two letters of a family, γ by its name; unbounded ones are seen in [−4, 4]."""
    if over[0] == over[1]:
        raise InvalidProblem(f"{over[0]} is there twice", "over")
    usual = family.gamma if gamma is None else gamma
    values = {"gamma": Fraction(9, 10) if usual is None else usual} | fixed
    check_letters(family, over, values)
    window = tuple((DISCOUNTS if n == "gamma" else family.parameters[n]).cut(Fraction(8)) for n in over)
    unbounded = [n != "gamma" and family.parameters[n] == Range() for n in over]
    window = tuple((Fraction(-4), Fraction(4)) if wide else span for wide, span in zip(unbounded, window, strict=True))
    seen = {n: Range(*span) for n, span in zip(over, window, strict=True) if n != "gamma"}
    forms = family_forms(replace(family, parameters=family.parameters | seen))
    (a, b), (c, d) = window
    values = {name: x for name, x in values.items() if name not in over}
    return Plane(forms, over, over, ((a, b), (c, d)), values)


def plane_of_problem(problem: Problem, over: tuple[str, str], reach: Fraction | None = None) -> Plane:
    """γ and entries of Φ, ``phi[state,feature]`` counted from 1, entries up to ±`reach`."""
    if not problem.is_exact:
        raise InvalidProblem("curves need exact numbers, and these are floats", problem.name)
    document = problem_document(Problem.from_matrices(
        problem.given.gamma, Phi=problem.given.Phi, P_pi=problem.given.P_pi, d_mu=problem.given.d_mu,
        episodic=True,
    ))  # fmt: skip
    most = max(map(abs, problem.exact.Phi.ravel().tolist()))
    far = Fraction(max(4, -(-most * 5 // 4))) if reach is None else reach
    letters: dict[str, str] = {}
    for name in over:
        match = _ENTRY.fullmatch(name)
        if name == "gamma":
            continue
        if match is None:
            raise InvalidProblem(f"expected gamma or phi[state,feature], got {name!r}", "over")
        s, f = int(match[1]), int(match[2])
        if not (1 <= s <= problem.n_states and 1 <= f <= problem.n_features):
            raise InvalidProblem(f"there is no {name}: Φ is {problem.n_states}×{problem.n_features}", "over")
        letters[name] = f"phi_{s}_{f}"
        document["features"][s - 1][f - 1] = letters[name]
    if over[0] == over[1] or not letters:
        raise InvalidProblem(f"needs two different letters, got {', '.join(over)}", "over")
    span = f"[{-far}, {far}]"
    family = family_from(document | {"parameters": dict.fromkeys(letters.values(), span)}, problem.name)
    first, second = (letters.get(name, name) for name in over)
    found = plane_of_family(family, (first, second), {}, Fraction(problem.exact.gamma))
    return replace(found, names=over)


def _changes(below: Cell, above: Cell) -> Iterator[tuple[str, bool, bool]]:
    for side, a, b in (("td", below.td, above.td), ("chain", below.chain, above.chain)):
        if a.proved != b.proved:
            yield side, a.proved, b.proved


def _towards_ends(low: float, high: float, count: int) -> FloatArray:
    """Points of an open interval, denser towards its ends, where curves turn."""
    t = (1 - np.cos(np.pi * np.arange(count) / (count - 1))) / 2
    return low + (high - low) * np.clip(t, 1e-6, 1 - 1e-6)


def _on_grid(m: sympy.Matrix, symbols: dict[str, Any], values: dict[str, Any], shape: tuple[int, int]) -> FloatArray:
    """The matrix at every point, (rows, columns, m, n)."""
    out = np.empty((*shape, m.rows, m.cols))
    for i in range(m.rows):
        for j in range(m.cols):
            names = sorted(str(s.name) for s in m[i, j].free_symbols)
            function = sympy.lambdify([symbols[n] for n in names], m[i, j], "numpy")
            out[..., i, j] = function(*(values[n] for n in names))
    return out
