"""eq-geometric: W_kX⁻¹A = I − Bᵏ and W_kX⁻¹ = A⁻¹ − BᵏA⁻¹, with W_k = Σ_{i<k} Bⁱ and B = γX⁻¹Y.

X⁻¹A = I − B, and W_k(I − B) telescopes to I − Bᵏ: an induction over k. Multiplying by A⁻¹ from the right gives the
second identity. The first needs X⁻¹ only; the second needs A⁻¹ as well, and that is all that prop-2 lost by it.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from theory.exact.matrices import identity
from theory.exact.solve import power
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.paper import paper_theory

K = 5


def claims() -> Claims:
    """Both identities."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("geometric", n.W_k * n.Xi * n.A, 1 - n.G_k),
        T.claim("geometric-inverse", n.W_k * n.Xi, n.Ai - n.G_k * n.Ai),
    ]


def check() -> Checks:
    """Both identities with the sum taken term by term; the second where A is invertible."""
    return on_each(cases("full-rank"), _difference, f"k = 0..{K}")


def _difference(problem: Problem) -> list[object]:
    m, one = matrices(problem), identity(problem.n_features)
    B, X_inverse = m.X.solve(m.gamma * m.Y), m.X.inv()
    W, out = fmpq_mat(problem.n_features, problem.n_features), list[object]()
    for k in range(K + 1):
        out.append(W * X_inverse * m.A - (one - power(B, k)))
        if m.A.det() != 0:
            out.append(W * X_inverse - (m.A.inv() - power(B, k) * m.A.inv()))
        W += power(B, k)
    return out


def counterexamples() -> Counterexamples:
    """Twostate at γ = 5/6: A = 0, so the second identity has no meaning while the first says 0 = 0."""
    twostate = next(p for p in cases("full-rank") if p.name == "twostate").with_gamma("5/6")
    m = matrices(twostate)
    B = m.X.solve(m.gamma * m.Y)[0, 0]
    text = (
        f"Twostate at γ = 5/6: A = {m.A[0, 0]}, B = {B}; W_kX⁻¹A = 0 = I − Bᵏ, but W_kX⁻¹ = 2k/5 and A⁻¹ does not exist"
    )
    right = m.A[0, 0] == 0 and B == 1 and all(k / m.X[0, 0] == fmpq(2 * k, 5) for k in range(4))
    yield Counterexample("A invertible, for the second identity", text, right, twostate)


STATEMENT = Statement(
    id="eq-geometric",
    place=70,
    title="Geometric sum of the chain",
    paper="W_kX⁻¹A = I − Bᵏ, hence W_kX⁻¹ = A⁻¹ − BᵏA⁻¹",
    verdict="holds",
    precise="the first for every invertible X, the second where A is invertible too",
    assumptions=("X invertible", "A invertible, for the second identity"),
    scope="all dimensions, all k ≥ 0",
    latex=r"W_k X^{-1} A = I - B^k, \quad W_k X^{-1} = A^{-1} - B^k A^{-1}, \quad W_k = \sum_{i=0}^{k-1} B^i",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
