"""claim-grid: "step sizes 2^(−i/3), i = 1..40, logarithmically spaced between 9.6e−5 and 0.5".

The largest is 2^(−1/3) ≈ .794, since (1/2)³ = 1/8 < 1/2; .5 is reached only at i = 3. The smallest is 2^(−40/3) ≈
9.69e−5, which rounds to 9.7e−5. Cubed, both comparisons are between rationals. So two of the 40 step sizes lie above
the stated range.

claim-v: v_μ = 0 and v_π = 1/(1−γ) in every state of Baird-Reward and Threestate.

Solved exactly in rationals at several γ. It holds for every γ because r_π = 1 and r_μ = 0 in every state while the
rows of P_π sum to one: (I − γP)1 = (1 − γ)1. In both MDPs Π = I, so these values are representable and any error is
the algorithm's. A claim about two particular MDPs: decided exactly, not a theorem.

example-twostate: X = 5/2, Y = 3, so ρ(X⁻¹Yγ) = 6γ/5, above 1 for γ > 5/6.

All numbers are right, decided exactly: the chain is unbiased and TD stable on the same [0, 5/6), with a tie at 5/6.
Only the words are off: "asymptotically unbiased if the rewards are zero, but not for any reward structure" must read
"not for *every*": the bias is (6γ/5)ᵏ(θ_μ − θ_π), and rewards with θ_μ = θ_π exist that are not zero. A claim about
one MDP.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.chain import chain_heads
from theory.exact.fixed_points import behaviour_fixed_point, td_fixed_point
from theory.exact.matrices import identity, matrix, rational
from theory.exact.moments import true_values
from theory.exact.solve import least_norm_solution
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.matrices import matrices, ones
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

CUBES = tuple(Fraction(1, 2**i) for i in range(1, 41))  # of the step sizes, exactly


def claim_grid_counterexamples() -> Counterexamples:
    """Both ends, by comparing cubes."""
    half = Fraction(1, 2)
    above = [i for i, cube in enumerate(CUBES, start=1) if cube > half**3]
    low, high = Fraction(793, 1000), Fraction(794, 1000)
    between = low**3 < max(CUBES) < high**3
    text = (
        f"(1/2)³ = 1/8 < 1/2 = (2^(−1/3))³: the largest step size lies in ({low}, {high}), and i = {above} are above .5"
    )
    yield Counterexample("as stated", text, between and above == [1, 2], {"i": 1, "cube": "1/2"})
    truncated, middle, rounded = (Fraction(n, 10**7) for n in (960, 965, 970))
    smallest = truncated**3 < middle**3 < min(CUBES) < rounded**3
    text = "9.65e−5 < 2^(−40/3) < 9.7e−5: the smallest is 9.7e−5 rounded, 9.6e−5 only cut off"
    yield Counterexample("as stated", text, smallest, {"i": 40, "cube": f"1/{2**40}"})


CLAIM_GRID = Statement(
    id="claim-grid",
    place=220,
    title="The grid of step sizes",
    paper="S = {2^(−i/3) | i = 1, …, 40}, logarithmically spaced between 9.6×10⁻⁵ and 0.5",
    verdict="false as stated",
    precise="between 2^(−40/3) ≈ 9.69×10⁻⁵ and 2^(−1/3) ≈ .794; 0.5 is i = 3",
    scope="decided exactly, by integers",
    latex=r"2^{-40/3} \approx 9.69 \times 10^{-5}, \quad 2^{-1/3} \approx 0.794 > \tfrac{1}{2}",
    expects="refuted",
    counterexamples=claim_grid_counterexamples,
)


NAMES = ("baird-reward", "threestate")
GAMMAS = ("0", "1/2", "9/10", "99/100")


def claim_v_check() -> Checks:
    """v_μ, v_π at four discounts; r_π = 1, r_μ = 0 and P1 = 1, which give every discount; Π = I."""
    for name in NAMES:
        for gamma in GAMMAS:
            problem = catalogue_problem(name).with_gamma(gamma)
            yield Check(f"{name} at γ = {gamma}", largest(_difference(problem)), detail="v_μ = 0, v_π = 1/(1−γ)")
        problem = catalogue_problem(name)
        yield Check(name, largest(_causes(problem)), detail="r_π = 1, r_μ = 0, P1 = 1, Π = I")


def _difference(problem: Problem) -> list[object]:
    v_pi, v_mu = true_values(problem)
    assert v_mu is not None
    value = 1 / (1 - rational(problem.exact.gamma))
    representable = least_norm_solution(matrices(problem).Phi, v_pi)
    return [v_pi - value * ones(problem.n_states), v_mu, representable is None]


def _causes(problem: Problem) -> list[object]:
    e, S = problem.exact, problem.n_states
    one, P_mu, r_mu = ones(S), e.P_mu, e.r_mu
    assert P_mu is not None
    assert r_mu is not None
    sums = [matrix(P) * one - one for P in (e.P_pi, P_mu)]
    return [matrix(e.r_pi) - one, matrix(r_mu), *sums, matrices(problem).Pi - identity(S)]


def claim_v_counterexamples() -> Counterexamples:
    """The rewards fit the behaviour: with another one v_μ is not 0."""
    known = catalogue_problem("baird-reward")
    assert known.mdp is not None
    uniform = Problem.from_mdp(known.mdp, pi=known.pi, mu=[["1/2", "1/2"]] * 7, Phi=known.exact.Phi, name="uniform μ")
    v_pi, v_mu = true_values(uniform)
    assert v_mu is not None
    same = len(set(map(str, v_mu.entries()))) == 1 and largest(v_pi - true_values(known)[0]) == 0
    text = f"Baird-Reward with μ uniform over solid and dashed: v_μ = {v_mu[0, 0]} in every state, v_π as before"
    yield Counterexample("μ takes 'solid' with probability 1/7", text, same and v_mu[0, 0] != 0, uniform)
    plain = catalogue_problem("baird")
    text = "Baird's MDP without the rewards: v_π = 0 = v_μ, so predicting 0 is right by accident"
    yield Counterexample("rewards", text, largest(true_values(plain)[0]) == 0 == largest(matrices(plain).b), plain)


CLAIM_V = Statement(
    id="claim-v",
    place=230,
    title="True values of the diagnostic MDPs",
    paper="v_π = 1/(1−γ) and v_μ = 0 in Baird-Reward and Threestate",
    verdict="holds",
    precise="in every state, for every γ in [0, 1); both have Π = I",
    assumptions=("μ and the rewards as given",),
    scope="two particular MDPs, decided exactly",
    latex=r"r_\pi = \mathbf{1},\ P_\pi\mathbf{1} = \mathbf{1} \ \Rightarrow\ v_\pi = \tfrac{1}{1-\gamma}\mathbf{1},"
    r" \qquad r_\mu = 0 \ \Rightarrow\ v_\mu = 0",
    expects="checked",
    check=claim_v_check,
    counterexamples=claim_v_counterexamples,
)


K = 6


def example_twostate_check() -> Checks:
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


def example_twostate_counterexamples() -> Counterexamples:
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


EXAMPLE_TWOSTATE = Statement(
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
    check=example_twostate_check,
    counterexamples=example_twostate_counterexamples,
)
