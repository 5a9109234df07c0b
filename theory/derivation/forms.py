r"""The closed forms of one concrete problem, γ and k as letters, as SymPy expressions.

With R = X⁻¹Y (X⁺ where features depend on each other) nothing but γ moves:

    A(γ) = X − γY        θ_π(γ) = A(γ)⁻¹b        B = γR
    θᵏ − θ_π = γᵏRᵏ(θ⁰ − θ_π)                                                    (prop-2)
             = Σ_λ Σ_j C(k, j) γʲ (γλ)^{k−j} u_j(λ)/f'(λ)      for k ≥ `valid_from`

where λ runs over the nonzero eigenvalues of R and j over the depth of its Jordan blocks (`theory.derivation.powers`);
what belongs to λ = 0 is gone from k = `valid_from` on. θᵏ is θ_π plus that. Values are Φ times it, and
v_π(γ) = (I − γP)⁻¹r.
The joint matrix of the heads 0..K and its inverse (prop-6) are

    M = [A_μ on the first block, X on the others, −γY below]       (M⁻¹)_k0 = BᵏA_μ⁻¹      (M⁻¹)_kj = Bᵏ⁻ʲX⁻¹
    det(λ − M) = det(λ − A_μ(γ)) · det(λ − X)ᴷ

and G_T = I − S_T A(γ), S_T = α Σ_{j<T} (I − αX)ʲ, maps the error over one target network of T updates.

At a discount where A(γ) is singular no form in γ holds, one in k does. B = γR then has the eigenvalue 1. With the
constant as one more coordinate the recursion θᵏ = Bθᵏ⁻¹ + c is linear,

    (θᵏ, 1) = ⎡B c⎤ᵏ (θ⁰, 1)
              ⎣0 1⎦

and the powers of that matrix have a closed form like any other. Its block at 1 is larger than B's own where b is not
in the range of A: then θᵏ grows without bound, like k on Twostate at γ = 5/6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy
from flint import fmpq, fmpq_mat, fmpq_poly

from theory.derivation.fractions import inverse, number, polynomial, ratio, tidy, with_roots, written
from theory.derivation.in_gamma import GAMMA, LAMBDA, RationalVector, fixed_point_in_gamma, small_roots
from theory.derivation.powers import Part, Powers, powers
from theory.exact.matrices import identity, joined, matrix, rational, stacked
from theory.model.iteration import window_sum
from theory.model.linear_model import ExactModel, exact_model, exact_moments
from theory.model.points import chain_step, starting_point
from theory.problems import InvalidProblem, Problem

__all__ = ["GAMMA", "LAMBDA", "Forms", "K"]

K = sympy.Symbol("k", integer=True, nonnegative=True)


@dataclass(frozen=True, eq=False)
class Forms:
    """The closed forms of a problem whose chain starts at ``zero``, ``behaviour`` (θ_μ(γ)) or a given vector."""

    problem: Problem
    start: Any = "zero"

    # What the chain is made of

    @cached_property
    def moments(self) -> ExactModel:
        """X, Y, b in rationals; what in them depends on γ is not used."""
        return exact_moments(self.problem)

    @cached_property
    def X(self) -> sympy.Matrix:
        """ΦᵀDΦ, (F, F)."""
        return _constant(self.moments.X)

    @cached_property
    def Y(self) -> sympy.Matrix:
        """ΦᵀDP_πΦ, (F, F)."""
        return _constant(self.moments.Y)

    @cached_property
    def b(self) -> sympy.Matrix:
        """ΦᵀDr_π, (F, 1)."""
        return _constant(self.moments.b)

    @cached_property
    def A(self) -> sympy.Matrix:
        """X − γY, (F, F)."""
        return self.X - GAMMA * self.Y

    @cached_property
    def step(self) -> tuple[fmpq_mat, fmpq_mat]:
        """R = X⁺Y and c = X⁺b: θᵏ = γRθᵏ⁻¹ + c."""
        return chain_step(exact_model(self.problem).at(fmpq(1)))

    @cached_property
    def R(self) -> sympy.Matrix:
        """X⁻¹Y, (F, F): B = γR."""
        return _constant(self.step[0])

    @cached_property
    def A_mu(self) -> sympy.Matrix | None:
        """X − γΦᵀDP_μΦ, (F, F); None where the behaviour's chain is unknown."""
        known = self.problem.exact.P_mu is not None
        return self.X - GAMMA * _constant(self.moments.behaviour.Y) if known else None

    # Fixed points

    @cached_property
    def target(self) -> RationalVector:
        """θ_π(γ) as polynomials over one denominator."""
        return fixed_point_in_gamma(exact_model(self.problem))

    @cached_property
    def behaviour_target(self) -> RationalVector:
        """θ_μ(γ); an error where the behaviour's chain or rewards are unknown."""
        return fixed_point_in_gamma(exact_model(self.problem).behaviour)

    @cached_property
    def origin(self) -> RationalVector:
        """θ⁰(γ)."""
        if isinstance(self.start, str) and self.start == "behaviour":
            return self.behaviour_target
        entries = starting_point(exact_model(self.problem), self.start).entries()
        return RationalVector(tuple(fmpq_poly([x]) for x in entries), fmpq_poly([1]))

    @cached_property
    def theta_pi(self) -> sympy.Matrix:
        """A(γ)⁻¹b, (F, 1): least norm where features depend on each other."""
        return _vector(self.target)

    @cached_property
    def theta_mu(self) -> sympy.Matrix | None:
        """A_μ(γ)⁻¹b_μ, (F, 1); None where the behaviour's chain or rewards are unknown."""
        e = self.problem.exact
        return None if e.P_mu is None or e.r_mu is None else _vector(self.behaviour_target)

    @cached_property
    def theta_0(self) -> sympy.Matrix:
        """θ⁰(γ), (F, 1)."""
        return _vector(self.origin)

    # The chain

    @cached_property
    def decay(self) -> Powers:
        """Rᵏ of the coefficients, in γ, of (θ⁰ − θ_π)(γ) over both denominators."""
        gaps = _difference(self.origin, self.target).numerators
        degree = max(int(p.degree()) for p in gaps)
        V = fmpq_mat([[p[j] for j in range(max(degree, 0) + 1)] for p in gaps])
        return powers(self.step[0], V)

    @property
    def valid_from(self) -> int:
        """From this k on the forms of θᵏ, its bias and values hold: the longest Jordan block at λ = 0 that is met."""
        return self.decay.valid_from

    @cached_property
    def bias(self) -> sympy.Matrix:
        """θᵏ − θ_π, (F, 1), in GAMMA and K."""
        return self._decaying(identity(self.problem.n_features))

    @cached_property
    def theta_k(self) -> sympy.Matrix:
        """θᵏ, (F, 1), in GAMMA and K."""
        return _joined(self.theta_pi, self.bias)

    @cached_property
    def values(self) -> sympy.Matrix:
        """vᵏ = Φθᵏ, (S, 1)."""
        return _joined(self.v_td, self.value_bias)

    @cached_property
    def v_td(self) -> sympy.Matrix:
        """Φθ_π, (S, 1)."""
        return _vector(_seen(self._Phi, self.target))

    @cached_property
    def value_bias(self) -> sympy.Matrix:
        """Φ(θᵏ − θ_π), (S, 1)."""
        return self._decaying(self._Phi)

    @cached_property
    def Phi(self) -> sympy.Matrix:
        """Φ, (S, F)."""
        return _constant(self._Phi)

    @cached_property
    def _Phi(self) -> fmpq_mat:
        return matrix(self.problem.exact.Phi)

    def _decaying(self, seen: fmpq_mat) -> sympy.Matrix:
        """`seen` times the bias: combined before it is written, so that each power stands once."""
        below = polynomial(self.origin.denominator * self.target.denominator, GAMMA)
        parts = [
            replace(part, u=tuple(tuple(seen * c for c in coefficients) for coefficients in part.u))
            for part in self.decay.parts
        ]
        rows = [[_tidy(power_entry(part, i, GAMMA, below)) for part in parts] for i in range(seen.nrows())]
        return sympy.Matrix([sympy.Add(*row) for row in rows])

    @cached_property
    def truth(self) -> RationalVector:
        """v_π(γ) as polynomials over one denominator: what a tabular problem would find."""
        S, g = self.problem.n_states, self.problem.given
        one = [[int(i == j) for j in range(S)] for i in range(S)]
        tabular = Problem.from_matrices(  # whatever the weights
            g.gamma, Phi=one, P_pi=g.P_pi, r_pi=g.r_pi, d_mu=[Fraction(1, S)] * S, episodic=True
        )
        return fixed_point_in_gamma(exact_model(tabular))

    @cached_property
    def v_pi(self) -> sympy.Matrix:
        """(I − γP)⁻¹r, (S, 1)."""
        return _vector(self.truth)

    @cached_property
    def value_limit(self) -> sympy.Matrix:
        """Φθ_π − v_π, (S, 1): what is left of the error when the bias is gone; zero where Π = I."""
        return _vector(_difference(_seen(self._Phi, self.target), self.truth))

    @cached_property
    def value_error(self) -> sympy.Matrix:
        """vᵏ − v_π, (S, 1)."""
        return self.value_limit + self.value_bias

    def bias_at(self, k: int, gamma: fmpq) -> fmpq_mat:
        """θᵏ − θ_π for any k ≥ 0 at one γ, exactly, from the same decomposition; ZeroDivisionError at det A(γ) = 0."""
        shares = self.decay.at(k)
        below = self.origin.denominator(gamma) * self.target.denominator(gamma)
        return shares * fmpq_mat([[gamma ** (k + j) / below] for j in range(shares.ncols())])

    def theta_at(self, k: int, gamma: fmpq) -> fmpq_mat:
        """θᵏ at one k and γ, exactly."""
        return self.target.at(gamma) + self.bias_at(k, gamma)

    # At a discount where A(γ) is singular

    def is_singular(self, gamma: fmpq) -> bool:
        """Is det A(γ) = 0 on independent features?"""
        return bool(self.target.denominator(gamma) == 0 or self.origin.denominator(gamma) == 0)

    @cached_property
    def constant_gamma(self) -> Powers:
        """(θᵏ, 1) at the problem's own γ."""
        gamma, (R, c) = rational(self.problem.exact.gamma), self.step
        rows = stacked(joined(gamma * R, c), fmpq_mat([[0] * R.nrows() + [1]]))
        return powers(rows, stacked(self.origin.at(gamma), fmpq_mat([[1]])))

    def at_gamma(self) -> tuple[sympy.Matrix, int]:
        """θᵏ in K at the problem's own γ, and from which k on it holds.

        >>> from theory.problems import Problem
        >>> two = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
        >>> Forms(two).at_gamma()[0][0]
        3*k/5
        """
        found, one = self.constant_gamma, sympy.Integer(1)
        rows = range(self.problem.n_features)
        form = [sympy.Add(*(power_entry(part, i, one) for part in found.parts)) for i in rows]
        return sympy.Matrix(form), found.valid_from

    def head_at_gamma(self, k: int) -> fmpq_mat:
        """θᵏ at the problem's own γ, exactly, from the same decomposition."""
        return fmpq_mat(self.constant_gamma.at(k).tolist()[:-1])

    # All heads at once

    def joint(self, last: int) -> sympy.Matrix:
        """M of the heads 0..`last`, in GAMMA."""
        return joint_matrix(self.X, self.Y, self._behaviour(), last)

    def joint_inverse(self, last: int) -> sympy.Matrix:
        """M⁻¹; needs independent features."""
        if self.moments.X.det() == 0:
            raise InvalidProblem("M⁻¹ needs independent features: X is singular", "Phi")
        return tidy(inverse(self.joint(last)))

    def window(self, alpha: Any, T: int) -> sympy.Matrix:
        """G_T = I − S_T A(γ) at a step size, in GAMMA."""
        S_T = _constant(window_sum(self.moments.X, alpha, T))
        return sympy.eye(self.problem.n_features) - S_T * self.X + GAMMA * (S_T * self.Y)

    def _behaviour(self) -> sympy.Matrix:
        if self.A_mu is None:
            raise InvalidProblem("the joint matrix needs the behaviour's own transitions", "P_mu")
        return self.A_mu


def joint_matrix(X: sympy.Matrix, Y: sympy.Matrix, A_mu: sympy.Matrix, last: int) -> sympy.Matrix:
    """M: A_μ on the first block, X on the others, −γY below."""
    F = X.rows
    M = sympy.zeros((last + 1) * F)
    for k in range(last + 1):
        M[k * F : (k + 1) * F, k * F : (k + 1) * F] = X if k else A_mu
        if k:
            M[k * F : (k + 1) * F, (k - 1) * F : k * F] = -GAMMA * Y
    return M


def _seen(m: fmpq_mat, vector: RationalVector) -> RationalVector:
    """m times the vector."""
    rows = [sum((x * p for x, p in zip(row, vector.numerators, strict=True)), fmpq_poly([0])) for row in m.tolist()]
    return RationalVector(tuple(rows), vector.denominator)


def _difference(first: RationalVector, second: RationalVector) -> RationalVector:
    """Over the product of both denominators."""
    pairs = zip(first.numerators, second.numerators, strict=True)
    gaps = tuple(p * second.denominator - q * first.denominator for p, q in pairs)
    return RationalVector(gaps, first.denominator * second.denominator)


def power_entry(part: Part, i: int, gamma: sympy.Expr, below: sympy.Expr = sympy.S.One) -> sympy.Expr:
    """One irreducible factor's share in entry i of γᵏRᵏ Σ_m γᵐV_m/below, V_m the columns that the part was made of."""
    columns = range(part.u[0][0].ncols())
    weights = [[fmpq_poly([c[i, m] for c in coefficients]) for m in columns] for coefficients in part.u]
    if not any(u for row in weights for u in row):
        return sympy.Integer(0)
    # SymPy loses long numbers under a root (it finds nan); there the weight stays as it is.
    digits = max(len(str(c)) for c in part.f.coeffs())
    short = part.f.degree() == 2 and digits < 40 and sympy.count_ops(below) < 40 and len(str(below)) < 120

    def share(root: sympy.Expr) -> sympy.Expr:
        terms = []
        for j, row in enumerate(weights):
            in_gamma = sympy.Add(*(gamma**m * polynomial(u, root) for m, u in enumerate(row)))
            weight = in_gamma / (polynomial(part.f.derivative(), root) * below)
            if short:
                weight = with_roots(weight, GAMMA, _surd(root))
            choose = sympy.Mul(*(K - m for m in range(j))) / sympy.factorial(j)
            terms.append(choose * gamma**j * (gamma * root) ** (K - j) * weight)
        return sympy.Add(*terms)

    return _over_roots(part.f, share)


def _surd(root: sympy.Expr) -> sympy.Expr:
    """The square root in a root of a quadratic, an i with it where there is one."""
    (found,) = [p for p in root.atoms(sympy.Pow) if p.exp == sympy.Rational(1, 2)] or [sympy.S.One]
    return sympy.I * found if root.has(sympy.I) else found


def _over_roots(f: fmpq_poly, summand: Callable[[sympy.Expr], sympy.Expr]) -> sympy.Expr:
    """Σ over the roots of f: written out up to degree two, a `RootSum` beyond."""
    if f.degree() > 2:
        poly = sympy.Poly([number(c) for c in reversed(f.coeffs())], LAMBDA)
        # auto=False: SymPy would look for symmetric functions, which λᵏ is not.
        return sympy.RootSum(poly, sympy.Lambda(LAMBDA, summand(LAMBDA)), auto=False)
    return sympy.Add(*map(summand, small_roots([number(c) for c in f.coeffs()])))


def _joined(limit: sympy.Matrix, decaying: sympy.Matrix) -> sympy.Matrix:
    """Their sum; over one fraction where a single power of k is in it: 3(1 − (6γ/5)ᵏ)/(5 − 6γ)."""

    def entry(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
        single = len({p for p in y.atoms(sympy.Pow) if p.exp.has(K)}) == 1
        return _tidy(x + y) if single and x != 0 else x + y

    return sympy.Matrix([entry(x, y) for x, y in zip(limit, decaying, strict=True)])


def _tidy(x: sympy.Expr) -> sympy.Expr:
    """In lowest terms, powers with k in them left alone; sums with roots in them as they are."""
    if x.has(sympy.RootSum):
        return x
    moving = sorted((p for p in x.atoms(sympy.Pow) if p.exp.has(K)), key=sympy.default_sort_key)
    names = {p: sympy.Dummy(f"p{n}") for n, p in enumerate(moving)}
    return written(x.xreplace(names)).xreplace({v: k for k, v in names.items()})


def _constant(m: fmpq_mat) -> sympy.Matrix:
    return sympy.Matrix(m.nrows(), m.ncols(), [number(x) for x in m.entries()])


def _vector(vector: RationalVector) -> sympy.Matrix:
    return sympy.Matrix([ratio(p, vector.denominator, GAMMA) for p in vector.numerators])
