"""Fractions in lowest terms, factored, with the signs that one would write: 4/(10 − 9γ), not −4/(9γ − 10).

Every factor begins with a positive number: its constant term, or without one the coefficient of its lowest power. A
minus that is left over goes into a sum above the line, where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, lcm
from typing import Any

import sympy
from flint import fmpq, fmpq_poly
from sympy.polys.matrices import DomainMatrix


def number(x: fmpq) -> sympy.Rational:
    """A SymPy rational from a FLINT one."""
    return sympy.Rational(int(x.p), int(x.q))


def integral(polynomials: list[fmpq_poly]) -> list[fmpq_poly]:
    """All of them times one positive number, so that the coefficients are integers without a common divisor."""
    scale = lcm(*(int(p.denom()) for p in polynomials))
    numerators = [p * scale for p in polynomials]
    common = gcd(*(int(p.numer().content()) for p in numerators)) or 1
    return [p / common for p in numerators]


def written(x: sympy.Expr) -> sympy.Expr:
    """A rational function of its letters as such a fraction; what has roots in it stays as it is.

    >>> gamma, p = sympy.symbols("gamma p")
    >>> written(-4 / (9 * gamma - 10)), written((3 * gamma - 2) / (6 * gamma**2 - 11 * gamma + 5))
    (4/(10 - 9*gamma), (3*gamma - 2)/((1 - gamma)*(5 - 6*gamma)))
    >>> written(p / (1 - gamma) - 1 / (1 - gamma))
    (p - 1)/(1 - gamma)
    """
    if x.is_number or any(p.exp.is_Rational and not p.exp.is_Integer for p in x.atoms(sympy.Pow)):
        return x
    above, below = sympy.fraction(sympy.cancel(sympy.together(x)))
    if above == 0:
        return sympy.Integer(0)
    (content, upper), (divisor, lower) = sympy.factor_list(above), sympy.factor_list(below)
    return _assembled(content / divisor, upper, lower)


def irreducible_factors(values: Iterable[sympy.Expr]) -> list[sympy.Expr]:
    """Of numerators and denominators, each once."""
    parts = (part for value in values for part in sympy.fraction(sympy.together(value)))
    return list(dict.fromkeys(factor for part in parts for factor, _ in sympy.factor_list(part)[1]))


def ratio(above: fmpq_poly, below: fmpq_poly, x: sympy.Expr) -> sympy.Expr:
    """above(x)/below(x), by FLINT: SymPy's own factoring is slow on long numbers.

    >>> ratio(fmpq_poly([4]), fmpq_poly([-13, 13]), sympy.Symbol("gamma"))
    -4/(13*(1 - gamma))
    """
    if above.is_zero():
        return sympy.Integer(0)
    common = above.gcd(below)
    upper, lower = (p.numer().factor() for p in integral([above // common, below // common]))

    def factors(found: list[tuple[Any, int]]) -> list[tuple[sympy.Expr, int]]:
        return [(polynomial(fmpq_poly(f), x), int(power)) for f, power in found]

    return _assembled(sympy.Rational(int(upper[0]), int(lower[0])), factors(upper[1]), factors(lower[1]))


def with_roots(x: sympy.Expr, gamma: sympy.Symbol, root: sympy.Expr) -> sympy.Expr:
    """A rational function of γ with one square root in its numbers, its factors written 1 − λγ where they can be.

    >>> gamma, root = sympy.Symbol("gamma"), sympy.sqrt(3)
    >>> with_roots((root * gamma + 2) / (4 - 3 * gamma**2), gamma, root)
    1/(2*(-sqrt(3)*gamma/2 + 1))
    """
    above, below = sympy.fraction(sympy.cancel(sympy.together(x), extension=[root]))
    content, out = sympy.Integer(1), []
    for part, sign in ((above, 1), (below, -1)):
        number, factors = sympy.factor_list(part, gamma, extension=[root])
        content *= number**sign
        for factor, power in factors:
            constant = factor.subs(gamma, 0) or sympy.Integer(1)
            content *= constant ** (sign * power)
            out.append(sympy.Pow(sympy.expand(sympy.radsimp(factor / constant)), sign * power))
    return sympy.Mul(sympy.radsimp(sympy.expand(content)), *out)


def polynomial(p: fmpq_poly, x: sympy.Expr) -> sympy.Expr:
    """p(x)."""
    return sympy.Add(*(number(c) * x**j for j, c in enumerate(p.coeffs()) if c != 0))


def tidy(M: sympy.Matrix) -> sympy.Matrix:
    """Every entry as one would write it."""
    return M.applyfunc(written)


def charpoly(M: sympy.Matrix) -> list[sympy.Expr]:
    """det(λ − M) over the field of the entries, the leading 1 first."""
    matrix = DomainMatrix.from_Matrix(M).to_field()
    return [matrix.domain.to_sympy(c) for c in matrix.charpoly()]


def determinant(M: sympy.Matrix) -> sympy.Expr:
    """Over the same field."""
    matrix = DomainMatrix.from_Matrix(M).to_field()
    return matrix.domain.to_sympy(matrix.det())


def inverse(M: sympy.Matrix) -> sympy.Matrix:
    """Over the same field."""
    return DomainMatrix.from_Matrix(M).to_field().inv().to_Matrix()


Factors = Iterable[tuple[sympy.Expr, int]]


def _assembled(content: sympy.Rational, upper: Factors, lower: Factors) -> sympy.Expr:
    sign = 1 if content > 0 else -1
    above: list[tuple[sympy.Expr, int]] = []
    below: list[tuple[sympy.Expr, int]] = []
    for out, factors in ((above, upper), (below, lower)):
        for factor, power in factors:
            turn = -1 if _first(factor) < 0 else 1
            sign *= turn**power
            out.append((turn * factor, power))
    if sign < 0:
        for i, (factor, power) in enumerate(above):
            negative = [bool(term.as_coeff_Mul()[0] < 0) for term in sympy.Add.make_args(factor)]
            if power % 2 and 2 * sum(negative) >= len(negative):
                above[i], sign = (sympy.expand(-factor), power), 1
                break
    inverse = [sympy.Pow(factor, -power) for factor, power in below]
    return sympy.Mul(sign * abs(content), *(sympy.Pow(factor, power) for factor, power in above), *inverse)


def _first(factor: sympy.Expr) -> sympy.Rational:
    """The coefficient of the lowest power, by total degree and then by the alphabet."""
    poly = sympy.Poly(factor, *sorted(factor.free_symbols, key=str))
    return min(poly.terms(), key=lambda term: (sum(term[0]), [-power for power in term[0]]))[1]
