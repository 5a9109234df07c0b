r"""The problem's spectra and fixed points as functions of γ.

The eigenvalues of A(γ) = X − γY are the roots λ(γ) of det(λI − A(γ)), a polynomial in λ and γ with rational
coefficients; those of the chain's B = γR are γ times the eigenvalues of R = X⁻¹Y. FLINT factors the polynomials over ℚ.
A factor of degree one or two in λ is solved; of the others the polynomial itself defines the algebraic function.

A(γ) is linear in γ, so on r independent features det A has degree at most r, Cramer's numerators of θ_π at most r − 1,
and the coefficient of λ^{F−j} in det(λI − A) at most j. Exact values at that many integers, plus one, determine them;
no symbolic determinant is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy
from flint import fmpq, fmpq_mat, fmpq_poly

from theory.derivation.fractions import integral, number, polynomial
from theory.exact.polynomials import characteristic_polynomial, interpolate, irreducible_factors, short_points
from theory.model.linear_model import ExactModel, exact_model, exact_moments
from theory.problems import Problem

GAMMA = sympy.Symbol("gamma", nonnegative=True)
LAMBDA = sympy.Symbol("lambda")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One irreducible factor of a characteristic polynomial: its roots λ(γ) are an algebraic function of γ."""

    polynomial: sympy.Expr  # in LAMBDA and GAMMA
    multiplicity: int
    eigenvalues: tuple[sympy.Expr, ...]  # written out where the factor is linear or quadratic in λ, else empty


def td_spectrum(m: ExactModel) -> tuple[Spectrum, ...]:
    """det(λI − A(γ)), factored; dependent features show as a factor λ. Of the behaviour's model det(λI − A_μ(γ)).

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> td_spectrum(exact_moments(twostate))[0].eigenvalues
    (5/2 - 3*gamma,)
    """
    found = irreducible_factors(key_polynomial(m))
    return tuple(_factor((polynomial(p, GAMMA) for p in factor), multiplicity) for factor, multiplicity in found)


def chain_spectrum(problem: Problem) -> tuple[Spectrum, ...]:
    """det(λI − B), B = γX⁻¹Y on independent features, factored: each factor is γⁿf(λ/γ) for a factor f of degree n."""
    return _scaled(successor_polynomial(problem), GAMMA)


def head_spectrum(problem: Problem) -> tuple[Spectrum, ...]:
    """det(λI − X), factored."""
    return _scaled(exact_moments(problem).X.charpoly(), sympy.S.One)


def _scaled(p: fmpq_poly, scale: sympy.Expr) -> tuple[Spectrum, ...]:
    """The factors of p(λ/scale), times powers of the scale."""
    return tuple(
        _factor((number(fmpq(c)) * scale ** (f.degree() - i) for i, c in enumerate(f.coeffs())), multiplicity)
        for f, multiplicity in p.numer().factor()[1]
    )


def small_roots(c: list[sympy.Expr]) -> tuple[sympy.Expr, ...]:
    """The roots of Σ c_i λⁱ where that has degree one or two, else nothing."""
    if len(c) == 2:
        return (sympy.cancel(-c[0] / c[1]),)
    if len(c) == 3:
        root = sympy.sqrt(sympy.factor(c[1] ** 2 - 4 * c[0] * c[2]))
        return tuple((-c[1] + sign * root) / (2 * c[2]) for sign in (1, -1))
    return ()


def _factor(coefficients: Iterable[sympy.Expr], multiplicity: int) -> Spectrum:
    c = list(coefficients)
    polynomial = sympy.expand(sympy.Add(*(x * LAMBDA**i for i, x in enumerate(c))))
    return Spectrum(polynomial, int(multiplicity), small_roots(c))


@dataclass(frozen=True, eq=False)
class RationalVector:
    """numerators(γ)/denominator(γ), entry by entry over one denominator."""

    numerators: tuple[fmpq_poly, ...]  # (F,)
    denominator: fmpq_poly

    def at(self, gamma: fmpq) -> fmpq_mat:
        """The vector at one γ; ZeroDivisionError at a pole."""
        below = self.denominator(gamma)
        return fmpq_mat(len(self.numerators), 1, [p(gamma) / below for p in self.numerators])


def successor_polynomial(problem: Problem) -> fmpq_poly:
    """The characteristic polynomial of R = X⁻¹Y on independent features: the nonzero spectrum of ΠP."""
    m = exact_model(problem)
    return characteristic_polynomial(m.X_hat.solve(m.Y_hat)) if m.rank else fmpq_poly([1])


def key_polynomial(m: ExactModel) -> list[fmpq_poly]:
    """det(λI − A(γ)) as polynomials in γ, the coefficient of λ⁰ first, structural zeros included."""
    F = m.X.nrows()
    samples = [(g, (m.X - g * m.Y).charpoly()) for g in (fmpq(n) for n in range(F + 1))]
    return [interpolate([(g, p[j]) for g, p in samples[: F - j + 1]]) for j in range(F + 1)]


def fixed_point_in_gamma(m: ExactModel) -> RationalVector:
    """θ_π(γ), or of the behaviour's model θ_μ(γ); the one of least norm where features depend on each other.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> theta = fixed_point_in_gamma(exact_model(twostate))
    >>> theta.numerators, theta.denominator
    ((3,), (-6)*x + 5)
    """
    r, lift = m.rank, m.parameters(m.eye())
    F = lift.nrows()
    if r == 0:
        return RationalVector((fmpq_poly([0]),) * F, fmpq_poly([1]))
    dets: list[tuple[fmpq, fmpq]] = []
    solutions: list[tuple[fmpq, fmpq_mat]] = []
    for g in short_points():
        A = m.X_hat - g * m.Y_hat
        det = A.det()
        dets.append((g, det))
        if det != 0:  # at most r points are poles; at one of them adj(A)b has no short way
            solutions.append((g, det * A.solve(m.b_hat)))
        if len(dets) > r and len(solutions) >= r:
            break
    below = interpolate(dets[: r + 1])
    inner = [interpolate([(g, w[i, 0]) for g, w in solutions[:r]]) for i in range(r)]
    above = [sum((lift[i, j] * inner[j] for j in range(r)), fmpq_poly([0])) for i in range(F)]
    common = below
    for p in above:
        common = common.gcd(p)
    *above, below = integral([p // common for p in (*above, below)])
    return RationalVector(tuple(above), below)
