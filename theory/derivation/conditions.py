r"""Stability regions in closed form: the polynomials in a family's letters and γ whose signs decide.

**TD** is stable where all roots of det(λ − A), structural zeros apart, are right of the imaginary axis; **the chain**
is unbiased where all roots of det(λX − γY) lie inside the unit circle. Both are products of irreducible f(λ) over ℚ,
and each must do so for itself. With l the leading coefficient of an f of degree n, its roots have positive real part
where

    l·(−1)ⁿf(0) > 0  and  lᵐΔ_m > 0  for m = 1, …, n − 1

Δ_m the Hurwitz determinants of (−1)ⁿf(−s) (Routh, Hurwitz). λ = (1 + s)/(1 − s) maps the disc to the left half plane,
so they are inside the circle where

    l·(−1)ⁿf(−1) > 0,  l·f(1) > 0  and  lᵐΓ_m > 0  for m = 1, …, n − 1

Γ_m those of r(s) = (1 − s)ⁿ f((1 + s)/(1 − s)), whose first and last coefficient are (−1)ⁿf(−1) and f(1) (Schur, Cohn).

Each condition is factored over ℚ: squares drop out, and so do factors that are not zero anywhere in the ranges of the
letters (`theory.problems.formulas`) or divide det X, which is positive, their sign kept. A verdict changes only where
f(0) Δ_{n−1}, f(1) f(−1) Γ_{n−1} (Orlando) or l vanishes, a denominator does, or the chosen columns of Φ become
dependent: the `boundary`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from theory.derivation.fractions import determinant, irreducible_factors
from theory.derivation.letters import FamilyForms, in_symbols
from theory.problems.formulas import polynomial_vanishes

MOST_DEGREE = 4  # of an irreducible factor whose conditions are written out


@dataclass(frozen=True, eq=False)
class Condition:
    """sign·Π factors > 0, each factor irreducible over ℚ and of odd power."""

    name: str
    sign: int
    factors: tuple[sympy.Expr, ...]

    @property
    def expression(self) -> sympy.Expr:
        """The product, to be positive."""
        return self.sign * sympy.Mul(*self.factors)

    def holds(self, point: dict[sympy.Symbol, sympy.Rational]) -> bool:
        """Is it positive there?"""
        return bool(self.expression.subs(point) > 0)


@dataclass(frozen=True, eq=False)
class Conditions:
    """What must be positive; nothing at all where the verdict is always yes."""

    td: tuple[Condition, ...] | None  # None where a factor's degree is beyond `MOST_DEGREE`
    chain: tuple[Condition, ...] | None
    boundary: tuple[sympy.Expr, ...]  # irreducible polynomials outside whose zeros no verdict changes


def conditions(forms: FamilyForms) -> Conditions:
    """Of a family, simplified with the ranges of its letters."""
    signs = _Signs(forms)
    walls: list[sympy.Expr] = [determinant(forms.X)]
    for formula, _ in forms.family.formulas():
        walls += [in_symbols(below, forms.symbols) for below in formula.denominators()]
    sides: list[tuple[Condition, ...] | None] = []
    for factors, coefficients, names in (
        (forms.td_factors, _mirrored, ("(−1)ⁿf(0)", "Δ")),
        (forms.chain_factors, _disc, ("f(1)", "Γ")),
    ):
        found: list[Condition] | None = []
        for i, (f, _) in enumerate(factors, 1):
            of = f"f{i}" if len(factors) > 1 else "f"
            if f.degree() > MOST_DEGREE:
                found = None
                break
            a, lead = coefficients(f), f.LC()
            *minors, _ = _hurwitz(a)
            values = {names[0]: lead * a[-1]} | {f"{names[1]}{m}": lead**m * x for m, x in enumerate(minors, 1)}
            if coefficients is _disc:
                values = {"(−1)ⁿf(−1)": lead * a[0], **values}
            walls += [lead, a[0], a[-1], *minors[-1:]]
            assert found is not None
            found += [c for name, x in values.items() for c in signs.condition(name.replace("f(", f"{of}("), x)]
        sides.append(None if found is None else _distinct(found))
    return Conditions(sides[0], sides[1], signs.walls(walls))


class _Signs:
    """Factors by what their sign is in the ranges: always one, or both."""

    def __init__(self, forms: FamilyForms) -> None:
        self.ranges = forms.ranges
        self.inside = {symbol: sympy.Rational(forms.ranges[name].inside) for name, symbol in forms.symbols.items()}
        self.known: dict[sympy.Expr, int | None] = {}
        # det X > 0 wherever features are independent: that is the sign of its factor, where only one's is unknown.
        self.gram: dict[sympy.Expr, int] = {}
        sign, unknown = self._split(determinant(forms.X))
        if len(unknown) == 1:
            self.gram = {unknown[0]: sign}

    def _split(self, value: sympy.Expr) -> tuple[int, list[sympy.Expr]]:
        """The sign of what is known to have one, −1 of zero, and the other factors of odd power."""
        above, below = sympy.fraction(sympy.together(value))
        content, factors = sympy.factor_list(above * below)
        sign = 1 if content > 0 else -1
        unknown: list[sympy.Expr] = []
        for f, power in factors:
            one = self.gram.get(f) or self._sign(f) if power % 2 else 1
            sign, unknown = (sign * one, unknown) if one else (sign, [*unknown, f])
        return sign, unknown

    def condition(self, name: str, value: sympy.Expr) -> Iterable[Condition]:
        """The condition that a value is positive; nothing where it always is."""
        sign, left = self._split(value)
        return [Condition(name, sign, tuple(left))] if left or sign < 0 else []

    def walls(self, values: Iterable[sympy.Expr]) -> tuple[sympy.Expr, ...]:
        """The irreducible factors that have both signs, or zeros, in the ranges."""
        found = [f for f in irreducible_factors(values) if self._sign(f) is None]
        return tuple(sorted(found, key=sympy.default_sort_key))

    def _sign(self, f: sympy.Expr) -> int | None:
        if f not in self.known:
            always = polynomial_vanishes(f, self.ranges) is False
            self.known[f] = (1 if f.subs(self.inside) > 0 else -1) if always else None
        return self.known[f]


def _distinct(found: list[Condition]) -> tuple[Condition, ...]:
    """Each expression once; what can never hold alone."""
    never = [c for c in found if not c.factors]
    return tuple({c.expression: c for c in reversed(found)}.values())[::-1] if not never else (never[0],)


def _mirrored(f: sympy.Poly) -> list[sympy.Expr]:
    """Coefficients of (−1)ⁿf(−s), the highest power of s first: roots −λ."""
    return [c * (-1) ** i for i, c in enumerate(f.all_coeffs())]


def _disc(f: sympy.Poly) -> list[sympy.Expr]:
    """Coefficients of r(s), the highest power first."""
    n, s = f.degree(), sympy.Symbol("s")
    rows = [sympy.Poly((1 + s) ** (n - i) * (1 - s) ** i, s).all_coeffs() for i in range(n + 1)]
    rows = [[0] * (n + 1 - len(row)) + row for row in rows]
    return [sympy.Add(*(c * row[j] for c, row in zip(f.all_coeffs(), rows, strict=True))) for j in range(n + 1)]


def _hurwitz(a: list[sympy.Expr]) -> list[sympy.Expr]:
    """The leading minors Δ_1, …, Δ_n of the Hurwitz matrix of a_0 sⁿ + a_1 sⁿ⁻¹ + …"""
    n = len(a) - 1
    H = sympy.Matrix(n, n, lambda i, j: a[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= n else 0)
    return [determinant(H[:m, :m]) for m in range(1, n + 1)]
