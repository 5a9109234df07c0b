r"""Who fails where, in closed form: the polynomials in a family's letters and γ whose signs decide.

**TD** is stable where all roots of det(λ − A) are right of the imaginary axis: where the Hurwitz determinants
Δ_1, …, Δ_{F−1} of the mirrored polynomial and det A are positive (Routh, Hurwitz; Δ_F = det A · Δ_{F−1}).
**The chain** is unbiased where all roots of q(λ) = det(λX − γY) lie inside the unit circle. λ = (1 + s)/(1 − s) maps
the disc to the left half plane, so the same holds for the Hurwitz determinants of

    r(s) = (1 − s)^F q((1 + s)/(1 − s))

with its leading coefficient (−1)^F q(−1) and its constant term q(1), all positive (Schur, Cohn). q's own leading
coefficient det X is positive wherever features are independent, as X is a Gram matrix.

Entries are rational functions of the letters. Each condition N/D > 0 is N·D > 0; factored over ℚ, squares drop out.
A verdict changes only on det A · Δ_{F−1} = 0 for TD and q(1) q(−1) Δ_{F−1} = 0 for the chain (Orlando), where a
denominator vanishes, or where features become dependent: the `boundary`, by which `theory.derivation.cells` cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from sympy.polys.matrices import DomainMatrix

from theory.derivation.fractions import written
from theory.exact.spectra import GAMMA
from theory.problems import InvalidProblem
from theory.problems.expressions import Formula
from theory.problems.family import Family

MOST_FEATURES = 4


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
class FamilyForms:
    """A family's matrices over ℚ(letters, γ), as SymPy matrices."""

    family: Family
    letters: dict[str, sympy.Symbol]
    Phi: sympy.Matrix
    P: sympy.Matrix
    d: sympy.Matrix
    r: sympy.Matrix

    @cached_property
    def X(self) -> sympy.Matrix:
        """ΦᵀDΦ."""
        return _tidy(self.Phi.T * sympy.diag(*self.d) * self.Phi)

    @cached_property
    def Y(self) -> sympy.Matrix:
        """ΦᵀDPΦ."""
        return _tidy(self.Phi.T * sympy.diag(*self.d) * self.P * self.Phi)

    @cached_property
    def b(self) -> sympy.Matrix:
        """ΦᵀDr."""
        return _tidy(self.Phi.T * sympy.diag(*self.d) * self.r)

    @cached_property
    def A(self) -> sympy.Matrix:
        """X − γY."""
        return _tidy(self.X - GAMMA * self.Y)

    @cached_property
    def B(self) -> sympy.Matrix:
        """γX⁻¹Y."""
        return _tidy(GAMMA * _inverse(self.X) * self.Y)

    @cached_property
    def theta_pi(self) -> sympy.Matrix:
        """A⁻¹b."""
        return _tidy(_inverse(self.A) * self.b)

    @cached_property
    def c(self) -> sympy.Matrix:
        """X⁻¹b: θᵏ = Bθᵏ⁻¹ + c."""
        return _tidy(_inverse(self.X) * self.b)

    @cached_property
    def characteristic(self) -> list[sympy.Expr]:
        """det(λ − B), the leading 1 first."""
        return _charpoly(self.B)

    @cached_property
    def td_conditions(self) -> tuple[Condition, ...]:
        """All positive ⇔ TD is stable, where features are independent."""
        *minors, _ = _hurwitz(self._mirrored)
        named = {f"Δ{m}": value for m, value in enumerate(minors, 1)}
        return _conditions(named | {"det A": self._mirrored[-1]})

    @cached_property
    def chain_conditions(self) -> tuple[Condition, ...]:
        """All positive ⇔ the chain is unbiased, where features are independent."""
        *minors, _ = _hurwitz(self._disc)
        named = {"(−1)ᶠq(−1)": self._disc[0]} | {f"Γ{m}": value for m, value in enumerate(minors, 1)}
        return _conditions(named | {"q(1)": self._disc[-1]})

    @cached_property
    def boundary(self) -> tuple[sympy.Expr, ...]:
        """Irreducible polynomials outside whose zeros no verdict changes."""
        last = [hurwitz[-2] for a in (self._mirrored, self._disc) if len(hurwitz := _hurwitz(a)) > 1]
        walls = [*last, self._mirrored[-1], self._disc[0], self._disc[-1], _determinant(self.X)]
        for formula, _ in self.family.formulas():
            walls += [_symbolic(below, self.letters) for below in formula.denominators()]
        found = {factor for wall in walls for factor in _factors(sympy.together(wall))}
        return tuple(sorted(found, key=sympy.default_sort_key))

    @cached_property
    def _mirrored(self) -> list[sympy.Expr]:
        """Coefficients of det(−s − A)·(−1)^F, the highest power of s first: roots −λ."""
        return [c * (-1) ** i for i, c in enumerate(_charpoly(self.A))]

    @cached_property
    def _disc(self) -> list[sympy.Expr]:
        """Coefficients of r(s), the highest power first."""
        F, s = self.Phi.cols, sympy.Symbol("s")
        X, Y = DomainMatrix.from_Matrix(self.X).to_field().unify(DomainMatrix.from_Matrix(GAMMA * self.Y).to_field())
        lead, field = X.det(), X.domain
        q = [lead * c for c in (X.inv() * Y).charpoly()]
        mapped = [sympy.Poly((1 + s) ** (F - i) * (1 - s) ** i, s).all_coeffs() for i in range(F + 1)]
        mapped = [[0] * (F + 1 - len(row)) + [int(x) for x in row] for row in mapped]
        return [
            field.to_sympy(sum((c * row[j] for c, row in zip(q, mapped, strict=True)), field.zero))
            for j in range(F + 1)
        ]


def family_forms(family: Family) -> FamilyForms:
    """The matrices of a family whose file gives them; an MDP's are made from its policies."""
    letters = {name: sympy.Symbol(name, real=True) for name in family.parameters}

    def symbolic(value: Any) -> Any:
        if isinstance(value, list):
            return [symbolic(x) for x in value]
        return _symbolic(value, letters)

    tree = family.tree
    Phi = sympy.Matrix(symbolic(tree["features"]))
    if Phi.cols > MOST_FEATURES:
        raise InvalidProblem(f"closed forms with letters go up to {MOST_FEATURES} features, got {Phi.cols}", "features")
    if "target" in tree:
        P = sympy.Matrix(symbolic(tree["target"]["transitions"]))
        r = symbolic(tree["target"].get("rewards")) if "rewards" in tree["target"] else [0] * P.rows
        behaviour = tree["behaviour"]
        d = (
            symbolic(behaviour["distribution"])
            if "distribution" in behaviour
            else _stationary(sympy.Matrix(symbolic(behaviour["transitions"])))
        )
    else:
        moves, pi, mu = (symbolic(tree[key]) for key in ("transitions", "target_policy", "behaviour_policy"))
        P, r = _under(pi, moves, symbolic(tree["rewards"]))
        d = _stationary(_under(mu, moves, None)[0])
    return FamilyForms(family, letters, Phi, _tidy(P), sympy.Matrix(d), sympy.Matrix(r))


def _under(policy: Any, moves: Any, rewards: Any) -> tuple[sympy.Matrix, list[sympy.Expr]]:
    """Transitions and expected rewards of a policy."""
    P, r = [], []
    for s, (weights, rows) in enumerate(zip(policy, moves, strict=True)):
        P.append([sum(w * row[j] for w, row in zip(weights, rows, strict=True)) for j in range(len(moves))])
        mean = sympy.Integer(0)
        for w, row, x in zip(weights, rows, rewards[s] if rewards else [0] * len(rows), strict=True):
            mean += w * (sum(p * y for p, y in zip(row, x, strict=True)) if isinstance(x, list) else x)
        r.append(mean)
    return sympy.Matrix(P), r


def _stationary(P: sympy.Matrix) -> list[sympy.Expr]:
    """dP = d, Σd = 1, over the field."""
    n = P.rows
    system = [*(P.T - sympy.eye(n)).tolist()[:-1], [1] * n]
    right = sympy.Matrix([0] * (n - 1) + [1])
    return list(_tidy(_inverse(sympy.Matrix(system)) * right))


def _inverse(M: sympy.Matrix) -> sympy.Matrix:
    """Over the field of the entries; the last resort of SymPy's own inverse is not needed."""
    matrix = DomainMatrix.from_Matrix(M).to_field()
    return matrix.inv().to_Matrix()


def _charpoly(M: sympy.Matrix) -> list[sympy.Expr]:
    """det(λ − M) over the field of the entries, the leading 1 first."""
    matrix = DomainMatrix.from_Matrix(M).to_field()
    return [matrix.domain.to_sympy(c) for c in matrix.charpoly()]


def _determinant(M: sympy.Matrix) -> sympy.Expr:
    matrix = DomainMatrix.from_Matrix(M).to_field()
    return matrix.domain.to_sympy(matrix.det())


def _hurwitz(a: list[sympy.Expr]) -> list[sympy.Expr]:
    """The leading minors Δ_1, …, Δ_n of the Hurwitz matrix of a_0 sⁿ + a_1 sⁿ⁻¹ + …"""
    n = len(a) - 1
    H = sympy.Matrix(n, n, lambda i, j: a[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= n else 0)
    return [_determinant(H[:m, :m]) for m in range(1, n + 1)]


def _conditions(values: dict[str, sympy.Expr]) -> tuple[Condition, ...]:
    found = []
    for name, value in values.items():
        above, below = sympy.fraction(sympy.together(value))
        content, factors = sympy.factor_list(above * below)
        found.append(Condition(name, 1 if content > 0 else -1, tuple(f for f, power in factors if power % 2)))
    return tuple(found)


def _symbolic(formula: Formula, letters: dict[str, sympy.Symbol]) -> sympy.Expr:
    return sympy.cancel(formula.value(letters, lambda x: sympy.Rational(x.numerator, x.denominator)))


def _factors(x: sympy.Expr) -> list[sympy.Expr]:
    above, below = sympy.fraction(x)
    if above == 0:
        raise InvalidProblem("features are dependent, or A singular, for every value of the letters", "features")
    return [f for part in (above, below) for f, _ in sympy.factor_list(part)[1]]


def _tidy(M: sympy.Matrix) -> sympy.Matrix:
    return M.applyfunc(written)
