r"""n-step: chains of n-step estimators; "chaining k of them predicts the nk-step expedition".

One head of n steps solves X_nθᵏ = γⁿY_nθᵏ⁻¹ + b_n with X_n = X, Y_n = ΦᵀDPⁿΦ, b_n = ΦᵀDr_n, r_n = Σ_{j<n} γʲPʲr, and
its values are Π(r_n + γⁿPⁿvᵏ⁻¹). The n-step expedition from w has the values r_n + γⁿPⁿw, by induction over n. Both
agree where Π = I; elsewhere each head projects once instead of n times, the fixed point moves with n, and the
condition is ρ(γⁿΠPⁿ) < 1, which may hold when ρ(γΠP) < 1 does not, and fail when it does.
"""

from __future__ import annotations

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased
from theory.exact.chain import expedition_values
from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import fraction, rational
from theory.exact.n_step import n_step_chain, n_step_fixed_point, n_step_moments
from theory.exact.polynomials import spectral_radius_side
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import (
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.paper import n_step_theory
from theory.thresholds.n_step import n_step_threshold
from theory.thresholds.results import Threshold


def claims() -> Claims:
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


def check() -> Checks:
    """Heads 0..3 of n = 1, 2, 3 steps by Π(r_n + γⁿPⁿv); the nk-step expedition where Π = I; the condition."""
    yield from on_each(cases("full-rank"), _values, "n = 1, 2, 3, heads 0..3; threshold against ρ(γⁿΠPⁿ)")
    yield from on_each(cases("identity", "behaviour"), _expeditions, "Π = I: k heads of n steps give vⁿᵏ, n, k = 1..3")


def _values(problem: Problem) -> list[object]:
    Pi, P, Phi = matrices(problem).Pi, matrices(problem).P, matrices(problem).Phi
    out: list[object] = []
    for n in (1, 2, 3):
        m = n_step_moments(problem, n)
        rewards, gammaP = matrices(problem).r, m.discount * power(P, n)
        returns = rewards
        for _ in range(n - 1):
            returns = rewards + n_step_moments(problem, 1).discount * P * returns
        v = Phi * n_step_chain(problem, n, 0, [1] * problem.n_features)
        for k in (1, 2, 3):
            v = Pi * (returns + gammaP * v)
            out.append(Phi * n_step_chain(problem, n, k, [1] * problem.n_features) - v)
        unbiased = spectral_radius_side((Pi * gammaP).charpoly()) < 0
        out.append(int(unbiased != _is_below(problem, n_step_threshold(problem, n))))
    return out


def _is_below(problem: Problem, threshold: Threshold) -> bool:
    """γ < threshold, decided exactly; no threshold means every γ, and an interval must not hold γ."""
    gamma = rational(problem.exact.gamma)
    if threshold.exact is not None:
        return threshold.exact > gamma
    if threshold.low is None or threshold.high is None:
        return True
    assert not threshold.low <= gamma <= threshold.high
    return bool(gamma < threshold.low)


def _expeditions(problem: Problem) -> list[object]:
    Phi = matrices(problem).Phi
    return [
        Phi * n_step_chain(problem, n, k, "behaviour") - expedition_values(problem, n * k)
        for n in (1, 2, 3)
        for k in (1, 2, 3)
    ]


def counterexamples() -> Counterexamples:
    """Without Π = I: no expedition, another fixed point, another condition."""
    problem = catalogue_problem("twostate-reward").with_gamma("1/2")
    Phi = matrices(problem).Phi
    predicted, expedition = Phi * n_step_chain(problem, 2, 1, "behaviour"), expedition_values(problem, 2)
    values = [", ".join(map(str, v.entries())) for v in (predicted, expedition)]
    text = (
        f"Twostate with rewards, γ = 1/2, one head of two steps: ({values[0]}), the 2-step expedition is worth"
        f" ({values[1]})"
    )
    yield Counterexample("as stated", text, largest(predicted - expedition) > 0, problem)
    one, two = td_fixed_point(problem).theta, n_step_fixed_point(problem, 2).theta
    assert one is not None
    assert two is not None
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
        factors = [fraction(m.discount * m.Y[0, 0] / m.X[0, 0]) for m in (n_step_moments(found, n) for n in (1, 2))]
        unbiased = chain_unbiased(found).holds == Answer.of(expected[0])
        decided = unbiased and (abs(factors[1]) < 1) is expected[1]
        text = f"{found.name}: errors are multiplied by {factors[0]} for n = 1 and by {factors[1]} for n = 2"
        yield Counterexample(
            "the condition of the same n", text, decided and (abs(factors[0]) < 1) is expected[0], found
        )


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
