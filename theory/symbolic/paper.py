"""The paper's standard theory, ready-made: letters, sequences, exact models, and its identities as claims.

Letters are Φ : F → S, D = diag(d_μ), P = P_π, r : 1 → S; X = ΦᵀDΦ, Y = ΦᵀDPΦ, A = X − γY, b = ΦᵀDr, G = γX⁻¹Y (the
paper's B), Π = ΦX⁻¹ΦᵀD, C = γX⁻¹ΦᵀDP. Nothing is assumed of D but symmetry, of P nothing, so that what is proved holds
more generally; half of the models are honest problems with a distribution and a stochastic P, half are generic.

    paper = paper_theory()
    paper.decide("bias")                      # an identity of the paper
    paper.T.prove("mine", paper.Pi * paper.Phi, paper.Phi)

Sequences over k are the chain's; sequences over t are the T updates between two switches of a target network.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from theory.symbolic.matrices import Draw
from theory.symbolic.outcomes import Outcome
from theory.symbolic.theory import Claim, Theory


class Chapter(SimpleNamespace):
    """A theory `T` with its letters as attributes and its identities in `claims`."""

    T: Theory
    claims: dict[str, Claim]

    def __init__(self, T: Theory, **letters: Any) -> None:
        super().__init__(T=T, claims={}, **letters)

    def state(self, name: str, left: Any, right: Any = 0, *, using: tuple[str, ...] | None = None) -> None:
        """Add an identity."""
        self.claims[name] = self.T.claim(name, left, right, using=using)

    def decide(self, name: str) -> Outcome:
        """Proved, refuted or open."""
        return self.claims[name].decide()

    def decide_all(self) -> dict[str, Outcome]:
        """All identities, in the order in which they were stated."""
        return {name: claim.decide() for name, claim in self.claims.items()}


def a_problem(draw: Draw) -> dict[str, Any]:
    """An honest problem: D a distribution, P stochastic, 0 < γ < 1, 0 < α."""
    S = draw.dims["S"]
    values = {"D": draw.diagonal(draw.distribution(S)), "P": draw.stochastic(S), "gamma": abs(draw.number())}
    return {**values, "alpha": abs(draw.number())}


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
    X, Y, b = Phi.T * D * Phi, Phi.T * D * P * Phi, Phi.T * D * r
    return {"Phi": Phi, "D": D, "P": P, "r": r, "X": X, "Y": Y, "b": b, "A": X - T.gamma * Y}


def with_inverse(T: Theory, n: dict[str, Any]) -> dict[str, Any]:
    """X⁻¹ and what is made of it."""
    Xi = T.inverse(n["X"], "Xi", of="X", latex="X^{-1}")
    Pi = n["Phi"] * Xi * n["Phi"].T * n["D"]
    C = T.gamma * Xi * n["Phi"].T * n["D"] * n["P"]
    return {"Xi": Xi, "Pi": Pi, "C": C, "G": T.gamma * Xi * n["Y"]}


def paper_theory() -> Chapter:
    """The standard theory with the identities of the paper's sections on bias and of its appendix.

    >>> print(paper_theory().decide("projection"))
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
    n.G_k = T.power(n.G, "G", latex="B^k")
    n.W_k = T.geometric_sum(n.G_k, "W", latex="W_k")
    n.R_k = T.power(n.Xi * n.Y, "R", latex=r"(X^{-1}Y)^k")
    n.Z_k = T.power(T.gamma * n.Pi * n.P, "Z", latex=r"(\gamma\Pi P)^k")
    T.lemma("Phi G_k = Z_k Phi", n.Phi * n.G_k, n.Z_k * n.Phi)
    n.gamma_k = T.scalar_sequence("gamma", 1, lambda g: T.gamma * g, latex=r"\gamma^k")
    n.state("fixed-point", n.X * T.next(n.theta), T.gamma * n.Y * n.theta + n.b)
    n.state("closed-form", n.theta, n.W_k * n.Xi * n.b + n.G_k * n.theta0)
    n.state("geometric", n.W_k * n.Xi * n.A, 1 - n.G_k)
    n.state("geometric-inverse", n.W_k * n.Xi, n.Ai - n.G_k * n.Ai)
    n.state("bias", n.theta - n.theta_pi, n.G_k * (n.theta0 - n.theta_pi))
    n.state("bias-gamma", n.theta - n.theta_pi, n.gamma_k * n.R_k * (n.theta0 - n.theta_pi))
    n.state("solution", n.theta_pi, n.Ai * n.b)
    n.state("power-scaling", n.G_k, n.gamma_k * n.R_k)
    n.state("zp", T.next(n.G_k), n.C * n.Z_k * n.Phi)
    n.state("zp-intertwines", n.Phi * n.G_k * n.Xi * n.Phi.T * n.D, n.Z_k * n.Pi)
    n.state("projection", n.Pi * n.Pi, n.Pi)
    n.state("projection-fixes-features", n.Pi * n.Phi, n.Phi)
    n.state("projection-self-adjoint", n.Pi.T * n.D, n.D * n.Pi)
    n.state("pythagoras", n.D, n.Pi.T * n.D * n.Pi + (1 - n.Pi).T * n.D * (1 - n.Pi))
    n.state("value-recursion", n.Phi * T.next(n.theta), n.Pi * (n.r + T.gamma * n.P * n.Phi * n.theta))


def _target_network(n: Chapter) -> None:
    """T updates with a frozen bootstrap target; Q = (1 − αX)ᵀ, U = Σ_{j<T} (1 − αX)ʲ, S_T = αU."""
    T, index = n.T, "t"
    n.Q_t = T.power(1 - T.alpha * n.X, "Q", index=index, latex="Q_T")
    n.U_t = T.geometric_sum(n.Q_t, "U", latex="U_T")
    n.S_t = T.alpha * n.U_t
    n.G_t = n.Q_t + (1 - n.Q_t) * n.G

    def update(x: Any) -> Any:
        return x + T.alpha * (n.b + T.gamma * n.Y * n.theta0 - n.X * x)

    n.hot = T.sequence("hot", n.theta0, update, index=index, latex=r"\theta_T")
    n.init = T.op("init", "1 -> F", latex=r"\theta_{\mathrm{init}}")
    n.cold = T.sequence("cold", n.init, update, index=index, latex=r"\theta_T^{\mathrm{cold}}")
    n.outer = T.sequence(
        "outer", n.theta0, lambda x: n.Q_t * x + (1 - n.Q_t) * (n.G * x + n.Xi * n.b), latex=r"\theta^{k,T}"
    )
    n.H_k = T.power(n.G_t, "H", latex="G_T^k")
    error = n.theta0 - n.theta_pi
    n.state("target-sum", 1 - n.Q_t, n.S_t * n.X)
    n.state("target-operator", n.G_t, 1 - n.S_t * n.A)
    n.state("target-hot-start", n.hot - n.theta_pi, n.G_t * error)
    n.state("target-is-td-at-1", T.at(n.G_t, index, 1), 1 - T.alpha * n.A)
    n.state("target-outer", n.outer - n.theta_pi, n.H_k * error)
    n.state("target-cold-start", n.cold, n.Q_t * n.init + (1 - n.Q_t) * (n.G * n.theta0 + n.Xi * n.b))
    n.state("target-cold-bias", n.cold - n.theta_pi, (1 - n.Q_t) * n.G * error + n.Q_t * (n.init - n.theta_pi))
