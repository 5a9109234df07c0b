"""A second way to the closed form and the bias, without induction (eq-closed-form, prop-2)."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.theory import Theory


@cache
def series_theory() -> Chapter:
    """Generating functions in z.

    θ(z) = Σ_k θᵏzᵏ turns θᵏ⁺¹ = Bθᵏ + c into θ(z) = θ⁰ + z(Bθ(z) + c/(1−z)); times 1−z there is no denominator left.
    R = (1 − zB)⁻¹ = Σ_k zᵏBᵏ. Comparing coefficients of zᵏ in "series-bias" gives θᵏ − θ_π = Bᵏ(θ⁰ − θ_π).
    """
    T = Theory("z")
    G, theta0 = T.op("B", "F -> F"), T.op("theta0", "1 -> F", latex=r"\theta^0")
    theta_pi, c = T.op("theta_pi", "1 -> F"), T.op("c", "1 -> F", latex="X^{-1}b")
    T.assume("theta_pi = B theta_pi + c", theta_pi, G * theta_pi + c)
    R = T.inverse(1 - T.z * G, "R", of="(1 - zB)")
    total = T.op("series", "1 -> F", latex=r"\theta(z)")
    T.assume("recursion times 1 - z", (1 - T.z) * (total - theta0 - T.z * G * total), T.z * c)
    return Chapter(T, G=G, R=R, theta0=theta0, theta_pi=theta_pi, c=c, series=total)
