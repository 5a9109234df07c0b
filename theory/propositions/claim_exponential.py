r"""claim-exponential: "the bias reduces exponentially with k", "the distance decreases with k", if ρ(B) < 1.

Only asymptotically, and in the Euclidean norm not at once: e_k = Bᵏe_0 may grow first. Precisely: for every q with
ρ(B) < q < 1 there is a c with ‖e_k‖ ≤ c·qᵏ, and there is a norm in which the distance falls at *every* step: by Stein
ρ(B) < 1 ⇔ some Q ≻ 0 has N = Q − BᵀQB ≻ 0, and then e_kᵀQe_k − e_{k+1}ᵀQe_{k+1} = e_kᵀNe_k for all k. With
N = I the fall is geometric: e_kᵀQe_k ≤ (1 − 1/tr Q)ᵏ e_0ᵀQe_0, because λ_max(Q) ≤ tr Q.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from flint import fmpq, fmpq_mat

from theory.certified.verdicts import chain_unbiased
from theory.exact.matrices import fraction, identity, is_positive_definite
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices, trace
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace, kronecker
from theory.propositions.theories.paper import paper_theory

K = 6


@cache
def decrease_theory() -> Namespace:
    """e_{k+1} = Be_k and N = Q − BᵀQB: the fall of eᵀQe at each step, and summed over all steps."""
    n = Namespace()
    T, B, Q = n.T, n.letters("B", "F -> F"), n.letters("Q", "F -> F", symmetric=True)
    e0, N = n.letters("e0", "1 -> F", e0="e_0"), T.define("N", Q - B.T * Q * B)
    e = n.e = T.sequence("e", e0, lambda e: B * e, latex="e_k")
    spent = T.sequence("spent", 0 * (e0.T * e0), lambda s: s + e.T * N * e, latex=r"\sum_{i<k} e_i^\top N e_i")
    n.state("one step", e.T * Q * e - T.next(e).T * Q * T.next(e), e.T * N * e)
    n.state("all steps", e0.T * Q * e0 - e.T * Q * e, spent)
    return n


def claims() -> Claims:
    """The bias is Bᵏe_0, and how eᵀQe falls."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("bias", n.theta - n.theta_pi, n.G_k * (n.theta0 - n.theta_pi)),
        *decrease_theory().claims,
    ]


def check() -> Checks:
    """An exact Q for every unbiased case: positive definite, and the geometric bound kept by e_0, …, e_6."""
    for problem in cases("full-rank", "unbiased"):
        B, F = matrices(problem).B, problem.n_features
        Q, e, energy = stein(B), fmpq_mat(F, 1, [(-1) ** i * (i + 1) for i in range(F)]), []
        for _ in range(K + 1):
            energy.append((e.transpose() * Q * e)[0, 0])
            e = B * e
        q = 1 - 1 / trace(Q)
        falls = all(new <= q * old for old, new in pairwise(energy)) and 0 <= q < 1
        holds = Q - B.transpose() * Q * B == identity(F) and falls and is_positive_definite(Q)
        yield Check(problem.name, not holds, detail=f"e_{{k+1}}ᵀQe_{{k+1}} ≤ {float(fraction(q)):.4g}·e_kᵀQe_k")


def stein(B: fmpq_mat) -> fmpq_mat:
    """The Q with Q − BᵀQB = I, as one linear system for its entries; it exists when ρ(B) < 1.

    >>> stein(fmpq_mat([[fmpq(1, 2)]]))
    [4/3]
    """
    n = B.nrows()
    system = identity(n * n) - kronecker(B.transpose(), B.transpose())
    return fmpq_mat(n, n, system.solve(fmpq_mat(n * n, 1, identity(n).entries())).entries())


def counterexamples() -> Counterexamples:
    """Tabular features, D = I/2, P: both states to the second, γ = 9/10, e_0 = (0, 1)."""
    problem = growing_bias()
    B = matrices(problem).B
    e0 = fmpq_mat([[0], [1]])
    e1 = B * e0
    before, after = ((e.transpose() * e)[0, 0] for e in (e0, e1))
    unbiased = chain_unbiased(problem).proved
    text = f"Φ = I, ρ(B) = 9/10: ‖e_0‖² = {before}, ‖e_1‖² = {after}; weighted by D still {before / 2} and {after / 2}"
    yield Counterexample("as stated", text, unbiased and after == fmpq(81, 50) and after > before, problem)
    biased = catalogue_problem("twostate")
    beta = matrices(biased).B[0, 0]
    text = f"Twostate at γ = 99/100: e_k = ({beta})ᵏe_0 grows at every step, in every norm"
    yield Counterexample("ρ(B) < 1", text, beta > 1, biased)


def growing_bias() -> Problem:
    """ρ(B) = 9/10, and yet the first step takes (0, 1) further from θ_π."""
    Phi, P = [[1, 0], [0, 1]], [[0, 1], [0, 1]]
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=["1/2", "1/2"], name="growing bias")


STATEMENT = Statement(
    id="claim-exponential",
    place=110,
    title="The bias reduces exponentially",
    paper="if ρ(γΠP) < 1 the bias reduces exponentially with k; the distance to θ_π decreases with k",
    verdict="imprecise",
    precise="‖e_k‖ ≤ c·qᵏ for every q > ρ(B), with a c that may exceed ‖e_0‖; it decreases at every step in the norm of"
    " a Q ≻ 0 with Q − BᵀQB ≻ 0, in the Euclidean norm it may grow first",
    assumptions=("X invertible", "Aθ_π = b", "ρ(B) < 1"),
    scope="all dimensions, all k ≥ 0",
    cites=("Gelfand: ‖Bᵏ‖^(1/k) → ρ(B)", "Stein: ρ(B) < 1 ⇔ Q − BᵀQB ≻ 0 for some Q ≻ 0"),
    where="e_k = θᵏ* − θ_π",
    latex=r"e_k^\top Q e_k - e_{k+1}^\top Q e_{k+1} = e_k^\top N e_k, \quad N = Q - B^\top Q B \succ 0",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
