r"""A family's closed forms with its letters kept, and its cells: what ``theory derive family.json`` prints.

With the letters in them, B's eigenvalues are roots of f(λ) = det(λ − B) over ℚ(letters, γ). Where they are distinct,

    θᵏ − θ_π = Σ_{f(λ)=0} λᵏ q(B, λ)(θ⁰ − θ_π)/f'(λ),      q(x, λ) = (f(x) − f(λ))/(x − λ)      (Lagrange)

which for one feature is Bᵏ(θ⁰ − θ_π). Where two eigenvalues meet, the discriminant of f is zero, and the form is not
defined; `theory derive --set …` gives the problem's own there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from theory.derivation.cells import Cell, cut
from theory.derivation.conditions import FamilyForms, family_forms
from theory.derivation.forms import K
from theory.derivation.notation import entry_text, matrix_lines, plain_matrix, plain_text, vector_lines
from theory.exact.spectra import LAMBDA
from theory.problems.family import Family
from theory.text.words import word


@dataclass(frozen=True, eq=False)
class FamilyDerivation:
    """Forms, conditions, and the cells of the letters in `over`."""

    forms: FamilyForms
    over: tuple[str, ...]
    fixed: dict[str, Fraction]
    cells: tuple[Cell, ...]

    @cached_property
    def bias(self) -> sympy.Matrix:
        """θᵏ − θ_π from θ⁰ = 0, (F, 1), where the eigenvalues of B are distinct."""
        f, F = self.forms, self.forms.Phi.cols
        if F == 1:
            return sympy.Matrix([-(f.B[0] ** K) * f.theta_pi[0]])
        coefficients = f.characteristic[::-1]  # lowest power first
        start = -f.theta_pi
        moved = [start]
        for _ in range(F - 1):
            moved.append(f.B * moved[-1])
        poly = sympy.Poly(coefficients[::-1], LAMBDA)
        slope = poly.diff(LAMBDA).as_expr()
        rows = []
        for i in range(F):
            body = sympy.Add(
                *(LAMBDA**p * coefficients[m + p + 1] * moved[m][i] for p in range(F) for m in range(F - p))
            )
            rows.append(sympy.RootSum(poly, sympy.Lambda(LAMBDA, LAMBDA**K * body / slope), auto=False))
        return sympy.Matrix(rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        f = self.forms

        def conditions(found: Any) -> list[dict[str, Any]]:
            return [{"name": c.name, "positive": plain_text(c.expression)} for c in found]

        matrices = {name: plain_matrix(getattr(f, name)) for name in ("X", "Y", "A", "B", "b", "theta_pi")}
        return {
            "family": f.family.name,
            "parameters": {name: str(span) for name, span in f.family.parameters.items()},
            **matrices,
            "bias": plain_matrix(self.bias),
            "conditions": {"td": conditions(f.td_conditions), "chain": conditions(f.chain_conditions)},
            "boundary": [plain_text(p) for p in f.boundary],
            "cells": {
                "over": list(self.over),
                "set": {name: str(x) for name, x in self.fixed.items()},
                "found": [cell.to_dict() for cell in self.cells],
            },
        }

    def lines(self) -> Iterator[str]:
        """The page."""
        f = self.forms
        yield f"{f.family.name}  {', '.join(f'{n} in {span}' for n, span in f.family.parameters.items())}"
        yield ""
        for name, matrix in (("X", f.X), ("Y", f.Y), ("A(γ)", f.A), ("B", f.B)):
            yield from matrix_lines(name, matrix)
        yield from vector_lines("θ_π", f.theta_pi)
        if f.Phi.cols == 1:
            yield f"θᵏ − θ_π = ({entry_text(f.B[0])})ᵏ(θ⁰ − θ_π)   for every θ⁰"
        yield ""
        for title, found in (("TD is stable", f.td_conditions), ("The chain is unbiased", f.chain_conditions)):
            yield f"{title}, where features are independent, exactly where"
            for c in found:
                yield f"    {c.name}:  {entry_text(c.expression, 400)} > 0"
        yield ""
        if not self.cells:
            yield "Cells with a certified verdict each: --over one or two letters, the others by --set"
            return
        at = ", ".join(f"{n} = {x}" for n, x in self.fixed.items() if n not in self.over)
        yield f"Cells over {' and '.join(self.over)}{f' at {at}' if at else ''}, a certified verdict each:"
        for cell in self.cells:
            yield "    " + describe(cell, self.over)
        counts = Counter((str(c.td.holds), str(c.chain.holds)) for c in self.cells)
        yield "; ".join(f"TD stable {a}, chain unbiased {b}: {n}" for (a, b), n in sorted(counts.items()))


def describe(cell: Cell, over: tuple[str, ...]) -> str:
    """One cell in a line."""
    point = ", ".join(f"{name} = {cell.point[name]}" for name in over)
    low, high = cell.bounds[over[-1]]
    span = f"{over[-1]} in ({_end(low, '−∞')}, {_end(high, '∞')})"
    if len(over) == 2:
        a, b = cell.bounds[over[0]]
        span = f"{over[0]} in ({_end(a, '−∞')}, {_end(b, '∞')}), there at {over[0]} = {cell.point[over[0]]} {span}"
    td, chain = word("td", cell.td.holds.json), word("chain", cell.chain.holds.json)
    return f"TD {td}, chain {chain}  at {point}; {span}"


def derive_family(
    family: Family, over: tuple[str, ...] = (), fixed: dict[str, Fraction] | None = None, gamma: Fraction | None = None
) -> FamilyDerivation:
    """The family's closed forms; with `over` its cells, the other letters at `fixed`, γ at the file's unless given."""
    forms = family_forms(family)
    values = dict(fixed or {})
    if "gamma" not in over:
        written = family.tree["gamma"]
        values["gamma"] = (
            gamma if gamma is not None else written.value(values) if not written.names else Fraction(9, 10)
        )
    cells = tuple(cut(forms, over, values)) if over else ()
    return FamilyDerivation(forms, over, values, cells)


def _end(x: Any, infinite: str) -> str:
    if x is None:
        return infinite
    text = str(x)
    return text if len(text) <= 24 else f"≈{float(x):.6g}"
