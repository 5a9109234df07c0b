"""The paper's other settings, each a small theory of its own with exact models.

Richardson iteration; stationarity lifted to edges; a singular X; eigenvectors as letters; n-step moments; the
generating function. Each function returns a `Chapter`: letters as attributes, identities in `claims`.
`CHAPTERS` lists all of them, with the standard theory, the joint update of the chain and its light cone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq_mat

from theory.symbolic.cone import light_cone_theory
from theory.symbolic.joint import block_theory, joint_theory
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.paper import SIZES, Chapter, a_problem, anything, paper_theory, standard_letters, with_inverse
from theory.symbolic.theory import Theory


def richardson_theory() -> Chapter:
    """x_{t+1} = x_t + α(c − Mx_t) with Mx* = c: the residual is (1 − αM)ᵗ of the first (prop-1)."""
    T = Theory("alpha")
    M, x0, x_star = T.op("M", "N -> N"), T.op("x0", "1 -> N"), T.op("x_star", "1 -> N", latex="x^*")
    c = T.op("c", "1 -> N")
    T.assume("M x_star = c", M * x_star, c)
    x = T.sequence("x", x0, lambda x: x + T.alpha * (c - M * x), index="t")
    power = T.power(1 - T.alpha * M, "E", index="t", latex=r"(1-\alpha M)^t")
    n = Chapter(T, M=M, x0=x0, x_star=x_star, c=c, x=x, E_t=power)
    n.state("residual", x - x_star, power * (x0 - x_star))
    n.state("residual-step", T.next(x, "t") - x_star, (1 - T.alpha * M) * (x - x_star))
    return n


def on_policy_theory() -> Chapter:
    """Stationarity lifted to edges: sums of squares for A_μ + A_μᵀ and for D − PᵀDP, in all dimensions (prop-5).

    Q = diag(d_s P_ss') weighs the edges, Src and Dst pick their ends.
    """
    T = Theory("gamma")
    Phi, Q = T.op("Phi", "F -> S"), T.op("Q", "edges -> edges", symmetric=True)
    Src, Dst = T.op("Src", "S -> edges"), T.op("Dst", "S -> edges")
    D, P = T.op("D", "S -> S", symmetric=True), T.op("P", "S -> S")
    T.assume("edges leave with D", Src.T * Q * Src, D)
    T.assume("edges arrive with D", Dst.T * Q * Dst, D)
    T.assume("edges move by P", Src.T * Q * Dst, D * P)
    T.model(_edges, {"S": 3, "F": 2}, {"S": 4, "F": 3}, {"S": 2, "F": 2})
    A = Phi.T * D * (1 - T.gamma * P) * Phi
    gap, miss = (Src - Dst) * Phi, Dst - Src * P
    n = Chapter(T, Phi=Phi, Q=Q, Src=Src, Dst=Dst, D=D, P=P, A=A)
    n.state("sum-of-squares", A + A.T, 2 * (1 - T.gamma) * Phi.T * D * Phi + T.gamma * gap.T * Q * gap)
    n.state("non-expansion", D - P.T * D * P, miss.T * Q * miss)
    return n


def _edges(draw: Draw) -> dict[str, Any]:
    S = draw.dims["S"]
    P = draw.stochastic(S)
    d = _stationary(P)
    draw.dims["edges"] = S * S
    Src = fmpq_mat(S * S, S, [int(e // S == s) for e in range(S * S) for s in range(S)])
    Dst = fmpq_mat(S * S, S, [int(e % S == s) for e in range(S * S) for s in range(S)])
    Q = Draw.diagonal([d[e // S] * P[e // S, e % S] for e in range(S * S)])
    return {"P": P, "D": Draw.diagonal(d), "Src": Src, "Dst": Dst, "Q": Q, "gamma": abs(draw.number())}


def _stationary(P: fmpq_mat) -> list[Any]:
    """dP = d, Σd = 1, for a P with positive entries."""
    n = P.nrows()
    system = P.transpose() - identity_matrix(n)
    for j in range(n):
        system[n - 1, j] = 1
    return system.solve(fmpq_mat(n, 1, [0] * (n - 1) + [1])).entries()


def singular_theory() -> Chapter:
    """X may be singular: ΦX⁻X = Φ is all that Π² = Π and vᵏ = Π(r + γPvᵏ⁻¹) need (claim-baird)."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, Xg=T.op("Xg", "F -> F", latex="X^{-}"))
    T.assume("Phi Xg X = Phi", n.Phi * n.Xg * n.X, n.Phi)
    n.before, n.now = T.op("before", "1 -> F", latex=r"\theta^{k-1}"), T.op("now", "1 -> F", latex=r"\theta^k")
    T.assume("X now = gamma Y before + b", n.X * n.now, T.gamma * n.Y * n.before + n.b)
    T.model(_rank_deficient, {"S": 3, "F": 2}, {"S": 3, "F": 3}, {"S": 2, "F": 3}, {"S": 4, "F": 3})
    n.Pi = n.Phi * n.Xg * n.Phi.T * n.D
    n.state("singular-projection", n.Pi * n.Pi, n.Pi)
    n.state("singular-fixes-features", n.Pi * n.Phi, n.Phi)
    n.state("singular-recursion", n.Phi * n.now, n.Pi * (n.r + T.gamma * n.P * n.Phi * n.before))
    n.state("singular-self-adjoint", n.Pi.T * n.D * n.Phi, n.D * n.Phi)
    return n


def _rank_deficient(draw: Draw) -> dict[str, Any]:
    S, F = draw.dims["S"], draw.dims["F"]
    return {**a_problem_without_step(draw), "Phi": draw.matrix(S, F - 1) * draw.matrix(F - 1, F)}


def a_problem_without_step(draw: Draw) -> dict[str, Any]:
    """An honest problem for theories without a step size."""
    return {name: value for name, value in a_problem(draw).items() if name != "alpha"}


def spectral_theory() -> Chapter:
    """Eigenvectors as letters: nonzero spectra of CΦ and ΦC agree (prop-3); Π has eigenvalues 0 and 1 (prop-8)."""
    T = Theory("gamma lam kappa")
    v, w, u = T.op("v", "1 -> F"), T.op("w", "1 -> S"), T.op("u", "1 -> S")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), v=v, w=w, u=u)
    n.lam, n.kappa = T.lam, T.kappa
    T.assume("C Phi v = lam v", n.C * n.Phi * v, T.lam * v, solve_for="P")
    T.assume("Phi C w = lam w", n.Phi * n.C * w, T.lam * w, solve_for="P")
    T.assume("Pi u = kappa u", n.Pi * u, T.kappa * u)
    for kappa in (1, 0, None):
        T.model(_eigenvectors(kappa), {"S": 4, "F": 2}, {"S": 5, "F": 3}, {"S": 3, "F": 2})
    n.state("spectrum-forward", n.Phi * n.C * (n.Phi * v), T.lam * (n.Phi * v))
    n.state("spectrum-forward-nonzero", n.C * (n.Phi * v), T.lam * v)
    n.state("spectrum-backward", n.C * n.Phi * (n.C * w), T.lam * (n.C * w))
    n.state("spectrum-backward-nonzero", n.Phi * (n.C * w), T.lam * w)
    n.state("projection-eigenvalues", (T.kappa * T.kappa - T.kappa) * u)
    return n


def _eigenvectors(kappa: int | None) -> Callable[[Draw], dict[str, Any]]:
    """κ = 1 with u in the span of Φ, κ = 0 with u in the kernel of Π, or any κ with u = 0; P gets v and w."""

    def function(draw: Draw) -> dict[str, Any]:
        S, F = draw.dims["S"], draw.dims["F"]
        Phi, D = draw.matrix(S, F), draw.diagonal(draw.distribution(S))
        while not (Phi.transpose() * D * Phi).det():
            Phi = draw.matrix(S, F)
        Xi, y = (Phi.transpose() * D * Phi).inv(), draw.matrix(S, 1)
        inside = Phi * Xi * Phi.transpose() * D * y
        values = {"Phi": Phi, "D": D, **_with_eigenvectors(draw, Phi, D, Xi)}
        if kappa is None:
            return {**values, "u": fmpq_mat(S, 1)}
        return {**values, "kappa": kappa, "u": inside if kappa else y - inside}

    return function


def _with_eigenvectors(draw: Draw, Phi: fmpq_mat, D: fmpq_mat, Xi: fmpq_mat) -> dict[str, Any]:
    """P = Φ·R·L + (1 − Π)·Z with L = X⁻¹ΦᵀD, so that CΦ = γR, where R has two chosen eigenvectors."""
    S, F = Phi.nrows(), Phi.ncols()
    basis = draw.matrix(F, F)
    while not basis.det():
        basis = draw.matrix(F, F)
    gamma, lam = abs(draw.number()), draw.number()
    L = Xi * Phi.transpose() * D
    R = basis * Draw.diagonal([lam / gamma] * 2 + [draw.number() for _ in range(F - 2)]) * basis.inv()
    P = Phi * R * L + (identity_matrix(S) - Phi * L) * draw.matrix(S, S)
    mix, other = draw.matrix(2, 1), draw.matrix(2, 1)
    two = fmpq_mat([[basis[i, j] for j in range(2)] for i in range(F)])
    return {"P": P, "gamma": gamma, "lam": lam, "v": two * mix, "w": Phi * two * other}


def basis_theory() -> Chapter:
    """Features of the same span, Φ' = ΦR: Π stays, B becomes similar, A congruent (extra-basis, lemma-1, prop-9)."""
    T = Theory("gamma lam")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), R=T.op("R", "F -> F"))
    n.Ri = T.inverse(n.R, "Ri", of="R", latex="R^{-1}")
    n.Phi2 = T.define("Phi2", n.Phi * n.R, latex=r"\Phi'")
    n.X2 = n.Phi2.T * n.D * n.Phi2
    n.Xi2 = T.inverse(n.X2, "Xi2", of="X2", latex="X'^{-1}")
    n.Y2 = n.Phi2.T * n.D * n.P * n.Phi2
    T.model(a_problem_without_step, *SIZES)
    T.model(anything, *SIZES)
    T.lemma("Xi2 = Ri Xi Ri'", n.Xi2, n.Ri * n.Xi * n.Ri.T)
    n.state("basis-inverse", n.Xi2, n.Ri * n.Xi * n.Ri.T)
    n.state("basis-projection", n.Phi2 * n.Xi2 * n.Phi2.T * n.D, n.Pi)
    n.state("basis-similar", T.gamma * n.Xi2 * n.Y2, n.Ri * n.G * n.R)
    n.state("basis-congruent", n.X2 - T.gamma * n.Y2, n.R.T * n.A * n.R)
    n.state("similar-characteristic", T.lam - n.Ri * n.G * n.R, n.Ri * (T.lam - n.G) * n.R)
    return n


def n_step_theory() -> Chapter:
    """n-step moments (n-step): r_n = Σ_{j<n} γʲPʲr, X_n = X, Y_n = ΦᵀDPⁿΦ, b_n = ΦᵀDr_n."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), v=T.op("v", "1 -> S"))
    T.assume("v = r + gamma P v", n.v, n.r + T.gamma * n.P * n.v)
    T.model(a_problem_without_step, *SIZES)
    T.model(anything, *SIZES)
    n.P_n = T.power(n.P, "P", index="n", latex="P^n")
    n.g_n = T.scalar_sequence("g", 1, lambda g: T.gamma * g, index="n", latex=r"\gamma^n")
    n.r_n = T.sequence("r", 0 * n.r, lambda s: s + n.g_n * n.P_n * n.r, index="n")
    n.Y_n, n.b_n = n.Phi.T * n.D * n.P_n * n.Phi, n.Phi.T * n.D * n.r_n
    n.C_n = n.g_n * n.Xi * n.Phi.T * n.D * n.P_n
    T.lemma("r_n+1 = r + gamma P r_n", T.next(n.r_n, "n"), n.r + T.gamma * n.P * n.r_n)
    n.state("n-step-rewards", T.next(n.r_n, "n"), n.r + T.gamma * n.P * n.r_n)
    n.state("n-step-moments", T.next(n.b_n, "n"), n.b + T.gamma * n.Phi.T * n.D * n.P * n.r_n)
    n.state("n-step-value", n.v, n.r_n + n.g_n * n.P_n * n.v)
    n.state("n-step-rewards-value", n.r_n, n.v - n.g_n * n.P_n * n.v)
    n.state("n-step-operator", n.g_n * n.Xi * n.Y_n, n.C_n * n.Phi)
    n.state("n-step-projection", n.Phi * n.C_n, n.g_n * n.Pi * n.P_n)
    return n


def series_theory() -> Chapter:
    """A second proof without induction: generating functions in z (issue: closed form and bias).

    θ(z) = Σ_k θᵏzᵏ turns θᵏ⁺¹ = Gθᵏ + c into θ(z) = θ⁰ + z(Gθ(z) + c/(1−z)); times 1−z there is no denominator left.
    R = (1 − zG)⁻¹ = Σ_k zᵏGᵏ. Comparing coefficients of zᵏ in "series-bias" gives θᵏ − θ_π = Gᵏ(θ⁰ − θ_π).
    """
    T = Theory("z")
    G, theta0 = T.op("G", "F -> F"), T.op("theta0", "1 -> F", latex=r"\theta^0")
    theta_pi, c = T.op("theta_pi", "1 -> F"), T.op("c", "1 -> F", latex="X^{-1}b")
    T.assume("theta_pi = G theta_pi + c", theta_pi, G * theta_pi + c)
    R = T.inverse(1 - T.z * G, "R", of="(1 - zG)")
    series = T.op("series", "1 -> F", latex=r"\theta(z)")
    T.assume("recursion times 1 - z", (1 - T.z) * (series - theta0 - T.z * G * series), T.z * c)
    n = Chapter(T, G=G, R=R, theta0=theta0, theta_pi=theta_pi, c=c, series=series)
    n.state("series-geometric", R, 1 + T.z * G * R)
    n.state("series-closed-form", (1 - T.z) * series, (1 - T.z) * R * theta0 + T.z * R * c)
    n.state("series-bias", (1 - T.z) * series - theta_pi, (1 - T.z) * R * (theta0 - theta_pi))
    return n


CHAPTERS: dict[str, Callable[[], Chapter]] = {
    "paper": paper_theory,
    "richardson": richardson_theory,
    "joint": joint_theory,
    "block": block_theory,
    "on-policy": on_policy_theory,
    "singular": singular_theory,
    "spectral": spectral_theory,
    "basis": basis_theory,
    "n-step": n_step_theory,
    "series": series_theory,
    "light-cone": light_cone_theory,
}
