r"""claim-exponential: "the bias reduces exponentially with k", "the distance decreases with k", if ρ(B) < 1.

Only asymptotically, and in the Euclidean norm not at once: e_k = Bᵏe_0 may grow first. Precisely: for every q with
ρ(B) < q < 1 there is a c with ‖e_k‖ ≤ c·qᵏ, and there is a norm in which the distance falls at *every* step: by Stein
ρ(B) < 1 ⇔ some Q ≻ 0 has N = Q − BᵀQB ≻ 0, and then e_kᵀQe_k − e_{k+1}ᵀQe_{k+1} = e_kᵀNe_k for all k. With
N = I the fall is geometric: e_kᵀQe_k ≤ (1 − 1/tr Q)ᵏ e_0ᵀQe_0, because λ_max(Q) ≤ tr Q.

claim-stable: "chained TD always converges", "never diverges".

True of every head k for itself, with a small enough step size (prop-4, prop-7): for fixed k and t → ∞. Not true along
the chain: θᵏ* − θ_π = Bᵏ(θ⁰ − θ_π), so if Bv = βv then from θ⁰ = θ_π + v head k is off by βᵏv, and for |β| > 1 that
grows without bound in k. What "biased" means there is an error of any size: the longer the chain, the worse.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice, pairwise

from flint import fmpq, fmpq_mat

from theory.certified.verdicts import chain_unbiased, step_size_admissible
from theory.exact.matrices import fraction, identity, is_positive_definite
from theory.linear.spectra import head_step_sizes
from theory.model.iteration import richardson
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import departures, matrices, trace
from theory.propositions.registry import claimed
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace, kronecker

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


def claim_exponential_claims() -> Claims:
    """The bias is Bᵏe_0, and how eᵀQe falls."""
    return [
        *claimed("prop-2", "bias"),
        *decrease_theory(),
    ]


def claim_exponential_check() -> Checks:
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


def claim_exponential_counterexamples() -> Counterexamples:
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
    Phi, P = [[1, 0], [0, 1]], TO_SECOND
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=["1/2", "1/2"], name="growing bias")


CLAIM_EXPONENTIAL = Statement(
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
    claims=claim_exponential_claims,
    check=claim_exponential_check,
    counterexamples=claim_exponential_counterexamples,
)


LONG = 48


@cache
def growth_theory() -> Namespace:
    """An eigenvector of the chain's matrix, and what its powers do to it."""
    n = Namespace("beta")
    T, v, B = n.T, n.letters("v", "1 -> F"), n.letters("B", "F -> F")
    T.assume("B v = beta v", B * v, T.beta * v)
    B_k = T.power(B, "B", latex="B^k")
    beta_k = T.scalar_sequence("beta", 1, lambda x: T.beta * x, latex=r"\beta^k")
    n.state("along the chain", B_k * v, beta_k * v)
    return n


def claim_stable_claims() -> Claims:
    """Each head for itself, the bias along the chain, and its growth."""
    return [
        *claimed("prop-4", "target-cold-bias"),
        *claimed("prop-2", "bias"),
        *claimed("def-richardson", "residual"),
        *growth_theory(),
    ]


def claim_stable_check() -> Checks:
    """Every head converges in t below 2/λ_max(X), also where the chain in k does not; the bias of heads 0..5."""
    for problem in cases("full-rank"):
        alpha = Fraction(head_step_sizes(problem).limit * 0.999)
        converges = step_size_admissible(problem, alpha, "sequential").proved
        along = "converges" if chain_unbiased(problem).proved else "does not converge"
        yield Check(problem.name, not converges, detail=f"each head converges; along k it {along}")
    for problem in cases("full-rank", "solvable"):
        m = matrices(problem)
        off = [*departures(chain_heads(exact_model(problem), 5, [1] * m.F), m.B, m.theta_pi)]
        yield Check(problem.name, largest(off), detail="heads 0..5 are off by Bᵏe_0")


def claim_stable_counterexamples() -> Counterexamples:
    """Twostate with rewards at γ = 99/100, at the boundary, and with a step size that is too large."""
    problem = catalogue_problem("twostate-reward")
    m = matrices(problem)
    beta, heads = m.B[0, 0], chain_heads(exact_model(problem), LONG, "behaviour")
    bias = [abs(fraction((theta - m.theta_pi)[0, 0])) for theta in heads]
    grows = all(b == fraction(abs(beta)) ** k * bias[0] for k, b in enumerate(bias)) and beta > 1
    text = (
        f"Twostate with rewards, γ = 99/100, θ⁰ = θ_μ: |θᵏ* − θ_π| = ({beta})ᵏ·{bias[0]}, at k = {LONG} above"
        f" {int(bias[-1])}"
    )
    yield Counterexample("as stated", text, grows and bias[-1] > 1000 * bias[0] > 0, problem)
    edge = problem.with_gamma("5/6")
    drift = chain_heads(exact_model(edge), 6)
    steps = {str((b - a)[0, 0]) for a, b in pairwise(drift)}
    text = f"γ = 5/6: ρ(B) = 1, there is no θ_π, and every head adds {steps.copy().pop()} to the one before"
    yield Counterexample("ρ(B) < 1, not only ≤ 1", text, len(steps) == 1 and steps != {"0"}, edge)
    head = [x[0, 0] for x in islice(richardson(m.X, m.b, 1, fmpq_mat([[1]])), 4)]
    away = [x - (m.X.solve(m.b))[0, 0] for x in head]
    fails = step_size_admissible(problem, 1, "sequential").refuted
    text = (
        f"X = {m.X[0, 0]}, α = 1 > 2/X: head 1 towards θ⁰ = 0 goes {', '.join(map(str, head))}, …: its"
        " distance to 3/5 grows by half"
    )
    yield Counterexample("α < 2/λ_max(X)", text, fails and all(2 * b == -3 * a for a, b in pairwise(away)), problem)


CLAIM_STABLE = Statement(
    id="claim-stable",
    place=180,
    title="Chained TD never diverges",
    paper="chained TD always converges, i.e. never diverges; it is merely biased where off-policy TD diverges",
    verdict="imprecise",
    precise="for every fixed k and α < 2/λ_max(X) (and A_μ's bound for head 0); along k, θᵏ* → θ_π from every θ⁰"
    " ⇔ ρ(B) < 1, and for ρ(B) > 1 the bias is unbounded in k from some θ⁰",
    assumptions=("k fixed", "α below the bounds of prop-4"),
    scope="all dimensions, all k ≥ 0",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0",),
    where="v is an eigenvector of B, β its eigenvalue",
    latex=r"\theta^k_* - \theta_\pi = B^k(\theta^0 - \theta_\pi),"
    r" \quad Bv = \beta v \ \Rightarrow\ B^k v = \beta^k v",
    claims=claim_stable_claims,
    check=claim_stable_check,
    counterexamples=claim_stable_counterexamples,
)
