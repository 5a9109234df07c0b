"""All heads of the chain at once, for every K: the joint matrix M, its inverse, its fixed point (eq-M, prop-6)."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import anything
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Theory


@cache
def joint_theory() -> Chapter:
    """The concurrent update of heads 0..K for every K (eq-M, prop-6).

    H is the space of all heads together. X, Y, A_μ act on each head alike, so they commute with the shift Sh (head k to
    head k+1) and with E, the projection on head 0; E·Sh = 0. With 𝓑 = E·A_μ + (1−E)·X and G = γX⁻¹Y the joint matrix is
    M = 𝓑 − γSh·Y = 𝓑(1 − Sh·G). For every n, Σ_{i<n} (Sh·G)ⁱ 𝓑⁻¹ inverts M up to (Sh·G)ⁿ. K enters at one place: the
    instance "K+1" of the index k, where Shᵏ is assumed to vanish; G commutes with Sh, so (Sh·G)ᵏ = ShᵏGᵏ does too.
    """
    T = Theory("gamma")
    Sh, E = T.op("Sh", "H -> H"), T.op("E", "H -> H", symmetric=True)
    X, Y, A_mu = T.op("X", "H -> H"), T.op("Y", "H -> H"), T.op("A_mu", "H -> H")
    Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    A_mu_i = T.inverse(A_mu, "A_mu_i", of="A_mu", latex=r"A_\mu^{-1}")
    for name, letter in {"X": X, "Y": Y}.items():
        T.assume(f"Sh {name} = {name} Sh", Sh * letter, letter * Sh)
    for name, letter in {"X": X, "Y": Y, "A_mu": A_mu}.items():
        T.assume(f"E {name} = {name} E", E * letter, letter * E)
    T.assume("E E = E", E * E, E)
    T.assume("E Sh = 0", E * Sh)
    B = T.define("Bd", E * A_mu + (1 - E) * X, latex=r"\mathcal{B}")
    Bi = T.define("Bdi", E * A_mu_i + (1 - E) * Xi, latex=r"\mathcal{B}^{-1}")
    G, M = T.define("B", T.gamma * Xi * Y), T.define("M", B - T.gamma * Sh * Y)
    n = Chapter(T, Sh=Sh, E=E, X=X, Y=Y, A_mu=A_mu, A_mu_i=A_mu_i, Xi=Xi, B=B, Bi=Bi, G=G, M=M)
    T.lemma("Sh Xi = Xi Sh", Sh * Xi, Xi * Sh, using=("Sh X = X Sh", "X Xi = 1", "Xi X = 1"))
    T.lemma("Sh B = B Sh", Sh * G, G * Sh, using=("definition of B", "Sh Xi = Xi Sh", "Sh Y = Y Sh"))
    _joint_diagonal(n)
    factor = ("definition of M", "definition of B", "definition of Bd", "Sh X = X Sh", "E A_mu = A_mu E", "X Xi = 1")
    T.lemma("M = Bd (1 - Sh B)", M, B * (1 - Sh * G), using=(*factor, "E Sh = 0"))
    n.N_k = T.power(Sh * G, "N", latex=r"(\mathrm{Sh}\,B)^k")
    n.V_k = T.geometric_sum(n.N_k, "V")
    n.Sh_k, n.G_k = T.power(Sh, "Shift", latex=r"\mathrm{Sh}^k"), T.power(G, "B", latex="B^k")
    T.lemma("Sh_k B = B Sh_k", n.Sh_k * G, G * n.Sh_k, using=("Sh B = B Sh",))
    T.lemma("N_k = Sh_k B_k", n.N_k, n.Sh_k * n.G_k, using=("Sh_k B = B Sh_k",))
    n.N_last, n.V_last, n.Sh_last, n.G_last = T.instance("K+1", "k", n.N_k, n.V_k, n.Sh_k, n.G_k)
    T.assume("Sh^(K+1) = 0", n.Sh_last)
    n.b_mu, n.b, n.theta = T.op("b_mu", "1 -> H"), T.op("b", "1 -> H"), T.op("theta", "1 -> H")
    n.b_joint = T.abbreviate("b_joint", E * n.b_mu + (1 - E) * n.b, latex=r"b^\dagger")
    T.assume("M theta = b", M * n.theta, n.b_joint)
    T.model(_heads, {"H": 6}, {"H": 9}, {"H": 8})
    return n


def _joint_diagonal(n: Chapter) -> None:
    """𝓑 is block-diagonal and so is its inverse."""
    T = n.T
    X_inverse, A_inverse = ("Xi X = 1", "X Xi = 1"), ("A_mu_i A_mu = 1", "A_mu A_mu_i = 1")
    T.lemma("E Xi = Xi E", n.E * n.Xi, n.Xi * n.E, using=("E X = X E", *X_inverse))
    T.lemma("E A_mu_i = A_mu_i E", n.E * n.A_mu_i, n.A_mu_i * n.E, using=("E A_mu = A_mu E", *A_inverse))
    commute = ("E X = X E", "E A_mu = A_mu E", "E Xi = Xi E", "E A_mu_i = A_mu_i E", "E E = E")
    both = (*X_inverse, *A_inverse, *commute, "definition of Bd", "definition of Bdi")
    T.lemma("Bdi Bd = 1", n.Bi * n.B, T.one("H"), using=both)
    T.lemma("Bd Bdi = 1", n.B * n.Bi, T.one("H"), using=both)


def _heads(draw: Draw) -> dict[str, Any]:
    """Three or four heads, of two features each or three; K + 1 is their number."""
    features = 2 if draw.dims["H"] % 2 == 0 else 3
    heads = draw.dims["H"] // features
    shift = fmpq_mat(heads, heads, [int(i == j + 1) for i in range(heads) for j in range(heads)])
    blocks = {"Sh": shift, "E": Draw.diagonal([1] + [0] * (heads - 1))}
    alike = {name: draw.matrix(features, features) for name in ("X", "Y", "A_mu")}
    same = identity_matrix(heads)
    return {
        **{name: kronecker(block, identity_matrix(features)) for name, block in blocks.items()},
        **{name: kronecker(same, block) for name, block in alike.items()},
        "K+1": heads,
    }


def kronecker(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
    """a ⊗ b."""
    rows, columns = a.nrows() * b.nrows(), a.ncols() * b.ncols()
    p, q = b.nrows(), b.ncols()
    return fmpq_mat(rows, columns, [a[i // p, j // q] * b[i % p, j % q] for i in range(rows) for j in range(columns)])


@cache
def block_theory() -> Chapter:
    """One block row of Mθ = b†: the picks of heads k and k+1 turn it into the sequential recursion (prop-6)."""
    T = Theory("gamma")
    pick, after = T.op("pick", "H -> F", latex="p_k"), T.op("after", "H -> F", latex="p_{k+1}")
    X, Y, b = T.op("X", "F -> F"), T.op("Y", "F -> F"), T.op("b", "1 -> F")
    Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    M, b_joint, theta = T.op("M", "H -> H"), T.op("b_joint", "1 -> H", latex=r"b^\dagger"), T.op("theta", "1 -> H")
    T.assume("row k+1 of M", after * M, X * after - T.gamma * Y * pick, solve_for="M")
    T.assume("row k+1 of b_joint", after * b_joint, b, solve_for="b_joint")
    T.assume("M theta = b_joint", M * theta, b_joint)
    T.model(anything, {"H": 6, "F": 2}, {"H": 9, "F": 3})
    n = Chapter(T, pick=pick, after=after, X=X, Y=Y, b=b, Xi=Xi, M=M, b_joint=b_joint, theta=theta)
    return n
