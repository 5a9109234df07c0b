"""eq-geometric: W_kX⁻¹A = I − Bᵏ and W_kX⁻¹ = A⁻¹ − BᵏA⁻¹, with W_k = Σ_{i<k} Bⁱ and B = γX⁻¹Y.

X⁻¹A = I − B, and W_k(I − B) telescopes to I − Bᵏ: an induction over k. Multiplying by A⁻¹ from the right gives the
second identity. The first needs X⁻¹ only; the second needs A⁻¹ as well, and that is all that prop-2 lost by it.

neumann: A⁻¹ = lim Σ_{i≤k} BⁱX⁻¹ if ρ(B) < 1, and only then.

W_kX⁻¹ = A⁻¹ − BᵏA⁻¹ (eq-geometric), so the partial sums miss A⁻¹ by exactly BᵏA⁻¹, which vanishes when ρ(B) < 1.
Conversely two neighbouring sums differ by BᵏX⁻¹; where the sums converge this tends to 0, so Bᵏ → 0 and ρ(B) < 1.
And A = X(I − B) is invertible when ρ(B) < 1, without being assumed so. The paper's sum has k + 1 terms where W_k has
k; the limit does not care.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased
from theory.exact.matrices import geometric_sum, is_positive_definite, power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.bias_growth import stein
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, matrices
from theory.propositions.registry import claimed
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.paper import paper_theory

K = 5


def eq_geometric_claims() -> Claims:
    """Both identities."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("geometric", n.W_k * n.Xi * n.A, 1 - n.G_k),
        T.claim("geometric-inverse", n.W_k * n.Xi, n.Ai - n.G_k * n.Ai),
    ]


def eq_geometric_check() -> Checks:
    """Both identities with the sum taken term by term; the second where A is invertible."""
    return on_each(cases("full-rank"), _difference, f"k = 0..{K}")


def _difference(m: Matrices) -> Gaps:
    W, X_inverse = 0 * m.one, m.X.inv()
    for k in range(K + 1):
        yield W * X_inverse * m.A - (m.one - power(m.B, k))
        if m.A.det() != 0:
            yield W * X_inverse - (m.A.inv() - power(m.B, k) * m.A.inv())
        W += power(m.B, k)


def eq_geometric_counterexamples() -> Counterexamples:
    """Twostate at γ = 5/6: A = 0, so the second identity has no meaning while the first says 0 = 0."""
    twostate = next(p for p in cases("full-rank") if p.name == "twostate").with_gamma("5/6")
    m = matrices(twostate)
    B = m.X.solve(m.gamma * m.Y)[0, 0]
    text = (
        f"Twostate at γ = 5/6: A = {m.A[0, 0]}, B = {B}; W_kX⁻¹A = 0 = I − Bᵏ, but W_kX⁻¹ = 2k/5 and A⁻¹ does not exist"
    )
    right = m.A[0, 0] == 0 and B == 1 and all(k / m.X[0, 0] == fmpq(2 * k, 5) for k in range(4))
    yield Counterexample("A invertible, for the second identity", text, right, twostate)


EQ_GEOMETRIC = Statement(
    id="eq-geometric",
    place=70,
    title="Geometric sum of the chain",
    paper="W_kX⁻¹A = I − Bᵏ, hence W_kX⁻¹ = A⁻¹ − BᵏA⁻¹",
    verdict="holds",
    precise="the first for every invertible X, the second where A is invertible too",
    assumptions=("X invertible", "A invertible, for the second identity"),
    scope="all dimensions, all k ≥ 0",
    latex=r"W_k X^{-1} A = I - B^k, \quad W_k X^{-1} = A^{-1} - B^k A^{-1}, \quad W_k = \sum_{i=0}^{k-1} B^i",
    claims=eq_geometric_claims,
    check=eq_geometric_check,
    counterexamples=eq_geometric_counterexamples,
)


def neumann_claims() -> Claims:
    """What the partial sums miss, how they differ, and A = X(I − B)."""
    n = paper_theory()
    T = n.T
    return [
        *claimed("eq-geometric", "geometric-inverse"),
        T.claim("neighbouring sums", T.next(n.W_k) * n.Xi - n.W_k * n.Xi, n.G_k * n.Xi),
        *claimed("prop-3", "A = X (1 - B)"),
    ]


def neumann_check() -> Checks:
    """The remainder identically in rationals; where ρ(B) < 1 an exact Q with Q − BᵀQB = I, Q ≻ 0, proves Bᵏ → 0."""
    for problem in cases("full-rank", "solvable"):
        yield Check(problem.name, largest(_remainders(problem)), detail="A⁻¹ − Σ_{i<k} BⁱX⁻¹ = BᵏA⁻¹ for k = 0..6")
        B, converges = matrices(problem).B, chain_unbiased(problem)
        # Stein's equation has a solution Q ≻ 0 exactly when ρ(B) < 1; a singular system is a tie.
        by_stein = _stein_positive(B)
        yield Check(
            problem.name,
            converges.holds != Answer.of(by_stein),
            detail="ρ(B) < 1, by Stein and by certificate",
        )


def _remainders(problem: Problem) -> list[object]:
    m = matrices(problem)
    B, A_inverse, X_inverse = matrices(problem).B, m.A.inv(), m.X.inv()
    return [A_inverse - geometric_sum(B, k)[1] * X_inverse - power(B, k) * A_inverse for k in range(7)]


def _stein_positive(B: fmpq_mat) -> bool:
    try:
        return is_positive_definite(stein(B))
    except ZeroDivisionError:
        return False


def neumann_counterexamples() -> Counterexamples:
    """D = diag(9, 1)/10, swap, Φ = (1; −3): B = −5γ/3, and A is always invertible."""
    grows = catalogue_problem("quadrant-stable-biased")
    m, B = matrices(grows), matrices(grows).B[0, 0]
    sums = [_partial_sum(grows, k) for k in range(5)]
    gaps = [abs(s - 1 / m.A[0, 0]) for s in sums]
    away = all(gap == abs(B) ** k * gaps[0] for k, gap in enumerate(gaps)) and abs(B) > 1
    text = f"γ = 9/10: B = {B}, A = {m.A[0, 0]}; the partial sums miss A⁻¹ by |B|ᵏ/A, which grows"
    yield Counterexample("ρ(B) < 1", text, away, grows)
    tie = grows.with_gamma("3/5")
    m = matrices(tie)
    sums = [_partial_sum(tie, k) for k in range(4)]
    text = f"γ = 3/5: B = −1, the partial sums are {', '.join(map(str, sums))}, … for ever; A⁻¹ = {1 / m.A[0, 0]}"
    swings = sums == [0, 1 / m.X[0, 0]] * 2 and 2 / m.A[0, 0] == sums[1]
    yield Counterexample("ρ(B) < 1, strictly", text, swings, tie)


def _partial_sum(problem: Problem, k: int) -> fmpq:
    """Σ_{i<k} BⁱX⁻¹ of a problem with one feature."""
    return geometric_sum(matrices(problem).B, k)[1][0, 0] / matrices(problem).X[0, 0]


NEUMANN = Statement(
    id="neumann",
    place=350,
    title="Inverse of the key matrix as a series",
    paper="ρ(B) < 1 implies that the sum of BⁱX⁻¹ over i ≤ k tends to A⁻¹ as k → ∞",
    verdict="holds",
    precise="the series converges ⇔ ρ(B) < 1; then A is invertible and the sum of k terms misses A⁻¹ by BᵏA⁻¹",
    assumptions=("X invertible", "ρ(B) < 1"),
    scope="all dimensions, all k ≥ 0",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0", "Stein: ρ(B) < 1 ⇔ Q − BᵀQB = I has a solution Q ≻ 0"),
    latex=r"A^{-1} - \sum_{i=0}^{k-1} B^i X^{-1} = B^k A^{-1} \to 0 \iff \rho(B) < 1",
    claims=neumann_claims,
    check=neumann_check,
    counterexamples=neumann_counterexamples,
)
