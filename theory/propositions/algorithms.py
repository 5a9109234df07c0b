r"""alg-2: Algorithm 2, sequential chained TD with the optional hot start, as its lines say.

Head 0 does T updates of the behaviour's TD, then every head k = 1..K does T updates towards the finished head before
it: with Q = (I − αX)^T, θᵏ = Qθ_s + (I − Q)(Bθᵏ⁻¹ + c), where the start θ_s is θᵏ⁻¹ (hot) or the head's own random
start (cold). So for finite T the heads are not the fixed points θᵏ*, and the errors of earlier heads are carried on
by B. The loop runs over k = 0..K: T(K+1) updates for K+1 parameter vectors, not the "TK steps for K parameters" of
the text; and in its last round θᵏ⁺¹ ← θᵏ writes to a head that does not exist.

alg-3: Algorithm 3, off-policy TD with target networks, as its lines say.

Windows k = 1..K+1 of T updates towards the parameters of the window before; each but the first starts where the one
before ended. So the first window is cold, from θ¹'s own start, and all others are hot: with Q = (I − αX)^T and G_T = Q
+ (I − Q)B, e_{K+1} = G_Tᴷ(Q(θ_c − θ_π) + (I − Q)Be_0). It makes T(K+1) updates and K+1 switches where its input says
K, and the text TK. T = 1 is off-policy TD: G_1 = I − αA.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from flint import fmpq_mat

from theory.exact.matrices import power, rational
from theory.model.iteration import sequential_heads, target_network_matrix, td_iterates
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import chain_heads
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, matrices, ones
from theory.propositions.registry import claimed
from theory.propositions.statement import (
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    largest,
    on_each,
)

ALPHA, T, K, SWITCHES = Fraction(1, 8), 3, 3, 2


def alg_2_claims() -> Claims:
    """T updates of head 0 and of a later head, from any start."""
    return [
        *claimed("def-richardson", "residual"),
        *claimed("prop-4", "target-sum"),
        *claimed("eq-recursion", "target-cold-start"),
        *claimed("prop-4", "target-cold-bias"),
        *claimed("extra-target-network", "target-hot-start"),
    ]


def alg_2_check() -> Checks:
    """The algorithm line by line, in expectation, against the formula for each head and the number of updates."""
    return on_each(
        cases("full-rank", "behaviour"), _alg_2_difference, f"T = {T}, K = {K}, hot and cold; updates counted"
    )


def _alg_2_difference(m: Matrices) -> Gaps:
    starts, step = [fmpq_mat(m.F, 1, range(k, k + m.F)) for k in range(K + 1)], rational(ALPHA)
    Q = power(m.one - step * m.X, T)
    for hot in (True, False):
        heads, updates = alg_2_run(m.problem, ALPHA, T, K, starts, hot=hot)
        predicted = m.theta_mu + power(m.one - step * m.A_mu, T) * (starts[0] - m.theta_mu)
        for k, head in enumerate(heads):
            yield head - predicted
            begin = head if hot else starts[min(k + 1, K)]
            predicted = Q * begin + (m.one - Q) * (m.B * head + m.c)
        yield updates - T * (K + 1)
    same, _ = alg_2_run(m.problem, ALPHA, T, K, [starts[0]] * (K + 1), hot=False)
    known = sequential_heads(exact_moments(m.problem), ALPHA, T, K, starts[0], hot=False)
    yield from (a - b for a, b in zip(same, known, strict=True))


def alg_2_run(
    problem: Problem, alpha: Fraction, T: int, K: int, starts: Sequence[fmpq_mat], *, hot: bool
) -> tuple[list[fmpq_mat], int]:
    """Algorithm 2's loops with expected updates: the heads 0..K, and how many updates were made."""
    m, first = matrices(problem), exact_moments(problem).behaviour
    theta, t, step = list(starts), 0, rational(alpha)
    for k in range(K + 1):
        for _ in range(T):
            t += 1
            update = first.b - first.A * theta[0] if k == 0 else m.b + m.gamma * m.Y * theta[k - 1] - m.X * theta[k]
            theta[k] = theta[k] + step * update
        if hot and k < K:  # the algorithm also writes θ^{K+1}, which nothing reads
            theta[k + 1] = theta[k]
    return theta, t


def alg_2_counterexamples() -> Counterexamples:
    """The count of updates, and heads that are not yet fixed points."""
    problem, zero = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat(1, 1)
    heads, updates = alg_2_run(problem, ALPHA, T, K, [zero] * (K + 1), hot=True)
    text = f"T = {T}, K = {K}: {updates} updates for {len(heads)} parameter vectors, not TK = {T * K} for {K}"
    yield Counterexample("as stated", text, updates == T * (K + 1) and len(heads) == K + 1, {"T": T, "K": K})
    fixed = chain_heads(exact_model(problem), K, "behaviour")
    gaps = [str((a - b)[0, 0]) for a, b in zip(heads, fixed, strict=True)]
    text = (
        f"Twostate with rewards, γ = 1/2, α = 1/8, T = 3: head 1 misses θ¹* by {gaps[1]}, the text takes it as"
        " converged"
    )
    yield Counterexample("T → ∞", text, largest(heads[1] - fixed[1]) > 0, problem)


ALG_2 = Statement(
    id="alg-2",
    place=270,
    title="Algorithm 2: sequential chained TD with hot start",
    paper="sequential chained TD estimates K parameters by T updates each, TK steps in total; the hot start is"
    " optional",
    verdict="imprecise",
    precise="T(K+1) updates, K+1 parameter vectors; θᵏ = Qθ_s + (I − Q)(Bθᵏ⁻¹ + c) with Q = (I − αX)^T, the fixed"
    " points only for T → ∞",
    assumptions=("α below the bounds of prop-4", "T → ∞, for the fixed points"),
    scope="all dimensions, all T, all k ≥ 0",
    cites=("Gelfand: ρ(I − αX) < 1 ⇔ (I − αX)^T → 0",),
    where="θ_s is where the head starts, θᵏ⁻¹ (hot) or anywhere (cold); c = X⁻¹b",
    latex=r"\theta^k = Q\theta_s + (I - Q)(B\theta^{k-1} + c), \quad Q = (I - \alpha X)^{T}, \quad T(K+1)"
    r"\ \text{updates}",
    claims=alg_2_claims,
    check=alg_2_check,
    counterexamples=alg_2_counterexamples,
)


def alg_3_claims() -> Claims:
    """The cold first window, the hot ones after it, and T = 1."""
    return [
        *claimed("prop-4", "target-sum", "target-cold-bias"),
        *claimed("extra-target-network", "target-hot-start", "target-outer", "target-operator", "target-is-td-at-1"),
    ]


def alg_3_check() -> Checks:
    """The algorithm line by line, in expectation, against e_{K+1}; at T = 1 with equal starts it is off-policy TD."""
    return on_each(cases("full-rank", "solvable"), _alg_3_difference, f"T = {T}, K = {SWITCHES}; and T = 1 against TD")


def _alg_3_difference(m: Matrices) -> Gaps:
    cold, Q = 2 * ones(m.F), power(m.one - rational(ALPHA) * m.X, T)
    last, updates = alg_3_run(m.problem, ALPHA, T, SWITCHES, m.start, cold)
    first = Q * (cold - m.theta_pi) + (m.one - Q) * (m.B * (m.start - m.theta_pi))
    predicted = power(target_network_matrix(m.problem, ALPHA, T), SWITCHES) * first
    single, steps = alg_3_run(m.problem, ALPHA, 1, SWITCHES, m.start, m.start)
    td = next(islice(td_iterates(exact_moments(m.problem), ALPHA, m.start), steps, None))
    return [last - m.theta_pi - predicted, updates - T * (SWITCHES + 1), single - td]


def alg_3_run(
    problem: Problem, alpha: Fraction, T: int, K: int, start: fmpq_mat, cold: fmpq_mat
) -> tuple[fmpq_mat, int]:
    """Algorithm 3's loops with expected updates: θ^{K+1} and their number; θ⁰ = `start`, θ¹ begins at `cold`."""
    m, step, t = matrices(problem), rational(alpha), 0
    before, now = start, cold
    for _ in range(1, K + 2):
        for _ in range(T):
            t += 1
            now = now + step * (m.b + m.gamma * m.Y * before - m.X * now)
        before = now  # θᵏ⁺¹ starts as a copy of θᵏ and bootstraps from it
    return now, t


def alg_3_counterexamples() -> Counterexamples:
    """The count, and the cold first window."""
    problem, zero = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat(1, 1)
    hot, updates = alg_3_run(problem, ALPHA, T, SWITCHES, zero, zero)
    text = f"'number of switches' K = {SWITCHES}, T = {T}: {updates} updates in {updates // T} windows,"
    text += f" not TK = {T * SWITCHES}"
    yield Counterexample("as stated", text, updates == T * (SWITCHES + 1), {"T": T, "K": SWITCHES})
    cold, _ = alg_3_run(problem, ALPHA, T, SWITCHES, zero, fmpq_mat([[1]]))
    text = (
        f"Twostate with rewards, γ = 1/2, θ⁰ = 0: it ends at {hot[0, 0]} if θ¹ starts at 0 and at {cold[0, 0]}"
        " if it starts at 1"
    )
    yield Counterexample("θ¹ starts as a copy of θ⁰", text, largest(hot - cold) > 0, problem)


ALG_3 = Statement(
    id="alg-3",
    place=280,
    title="Algorithm 3: off-policy target-network TD",
    paper="target-network TD performs TK steps with the identical update and switches K times",
    verdict="imprecise",
    precise="T(K+1) updates in K+1 windows; the first is cold, the others hot: the error at the end is"
    " G_Tᴷ(Q(θ_c − θ_π) + (I − Q)Be_0)",
    assumptions=("Aθ_π = b, for the error",),
    scope="all dimensions, all T, all K",
    where="θ_c is the learner's own start, e_k = θᵏ − θ_π the error after k windows; Q = (I − αX)^T",
    latex=r"e_{K+1} = G_T^K\bigl(Q(\theta_c - \theta_\pi) + (I - Q)B e_0\bigr), \quad G_T = Q + (I - Q)B = I - S_T A",
    claims=alg_3_claims,
    check=alg_3_check,
    counterexamples=alg_3_counterexamples,
)
