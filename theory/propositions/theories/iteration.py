"""Iterations of one matrix: Richardson's, its eigenvalues, and generating functions of the chain."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.namespace import Namespace


@cache
def richardson_theory() -> Namespace:
    """x_{t+1} = x_t + α(c − Mx_t) with Mx* = c."""
    n = Namespace("alpha")
    T, M, (x0, x_star, c) = n.T, n.letters("M", "N -> N"), n.letters("x0 x_star c", "1 -> N", x_star="x^*")
    T.assume("M x_star = c", M * x_star, c)
    n.x = T.sequence("x", x0, lambda x: x + T.alpha * (c - M * x), index="t")
    n.E_t = T.power(1 - T.alpha * M, "E", index="t", latex=r"(1-\alpha M)^t")
    n.U_t = T.geometric_sum(n.E_t, "U", latex=r"\sum_{j<t}(1-\alpha M)^j")
    return n


@cache
def eigenvalue_theory(matrix: str = "M") -> Namespace:
    """An eigenvalue p + iq of a matrix with the real and imaginary part of its eigenvector, u + iw."""
    n = Namespace("alpha lam p q")
    T, (u, w), M = n.T, n.letters("u w", "1 -> N"), n.letters(matrix, "N -> N")
    T.assume(f"{matrix} u = p u - q w", M * u, T.p * u - T.q * w)
    T.assume(f"{matrix} w = q u + p w", M * w, T.q * u + T.p * w)
    return n


@cache
def series_theory() -> Namespace:
    """Generating functions in z: the closed form and the bias without induction (eq-closed-form, prop-2).

    θ(z) = Σ_k θᵏzᵏ turns θᵏ⁺¹ = Bθᵏ + c into θ(z) = θ⁰ + z(Bθ(z) + c/(1−z)); times 1−z there is no denominator left.
    R = (1 − zB)⁻¹ = Σ_k zᵏBᵏ. Comparing coefficients of zᵏ in "series-bias" gives θᵏ − θ_π = Bᵏ(θ⁰ − θ_π).
    """
    n = Namespace("z")
    T, B = n.T, n.letters("B", "F -> F")
    theta0, theta_pi, c = n.letters("theta0 theta_pi c", "1 -> F", theta0=r"\theta^0", c="X^{-1}b")
    T.assume("theta_pi = B theta_pi + c", theta_pi, B * theta_pi + c)
    n.R = T.inverse(1 - T.z * B, "R", of="(1 - zB)")
    series = n.letters("series", "1 -> F", series=r"\theta(z)")
    T.assume("recursion times 1 - z", (1 - T.z) * (series - theta0 - T.z * B * series), T.z * c)
    return n
