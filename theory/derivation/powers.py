r"""Rᵏ for symbolic k: the spectral decomposition of a rational matrix without a single irrational number.

The minimal polynomial m = x^{m₀} Π f^e splits over ℚ into irreducible f. For each, by the Chinese remainder
theorem, a polynomial E_f ≡ 1 mod f^e, ≡ 0 mod the rest projects onto its primary part. There R = S + N, S semisimple
with f(S) = 0 and N nilpotent, commuting; s(x) with S = s(R) comes from Newton's iteration on f(s) ≡ 0 mod f^e. Then

    Rᵏ = Σ_f Σ_{j<e} C(k, j) S^{k−j} Nʲ E_f(R)   +  [k < m₀] Rᵏ E_0(R)

    Sⁱ = Σ_{f(λ)=0} λⁱ q(S, λ)/f'(λ)        q(x, λ) = (f(x) − f(λ))/(x − λ)        (Lagrange)

where q is a polynomial in x and λ with rational coefficients. So Rᵏ V, entry by entry, is a sum over the roots λ of f
of C(k, j) λ^{k−j} u(λ)/f'(λ) with rational u; the share of λ = 0 vanishes from k = m₀ on. Such sums need no roots
either (Euler): Σ_{f(λ)=0} p(λ)/f'(λ) is the coefficient of λ^{n−1} in p mod f, n = deg f, f monic.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.matrices import identity, is_zero

X = fmpq_poly([0, 1])


@dataclass(frozen=True, eq=False)
class Part:
    """The share of one irreducible f ≠ x in Rᵏ V: Σ_j C(k, j) Σ_{f(λ)=0} λ^{k−j} u_j(λ)/f'(λ)."""

    f: fmpq_poly  # monic
    u: tuple[tuple[fmpq_mat, ...], ...]  # u_j's coefficients of λ⁰, λ¹, …, of λⁿ⁻¹ with n = deg f


@dataclass(frozen=True, eq=False)
class Powers:
    """Rᵏ V for all k ≥ 0: the parts, and the nilpotent share Rᵏ E_0 V for k = 0, …, m₀ − 1."""

    parts: tuple[Part, ...]
    nilpotent: tuple[fmpq_mat, ...]
    zero: fmpq_mat  # of V's shape

    @property
    def valid_from(self) -> int:
        """m₀: from this k on the parts alone are Rᵏ V."""
        return len(self.nilpotent)

    def at(self, k: int) -> fmpq_mat:
        """Rᵏ V, evaluated from the decomposition in ℚ[λ]/(f)."""
        out = self.nilpotent[k] if k < self.valid_from else self.zero
        for part in self.parts:
            for j, coefficients in enumerate(part.u[: k + 1]):
                power = power_modulo(X, k - j, part.f)
                for i, c in enumerate(coefficients):
                    out = out + comb(k, j) * sum_over_roots(power * X**i, part.f) * c
        return out


def powers(R: fmpq_mat, V: fmpq_mat) -> Powers:
    """The decomposition of Rᵏ V.

    >>> fibonacci = powers(fmpq_mat([[1, 1], [1, 0]]), fmpq_mat([[1], [0]]))
    >>> [int(fibonacci.at(k)[1, 0]) for k in range(8)]
    [0, 1, 1, 2, 3, 5, 8, 13]
    """
    minimal = fmpq_poly(R.minpoly())
    parts, nilpotent = [], []
    for factor, e in minimal.numer().factor()[1]:
        f = fmpq_poly(factor) / factor.leading_coefficient()
        primary = f**e
        rest = minimal // primary
        projected = evaluate(rest * inverse_modulo(rest, primary) % minimal, R, V)
        if f[0] == 0:  # f = x: its share dies out
            for _ in range(e):
                nilpotent.append(projected)
                projected = R * projected
        elif not is_zero(projected):
            parts.append(_part(R, f, e, projected))
    while nilpotent and is_zero(nilpotent[-1]):
        nilpotent.pop()
    return Powers(tuple(parts), tuple(nilpotent), 0 * V)


def _part(R: fmpq_mat, f: fmpq_poly, e: int, V: fmpq_mat) -> Part:
    S = R if e == 1 else evaluate(semisimple(f, e), R, identity(R.nrows()))
    N = R - S
    tables = []
    for _ in range(e):
        if is_zero(V):
            break
        # q(S, λ)V: the coefficient of λˡ in q(x, λ) is Σ_i f_{i+l+1} xⁱ.
        tables.append(tuple(evaluate(fmpq_poly(f.coeffs()[power + 1 :]), S, V) for power in range(f.degree())))
        V = N * V
    return Part(f, tuple(tables))


def semisimple(f: fmpq_poly, e: int) -> fmpq_poly:
    """s ≡ x mod f with f(s) ≡ 0 mod f^e: each Newton step doubles the power of f."""
    primary, s, reached = f**e, X, 1
    while reached < e:
        s = (s - f(s) * inverse_modulo(f.derivative()(s), primary)) % primary
        reached *= 2
    return s


def evaluate(p: fmpq_poly, R: fmpq_mat, V: fmpq_mat) -> fmpq_mat:
    """p(R) V, by Horner."""
    out = 0 * V
    for c in reversed(p.coeffs()):
        out = R * out + c * V
    return out


def inverse_modulo(p: fmpq_poly, modulus: fmpq_poly) -> fmpq_poly:
    """1/p in ℚ[x]/(modulus); ZeroDivisionError where they have a common root."""
    g, s, _ = (p % modulus).xgcd(modulus)
    if g.degree() > 0:
        raise ZeroDivisionError("not invertible: a common root")
    return s / g[0] % modulus


def power_modulo(p: fmpq_poly, k: int, modulus: fmpq_poly) -> fmpq_poly:
    """pᵏ in ℚ[x]/(modulus), by repeated squaring."""
    out, p = fmpq_poly([1]) % modulus, p % modulus
    while k:
        if k & 1:
            out = out * p % modulus
        k >>= 1
        p = p * p % modulus
    return out


def sum_over_roots(p: fmpq_poly, f: fmpq_poly) -> fmpq:
    """Σ p(λ)/f'(λ) over the roots λ of the monic squarefree f.

    >>> x = fmpq_poly([0, 1])
    >>> sum_over_roots(x**3, x**2 - 2)  # √2³/(2√2) + (−√2)³/(−2√2)
    2
    """
    return (p % f)[f.degree() - 1]
