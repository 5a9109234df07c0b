"""The paper's standard theory: letters, sequences with their lemmas, exact models.

Letters are Φ : F → S, D = diag(d_μ), P = P_π, r : 1 → S; X = ΦᵀDΦ, Y = ΦᵀDPΦ, A = X − γY, b = ΦᵀDr, G = γX⁻¹Y (the
paper's B), Π = ΦX⁻¹ΦᵀD, C = γX⁻¹ΦᵀDP. Nothing is assumed of D but symmetry, of P nothing, so that what is proved holds
more generally; half of the models are honest problems with a distribution and a stochastic P, half are generic.

    n = paper_theory()
    n.T.prove("mine", n.Pi * n.Phi, n.Phi)

Sequences over k are the chain's; sequences over t are the T updates between two switches of a target network.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.matrices import Draw
from theory.symbolic.theory import Theory


def a_problem(draw: Draw) -> dict[str, Any]:
    """An honest problem: D a distribution, P stochastic, 0 < γ < 1, 0 < α."""
    S = draw.dims["S"]
    values = {"D": draw.diagonal(draw.distribution(S)), "P": draw.stochastic(S), "gamma": abs(draw.number())}
    return {**values, "alpha": abs(draw.number())}


def a_problem_without_step(draw: Draw) -> dict[str, Any]:
    """An honest problem for theories without a step size."""
    return {name: value for name, value in a_problem(draw).items() if name != "alpha"}


def anything(draw: Draw) -> dict[str, Any]:
    """No restriction beyond the assumptions."""
    return {}


SIZES = ({"S": 3, "F": 2}, {"S": 4, "F": 3}, {"S": 2, "F": 2}, {"S": 3, "F": 3})


def standard_letters(T: Theory) -> dict[str, Any]:
    """Φ, D, P, r and what is made of them without an inverse."""
    Phi = T.op("Phi", "F -> S")
    D = T.op("D", "S -> S", symmetric=True)
    P = T.op("P", "S -> S")
    r = T.op("r", "1 -> S")
    X = T.abbreviate("X", Phi.T * D * Phi)
    Y = T.abbreviate("Y", Phi.T * D * P * Phi)
    b = T.abbreviate("b", Phi.T * D * r)
    A = T.abbreviate("A", X - T.gamma * Y)
    return {"Phi": Phi, "D": D, "P": P, "r": r, "X": X, "Y": Y, "b": b, "A": A}


def with_inverse(T: Theory, n: dict[str, Any]) -> dict[str, Any]:
    """X⁻¹ and what is made of it."""
    Xi = T.inverse(n["X"], "Xi", of="X", latex="X^{-1}")
    Pi = T.abbreviate("Pi", n["Phi"] * Xi * n["Phi"].T * n["D"])
    C = T.abbreviate("C", T.gamma * Xi * n["Phi"].T * n["D"] * n["P"])
    return {"Xi": Xi, "Pi": Pi, "C": C, "G": T.abbreviate("B", T.gamma * Xi * n["Y"])}


@cache
def paper_theory() -> Chapter:
    """The standard theory, built once.

    >>> n = paper_theory()
    >>> print(n.T.prove("projection", n.Pi * n.Pi, n.Pi))
    Proved 'projection': for all dimensions
      uses 'Xi X = 1'
    """
    T = Theory("gamma alpha")
    letters = standard_letters(T)
    theta0, theta_pi = T.op("theta0", "1 -> F", latex=r"\theta^0"), T.op("theta_pi", "1 -> F")
    letters |= with_inverse(T, letters)
    n = Chapter(T, **letters, theta0=theta0, theta_pi=theta_pi)
    T.assume("A theta_pi = b", n.A * theta_pi, n.b)
    n.Ai = T.inverse(n.A, "Ai", of="A", latex="A^{-1}")
    T.model(a_problem, *SIZES)
    T.model(anything, *SIZES)
    _chain(n)
    _target_network(n)
    return n


def _chain(n: Chapter) -> None:
    T = n.T
    n.theta = T.sequence("theta", n.theta0, lambda t: n.Xi * (T.gamma * n.Y * t + n.b), latex=r"\theta^k_*")
    n.G_k = T.power(n.G, "B", latex="B^k")
    n.W_k = T.geometric_sum(n.G_k, "W", latex="W_k")
    n.R_k = T.power(n.Xi * n.Y, "R", latex=r"(X^{-1}Y)^k")
    n.Z_k = T.power(T.gamma * n.Pi * n.P, "Z", latex=r"(\gamma\Pi P)^k")
    T.lemma("Phi B_k = Z_k Phi", n.Phi * n.G_k, n.Z_k * n.Phi)
    n.gamma_k = T.scalar_sequence("gamma", 1, lambda g: T.gamma * g, latex=r"\gamma^k")


def _target_network(n: Chapter) -> None:
    """T updates with a frozen bootstrap target; Q = (1 − αX)ᵀ, U = Σ_{j<T} (1 − αX)ʲ, S_T = αU."""
    T, index = n.T, "t"
    n.Q_t = T.power(1 - T.alpha * n.X, "Q", index=index, latex="Q_T")
    n.U_t = T.geometric_sum(n.Q_t, "U", latex="U_T")
    n.S_t = T.abbreviate("S_t", T.alpha * n.U_t, latex="S_T")
    n.G_t = T.abbreviate("G_t", n.Q_t + (1 - n.Q_t) * n.G, latex="G_T")

    def update(x: Any) -> Any:
        return x + T.alpha * (n.b + T.gamma * n.Y * n.theta0 - n.X * x)

    n.hot = T.sequence("hot", n.theta0, update, index=index, latex=r"\theta_T")
    n.init = T.op("init", "1 -> F", latex=r"\theta_{\mathrm{init}}")
    n.cold = T.sequence("cold", n.init, update, index=index, latex=r"\theta_T^{\mathrm{cold}}")
    n.outer = T.sequence(
        "outer", n.theta0, lambda x: n.Q_t * x + (1 - n.Q_t) * (n.G * x + n.Xi * n.b), latex=r"\theta^{k,T}"
    )
    n.H_k = T.power(n.G_t, "H", latex="G_T^k")
