r"""alg-target: sequential chained TD and target-network TD "have the same behaviour and hence same fixed points".

One window of T updates from θ⁰ towards θ⁰ ends at θ¹* + Q(θ⁰ − θ¹*) with Q = (I − αX)^T, and G_T − B = Q(I − B):
window and head differ by Q, which vanishes for T → ∞ and α < 2/λ_max(X). With the hot start kept in both, and no
estimate of v_μ first, the two algorithms agree for every T. The paper says that without the hot start they do; but
Algorithm 3 always copies, so then one is hot, the other cold, and they differ by Q(θ⁰ − θ_c) in every window.

sec-target: slow target-network TD has the bias γᵏ(X⁻¹Y)ᵏ(θ⁰ − θ_π) and converges to θ_π if ρ(γΠP) < 1.

For T → ∞ a window ends at the head θᵏ*, so prop-2 and prop-3 carry over. For every T the error after k windows is
G_Tᵏe_0 with G_T = Q + (I − Q)B → B, and eigenvalues are continuous: if ρ(B) < 1 then ρ(G_T) < 1 from some T on, and
if ρ(B) > 1 it exceeds 1 from some T on; which T is not known beforehand. "The distance decreases with k" holds
asymptotically only (claim-exponential), and "slow" is needed: with ρ(B) < 1 a small T may diverge.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_mat

from theory.certified.answers import NO, YES
from theory.certified.verdicts import chain_unbiased, window_stable
from theory.exact.matrices import fraction, power, rational
from theory.linear.spectra import head_step_sizes
from theory.model.iteration import target_network_iterates, target_network_matrix
from theory.model.linear_model import exact_moments
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.algorithms import alg_3_run
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, departures, matrices
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
)
from theory.propositions.theories.paper import paper_theory

ALPHA, T, K, SLOW = Fraction(1, 8), 3, 4, 4096


def alg_target_claims() -> Claims:
    """Window and head differ by Q; hot and cold windows differ by Q; rest points."""
    n = paper_theory()
    T = n.T
    head = n.G * n.theta0 + n.Xi * n.b  # θ¹*
    return [
        T.claim("a window ends at the head up to Q", n.hot - head, n.Q_t * (n.theta0 - head)),
        *claimed("sec-target", "G_T - B = Q (1 - B)"),
        *claimed("claim-hot-start", "hot and cold differ by Q"),
        *claimed("extra-target-network", "target-operator", "target-hot-start", "target-outer"),
    ]


def alg_target_check() -> Checks:
    """Algorithm 3 is hot sequential chaining; windows miss the head by Q; T = 4096 decides like the chain."""
    for problem in cases("full-rank"):
        gap = largest([*_difference(matrices(problem))])
        yield Check(problem.name, gap, detail="windows 1..3 of T = 2; θ_T − θ¹* for T = 1, 2, 5")
        alpha, same = _slow_is_the_chain(problem)
        yield Check(problem.name, not same, detail=f"T = {SLOW}, α = {alpha}: stable exactly if unbiased")


def _difference(m: Matrices) -> Gaps:
    rounds, head = target_network_iterates(exact_moments(m.problem), ALPHA, 2, 3, m.start), m.B * m.start + m.c
    yield from (rounds[K + 1] - alg_3_run(m.problem, ALPHA, 2, K, m.start, m.start)[0] for K in range(3))
    for T in (1, 2, 5):
        Q = power(m.one - rational(ALPHA) * m.X, T)
        yield target_network_iterates(exact_moments(m.problem), ALPHA, T, 1, m.start)[1] - head - Q * (m.start - head)
        yield target_network_matrix(m.problem, ALPHA, T) - m.B - Q * (m.one - m.B)


def alg_target_counterexamples() -> Counterexamples:
    """Without both optional steps; with fast switching, in both directions."""
    problem, zero = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat(1, 1)
    hot, cold = (
        target_network_iterates(exact_moments(problem), ALPHA, 2, 2, zero, hot=hot)[2] for hot in (True, False)
    )
    text = f"Twostate with rewards, γ = 1/2, α = 1/8, T = 2, start 0: Algorithm 3 is at {hot[0, 0]} after two windows,"
    text += f" Algorithm 2 without its optional steps at {cold[0, 0]}"
    yield Counterexample(
        "as stated", text, hot != cold and alg_3_run(problem, ALPHA, 2, 1, zero, zero)[0] == hot, problem
    )
    window, alpha = catalogue_problem("finite-window"), Fraction(1, 16)
    decided = [window_stable(window, T, alpha).holds for T in (1, 7, 8, 127, 128)]
    ok = decided == [NO, NO, YES, YES, NO] and chain_unbiased(window).refuted
    text = (
        "finite-window, α = 1/16: TD and the infinite chain both fail, windows of T = 8 and 127 converge, 7"
        " and 128 do not"
    )
    yield Counterexample("T → ∞", text, ok, window)
    square, alpha = catalogue_problem("quadrant-unstable-unbiased"), Fraction(1, 5)
    fast, slow = (window_stable(square, T, alpha).holds for T in (1, SLOW))
    text = f"Φ = [[1, 0], [3, 1]]: windows of T = 1 (off-policy TD) diverge, T = {SLOW} converges as the chain does"
    yield Counterexample("T → ∞", text, (fast, slow, chain_unbiased(square).holds) == (NO, YES, YES), square)


ALG_TARGET = Statement(
    id="alg-target",
    place=290,
    title="Target networks and sequential chaining",
    paper="without the optional steps sequential chained TD and target-network TD have the same behaviour and fixed"
    " points",
    verdict="holds with an added assumption",
    precise="for T → ∞ (α < 2/λ_max(X)); for finite T only if both start hot from the same θ⁰, and then for every T;"
    " windows miss θᵏ* by Q(θᵏ⁻¹ − θᵏ*), Q = (I − αX)^T",
    assumptions=("T → ∞", "α < 2/λ_max(X)", "X invertible"),
    scope="all dimensions, all T, all k ≥ 0",
    cites=("Gelfand: ρ(I − αX) < 1 ⇔ (I − αX)^T → 0",),
    where="θ_T is the learner after T updates from θ⁰ towards the target θ⁰",
    latex=r"\theta_T - \theta^1_* = Q(\theta^0 - \theta^1_*), \quad G_T - B = Q(I - B), \quad Q = (I - \alpha X)^{T}",
    claims=alg_target_claims,
    check=alg_target_check,
    counterexamples=alg_target_counterexamples,
)


def sec_target_claims() -> Claims:
    """The bias of the heads, the error after k windows for every T, and G_T − B."""
    n = paper_theory()
    T = n.T
    return [
        *claimed("prop-2", "bias", "bias-gamma"),
        *claimed("extra-target-network", "target-operator", "target-hot-start", "target-outer"),
        T.claim("G_T - B = Q (1 - B)", n.G_t - n.G, n.Q_t * (1 - n.G)),
    ]


def sec_target_check() -> Checks:
    """Windows 0..4 against G_Tᵏe_0; one feature and α = 1/X: Q = 0 and the paper's bias; slow T decides like B."""
    for problem in cases("full-rank", "solvable"):
        m = matrices(problem)
        G, rounds = (
            target_network_matrix(problem, ALPHA, T),
            target_network_iterates(exact_moments(problem), ALPHA, T, K, m.start),
        )
        error = [*departures(rounds, G, m.theta_pi)]
        yield Check(problem.name, largest(error), detail=f"windows 0..{K} of T = {T}: G_Tᵏe_0")
        alpha, same = _slow_is_the_chain(problem)
        yield Check(problem.name, not same, detail=f"T = {SLOW}, α = {alpha}: ρ(G_T) < 1 exactly if ρ(B) < 1")
        if m.F == 1:
            rounds = target_network_iterates(exact_moments(problem), 1 / fraction(m.X[0, 0]), 1, K, m.start)
            error = [*departures(rounds, m.B, m.theta_pi)]
            yield Check(problem.name, largest(error), detail="α = 1/X, so Q = 0: γᵏ(X⁻¹Y)ᵏe_0")


def _slow_is_the_chain(problem: Problem) -> tuple[Fraction, bool]:
    """Half of 2/λ_max(X), and whether a slow window is stable there exactly if the chain is unbiased."""
    alpha = Fraction(head_step_sizes(problem).limit / 2).limit_denominator(1000)
    return alpha, window_stable(problem, SLOW, alpha).holds == chain_unbiased(problem).holds


def sec_target_counterexamples() -> Counterexamples:
    """A distance that grows first; ρ(B) > 1; a fast switch."""
    tabular = catalogue_problem("transient-bias")
    e0 = fmpq_mat([[0], [1]])  # zero rewards: θ_π = 0
    e1 = target_network_iterates(exact_moments(tabular), 2, 1, 1, e0)[1]  # X = I/2, so α = 2 settles in one update
    before, after = ((e.transpose() * e)[0, 0] for e in (e0, e1))
    text = f"Φ = I, D = I/2, P: both to the second, γ = 9/10: from e_0 = (0, 1) ‖e_1‖² = {after} > ‖e_0‖² = {before}"
    unbiased = chain_unbiased(tabular).proved
    yield Counterexample("as stated", "'the distance decreases with k': " + text, unbiased and after > before, tabular)
    twostate = catalogue_problem("twostate")
    beta = matrices(twostate).B[0, 0]
    diverges = all(window_stable(twostate, T, "2/5").refuted for T in (1, 16, SLOW))
    text = f"Twostate, γ = 99/100: B = {beta}, and target networks diverge for T = 1, 16, {SLOW}"
    yield Counterexample("ρ(γΠP) < 1", text, diverges and beta > 1, twostate)
    square = catalogue_problem("quadrant-unstable-unbiased")
    one, slow = (window_stable(square, T, "1/5") for T in (1, SLOW))
    text = f"Φ = [[1, 0], [3, 1]], α = 1/5: ρ(B) < 1, yet T = 1 diverges; T = {SLOW} converges"
    ok = one.refuted and slow.proved and chain_unbiased(square).proved
    yield Counterexample("slow: T → ∞", text, ok, square)


SEC_TARGET = Statement(
    id="sec-target",
    place=300,
    title="Bias and convergence of slow target networks",
    paper="slow target-network TD has the chain's bias γᵏ(X⁻¹Y)ᵏ(θ⁰ − θ_π); if ρ(γΠP) < 1 the distance decreases with"
    " k and it converges to θ_π",
    verdict="imprecise",
    precise="for T → ∞; for every T the error is G_Tᵏe_0 with G_T − B = Q(I − B), so ρ(B) < 1 gives convergence for"
    " all T from some T on; as in claim-exponential the distance may grow first in the Euclidean norm",
    assumptions=("T → ∞", "α < 2/λ_max(X)", "Aθ_π = b", "ρ(γΠP) < 1"),
    scope="all dimensions, all T, all k ≥ 0",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0", "eigenvalues are continuous in the matrix"),
    where="G_T = Q + (I − Q)B and Q = (I − αX)^T; θᵏ with T beside it is the network after k windows of T updates",
    latex=r"\theta^{k,T} - \theta_\pi = G_T^k(\theta^0 - \theta_\pi) \xrightarrow[T \to \infty]{}"
    r" \gamma^k (X^{-1}Y)^k (\theta^0 - \theta_\pi)",
    claims=sec_target_claims,
    check=sec_target_check,
    counterexamples=sec_target_counterexamples,
)
