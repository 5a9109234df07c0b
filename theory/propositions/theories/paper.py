"""The paper's standard theory, and theories of the same letters with one assumption more or less.

    n = paper_theory()
    n.T.prove("mine", n.Pi * n.Phi, n.Phi)

Sequences over k are the chain's; sequences over t are the T updates between two switches of a target network.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from theory.propositions.theories.namespace import Namespace, sending
from theory.symbolic.matrices import Draw

SIZES = ({"S": 3, "F": 2}, {"S": 4, "F": 3}, {"S": 2, "F": 2}, {"S": 3, "F": 3})


@cache
def paper_theory() -> Namespace:
    """The standard theory, built once.

    >>> n = paper_theory()
    >>> print(n.T.prove("projection", n.Pi * n.Pi, n.Pi))
    Proved 'projection': for all dimensions
      uses 'Xi X = 1'
    """
    return new_paper_theory()


def new_paper_theory() -> Namespace:
    """The same once more, to add to."""
    n = Namespace("gamma alpha").with_problem()
    n.letters("theta0 theta_pi", "1 -> F", theta0=r"\theta^0")
    n.with_inverse()
    n.T.assume("A theta_pi = b", n.A * n.theta_pi, n.b)
    n.Ai = n.T.inverse(n.A, "Ai", of="A", latex="A^{-1}")
    n.T.model(_a_problem, *SIZES)
    n.T.model(lambda draw: {}, *SIZES)
    _chain(n)
    _target_network(n)
    return n


def _a_problem(draw: Draw) -> dict[str, Any]:
    """D a distribution, P stochastic, 0 < γ < 1, 0 < α; the models without it are generic."""
    S = draw.dims["S"]
    values = {"D": draw.diagonal(draw.distribution(S)), "P": draw.stochastic(S), "gamma": abs(draw.number())}
    return {**values, "alpha": abs(draw.number())}


def _chain(n: Namespace) -> None:
    T = n.T
    n.theta = T.sequence("theta", n.theta0, lambda t: n.Xi * (T.gamma * n.Y * t + n.b), latex=r"\theta^k_*")
    n.G_k = T.power(n.G, "B", latex="B^k")
    n.W_k = T.geometric_sum(n.G_k, "W", latex="W_k")
    n.R_k = T.power(n.Xi * n.Y, "R", latex=r"(X^{-1}Y)^k")
    n.Z_k = T.power(T.gamma * n.Pi * n.P, "Z", latex=r"(\gamma\Pi P)^k")
    T.lemma("Phi B_k = Z_k Phi", n.Phi * n.G_k, n.Z_k * n.Phi)
    n.gamma_k = T.scalar_sequence("gamma", 1, lambda g: T.gamma * g, latex=r"\gamma^k")


def _target_network(n: Namespace) -> None:
    """T updates with a frozen bootstrap target; Q = (1 − αX)ᵀ, U = Σ_{j<T} (1 − αX)ʲ, S_T = αU."""
    T, index = n.T, "t"
    n.Q_t = T.power(1 - T.alpha * n.X, "Q", index=index, latex="Q_T")
    n.U_t = T.geometric_sum(n.Q_t, "U", latex="U_T")
    n.S_t = T.abbreviate("S_t", T.alpha * n.U_t, latex="S_T")
    n.G_t = T.abbreviate("G_t", n.Q_t + (1 - n.Q_t) * n.G, latex="G_T")

    def update(x: Any) -> Any:
        return x + T.alpha * (n.b + T.gamma * n.Y * n.theta0 - n.X * x)

    n.hot = T.sequence("hot", n.theta0, update, index=index, latex=r"\theta_T")
    n.letters("init", "1 -> F", init=r"\theta_{\mathrm{init}}")
    n.cold = T.sequence("cold", n.init, update, index=index, latex=r"\theta_T^{\mathrm{cold}}")
    n.outer = T.sequence(
        "outer", n.theta0, lambda x: n.Q_t * x + (1 - n.Q_t) * (n.G * x + n.Xi * n.b), latex=r"\theta^{k,T}"
    )
    n.H_k = T.power(n.G_t, "H", latex="G_T^k")


@cache
def oblique_theory() -> Namespace:
    """The TD solution beside v_π: v = r + γPv, Aθ_π = b, and O = ΦA⁻¹ΦᵀD(1 − γP) (field-8, field-9)."""
    n = Namespace("gamma").with_problem().with_inverse()
    T, v, theta_pi = n.T, n.letters("v", "1 -> S"), n.letters("theta_pi", "1 -> F")
    T.assume("v = r + gamma P v", v, n.r + T.gamma * n.P * v)
    T.assume("A theta_pi = b", n.A * theta_pi, n.b)
    n.Ai = T.inverse(n.A, "Ai", of="A", latex="A^{-1}")
    n.O = T.abbreviate("O", n.Phi * n.Ai * n.Phi.T * n.D * (1 - T.gamma * n.P))
    return n


@cache
def n_step_theory() -> Namespace:
    """Moments of n steps: r_n = Σ_{j<n} γʲPʲr, X_n = X, Y_n = ΦᵀDPⁿΦ, b_n = ΦᵀDr_n (n-step, extra-n-step)."""
    n = Namespace("gamma").with_problem().with_inverse()
    T, v = n.T, n.letters("v", "1 -> S")
    T.assume("v = r + gamma P v", v, n.r + T.gamma * n.P * v)
    n.letters("w", "1 -> S")
    n.letters("theta", "1 -> F")
    n.P_n = T.power(n.P, "P", index="n", latex="P^n")
    n.g_n = T.scalar_sequence("g", 1, lambda g: T.gamma * g, index="n", latex=r"\gamma^n")
    n.r_n = T.sequence("r", 0 * n.r, lambda s: s + n.g_n * n.P_n * n.r, index="n")
    n.Y_n = T.abbreviate("Y_n", n.Phi.T * n.D * n.P_n * n.Phi)
    n.b_n = T.abbreviate("b_n", n.Phi.T * n.D * n.r_n)
    n.C_n = T.abbreviate("C_n", n.g_n * n.Xi * n.Phi.T * n.D * n.P_n)
    n.x_n = T.sequence("x", n.w, lambda x: n.r + T.gamma * n.P * x, index="n", latex="v^n")
    T.lemma("r_n+1 = r + gamma P r_n", T.next(n.r_n, "n"), n.r + T.gamma * n.P * n.r_n)
    return n


@cache
def singular_theory() -> Namespace:
    """X may be singular: ΦX⁻X = Φ is all that Π² = Π and vᵏ = Π(r + γPvᵏ⁻¹) need (claim-baird)."""
    n = Namespace("gamma").with_problem()
    T, Xg = n.T, n.letters("Xg", "F -> F", Xg="X^{-}")
    T.assume("Phi Xg X = Phi", n.Phi * Xg * n.X, n.Phi)
    n.letters("before now", "1 -> F", before=r"\theta^{k-1}", now=r"\theta^k")
    T.assume("X now = gamma Y before + b", n.X * n.now, T.gamma * n.Y * n.before + n.b)
    n.Pi = T.abbreviate("Pi", n.Phi * Xg * n.Phi.T * n.D)
    return n


@cache
def spectral_theory() -> Namespace:
    """Eigenvectors as letters: nonzero spectra of CΦ and ΦC agree (prop-3); Π has eigenvalues 0 and 1 (prop-8)."""
    n = Namespace("gamma lam kappa")
    T, v, w = n.T, n.letters("v", "1 -> F"), n.letters("w", "1 -> S")
    u = n.with_problem().with_inverse().letters("u", "1 -> S")
    T.assume("C Phi v = lam v", n.C * n.Phi * v, T.lam * v)
    T.assume("Phi C w = lam w", n.Phi * n.C * w, T.lam * w)
    T.assume("Pi u = kappa u", n.Pi * u, T.kappa * u)
    for kappa in (1, 0, 2):  # u is in the span, in the kernel of Π, or 0
        T.model(partial(eigenvectors, which="vw", kappa=kappa), {"S": 4, "F": 2}, {"S": 5, "F": 3})
    return n


def eigenvectors(draw: Draw, which: str, **given: int) -> dict[str, Any]:
    """v with CΦv = λv, w with ΦCw = λw: P sends what two columns of Φ span to λ/γ times itself."""
    S, F, gamma, lam = draw.dims["S"], draw.dims["F"], abs(draw.number()), draw.number()
    Phi, two = draw.matrix(S, F), draw.matrix(F, 2)
    while (Phi * two).rank() < 2:
        Phi, two = draw.matrix(S, F), draw.matrix(F, 2)
    P = sending(draw.matrix(S, S), Phi * two, (lam / gamma) * (Phi * two))
    vectors = {"v": two * draw.matrix(2, 1), "w": Phi * two * draw.matrix(2, 1)}
    return {"Phi": Phi, "P": P, "gamma": gamma, "lam": lam, **{name: vectors[name] for name in which}, **given}


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
