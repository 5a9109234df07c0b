r"""n-step: chains of n-step estimators; "chaining k of them predicts the nk-step expedition".

One head of n steps solves X_nθᵏ = γⁿY_nθᵏ⁻¹ + b_n with X_n = X, Y_n = ΦᵀDPⁿΦ, b_n = ΦᵀDr_n, r_n = Σ_{j<n} γʲPʲr, and
its values are Π(r_n + γⁿPⁿvᵏ⁻¹). The n-step expedition from w has the values r_n + γⁿPⁿw, by induction over n. Both
agree where Π = I; elsewhere each head projects once instead of n times, the fixed point moves with n, and the
condition is ρ(γⁿΠPⁿ) < 1, which may hold when ρ(γΠP) < 1 does not, and fail when it does.

extra-n-step: if γⁿ < √(min d) then the n-step chain is unbiased for every Φ.

B_n = γⁿX⁻¹Y_n = C_nΦ has the nonzero spectrum of ΦC_n = γⁿΠPⁿ. In the D-norm ‖Π‖ ≤ 1 by Pythagoras, and
‖Pⁿv‖²_D ≤ max|v|² ≤ ‖v‖²_D/min d, because Pⁿ averages; so ρ(γⁿΠPⁿ) ≤ γⁿ/√(min d) < 1. The bound is sufficient only:
Twostate needs n ≥ 19, the bound asks for 35. What is reached moves with n unless Π = I.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import fmpq, fmpq_mat

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased
from theory.exact.matrices import fraction, power, rational
from theory.exact.polynomials import half_planes, spectral_radius_side
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads, chain_step, expedition_values, starting_point, td_fixed_point
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, existing, matrices
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
from theory.propositions.theories.paper import n_step_theory, paper_theory
from theory.thresholds.discounts import n_step_threshold
from theory.thresholds.results import Threshold


def n_step_claims() -> Claims:
    """The moments, the expedition, one head, and that v_π obeys every n-step equation."""
    n = n_step_theory()
    T, seen = n.T, n.Phi.T * n.D
    head = n.Xi * (n.g_n * seen * n.P_n * n.Phi * n.theta + seen * n.r_n)
    return [
        T.claim("n-step-rewards", T.next(n.r_n, "n"), n.r + T.gamma * n.P * n.r_n),
        T.claim("n-step-moments", T.next(n.b_n, "n"), n.b + T.gamma * n.Phi.T * n.D * n.P * n.r_n),
        T.claim("n-step-value", n.v, n.r_n + n.g_n * n.P_n * n.v),
        T.claim("n-step-rewards-value", n.r_n, n.v - n.g_n * n.P_n * n.v),
        T.claim("n-step-operator", n.g_n * n.Xi * n.Y_n, n.C_n * n.Phi),
        T.claim("n-step-projection", n.Phi * n.C_n, n.g_n * n.Pi * n.P_n),
        T.claim("expedition", n.x_n, n.r_n + n.g_n * n.P_n * n.w),
        T.claim("head", n.Phi * head, n.Pi * (n.r_n + n.g_n * n.P_n * (n.Phi * n.theta))),
    ]


def n_step_check() -> Checks:
    """Heads 0..3 of n = 1, 2, 3 steps by Π(r_n + γⁿPⁿv); the nk-step expedition where Π = I; the condition."""
    yield from on_each(cases("full-rank"), _values, "n = 1, 2, 3, heads 0..3; threshold against ρ(γⁿΠPⁿ)")
    yield from on_each(cases("identity", "behaviour"), _expeditions, "Π = I: k heads of n steps give vⁿᵏ, n, k = 1..3")


def _values(m: Matrices) -> Gaps:
    for n in (1, 2, 3):
        ahead, returns = m.gamma**n * power(m.P, n), m.r
        for _ in range(n - 1):
            returns = m.r + m.gamma * m.P * returns
        v, *later = (m.Phi * head for head in chain_heads(exact_model(m.problem.in_steps_of(n)), 3, [1] * m.F))
        for found in later:
            v = m.Pi * (returns + ahead * v)
            yield found - v
        unbiased = spectral_radius_side((m.Pi * ahead).charpoly()) < 0
        yield unbiased != _is_below(m.problem, n_step_threshold(m.problem, n))


def _is_below(problem: Problem, threshold: Threshold) -> bool:
    """γ < threshold, decided exactly; no threshold means every γ, and an interval must not hold γ."""
    gamma = rational(problem.exact.gamma)
    if threshold.exact is not None:
        return threshold.exact > gamma
    if threshold.low is None or threshold.high is None:
        return True
    if threshold.low <= gamma <= threshold.high:
        raise ArithmeticError(f"γ = {gamma} is within the bounds of the threshold")
    return bool(gamma < threshold.low)


def _expeditions(m: Matrices) -> Gaps:
    start = starting_point(exact_model(m.problem), "behaviour")
    for n in (1, 2, 3):
        for k, head in enumerate(chain_heads(exact_model(m.problem.in_steps_of(n)), 3, start)):
            yield m.Phi * head - expedition_values(exact_model(m.problem), n * k)[-1]


def n_step_counterexamples() -> Counterexamples:
    """Without Π = I: no expedition, another fixed point, another condition."""
    problem = catalogue_problem("twostate-reward").with_gamma("1/2")
    Phi = matrices(problem).Phi
    head = chain_heads(exact_model(problem.in_steps_of(2)), 1, starting_point(exact_model(problem), "behaviour"))[1]
    predicted, expedition = Phi * head, expedition_values(exact_model(problem), 2)[-1]
    values = [", ".join(map(str, v.entries())) for v in (predicted, expedition)]
    text = (
        f"Twostate with rewards, γ = 1/2, one head of two steps: ({values[0]}), the 2-step expedition is worth"
        f" ({values[1]})"
    )
    yield Counterexample("as stated", text, largest(predicted - expedition) > 0, problem)
    one, two = matrices(problem).theta_pi, existing(td_fixed_point(problem.in_steps_of(2)).theta)
    text = f"the same problem: the limit of the one-step chain is {one[0, 0]}, of the two-step chain {two[0, 0]}"
    yield Counterexample("Π = I", text, one != two, problem)
    later = Problem.from_matrices(
        "9/10",
        Phi=[[2], [0], [1]],
        P_pi=[[1, 0, 0], [1, 0, 0], [0, 1, 0]],
        d_mu=["1/4", "1/4", "1/2"],
        name="biased at n = 2",
    )
    swap = catalogue_problem("quadrant-unstable-biased")
    for found, expected in ((later, (True, False)), (swap, (False, True))):
        factors = [fraction(chain_step(exact_model(found.in_steps_of(n)))[0][0, 0]) for n in (1, 2)]
        unbiased = chain_unbiased(found).holds == Answer.of(expected[0])
        decided = unbiased and (abs(factors[1]) < 1) is expected[1]
        text = f"{found.name}: errors are multiplied by {factors[0]} for n = 1 and by {factors[1]} for n = 2"
        yield Counterexample(
            "the condition of the same n", text, decided and (abs(factors[0]) < 1) is expected[0], found
        )


N_STEP = Statement(
    id="n-step",
    place=250,
    title="Chains of n-step estimators",
    paper="chaining k n-step estimators predicts the (k·n)-step expedition value",
    verdict="imprecise",
    precise="vᵏ = Π(r_n + γⁿPⁿvᵏ⁻¹): the nk-step expedition where Π = I; else the fixed point moves with n, and the"
    " chain is unbiased with respect to it ⇔ ρ(γⁿΠPⁿ) < 1",
    assumptions=("X invertible", "Π = I, for the expedition"),
    scope="all dimensions, all n ≥ 0",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0",),
    where="the m-step expedition value: follow π for m steps, then μ; r_n are the discounted rewards of n steps",
    latex=r"X_n = X, \quad Y_n = \Phi^\top D P^n \Phi, \quad b_n = \Phi^\top D \sum_{j<n} \gamma^j P^j r,"
    r" \quad v^k = \Pi\Bigl(\sum_{j<n}\gamma^jP^jr + \gamma^n P^n v^{k-1}\Bigr)",
    claims=n_step_claims,
    check=n_step_check,
    counterexamples=n_step_counterexamples,
)


LONGEST = 200


def extra_n_step_claims() -> Claims:
    """B_n = C_nΦ and ΦC_n = γⁿΠPⁿ, and that Π does not expand."""
    n = paper_theory()
    return [
        *claimed("n-step", "n-step-operator", "n-step-projection"),
        n.T.claim("projection-self-adjoint", n.Pi.T * n.D, n.D * n.Pi),
        *claimed("extra-on-policy", "pythagoras"),
    ]


def extra_n_step_check() -> Checks:
    """At the smallest safe n: D − min d·(Pⁿ)ᵀDPⁿ ⪰ 0, and the chain is unbiased for three Φ; roots counted."""
    for problem in cases("full-rank"):
        n = smallest_safe(problem)
        wrong = half_planes(averaging_gap(problem, n).charpoly()).left
        for seen in (problem, *other_features(problem)):
            wrong += spectral_radius_side(chain_step(exact_model(seen.in_steps_of(n)))[0].charpoly()) >= 0
        yield Check(problem.name, wrong, detail=f"n = {n} is the smallest with γ²ⁿ < min d")


def is_safe(problem: Problem, n: int) -> bool:
    """Is γⁿ < √(min d), decided exactly as γ²ⁿ < min d?"""
    return bool(rational(problem.exact.gamma) ** (2 * n) < min(rational(x) for x in problem.exact.d_mu))


def smallest_safe(problem: Problem) -> int:
    """The least n with γⁿ < √(min d), decided in rationals."""
    return next(n for n in range(1, LONGEST * 10) if is_safe(problem, n))


def averaging_gap(problem: Problem, n: int) -> fmpq_mat:
    """D − min d·(Pⁿ)ᵀDPⁿ, positive semidefinite because Pⁿ averages."""
    m = matrices(problem)
    P_n = power(m.P, n)
    return m.D - min(m.d) * P_n.transpose() * m.D * P_n


def other_features(problem: Problem) -> Iterable[Problem]:
    """One alternating feature, one that picks out the rarest state."""
    d = list(problem.exact.d_mu)
    rare = d.index(min(d))
    yield problem.with_features([[(-3) ** s] for s in range(problem.n_states)])
    yield problem.with_features([[10 if s == rare else 1] for s in range(problem.n_states)])


def extra_n_step_counterexamples() -> Counterexamples:
    """Fewer steps; the bound is not necessary; and signs in P."""
    twostate = catalogue_problem("twostate")
    beta = {n: chain_step(exact_model(twostate.in_steps_of(n)))[0][0, 0] for n in (18, 19)}
    value = float(Fraction(str(beta[18])))
    text = f"Twostate, γ = 99/100: P² = P, so B_n = γⁿ·6/5; n = 18 gives {value:.4f} > 1, biased"
    yield Counterexample("γⁿ < √(min d)", text, beta[18] > 1 and not is_safe(twostate, 18), twostate)
    n = smallest_safe(twostate)
    text = f"the same, n = 19: B_19 < 1, unbiased, although γ¹⁹ > √½; the bound asks for n = {n}"
    loose = beta[19] < 1 and not is_safe(twostate, 19) and n == 35
    yield Counterexample("'sufficient' (it is not necessary)", text, loose, twostate)
    P = fmpq_mat([[4, -3], [-3, 4]])  # rows sum to one, entries are no probabilities
    discount = fmpq(1, 2)  # γ = 1/2, n = 1, D = I/2, Φ = I: γ² = 1/4 < 1/2 = min d
    biased = spectral_radius_side((discount * P).charpoly()) > 0 and largest(P * fmpq_mat([[1], [1]])) == 1
    text = "P = [[4, −3], [−3, 4]], D = I/2, Φ = I, γ = 1/2 < √½: P1 = 1 and γP has the eigenvalue 7/2"
    yield Counterexample(
        "P ≥ 0", text, biased and (discount * P).charpoly()(fmpq(7, 2)) == 0, {"P": [[4, -3], [-3, 4]]}
    )


EXTRA_N_STEP = Statement(
    id="extra-n-step",
    place=1090,
    title="Enough steps make every Φ safe",
    paper="n-step chains are proposed; when they are unbiased is not said",
    verdict="beyond the paper",
    precise="γⁿ < √(min d) ⇒ ρ(γⁿΠPⁿ) < 1 for every Φ; sufficient, not necessary",
    assumptions=("X invertible", "γⁿ < √(min d)", "P ≥ 0, P1 = 1"),
    scope="all dimensions, all n ≥ 1, all Φ",
    cites=(
        "‖Pⁿv‖_D ≤ max|v| ≤ ‖v‖_D/√(min d), because the rows of Pⁿ are averages",
        "‖Π‖_D ≤ 1 (Pythagoras), and ρ(M) ≤ ‖M‖_D",
        "nonzero spectra of C_nΦ and ΦC_n agree (prop-3)",
    ),
    where="‖v‖_D² = vᵀDv; C_n = γⁿX⁻¹ΦᵀDPⁿ",
    latex=r"\rho(\gamma^n \Pi P^n) \le \gamma^n \|\Pi\|_D \|P^n\|_D \le \gamma^n / \sqrt{\min_s d_s}",
    claims=extra_n_step_claims,
    check=extra_n_step_check,
    counterexamples=extra_n_step_counterexamples,
)
