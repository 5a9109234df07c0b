r"""The closed forms of the paper and of this workbench as SymPy expressions and LaTeX.

Letters for matrices and vectors are noncommutative symbols, γ and α commute, k, n, T are natural numbers; X⁻¹ is a
power, so that SymPy cancels X·X⁻¹ by itself and `sympy.expand` alone verifies every identity between them for given k,
K and T. M and M⁻¹ are built block by block from their formula: SymPy's own inverse is wrong for noncommutative entries.

    M = ⎡ A_μ            ⎤      M⁻¹ = ⎡ A_μ⁻¹                  ⎤      (M⁻¹)_k0 = BᵏA_μ⁻¹
        ⎢−γY   X         ⎥            ⎢ BA_μ⁻¹   X⁻¹           ⎥      (M⁻¹)_kj = Bᵏ⁻ʲX⁻¹,  k ≥ j ≥ 1
        ⎣     −γY   X    ⎦            ⎣ B²A_μ⁻¹  BX⁻¹   X⁻¹    ⎦      B = γX⁻¹Y
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Integer, Sum, Symbol

from theory.problems import InvalidProblem

gamma, alpha = Symbol("gamma"), Symbol("alpha")
k, n, T = (Symbol(name, integer=True, nonnegative=True) for name in "knT")
i, j = Symbol("i", integer=True), Symbol("j", integer=True)


def letter(name: str) -> Symbol:
    """A matrix or vector: multiplication does not commute."""
    return Symbol(name, commutative=False)


X, Y, A_mu, P, D, Phi, Phi_T = (letter(name) for name in ("X", "Y", "A_mu", "P", "D", "Phi", r"\Phi^\top"))
b, b_mu, r = letter("b"), letter("b_mu"), letter("r")
theta_0, theta_pi = letter(r"\theta^0"), letter("theta_pi")
shift, blocks, B_letter = letter("S"), letter(r"\mathcal{B}"), letter("B")

A = X - gamma * Y
B = gamma * X**-1 * Y


@dataclass(frozen=True)
class Formula:
    """One closed form: `latex` to print, `expression` (its right side, an expression or matrix) to compute with."""

    name: str
    latex: str
    expression: Any
    note: str


def theta_k(count: Any = k) -> Any:
    """θᵏ* = Σ_{i<k} BⁱX⁻¹b + Bᵏθ⁰; for a number k written out."""
    return W_k(count) * X**-1 * b + power(B, count) * theta_0


def W_k(count: Any = k) -> Any:
    """W_k = Σ_{i<k} Bⁱ."""
    return geometric(B, count, i)


def bias(count: Any = k) -> Any:
    """θᵏ* − θ_π = γᵏ(X⁻¹Y)ᵏ(θ⁰ − θ_π)."""
    return gamma**count * power(X**-1 * Y, count) * (theta_0 - theta_pi)


def S_T(count: Any = T) -> Any:
    """S_T = α Σ_{j<T} (1 − αX)ʲ."""
    return alpha * geometric(1 - alpha * X, count, j)


def G_T(count: Any = T) -> Any:
    """G_T = Q + (1 − Q)B with Q = (1 − αX)^T."""
    Q = power(1 - alpha * X, count)
    return Q + (1 - Q) * B


def n_step(count: Any = n) -> tuple[Any, Any]:
    """Y_n = ΦᵀDPⁿΦ and b_n = ΦᵀD Σ_{j<n} γʲPʲ r."""
    return Phi_T * D * P**count * Phi, Phi_T * D * geometric(gamma * P, count, j) * r


def joint_matrix(K: int) -> sympy.Matrix:
    """M of the heads 0..K, (K+1)×(K+1) blocks."""
    check_last(K)
    rows = [[Integer(0)] * (K + 1) for _ in range(K + 1)]
    for head in range(K + 1):
        rows[head][head] = X if head else A_mu
        if head:
            rows[head][head - 1] = -gamma * Y
    return sympy.Matrix(rows)


def joint_inverse(K: int) -> sympy.Matrix:
    """M⁻¹ by its closed form."""
    check_last(K)
    return sympy.Matrix(K + 1, K + 1, lambda row, column: inverse_block(int(row), int(column)))


def inverse_block(row: int, column: int) -> Any:
    """Block (k, j) of M⁻¹: Bᵏ⁻ʲ times A_μ⁻¹ for j = 0 and X⁻¹ after it; zero above the diagonal."""
    if column > row:
        return Integer(0)
    return power(B, row - column) * (X if column else A_mu) ** -1


def formulas(K: int = 3) -> list[Formula]:
    """All closed forms, M and M⁻¹ for the heads 0..K and in general.

    >>> [f.name for f in formulas(1)][:3]
    ['theta_k', 'W_k', 'bias']
    """
    Y_n, b_n = n_step()
    return [
        Formula("theta_k", r"\theta^k_* = \sum_{i<k} B^i X^{-1} b + B^k \theta^0, \quad B = \gamma X^{-1} Y", theta_k(),
                "fixed point of head k, for every θ⁰ (eq-closed-form)"),
        Formula("W_k", r"W_k = \sum_{i<k} B^i, \quad W_k X^{-1} A = I - B^k", W_k(), "geometric sum (eq-geometric)"),
        Formula("bias", r"\theta^k_* - \theta_\pi = \gamma^k (X^{-1} Y)^k (\theta^0 - \theta_\pi)", bias(),
                "where Aθ_π = b (prop-2)"),
        Formula("M", rf"M = {_matrix_latex(joint_matrix(K))}", joint_matrix(K), f"joint matrix of heads 0..{K} (eq-M)"),
        Formula("M_inverse", rf"M^{{-1}} = {_matrix_latex(joint_inverse(K))}", joint_inverse(K),
                f"its inverse (prop-6), heads 0..{K}"),
        Formula("M_general", r"M = \mathcal{B}\,(I - \mathrm{Sh}\,B),"
                r" \quad \mathcal{B} = \operatorname{diag}(A_\mu, X, \dots, X)", blocks * (1 - shift * B_letter),
                "every K; Sh shifts by one head, commutes with B, and its (K+1)-th power is 0"),
        Formula("M_inverse_general", r"M^{-1} = \sum_{k \le K} (\mathrm{Sh}\,B)^k\, \mathcal{B}^{-1}, \quad"
                r" (M^{-1})_{k0} = B^k A_\mu^{-1}, \quad (M^{-1})_{kj} = B^{k-j} X^{-1}\ (k \ge j \ge 1)",
                geometric(shift * B_letter, Symbol("K", integer=True, nonnegative=True) + 1, k) * blocks**-1,
                "every K; Sh B stands for Kronecker's Sh ⊗ B"),
        Formula("S_T", r"S_T = \alpha \sum_{j<T} (I - \alpha X)^j, \quad S_T X = I - (I - \alpha X)^{T}", S_T(),
                "what T updates with a frozen target do (extra-target-network)"),
        Formula("G_T", r"G_T = Q + (I - Q) B = I - S_T A, \quad Q = (I - \alpha X)^{T}", G_T(),
                "error after one target network; T = 1 is TD, T → ∞ the chain"),
        Formula("Y_n", r"X_n = X, \quad Y_n = \Phi^\top D P^n \Phi", Y_n, "n-step moments (n-step)"),
        Formula("b_n", r"b_n = \Phi^\top D \sum_{j<n} \gamma^j P^j r", b_n, "n-step rewards (n-step)"),
        Formula("B_n", r"B_n = \gamma^n X^{-1} Y_n", gamma**n * X**-1 * Y_n, "operator of the n-step chain"),
    ]  # fmt: skip


def power(base: Any, count: Any) -> Any:
    """baseᵏ, multiplied out for a number k (SymPy keeps (γX⁻¹Y)**3 with its scalar inside, and does not cancel)."""
    if not isinstance(count, int):
        return base**count
    out: Any = Integer(1)
    for _ in range(count):
        out = sympy.expand(out * base)
    return out


def geometric(base: Any, count: Any, index: Symbol) -> Any:
    """Σ_{i<k} baseⁱ: a `Sum` for symbolic k, written out for a number."""
    if not isinstance(count, int):
        return Sum(base**index, (index, 0, count - 1))
    return sympy.Add(*(power(base, m) for m in range(count)))


def check_last(K: int) -> None:
    """A chain has a head 0."""
    if K < 0:
        raise InvalidProblem(f"the chain's last head must be 0 or more, got {K}", "K")


def _matrix_latex(M: sympy.Matrix) -> str:
    names = {A_mu: r"A_\mu"}
    rows = [" & ".join(sympy.latex(x, symbol_names=names) for x in M.row(row)) for row in range(M.rows)]
    return r"\begin{pmatrix} " + r" \\ ".join(rows) + r" \end{pmatrix}"
