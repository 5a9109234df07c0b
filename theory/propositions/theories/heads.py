"""All heads of the chain at once: the joint matrix M for every K, its rows, its inverse, its fixed point."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq, fmpq_mat

from theory.propositions.theories.namespace import Namespace, kronecker, sending
from theory.symbolic.matrices import Draw, identity_matrix

HEADS = ({"H": 6}, {"H": 9}, {"H": 8})  # three or four heads, of two features each or three


@cache
def heads_theory() -> Namespace:
    """Rows of M and b†, head 0 and any two successive heads k and k+1, and an eigenvector of M."""
    n = Namespace("gamma alpha lam")
    T = n.T
    first, pick, after = n.letters("first pick after", "H -> F", first="p_0", pick="p_k", after="p_{k+1}")
    A_mu, X, Y = n.letters("A_mu X Y", "F -> F", A_mu=r"A_\mu")
    b_mu, b = n.letters("b_mu b", "1 -> F", b_mu=r"b_\mu")
    v, M = n.letters("v", "1 -> H"), n.letters("M", "H -> H")
    b_joint, _ = n.letters("b_joint theta", "1 -> H", b_joint=r"b^\dagger")
    T.assume("row 0 of M", first * M, A_mu * first)
    T.assume("row k+1 of M", after * M, X * after - T.gamma * Y * pick)
    T.assume("row 0 of b_joint", first * b_joint, b_mu)
    T.assume("row k+1 of b_joint", after * b_joint, b)
    T.assume("M v = lam v", M * v, T.lam * v)
    T.model(_joint_model, {"F": 2}, {"F": 3})
    return n


def _joint_model(draw: Draw) -> dict[str, Any]:
    values, mu, a, N, L = three_heads(draw)
    v = coupled_heads(values["X"] - mu * identity_matrix(a.nrows()), values["gamma"] * values["Y"], a)
    return {**values, "M": N - L, "lam": mu, "v": v}


def three_heads(draw: Draw) -> tuple[dict[str, Any], fmpq, fmpq_mat, fmpq_mat, fmpq_mat]:
    """Three heads, an eigenvalue μ of A_μ that X has not, its eigenvector, and N and L of M = N − L."""
    F, mu, gamma = draw.dims["F"], draw.number(), abs(draw.number())
    draw.dims["H"] = 3 * F
    one, a, Y = identity_matrix(F), fmpq_mat(F, 1, range(1, F + 1)), draw.matrix(F, F)
    A_mu, X = sending(draw.matrix(F, F), a, mu * a), draw.matrix(F, F)
    while (X - mu * one).det() == 0 or X.det() == 0:
        X = draw.matrix(F, F)
    units = zip(("first", "pick", "after"), identity_matrix(3).tolist(), strict=True)
    picks = {name: kronecker(fmpq_mat([row]), one) for name, row in units}
    N = kronecker(draw.diagonal([1, 0, 0]), A_mu) + kronecker(draw.diagonal([0, 1, 1]), X)
    L = kronecker(fmpq_mat([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), gamma * Y)
    return {**picks, "A_mu": A_mu, "X": X, "Y": Y, "gamma": gamma}, mu, a, N, L


def coupled_heads(system: fmpq_mat, drive: fmpq_mat, first: fmpq_mat) -> fmpq_mat:
    """v₀, v₁, v₂ one above the other, with system·v_{k+1} = drive·v_k."""
    second = system.solve(drive * first)
    return fmpq_mat(first.tolist() + second.tolist() + system.solve(drive * second).tolist())


@cache
def block_theory() -> Namespace:
    """One block row of Mθ = b†: the picks of heads k and k+1 turn it into the sequential recursion (prop-6)."""
    n = Namespace("gamma")
    T = n.T
    pick, after = n.letters("pick after", "H -> F", pick="p_k", after="p_{k+1}")
    (X, Y), b = n.letters("X Y", "F -> F"), n.letters("b", "1 -> F")
    n.Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    M, (b_joint, theta) = n.letters("M", "H -> H"), n.letters("b_joint theta", "1 -> H", b_joint=r"b^\dagger")
    T.assume("row k+1 of M", after * M, X * after - T.gamma * Y * pick, solve_for="M")
    T.assume("row k+1 of b_joint", after * b_joint, b, solve_for="b_joint")
    T.assume("M theta = b_joint", M * theta, b_joint)
    return n


@cache
def joint_theory() -> Namespace:
    """The concurrent update of heads 0..K for every K (eq-M, prop-6).

    H is the space of all heads together. X, Y, A_μ act on each head alike, so they commute with the shift Sh (head k to
    head k+1) and with E, the projection on head 0; E·Sh = 0. With 𝓑 = E·A_μ + (1−E)·X and G = γX⁻¹Y the joint matrix is
    M = 𝓑 − γSh·Y = 𝓑(1 − Sh·G). For every n, Σ_{i<n} (Sh·G)ⁱ 𝓑⁻¹ inverts M up to (Sh·G)ⁿ. K enters at one place: the
    instance "K+1" of the index k, where Shᵏ is assumed to vanish; G commutes with Sh, so (Sh·G)ᵏ = ShᵏGᵏ does too.
    """
    n = Namespace("gamma")
    T, Sh, E = n.T, n.letters("Sh", "H -> H"), n.letters("E", "H -> H", symmetric=True)
    X, Y, A_mu = n.letters("X Y A_mu", "H -> H")
    Xi = n.Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    A_mu_i = n.A_mu_i = T.inverse(A_mu, "A_mu_i", of="A_mu", latex=r"A_\mu^{-1}")
    for name, letter in {"X": X, "Y": Y}.items():
        T.assume(f"Sh {name} = {name} Sh", Sh * letter, letter * Sh)
    for name, letter in {"X": X, "Y": Y, "A_mu": A_mu}.items():
        T.assume(f"E {name} = {name} E", E * letter, letter * E)
    T.assume("E E = E", E * E, E)
    T.assume("E Sh = 0", E * Sh)
    n.B = T.define("Bd", E * A_mu + (1 - E) * X, latex=r"\mathcal{B}")
    n.Bi = T.define("Bdi", E * A_mu_i + (1 - E) * Xi, latex=r"\mathcal{B}^{-1}")
    G = n.G = T.define("B", T.gamma * Xi * Y)
    n.M = T.define("M", n.B - T.gamma * Sh * Y)
    T.lemma("Sh Xi = Xi Sh", Sh * Xi, Xi * Sh, using=("Sh X = X Sh", "X Xi = 1", "Xi X = 1"))
    T.lemma("Sh B = B Sh", Sh * G, G * Sh, using=("definition of B", "Sh Xi = Xi Sh", "Sh Y = Y Sh"))
    _block_diagonal(n)
    factor = ("definition of M", "definition of B", "definition of Bd", "Sh X = X Sh", "E A_mu = A_mu E", "X Xi = 1")
    T.lemma("M = Bd (1 - Sh B)", n.M, n.B * (1 - Sh * G), using=(*factor, "E Sh = 0"))
    n.N_k = T.power(Sh * G, "N", latex=r"(\mathrm{Sh}\,B)^k")
    n.V_k = T.geometric_sum(n.N_k, "V")
    n.Sh_k, n.G_k = T.power(Sh, "Shift", latex=r"\mathrm{Sh}^k"), T.power(G, "B", latex="B^k")
    T.lemma("Sh_k B = B Sh_k", n.Sh_k * G, G * n.Sh_k, using=("Sh B = B Sh",))
    T.lemma("N_k = Sh_k B_k", n.N_k, n.Sh_k * n.G_k, using=("Sh_k B = B Sh_k",))
    n.N_last, n.V_last, Sh_last, _ = T.instance("K+1", "k", n.N_k, n.V_k, n.Sh_k, n.G_k)
    T.assume("Sh^(K+1) = 0", Sh_last)
    b_mu, b, theta = n.letters("b_mu b theta", "1 -> H")
    n.b_joint = T.abbreviate("b_joint", E * b_mu + (1 - E) * b, latex=r"b^\dagger")
    T.assume("M theta = b", n.M * theta, n.b_joint)
    T.model(_shifted_heads, *HEADS)
    return n


def _block_diagonal(n: Namespace) -> None:
    """𝓑 is block-diagonal and so is its inverse."""
    T = n.T
    X_inverse, A_inverse = ("Xi X = 1", "X Xi = 1"), ("A_mu_i A_mu = 1", "A_mu A_mu_i = 1")
    T.lemma("E Xi = Xi E", n.E * n.Xi, n.Xi * n.E, using=("E X = X E", *X_inverse))
    T.lemma("E A_mu_i = A_mu_i E", n.E * n.A_mu_i, n.A_mu_i * n.E, using=("E A_mu = A_mu E", *A_inverse))
    commute = ("E X = X E", "E A_mu = A_mu E", "E Xi = Xi E", "E A_mu_i = A_mu_i E", "E E = E")
    both = (*X_inverse, *A_inverse, *commute, "definition of Bd", "definition of Bdi")
    T.lemma("Bdi Bd = 1", n.Bi * n.B, T.one("H"), using=both)
    T.lemma("Bd Bdi = 1", n.B * n.Bi, T.one("H"), using=both)


def _shifted_heads(draw: Draw) -> dict[str, Any]:
    heads, features = split_heads(draw)
    K1, F = heads.nrows(), features.nrows()
    shift = fmpq_mat(K1, K1, [int(i == j + 1) for i in range(K1) for j in range(K1)])
    alike = {name: kronecker(heads, draw.matrix(F, F)) for name in ("X", "Y", "A_mu")}
    E = kronecker(draw.diagonal([1] + [0] * (K1 - 1)), features)
    return {**alike, "Sh": kronecker(shift, features), "E": E, "K+1": K1}


def split_heads(draw: Draw) -> tuple[fmpq_mat, fmpq_mat]:
    """The identities of the heads and of the features of one head."""
    F = 2 if draw.dims["H"] % 2 == 0 else 3
    return identity_matrix(draw.dims["H"] // F), identity_matrix(F)
