r"""A family's closed forms with its letters kept, and its cells: what ``theory derive family.json`` prints.

A family's conditions against certified verdicts, at random rational points of its letters' ranges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import sympy

from theory.derivation.cells import Cell, cut
from theory.derivation.conditions import Condition, Conditions, conditions
from theory.derivation.forms import joint_matrix
from theory.derivation.fractions import written
from theory.derivation.letters import FamilyForms, family_forms
from theory.derivation.notation import (
    NAMES,
    ClosedForms,
    matrix_lines,
    named_sums,
    plain_text,
    product,
    unicode_text,
    vector_lines,
)
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems.formulas import Family
from theory.text.words import word
from theory.views.page import Page, hanging

_TITLES = {"td": "TD is stable", "chain": "The chain is unbiased"}


@dataclass(frozen=True, eq=False, repr=False)
class FamilyDerivation(ClosedForms):
    """Forms, conditions, and the cells of the letters in `over`."""

    forms: FamilyForms
    conditions: Conditions
    over: tuple[str, ...]
    fixed: dict[str, Fraction]
    cells: tuple[Cell, ...]
    check: PointCheck
    last: int = 2

    @property
    def ok(self) -> bool:
        """Do conditions and certified verdicts agree at every point that was tried?"""
        return self.check.ok

    @cached_property
    def M(self) -> sympy.Matrix | None:
        """The joint matrix of the heads 0..last; None where the behaviour's transitions are unknown."""
        f = self.forms
        return None if f.A_mu is None else joint_matrix(f.X, f.Y, f.A_mu, self.last).applyfunc(written)

    def sympy(self) -> dict[str, Any]:
        """Every expression by name."""
        f = self.forms
        names = ("X", "Y", "A", "B", "b", "theta_pi", "theta_mu", "v_pi")
        found = {name: getattr(f, name) for name in names}
        bias = None if f.bias is None else f.bias[0]
        theta_k = None if bias is None else (f.theta_pi + bias)
        values = None if theta_k is None else f.chosen * theta_k
        return found | {"bias": bias, "theta_k": theta_k, "values": values, "M": self.M}

    def latex(self) -> dict[str, str]:
        """LaTeX of every expression by name, and of the conditions."""
        found = super().latex()
        for side, these in (("td", self.conditions.td), ("chain", self.conditions.chain)):
            found |= {f"{side}_{i}": sympy.latex(c.expression) + " > 0" for i, c in enumerate(these or (), 1)}
        return found

    def _aligned(self) -> Iterator[str]:
        latex = self.latex()
        yield from (rf"\theta_\pi &= {latex['theta_pi']}", rf"B &= {latex['B']}")
        yield from (rf"&{text}" for key, text in latex.items() if key.startswith(("td_", "chain_")))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        f = self.forms

        def listed(found: tuple[Condition, ...] | None) -> list[dict[str, Any]] | None:
            return None if found is None else [{"name": c.name, "positive": plain_text(c.expression)} for c in found]

        def factors(found: Any) -> list[dict[str, Any]]:
            return [{"polynomial": plain_text(p.as_expr()), "multiplicity": m} for p, m in found]

        return {
            "family": f.family.name,
            "parameters": {name: str(span) for name, span in f.family.parameters.items()},
            "features": [i + 1 for i in f.basis],
            **self.texts(),
            "valid_from": None if f.bias is None else f.bias[1],
            "spectrum": {"A": factors(f.td_factors), "B": factors(f.chain_factors)},
            "conditions": {"td": listed(self.conditions.td), "chain": listed(self.conditions.chain)},
            "boundary": [plain_text(p) for p in self.conditions.boundary],
            "cells": {
                "over": list(self.over),
                "set": {name: str(x) for name, x in self.fixed.items()},
                "found": [cell.to_dict() for cell in self.cells],
            },
            "check": self.check.to_dict(),
            "ok": self.ok,
        }

    def page(self) -> Page:
        """The closed forms, the conditions, the cells."""
        lines = list(self.lines())
        if any("characters⟩" in line for line in lines):
            lines += ["", "⟨…⟩ is too long for a screen: --json and --latex have it all."]
        return Page(tuple(hanging("\n".join(lines))))

    def __repr__(self) -> str:
        return f"FamilyDerivation({self.forms.family!r}, {len(self.cells)} cells)"

    def lines(self) -> Iterator[str]:
        """The page."""
        f = self.forms
        spans = ", ".join(f"{unicode_text(f.letters[n])} in {span}" for n, span in f.family.parameters.items())
        yield f"{f.family.name}  {spans}"
        yield ""
        if len(f.basis) < f.Phi.cols:
            columns = ", ".join(str(i) for i in f.basis)
            yield f"Features depend on each other: these are the forms of the weights {columns}, the others zero"
        for name, matrix in (("X", f.X), ("Y", f.Y), ("A(γ)", f.A), ("B = γX⁻¹Y", f.B)):
            yield from matrix_lines(name, matrix)
        yield from vector_lines("b", f.b)
        yield f"det(λ − A) = {product((p.as_expr(), m) for p, m in f.td_factors)}{self._structural}"
        lead = sympy.factor(sympy.prod([p.LC() ** m for p, m in f.chain_factors]))
        below = "" if lead == 1 else f", over {unicode_text(lead)}"
        yield f"det(λ − B) = {product((p.as_expr(), m) for p, m in f.chain_factors)}{below}"
        yield ""
        yield from vector_lines("θ_π", f.theta_pi)
        if f.theta_mu is not None:
            yield from vector_lines("θ_μ", f.theta_mu)
        yield from vector_lines("v_π", f.v_pi)
        yield from self._bias()
        yield ""
        for side, title in _TITLES.items():
            yield from self._condition_lines(title, getattr(self.conditions, side), side)
        yield ""
        yield from self._check_lines()
        yield ""
        if not self.cells:
            yield "Cells with a certified verdict each: --over one or two letters, the others by --set"
            return
        at = ", ".join(f"{_shown(n)} = {x}" for n, x in self.fixed.items() if n not in self.over)
        yield f"Cells over {' and '.join(map(_shown, self.over))}{f' at {at}' if at else ''}, a certified verdict each:"
        shown = list(described(self.cells, self.over))
        yield from (f"    {line}" for line in shown)
        counts = Counter(map(_verdicts, self.cells))
        joined = f"Of {len(self.cells)} cells before neighbours were joined, "
        yield joined + "; ".join(f"{verdicts}: {n}" for verdicts, n in sorted(counts.items()))

    def _check_lines(self) -> Iterator[str]:
        found = self.check.to_dict()
        many, wrong = found["points"], len(found["differences"])
        yield f"Against certified verdicts at {many:,} random points (seed {self.check.seed}): {wrong} differences"
        for (td, chain), n in sorted(self.check.agree.items()):
            yield f"    TD {word('td', td)}, chain {word('chain', chain)}: {n:,}"
        if len(self.check.agree) == 1 and many > 1:
            yield "    no point fell on another side: --points more, or another --seed, may find one"
        for point in self.check.differ[:3]:
            yield f"    ✗ at {', '.join(f'{_shown(name)} = {x}' for name, x in point.items())}"

    @property
    def _structural(self) -> str:
        zeros = self.forms.Phi.cols - len(self.forms.basis)
        return f", all columns, without λ{'' if zeros == 1 else f'^{zeros}'} of the dependent ones" if zeros else ""

    def _bias(self) -> Iterator[str]:
        f = self.forms
        if len(f.basis) == 1:
            yield f"θᵏ − θ_π = ({unicode_text(f.B[0])})ᵏ(θ⁰ − θ_π)   for every θ⁰"
        elif f.bias is None:
            yield "θᵏ − θ_π = Bᵏ(θ⁰ − θ_π); Bᵏ would fill pages, or B is defective throughout: --set gives a member's"
        else:
            form, since = f.bias
            yield f"From θ⁰ = 0{f' and for k ≥ {since}' if since else ''}, where the eigenvalues of B are distinct:"
            sums, defined = named_sums(form)
            yield from (f"    {line}" for line in (*defined, *vector_lines("θᵏ − θ_π", form, sums)))

    def _condition_lines(self, title: str, found: tuple[Condition, ...] | None, side: str) -> Iterator[str]:
        where = "where features are independent"
        if len(self.forms.basis) < self.forms.Phi.cols:
            where = "where the chosen columns are independent"
        if found is None:
            yield f"{title}: a factor of the spectrum has too high a degree for conditions that could be read"
        elif not found:
            yield f"{title}, {where}, for all values of the letters and every γ in [0, 1)"
        elif not found[0].factors:
            yield f"{title}, {where}, nowhere"
        else:
            yield f"{title}, {where}, exactly where"
            for c in found:
                yield f"    {unicode_text(c.expression)} > 0"


def described(cells: tuple[Cell, ...], over: tuple[str, ...]) -> Iterator[str]:
    """One letter: a line a cell. Two: a line a column of cells, columns of one shape together."""
    names = [_shown(name) for name in over]
    if len(over) == 1:
        for cell in cells:
            low, high = cell.bounds[over[0]]
            span, at = f"{_end(low, '−∞')}, {_end(high, '∞')}", cell.point[over[0]]
            yield f"{names[0]} in ({span}): {_verdicts(cell)}, decided at {names[0]} = {at}"
        return
    columns = [list(column) for _, column in groupby(cells, key=lambda cell: cell.bounds[over[0]])]
    together = [[columns[0]]]
    for before, after in pairwise(columns):
        if after[0].continues and _shape(before) == _shape(after):
            together[-1].append(after)
        else:
            together.append([after])
    for group in together:
        column = group[0]
        low, high = column[0].bounds[over[0]][0], group[-1][0].bounds[over[0]][1]
        at = column[0].point[over[0]]
        yield f"{names[0]} in ({_end(low, '−∞')}, {_end(high, '∞')}), decided at {names[0]} = {at}:"
        for cell in column:
            shown = [
                unicode_text(curve) if curve is not None else _end(end, infinite)
                for curve, end, infinite in zip(_curves(cell), cell.bounds[over[1]], ("−∞", "∞"), strict=True)
            ]
            at = cell.point[over[1]]
            yield f"    {names[1]} in ({', '.join(shown)}): {_verdicts(cell)}, decided at {names[1]} = {at}"


def _curves(cell: Cell) -> tuple[Any, Any]:
    return cell.curves or (None, None)


def _shape(column: list[Cell]) -> list[Any]:
    """What two columns must share to be one: verdicts, and bounds that are curves or ends of the range."""
    return [
        (
            _verdicts(cell),
            *(str(end) if curve is None else curve for curve, end in zip(_curves(cell), ends, strict=True)),
        )
        for cell in column
        for ends in [cell.bounds[list(cell.bounds)[-1]]]
    ]


def _verdicts(cell: Cell) -> str:
    return f"TD {word('td', cell.td.holds.json)}, chain {word('chain', cell.chain.holds.json)}"


def _shown(name: str) -> str:
    return NAMES.get(name, name)


def derive_family(
    family: Family,
    over: tuple[str, ...] = (),
    fixed: dict[str, Fraction] | None = None,
    gamma: Fraction | None = None,
    *,
    points: int = 40,
    seed: int = 0,
) -> FamilyDerivation:
    """The family's closed forms, its conditions checked at random points.

    With `over` also its cells, the other letters at `fixed`, γ at the file's unless given.
    """
    forms = family_forms(family)
    found, values = conditions(forms), dict(fixed or {})
    if "gamma" not in over:
        usual = family.gamma
        values["gamma"] = gamma if gamma is not None else usual if usual is not None else Fraction(9, 10)
    cells = tuple(cut(forms, found, over, values)) if over else ()
    return FamilyDerivation(forms, found, over, values, cells, check_points(forms, found, points, seed))


def _end(x: Any, infinite: str) -> str:
    if x is None:
        return infinite
    text = unicode_text(x.sympy()) if x.degree <= 2 else ""
    return text if 0 < len(text) <= 24 else f"≈{float(x):.6g}"


@dataclass(frozen=True, eq=False)
class PointCheck:
    """How many points of each pair of verdicts there were, and where the conditions say otherwise."""

    seed: int
    agree: Counter[tuple[bool, bool]]  # TD stable, chain unbiased
    differ: tuple[dict[str, Fraction], ...]

    @property
    def ok(self) -> bool:
        """Do they agree everywhere?"""
        return not self.differ

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "seed": self.seed,
            "points": sum(self.agree.values()) + len(self.differ),
            "differences": [{name: str(x) for name, x in point.items()} for point in self.differ],
            "verdicts": [
                {"td_stable": td, "chain_unbiased": chain, "points": n} for (td, chain), n in sorted(self.agree.items())
            ],
        }


def check_points(forms: FamilyForms, found: Conditions, points: int, seed: int = 0) -> PointCheck:
    """Draw that many members, γ among what is drawn; where the chosen features are dependent another is drawn."""
    rng = np.random.default_rng(seed)
    agree: Counter[tuple[bool, bool]] = Counter()
    differ: list[dict[str, Fraction]] = []
    while sum(agree.values()) + len(differ) < points:
        values = forms.family.draw(rng) | {"gamma": Fraction(int(rng.integers(0, 100)), 100)}
        at = {forms.symbols[name]: sympy.Rational(x) for name, x in values.items()}
        if forms.X.subs(at).det() == 0:
            continue
        problem = forms.family.at(values)
        verdicts = TD.verdict(problem).proved, CHAIN.verdict(problem).proved
        if all(_holds(side, at) in (None, one) for side, one in zip((found.td, found.chain), verdicts, strict=True)):
            agree[verdicts] += 1
        else:
            differ.append(values)
    return PointCheck(seed, agree, tuple(differ))


def _holds(side: tuple[Condition, ...] | None, at: dict[sympy.Symbol, sympy.Rational]) -> bool | None:
    return None if side is None else all(c.holds(at) for c in side)
