r"""Closed forms in γ and k of one concrete problem, as SymPy expressions.

R = X⁻¹Y and c = X⁻¹b have no γ in them, and θᵏ = Σ_{i<k} γⁱRⁱc + γᵏRᵏθ⁰. With the decomposition of Rⁱ in
`theory.exact.powers`, where an eigenvalue λ of R carries the vectors u_j, the sum over i is elementary:

    θᵏ(γ) = Σ_λ Σ_j [ γᵏ C(k, j) λ^{k−j} u_j⁰(λ) + γʲ s_j(k, γλ) u_jᶜ(λ) ]/f'(λ) + Σ_{i<m₀} γⁱ(RⁱE_0 c)

    s_j(k, x) = Σ_{i<k} C(i, j) x^{i−j} = (1 − Σ_{l≤j} C(k, l) x^{k−l}(1 − x)^l)/(1 − x)^{j+1}

for k ≥ m₀, the size of the largest Jordan block at λ = 0 that the vectors touch (0 if none). Simple eigenvalues have
j = 0 only: s_0 is the geometric sum. Rational and quadratic λ are written out, others stay in a `RootSum`. The form
holds for every γ but 1/λ, where A(γ) is singular and the sum is k instead.

θ_π(γ) is a vector of rational functions; for the spectra see `theory.exact.spectra`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import sympy
from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.chain import affine_step
from theory.exact.fixed_points import starting_point
from theory.exact.matrices import rational
from theory.exact.moments import exact_moments
from theory.exact.powers import Part, Powers, inverse_modulo, power_modulo, powers, sum_over_roots
from theory.exact.rational_functions import (
    RationalVector,
    behaviour_fixed_point_in_gamma,
    integral,
    td_fixed_point_in_gamma,
)
from theory.exact.spectra import GAMMA, LAMBDA, Spectrum, number, small_roots, td_spectrum
from theory.problems import Problem
from theory.problems.numbers import as_number

K = sympy.Symbol("k", integer=True, nonnegative=True)


@dataclass(frozen=True, eq=False)
class ClosedForms:
    """A problem's closed forms; `theta_k` holds for k ≥ `valid_from` and every γ with A(γ) regular."""

    problem: Problem
    start: RationalVector  # θ⁰(γ)
    target: RationalVector  # θ_π(γ)
    decomposition: Powers  # of Rᵏ[c, θ⁰'s numerators]

    @property
    def valid_from(self) -> int:
        """m₀: the form of θᵏ holds from this k on."""
        return self.decomposition.valid_from

    @cached_property
    def theta_pi(self) -> sympy.Matrix:
        """θ_π(γ), (F, 1)."""
        return _vector(self.target)

    @cached_property
    def theta_0(self) -> sympy.Matrix:
        """θ⁰(γ), (F, 1)."""
        return _vector(self.start)

    @cached_property
    def theta_k(self) -> sympy.Matrix:
        """θᵏ(γ), (F, 1), in the symbols K and GAMMA."""
        below = _polynomial(self.start.denominator, GAMMA)
        rows = []
        for i in range(self.problem.n_features):
            terms = [_entry(part, i, below) for part in self.decomposition.parts]
            terms += [GAMMA**j * number(share[i, 0]) for j, share in enumerate(self.decomposition.nilpotent)]
            rows.append(sympy.Add(*terms))
        return sympy.Matrix(rows)

    def at(self, k: int, gamma: Any) -> fmpq_mat:
        """θᵏ at one k ≥ 0 and γ, exactly: the same form evaluated in ℚ[λ]/(f), without a root.

        Use this rather than `subs` on `theta_k`: substituting a number for k makes SymPy look for symmetric
        functions of the roots in a `RootSum`, which takes minutes from degree 5 or so on.
        """
        g = gamma if isinstance(gamma, fmpq) else rational(Fraction(as_number(gamma, "gamma")))
        start = fmpq_mat(len(self.start.numerators), 1)
        shares = self.decomposition.at(k)
        for row in range(start.nrows()):
            for column in range(1, shares.ncols()):
                start[row, 0] += g ** (column - 1) * shares[row, column]
        out = g**k / self.start.denominator(g) * start
        for i, share in enumerate(self.decomposition.nilpotent[:k]):
            out = out + g**i * fmpq_mat(out.nrows(), 1, [row[0] for row in share.tolist()])
        for part in self.decomposition.parts:
            for j, table in enumerate(part.u):
                weight = g**j * _finite_sum(j, k, fmpq_poly([0, g]), part.f)
                out = out + fmpq_mat(out.nrows(), 1, [sum_over_roots(weight * row[0], part.f) for row in table])
        return out

    @cached_property
    def spectrum(self) -> tuple[Spectrum, ...]:
        """The eigenvalues of A(γ) as algebraic functions of γ."""
        return td_spectrum(self.problem)

    def latex(self) -> dict[str, str]:
        """LaTeX of θ_π(γ), θᵏ(γ) and the spectrum's polynomial factors."""
        factors = " \\cdot ".join(
            f"\\left({sympy.latex(s.polynomial)}\\right)" + (f"^{{{s.multiplicity}}}" if s.multiplicity > 1 else "")
            for s in self.spectrum
        )
        forms = {"theta_pi": self.theta_pi, "theta_k": self.theta_k}
        return {name: sympy.latex(form) for name, form in forms.items()} | {"characteristic_polynomial": factors}


def closed_forms(problem: Problem, start: Any = "zero") -> ClosedForms:
    """The closed forms of the chain that starts at ``"zero"``, ``"behaviour"`` (θ_μ(γ)) or a given vector.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> forms = closed_forms(twostate)
    >>> forms.theta_pi[0]
    3/(5 - 6*gamma)
    >>> forms.theta_k[0].subs({K: 2, GAMMA: sympy.Rational(1, 2)})
    24/25
    """
    m = exact_moments(problem)
    R, c = affine_step(m.X, m.Y, m.b)
    if isinstance(start, str) and start == "behaviour":
        theta_0 = behaviour_fixed_point_in_gamma(problem)
    else:
        numbers = starting_point(problem, start).entries()
        theta_0 = RationalVector(tuple(fmpq_poly([x]) for x in numbers), fmpq_poly([1]))
    vectors = [c.entries()] + [theta_0.coefficient(j).entries() for j in range(theta_0.degree + 1)]
    V = fmpq_mat([list(row) for row in zip(*vectors, strict=True)])
    return ClosedForms(problem, theta_0, td_fixed_point_in_gamma(problem), powers(R, V))


def _entry(part: Part, i: int, below: sympy.Expr) -> sympy.Expr:
    """One irreducible factor's share in entry i of θᵏ."""
    f = sympy.Poly([number(c) for c in reversed(part.f.coeffs())], LAMBDA)
    if all(u.is_zero() for table in part.u for u in table[i]):
        return sympy.Integer(0)
    if part.f.degree() > 2:
        body = _summand(part, i, below, LAMBDA)
        # auto=False: SymPy would look for symmetric functions, which λᵏ is not.
        return sympy.RootSum(f, sympy.Lambda(LAMBDA, body), auto=False)
    c = [number(x) for x in part.f.coeffs()]
    return sympy.Add(*(_summand(part, i, below, root) for root in small_roots(c)))


def _summand(part: Part, i: int, below: sympy.Expr, root: sympy.Expr) -> sympy.Expr:
    x, terms = GAMMA * root, []
    for j, table in enumerate(part.u):
        offset, *start = table[i]
        if not offset.is_zero():
            falling = sympy.Add(*(_choose(m) * x ** (K - m) * (1 - x) ** m for m in range(j + 1)))
            terms.append(GAMMA**j * (1 - falling) / (1 - x) ** (j + 1) * _polynomial(offset, root))
        if any(not u.is_zero() for u in start):
            power = GAMMA**K * root ** (K - j) * _choose(j)
            in_gamma = sympy.Add(*(GAMMA**m * _polynomial(u, root) for m, u in enumerate(start)))
            terms.append(power * in_gamma / below)
    return sympy.Add(*terms) / _polynomial(part.f.derivative(), root)


def _finite_sum(j: int, k: int, x: fmpq_poly, f: fmpq_poly) -> fmpq_poly:
    """s_j(k, x) in ℚ[λ]/(f)."""
    rest = fmpq_poly([1]) - x
    falling = fmpq_poly([0])
    for m in range(min(j, k) + 1):
        falling = falling + comb(k, m) * power_modulo(x, k - m, f) * power_modulo(rest, m, f)
    return (fmpq_poly([1]) - falling) * power_modulo(inverse_modulo(rest, f), j + 1, f) % f


def _choose(m: int) -> sympy.Expr:
    """C(k, m) as a polynomial in k."""
    return sympy.Mul(*((K - i) for i in range(m))) / sympy.factorial(m)


def _vector(vector: RationalVector) -> sympy.Matrix:
    rows = []
    for p in vector.numerators:
        g = p.gcd(vector.denominator)
        above, below = integral([p // g, vector.denominator // g])
        rows.append(_polynomial(above, GAMMA) / _polynomial(below, GAMMA))
    return sympy.Matrix(rows)


def _polynomial(p: fmpq_poly, x: sympy.Expr) -> sympy.Expr:
    return sympy.Add(*(number(c) * x**j for j, c in enumerate(p.coeffs()) if c != 0))
