r"""One or two letters cut into cells on each of which every verdict is the same; a certified verdict for each.

The boundary polynomials of `theory.derivation.conditions`, at values for all other letters, are polynomials in one or
two. *One letter*: their real roots in its range. *Two letters* x, y: where the roots y of the polynomials at x can
meet, vanish or leave the range, that is at the roots of discriminants, resultants, leading coefficients and of the
polynomials on the edges of y's range, x is cut; between two such places the roots y keep their order (Collins), so one
rational x stands for all of them, and its cells are the gaps between the roots. Each cell gets a rational point and the
certified verdicts of the problem there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import sympy
from flint import fmpq_poly

from theory.certified.verdicts import Verdict
from theory.derivation.conditions import Conditions
from theory.derivation.fractions import irreducible_factors, written
from theory.derivation.letters import FamilyForms
from theory.exact.algebraic import AlgebraicNumber, algebraic_rational, real_roots
from theory.exact.matrices import fraction, rational
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems import InvalidProblem
from theory.problems.formulas import Family, Range
from theory.thresholds.curves import point_between


@dataclass(frozen=True, eq=False)
class Cell:
    """An open set of the letters with one verdict each: its sample point, and its bounds."""

    point: dict[str, Fraction]
    bounds: dict[str, tuple[Any, Any]]  # algebraic numbers, or None; of the second letter at the first's sample
    td: Verdict
    chain: Verdict
    curves: tuple[Any, Any] | None = (
        None  # the second letter's bounds as functions of the first, where those are rational
    )
    continues: bool = False  # no wall lies between this column and the one before

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        ends = {name: [None if x is None else str(x) for x in pair] for name, pair in self.bounds.items()}
        return {
            "point": {name: str(x) for name, x in self.point.items()},
            "bounds": ends,
            "curves": None if self.curves is None else [None if c is None else str(c) for c in self.curves],
            "td_stable": self.td.holds.json,
            "chain_unbiased": self.chain.holds.json,
            "reasons": [self.td.reason, self.chain.reason],
        }


def cut(forms: FamilyForms, found: Conditions, over: tuple[str, ...], fixed: dict[str, Fraction]) -> list[Cell]:
    """The cells of one or two letters (γ among them by its name ``gamma``), the others `fixed`."""
    if found.td is None or found.chain is None:
        raise InvalidProblem("an irreducible factor of the spectrum has too high a degree to be cut by", "over")
    if not 1 <= len(over) <= 2:
        raise InvalidProblem(f"regions are cut in one or two letters, got {len(over)}", "over")
    check_letters(forms.family, over, fixed)
    symbols, ranges = forms.symbols, forms.ranges
    walls = walls_at(forms, found, over, fixed)
    x = symbols[over[0]]
    if len(over) == 1:
        return [
            _cell(forms, {**fixed, over[0]: point}, {over[0]: ends}) for point, ends in _gaps(walls, x, ranges[over[0]])
        ]
    y = symbols[over[1]]
    lines = [wall for wall in walls if not wall.has(y)]
    cells = []
    for first, ends in _gaps(_projection(walls, x, y, ranges[over[1]]), x, ranges[over[0]]):
        here = irreducible_factors([wall.subs(x, sympy.Rational(first)) for wall in walls])
        whole = not any(_is_root(line, x, ends[0]) for line in lines)
        for second, inner in _gaps(here, y, ranges[over[1]]):
            point = {**fixed, over[0]: first, over[1]: second}
            low, high = (_curve(walls, x, y, first, end) for end in inner)
            cells.append(_cell(forms, point, {over[0]: ends, over[1]: inner}, (low, high), whole))
    return cells


def check_letters(family: Family, over: tuple[str, ...], fixed: Collection[str]) -> None:
    """Those that are cut or drawn are there, and the others have numbers."""
    names = [*family.parameters, "gamma"]
    for name in over:
        if name not in names:
            raise InvalidProblem(f"there is no letter {name!r}; there are {', '.join(names)}", "over")
    missing = set(names) - set(over) - set(fixed)
    if missing:
        raise InvalidProblem(f"the letters {', '.join(sorted(missing))} need a number", "set")


def walls_at(
    forms: FamilyForms, found: Conditions, over: tuple[str, ...], fixed: dict[str, Fraction]
) -> list[sympy.Expr]:
    """The boundary at these values of the letters that are not cut, irreducible again."""
    symbols = forms.symbols
    at = {symbols[name]: sympy.Rational(x) for name, x in fixed.items() if name not in over}
    return irreducible_factors([wall.subs(at) for wall in found.boundary])


def roots_within(walls: list[sympy.Expr], y: sympy.Symbol, span: Range) -> list[AlgebraicNumber]:
    """The roots of all of them in the interval, in order."""
    roots: set[AlgebraicNumber] = set()
    for wall in walls:
        if wall.has(y):
            roots |= _roots(wall, y)
    low, high = (None if end is None else rational(end) for end in (span.low, span.high))
    return sorted(r for r in roots if (low is None or r > low) and (high is None or r < high))


def _curve(walls: list[sympy.Expr], x: sympy.Symbol, y: sympy.Symbol, first: Fraction, end: Any) -> sympy.Expr | None:
    """The wall through (first, end), solved for y, where it is linear in it."""
    for wall in walls:
        poly = sympy.Poly(wall, y)
        if end is None or poly.degree() != 1:
            continue
        slope, constant = poly.all_coeffs()
        at = {x: sympy.Rational(first)}
        if slope.subs(at) != 0 and end == rational(sympy.Rational(-constant.subs(at) / slope.subs(at))):
            return written(-constant / slope)
    return None


def _is_root(line: sympy.Expr, x: sympy.Symbol, at: Any) -> bool:
    return at is not None and any(root == at for root in _roots(line, x))


def _cell(forms: FamilyForms, point: dict[str, Fraction], bounds: dict[str, tuple[Any, Any]], *more: Any) -> Cell:
    problem = forms.family.at(point)
    return Cell(point, bounds, TD.verdict(problem), CHAIN.verdict(problem), *more)


def _projection(walls: list[sympy.Expr], x: sympy.Symbol, y: sympy.Symbol, span: Range) -> list[sympy.Expr]:
    out: list[sympy.Expr] = []
    for wall in walls:
        poly = sympy.Poly(wall, y)
        out.append(poly.LC())  # of degree 0 the wall itself
        if poly.degree() > 0:
            out.append(poly.discriminant())
        out += [wall.subs(y, sympy.Rational(e)) for e in (span.low, span.high) if e is not None]
    out += [sympy.resultant(a, b, y) for a, b in combinations([wall for wall in walls if wall.has(y)], 2)]
    return irreducible_factors([sympy.expand(p) for p in out])


def _gaps(walls: list[sympy.Expr], x: sympy.Symbol, span: Range) -> list[tuple[Fraction, tuple[Any, Any]]]:
    """A rational point in each gap between the roots in the range, with the gap's ends (None where infinite)."""
    inside = roots_within(walls, x, span)
    far = 2 * max([Fraction(2), *(Fraction(int(abs(float(r))) + 1) for r in inside)])  # beyond all roots
    low = algebraic_rational(rational(-far if span.low is None else span.low))
    high = algebraic_rational(rational(far if span.high is None else span.high))
    ends = [low, *inside, high]
    gaps = []
    for a, b in pairwise(ends):
        shown = (None if span.low is None and a is low else a, None if span.high is None and b is high else b)
        gaps.append((fraction(point_between(a, b)), shown))
    return gaps


def _roots(wall: sympy.Expr, x: sympy.Symbol) -> set[AlgebraicNumber]:
    coefficients = sympy.Poly(wall, x).all_coeffs()
    return set(real_roots(fmpq_poly([rational(c) for c in reversed(coefficients)])))
