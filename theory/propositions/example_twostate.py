"""example-twostate: X = 5/2, Y = 3, so ρ(X⁻¹Yγ) = 6γ/5, above 1 for γ > 5/6.

All numbers are right, decided exactly: the chain is unbiased and TD stable on the same [0, 5/6), with a tie at 5/6.
Only the words are off: "asymptotically unbiased if the rewards are zero, but not for any reward structure" must read
"not for *every*": the bias is (6γ/5)ᵏ(θ_μ − θ_π), and rewards with θ_μ = θ_π exist that are not zero. A claim about
one MDP.
"""

from __future__ import annotations

from flint import fmpq

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.chain import chain_heads
from theory.exact.fixed_points import behaviour_fixed_point, td_fixed_point
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

K = 6


def check() -> Checks:
    """X, Y, both thresholds with their ties, and the bias with and without rewards."""
    problem = catalogue_problem("twostate")
    m = matrices(problem)
    difference = [m.X[0, 0] - fmpq(5, 2), m.Y[0, 0] - 3, m.A[0, 0] - (fmpq(5, 2) - 3 * m.gamma)]
    yield Check("twostate", largest(difference), detail="X = 5/2, Y = 3, A = 5/2 − 3γ")
    intervals = [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(problem).intervals]
    same = str(chain_threshold(problem).exact) == "5/6" and intervals == [("0", "5/6")]
    yield Check("twostate", not same, detail="TD stable and the chain unbiased exactly on [0, 5/6)")
    at = problem.with_gamma("5/6")
    ties = all(v.refuted and v.reason.startswith("tie") for v in (chain_unbiased(at), td_stable(at)))
    yield Check("twostate at γ = 5/6", not ties, detail="both on the boundary, and so excluded")
    for name in ("twostate", "twostate-reward"):
        yield Check(name, largest(_bias(catalogue_problem(name))), detail="θᵏ* − θ_π = (6γ/5)ᵏ(θ_μ − θ_π), k = 0..6")


def _bias(problem: Problem) -> list[object]:
    theta_pi, gamma = td_fixed_point(problem).theta, matrices(problem).gamma
    assert theta_pi is not None
    heads = chain_heads(problem, K, "behaviour")
    return [h - theta_pi - (fmpq(6, 5) * gamma) ** k * (heads[0] - theta_pi) for k, h in enumerate(heads)]


def counterexamples() -> Counterexamples:
    """Rewards that are not zero and leave no bias; rewards that do."""
    lucky = lucky_rewards()
    heads, theta_mu, theta_pi = (
        chain_heads(lucky, K, "behaviour"),
        behaviour_fixed_point(lucky).theta,
        td_fixed_point(lucky),
    )
    assert theta_mu is not None
    assert theta_pi.theta is not None
    unbiased = largest(theta_mu - theta_pi.theta) == 0 and all(largest(h - theta_pi.theta) == 0 for h in heads)
    r_mu = lucky.exact.r_mu
    rewarded = r_mu is not None and largest(r_mu) > 0 == largest(matrices(lucky).b)
    text = "rewards 2 and −1 for left, 0 for right: θ_μ = θ_π = 0, and every head is right although ρ(B) > 1"
    yield Counterexample("'not for any reward structure' read as 'for none'", text, unbiased and rewarded, lucky)
    unlucky = catalogue_problem("twostate-reward")
    theta, target = chain_heads(unlucky, K, "behaviour"), td_fixed_point(unlucky).theta
    assert target is not None
    biases = [largest(h - target) for h in theta]
    text = f"rewards −1 for left, +1 for right: |θᵏ* − θ_π| = {biases[0]}, {biases[1]}, … grows"
    yield Counterexample("zero rewards", text, biases == sorted(biases) and biases[0] > 0, unlucky)


def lucky_rewards() -> Problem:
    """Twostate with r_π = 0 and r_μ = (1, −1/2), which ΦᵀD does not see."""
    known = catalogue_problem("twostate")
    assert known.mdp is not None
    mdp = MDP(known.mdp.P, [[2, 0], [-1, 0]], known.exact.gamma)
    return Problem.from_mdp(mdp, pi=known.pi, mu=known.mu, Phi=[[1], [2]], name="twostate, lucky rewards")


STATEMENT = Statement(
    id="example-twostate",
    place=240,
    title="Twostate",
    paper="X = 2.5, Y = 3, ρ(X⁻¹Yγ) > 1 for γ > 5/6; unbiased for zero rewards but not for any reward structure",
    verdict="holds",
    precise="not for every reward structure: unbiased ⇔ θ_μ = θ_π; off-policy TD is unstable from the same γ = 5/6 on",
    assumptions=("γ > 5/6",),
    scope="one particular MDP, decided exactly",
    latex=r"X = \tfrac{5}{2},\ Y = 3,\ B = \tfrac{6}{5}\gamma,"
    r" \quad \theta^k_* - \theta_\pi = (\tfrac{6}{5}\gamma)^k(\theta_\mu - \theta_\pi)",
    expects="checked",
    check=check,
    counterexamples=counterexamples,
)
