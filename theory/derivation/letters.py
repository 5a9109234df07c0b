r"""A family's matrices over ℚ(letters, γ), and the closed forms that follow from them.

Where columns of Φ depend on each other for all values of the letters, the forms are those of the weights of a basis of
them, the others zero: values are the same, and θ_π of least norm is one of many. TD's spectrum is not: it comes from
all columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from sympy.polys.matrices import DomainMatrix

from theory.derivation.forms import K
from theory.derivation.fractions import charpoly, determinant, inverse, tidy, written
from theory.derivation.in_gamma import GAMMA, LAMBDA
from theory.problems import InvalidProblem
from theory.problems.formulas import DISCOUNTS, Family, Formula, Range

MOST_FEATURES = 10
MOST_OPERATIONS = 500  # in B and θ_π together, up to which powers of B are written for more than two features


@dataclass(frozen=True, eq=False)
class FamilyForms:
    """Φ, P, d and r as SymPy matrices in the letters and GAMMA, and what is made of them."""

    family: Family
    letters: dict[str, sympy.Symbol]
    Phi: sympy.Matrix  # (S, F)
    P: sympy.Matrix
    d: sympy.Matrix
    r: sympy.Matrix
    P_mu: sympy.Matrix | None = None
    r_mu: sympy.Matrix | None = None

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """The letters and γ by name."""
        return self.letters | {"gamma": GAMMA}

    @property
    def ranges(self) -> dict[str, Range]:
        """Where the letters and γ come from."""
        return self.family.parameters | {"gamma": DISCOUNTS}

    @cached_property
    def basis(self) -> tuple[int, ...]:
        """Columns of Φ that are independent for almost all values of the letters, and span the others."""
        return tuple(DomainMatrix.from_Matrix(self.Phi).to_field().rref()[1])

    @cached_property
    def chosen(self) -> sympy.Matrix:
        """Those columns, (S, r)."""
        return self.Phi[:, list(self.basis)]

    @cached_property
    def X(self) -> sympy.Matrix:
        """ΦᵀDΦ."""
        return self._weighted(self.chosen, self.chosen)

    @cached_property
    def Y(self) -> sympy.Matrix:
        """ΦᵀDPΦ."""
        return self._weighted(self.chosen, self.P * self.chosen)

    @cached_property
    def b(self) -> sympy.Matrix:
        """ΦᵀDr."""
        return self._weighted(self.chosen, self.r)

    @cached_property
    def A(self) -> sympy.Matrix:
        """X − γY."""
        return tidy(self.X - GAMMA * self.Y)

    @cached_property
    def B(self) -> sympy.Matrix:
        """γX⁻¹Y."""
        return tidy(GAMMA * inverse(self.X) * self.Y)

    @cached_property
    def theta_pi(self) -> sympy.Matrix:
        """A⁻¹b."""
        if determinant(self.A) == 0:
            raise InvalidProblem("A is singular for every value of the letters", "features")
        return tidy(inverse(self.A) * self.b)

    @cached_property
    def A_mu(self) -> sympy.Matrix | None:
        """X − γΦᵀDP_μΦ; None where the behaviour's transitions are unknown."""
        return (
            None if self.P_mu is None else tidy(self.X - GAMMA * self._weighted(self.chosen, self.P_mu * self.chosen))
        )

    @cached_property
    def theta_mu(self) -> sympy.Matrix | None:
        """A_μ⁻¹ΦᵀDr_μ; None where the behaviour's transitions or rewards are unknown."""
        if self.A_mu is None or self.r_mu is None:
            return None
        return tidy(inverse(self.A_mu) * self._weighted(self.chosen, self.r_mu))

    @cached_property
    def v_pi(self) -> sympy.Matrix:
        """(I − γP)⁻¹r."""
        return tidy(inverse(sympy.eye(self.P.rows) - GAMMA * self.P) * self.r)

    @cached_property
    def bias(self) -> tuple[sympy.Matrix, int] | None:
        r"""θᵏ − θ_π from θ⁰ = 0, and from which k on; None where it would fill pages, or B is defective throughout.

        With det(λ − B) = λᵉ times powers of irreducible f, and g the product of these f, BᵉG = 0 for G = g(B) where
        all nonzero eigenvalues are simple, and then, q(x, λ) = (g(x) − g(λ))/(x − λ),

            Bᵏv = Σ_{g(λ)=0} λ^{k−e} q(B, λ)Bᵉv/g'(λ)      for k ≥ e      (Lagrange)
        """
        if len(self.basis) > 2 and sympy.count_ops(self.B) + sympy.count_ops(self.theta_pi) > MOST_OPERATIONS:
            return None
        nonzero = [f for f, _ in self.chain_factors if f.as_expr() != LAMBDA]
        g = sympy.Poly(sympy.prod([f.as_expr() for f in nonzero]), LAMBDA)
        coefficients = g.all_coeffs()[::-1]
        moved, e = [-self.theta_pi], 0
        while True:
            powers = [moved[e]]
            for _ in range(g.degree()):
                powers.append(tidy(self.B * powers[-1]))
            left = sum((c * v for c, v in zip(coefficients, powers, strict=True)), sympy.zeros(len(self.basis), 1))
            if not any(tidy(left)):
                break
            if e == len(self.basis):
                return None
            moved.append(tidy(self.B * moved[-1]))
            e += 1
        rows, slope, n = [], g.diff(LAMBDA).as_expr(), g.degree()
        for i in range(len(self.basis)):
            body = sympy.Add(
                *(LAMBDA**p * coefficients[m + p + 1] * powers[m][i] for p in range(n) for m in range(n - p))
            )
            rows.append(sympy.Add(*(_over_roots(f, body / slope, e) for f in nonzero)))
        return sympy.Matrix(rows), e

    @cached_property
    def characteristic(self) -> list[sympy.Expr]:
        """det(λ − B), the leading 1 first."""
        return charpoly(self.B)

    @cached_property
    def td_factors(self) -> tuple[tuple[sympy.Poly, int], ...]:
        """det(λ − A) of all columns as irreducible polynomials in λ with multiplicities, structural zeros left out."""
        A = tidy(self._weighted(self.Phi, self.Phi) - GAMMA * self._weighted(self.Phi, self.P * self.Phi))
        polynomial = charpoly(A)[: len(self.basis) + 1]
        return _factors(polynomial)

    @cached_property
    def chain_factors(self) -> tuple[tuple[sympy.Poly, int], ...]:
        """det(λX − γY) as irreducible polynomials in λ with multiplicities, those in the letters alone left out."""
        return _factors(self.characteristic)

    def _weighted(self, left: sympy.Matrix, right: sympy.Matrix) -> sympy.Matrix:
        return tidy(left.T * sympy.diag(*self.d) * right)


def family_forms(family: Family) -> FamilyForms:
    """The matrices of a family whose file gives them; an MDP's are made from its policies."""
    letters = {name: sympy.Symbol(name, real=True) for name in family.parameters}
    known = letters | {"gamma": GAMMA}

    def symbolic(value: Any) -> Any:
        if isinstance(value, list):
            return [symbolic(x) for x in value]
        return in_symbols(value, known)

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
        rewards = symbolic(tree["rewards"])
        (P, r), (P_mu, r_mu) = _under(pi, moves, rewards), _under(mu, moves, rewards)
        _check_rows(P, "target_policy")
        _check_rows(P_mu, "behaviour_policy")
        return FamilyForms(family, letters, Phi, P, sympy.Matrix(_stationary(P_mu)), r, P_mu, r_mu)
    if tree.get("episodic") is not True:  # else each member is checked where its letters are set
        _check_rows(P, "target", "transitions")
    _check_rows(sympy.Matrix([list(d)]), "behaviour", "distribution")
    P_mu, r_mu = (_matrix(symbolic(behaviour[key])) if key in behaviour else None for key in ("transitions", "rewards"))
    return FamilyForms(family, letters, Phi, tidy(P), sympy.Matrix(d), tidy(sympy.Matrix(r)), P_mu, r_mu)


def _check_rows(P: sympy.Matrix, *where: str) -> None:
    for i in range(P.rows):
        total = sympy.cancel(sum(P[i, :]))
        if total != 1:
            raise InvalidProblem(f"sums to {total}, not to 1 for all letters", *where, *([i] if P.rows > 1 else []))


def _matrix(rows: Any) -> sympy.Matrix:
    return tidy(sympy.Matrix(rows))


def _over_roots(f: sympy.Poly, body: sympy.Expr, e: int) -> sympy.Expr:
    """Σ λ^{k−e} body(λ) over the roots of f; a linear one's is written out."""
    if f.degree() == 1:
        root = written(-f.all_coeffs()[1] / f.LC())
        share = written(sympy.cancel(body.subs(LAMBDA, root) / root**e))
        return share * root**K
    return sympy.RootSum(f, sympy.Lambda(LAMBDA, LAMBDA ** (K - e) * body), auto=False)


def in_symbols(formula: Formula, symbols: dict[str, sympy.Symbol]) -> sympy.Expr:
    """A formula as an expression."""
    return sympy.cancel(formula.value(symbols, sympy.Rational))


def _factors(coefficients: list[sympy.Expr]) -> tuple[tuple[sympy.Poly, int], ...]:
    """Of a polynomial in λ over ℚ(letters, γ), the highest power first: cleared of denominators, factored over ℚ."""
    whole = sympy.Add(*(c * LAMBDA**i for i, c in enumerate(reversed(coefficients))))
    above = sympy.fraction(sympy.together(whole))[0]
    found = [(f, int(m)) for f, m in sympy.factor_list(above)[1] if f.has(LAMBDA)]
    return tuple((sympy.Poly(f, LAMBDA), m) for f, m in found)


def _under(policy: Any, moves: Any, rewards: Any) -> tuple[sympy.Matrix, sympy.Matrix]:
    """Transitions and expected rewards of a policy."""
    P, r = [], []
    for s, (weights, rows) in enumerate(zip(policy, moves, strict=True)):
        P.append([sum(w * row[j] for w, row in zip(weights, rows, strict=True)) for j in range(len(moves))])
        mean = sympy.Integer(0)
        for w, row, x in zip(weights, rows, rewards[s], strict=True):
            mean += w * (sum(p * y for p, y in zip(row, x, strict=True)) if isinstance(x, list) else x)
        r.append(mean)
    return tidy(sympy.Matrix(P)), tidy(sympy.Matrix(r))


def _stationary(P: sympy.Matrix) -> list[sympy.Expr]:
    """dP = d, Σd = 1, over the field."""
    n = P.rows
    system = [*(P.T - sympy.eye(n)).tolist()[:-1], [1] * n]
    right = sympy.Matrix([0] * (n - 1) + [1])
    return list(tidy(inverse(sympy.Matrix(system)) * right))
