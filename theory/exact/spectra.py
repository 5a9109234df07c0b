r"""Spectra as algebraic functions of γ, as SymPy expressions.

The eigenvalues of A(γ) = X − γY are the roots λ(γ) of det(λI − A(γ)), a polynomial in λ and γ with rational
coefficients; those of the chain's B = γR are γ times the eigenvalues of R = X⁻¹Y. FLINT factors the polynomials over ℚ.
A factor of degree one or two in λ is solved; of the others the polynomial itself defines the algebraic function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from flint import fmpq

from theory.exact.rational_functions import key_polynomial, successor_polynomial
from theory.exact.two_variables import irreducible_factors
from theory.problems import Problem

GAMMA = sympy.Symbol("gamma", nonnegative=True)
LAMBDA = sympy.Symbol("lambda")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One irreducible factor of a characteristic polynomial: its roots λ(γ) are an algebraic function of γ."""

    polynomial: sympy.Expr  # in LAMBDA and GAMMA
    multiplicity: int
    eigenvalues: tuple[sympy.Expr, ...]  # written out where the factor is linear or quadratic in λ, else empty


def td_spectrum(problem: Problem) -> tuple[Spectrum, ...]:
    """det(λI − A(γ)), factored; dependent features show as a factor λ.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> td_spectrum(twostate)[0].eigenvalues
    (5/2 - 3*gamma,)
    """
    return tuple(
        _factor({(i, j): c for i, p in enumerate(factor) for j, c in enumerate(p.coeffs()) if c != 0}, multiplicity)
        for factor, multiplicity in irreducible_factors(key_polynomial(problem))
    )


def chain_spectrum(problem: Problem) -> tuple[Spectrum, ...]:
    """det(λI − B), B = γX⁻¹Y on independent features, factored: each factor is γⁿf(λ/γ) for a factor f of degree n."""
    found = []
    for f, multiplicity in successor_polynomial(problem).numer().factor()[1]:
        n = f.degree()
        found.append(_factor({(i, n - i): fmpq(f[i]) for i in range(n + 1) if f[i] != 0}, int(multiplicity)))
    return tuple(found)


def small_roots(c: list[sympy.Expr]) -> tuple[sympy.Expr, ...]:
    """The roots of Σ c_i λⁱ where that has degree one or two, else nothing."""
    if len(c) == 2:
        return (sympy.cancel(-c[0] / c[1]),)
    if len(c) == 3:
        root = sympy.sqrt(sympy.factor(c[1] ** 2 - 4 * c[0] * c[2]))
        return tuple((-c[1] + sign * root) / (2 * c[2]) for sign in (1, -1))
    return ()


def number(x: fmpq) -> sympy.Rational:
    """A SymPy rational from a FLINT one."""
    return sympy.Rational(int(x.p), int(x.q))


def _factor(terms: Mapping[tuple[int, ...], fmpq], multiplicity: int) -> Spectrum:
    numbers = {exponents: number(c) for exponents, c in terms.items()}
    by_power = [
        sympy.Add(*(c * GAMMA**j for (i, j), c in numbers.items() if i == power))
        for power in range(1 + max(i for i, _ in numbers))
    ]
    polynomial = sympy.Add(*(c * LAMBDA**i * GAMMA**j for (i, j), c in numbers.items()))
    return Spectrum(polynomial, multiplicity, small_roots(by_power))
