r"""claim-grid: "step sizes 2^(−i/3), i = 1..40, logarithmically spaced between 9.6e−5 and 0.5".

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

claim-baird: what the paper says of Baird's MDP, where its own assumptions fail.

There are 7 states and 8 features: X and A are singular, θ_π is not unique, and X⁻¹ does not exist. The right version
is in value space: with any X⁻ for which ΦX⁻X = Φ, Π = ΦX⁻ΦᵀD is a projection and every head that solves Xθᵏ = γYθᵏ⁻¹
+ b has the values vᵏ = Π(r + γPvᵏ⁻¹), whichever solution it is. On Baird Π = I, so the chain is unbiased for every γ.
TD is unstable exactly for γ ≥ 15/17. The unstable pair is complex up to γ = (203 + 4√390)/289 ≈ .976 and real beyond:
A has negative eigenvalues at γ = 99/100, and none at γ = 9/10.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import identity, least_norm_solution, matrix, pseudo_inverse
from theory.exact.polynomials import count_negative_roots, half_planes
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads, true_values
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.matrices import departures, existing, matrices, ones
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import singular_theory
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
    m, v_pi, v_mu = matrices(problem), *_values(problem)
    return [v_pi - 1 / (1 - m.gamma) * ones(m.S), v_mu, least_norm_solution(m.Phi, v_pi) is None]


def _values(problem: Problem) -> tuple[fmpq_mat, fmpq_mat]:
    """v_π and v_μ."""
    m = exact_model(problem)
    return true_values(m), true_values(m.behaviour)


def _causes(problem: Problem) -> list[object]:
    m, e = matrices(problem), problem.exact
    one, P_mu, r_mu = ones(m.S), matrix(existing(e.P_mu)), matrix(existing(e.r_mu))
    return [m.r - one, r_mu, m.P * one - one, P_mu * one - one, m.Pi - identity(m.S)]


def claim_v_counterexamples() -> Counterexamples:
    """The rewards fit the behaviour: with another one v_μ is not 0."""
    known = catalogue_problem("baird-reward")
    mdp = existing(known.mdp)
    uniform = Problem.from_mdp(mdp, pi=known.pi, mu=[["1/2", "1/2"]] * 7, Phi=known.exact.Phi, name="uniform μ")
    v_pi, v_mu = _values(uniform)
    same = len(set(map(str, v_mu.entries()))) == 1 and largest(v_pi - true_values(exact_model(known))) == 0
    text = f"Baird-Reward with μ uniform over solid and dashed: v_μ = {v_mu[0, 0]} in every state, v_π as before"
    yield Counterexample("μ takes 'solid' with probability 1/7", text, same and v_mu[0, 0] != 0, uniform)
    plain = catalogue_problem("baird")
    text = "Baird's MDP without the rewards: v_π = 0 = v_μ, so predicting 0 is right by accident"
    yield Counterexample(
        "rewards", text, largest(true_values(exact_model(plain))) == 0 == largest(matrices(plain).b), plain
    )


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
        m = matrices(catalogue_problem(name))
        gaps = departures(chain_heads(exact_model(m.problem), K, "behaviour"), fmpq(6, 5) * m.gamma * m.one, m.theta_pi)
        yield Check(name, largest([*gaps]), detail="θᵏ* − θ_π = (6γ/5)ᵏ(θ_μ − θ_π), k = 0..6")


def example_twostate_counterexamples() -> Counterexamples:
    """Rewards that are not zero and leave no bias; rewards that do."""
    lucky = lucky_rewards()
    m = matrices(lucky)
    unbiased = all(theta == m.theta_pi for theta in (m.theta_mu, *chain_heads(exact_model(lucky), K, "behaviour")))
    rewarded = largest(existing(lucky.exact.r_mu)) > 0 == largest(m.b)
    text = "rewards 2 and −1 for left, 0 for right: θ_μ = θ_π = 0, and every head is right although ρ(B) > 1"
    yield Counterexample("'not for any reward structure' read as 'for none'", text, unbiased and rewarded, lucky)
    unlucky = catalogue_problem("twostate-reward")
    target = matrices(unlucky).theta_pi
    biases = [largest(h - target) for h in chain_heads(exact_model(unlucky), K, "behaviour")]
    text = f"rewards −1 for left, +1 for right: |θᵏ* − θ_π| = {biases[0]}, {biases[1]}, … grows"
    yield Counterexample("zero rewards", text, biases == sorted(biases) and biases[0] > 0, unlucky)


def lucky_rewards() -> Problem:
    """Twostate with r_π = 0 and r_μ = (1, −1/2), which ΦᵀD does not see."""
    known = catalogue_problem("twostate")
    mdp = MDP(existing(known.mdp).P, [[2, 0], [-1, 0]], known.exact.gamma)
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


def claim_baird_claims() -> Claims:
    """Projection, features and values with a singular X."""
    n = singular_theory()
    T = n.T
    return [
        T.claim("singular-projection", n.Pi * n.Pi, n.Pi),
        T.claim("singular-fixes-features", n.Pi * n.Phi, n.Phi),
        T.claim("singular-recursion", n.Phi * n.now, n.Pi * (n.r + T.gamma * n.P * n.Phi * n.before)),
        T.claim("singular-self-adjoint", n.Pi.T * n.D * n.Phi, n.D * n.Phi),
    ]


def claim_baird_check() -> Checks:
    """Both versions: ΦX⁺X = Φ, Π = I, the heads' values, and the thresholds in γ."""
    for name in ("baird", "baird-reward"):
        problem = catalogue_problem(name)
        yield Check(
            name, largest(_claim_baird_difference(problem)), detail="ΦX⁺X = Φ, Π = ΦX⁺ΦᵀD = I, values of heads 1..4"
        )
        yield Check(name, not _thresholds(problem), detail="TD stable on [0, 15/17), the chain on [0, 1)")
        yield Check(name, not _pair(problem), detail="complex below (203 + 4√390)/289 ≈ .97577, real above")


def _claim_baird_difference(problem: Problem) -> list[object]:
    m, X_plus = matrices(problem), pseudo_inverse(matrices(problem).X)
    Pi = m.Phi * X_plus * m.Phi.transpose() * m.D
    out: list[object] = [m.Phi * X_plus * m.X - m.Phi, Pi - identity(7), m.Pi - Pi]
    v, kernel = m.Phi * fmpq_mat(8, 1, range(8)), _kernel(m.Phi)
    for theta in chain_heads(exact_model(problem), 4, list(range(8)))[1:]:
        v = Pi * (m.r + m.gamma * (m.P * v))
        out += [m.Phi * theta - v, m.Phi * (theta + kernel) - v]
    return out


def _kernel(Phi: fmpq_mat) -> fmpq_mat:
    """The direction that no value sees: Φn = 0."""
    reduced, _ = Phi.rref()
    n = fmpq_mat(8, 1, [-reduced[i, 7] for i in range(7)] + [1])
    if largest(Phi * n) != 0:
        raise ArithmeticError("Φ has no such kernel")
    return n


def _thresholds(problem: Problem) -> bool:
    stable = [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(problem).intervals]
    at, below = (td_stable(problem.with_gamma(g)) for g in (Fraction(15, 17), Fraction(15, 17) - Fraction(1, 10**9)))
    chain = chain_threshold(problem).exact
    decided = at.refuted and at.reason.startswith("tie") and below.proved
    return stable == [("0", "15/17")] and decided and chain is not None and chain == 1


def _pair(problem: Problem) -> bool:
    """The unstable pair belongs to λ² − (15 − 17γ)/7·λ + 26(1 − γ)/49, whose discriminant is 289γ² − 406γ + 121."""
    root, close = Fraction(97576, 10**5), Fraction(1, 10**4)
    signs = [289 * g * g - 406 * g + 121 > 0 for g in (root - close, root + close)]
    found = [unstable_eigenvalues(problem.with_gamma(g)) for g in (root - close, root + close, Fraction(99, 100))]
    return signs == [False, True] and found == [(2, 0), (2, 2), (2, 2)]


def unstable_eigenvalues(problem: Problem) -> tuple[int, int]:
    """How many eigenvalues of A have Re λ < 0, and how many of these are real; counted exactly."""
    poly = matrices(problem).A.charpoly()
    return half_planes(poly).left, count_negative_roots(poly)


def claim_baird_counterexamples() -> Counterexamples:
    """The paper's three sentences, and what else TD and the chain do there."""
    baird = catalogue_problem("baird-reward")
    m = matrices(baird)
    ranks = m.X.rank() == m.A.rank() == 7 and m.X.det() == m.A.det() == 0
    text = f"Baird: {baird.n_states} states, {baird.n_features} features; rank X = rank A = {m.X.rank()} of 8,"
    text += " no X⁻¹, no A⁻¹"
    yield Counterexample("as stated", "X invertible, θ_π = A⁻¹b: " + text, ranks, baird)
    left, negative = unstable_eigenvalues(baird)
    text = f"γ = 9/10: {left} eigenvalues of A have Re λ < 0 and {negative} of them are real: a complex pair"
    yield Counterexample("as stated", "'A has negative eigenvalues': " + text, (left, negative) == (2, 0), baird)
    text = f"its states are {', '.join(baird.state_labels)}; it is θ that has 8 components"
    yield Counterexample("as stated", "'evaluated at state 8': " + text, baird.n_states == 7, baird)
    low = baird.with_gamma("4/5")
    both = td_stable(low).proved and chain_unbiased(low).proved
    yield Counterexample("γ ≥ 15/17", "γ = 4/5: off-policy TD is stable on Baird's MDP, as is the chain", both, low)


CLAIM_BAIRD = Statement(
    id="claim-baird",
    place=190,
    title="Baird's MDP",
    paper="on Baird's MDP TD diverges, A has negative eigenvalues, ρ(X⁻¹Yγ) < 1 and chained TD is unbiased; state 8",
    verdict="imprecise",
    precise="X is singular (rank 7 of 8): vᵏ = Π(r + γPvᵏ⁻¹) with Π = ΦX⁺ΦᵀD = I, so unbiased for every γ < 1; TD is"
    " unstable ⇔ γ ≥ 15/17, by a pair that is complex up to γ ≈ .976 and negative beyond",
    assumptions=("ΦX⁻X = Φ",),
    scope="value recursion: all dimensions, any rank; thresholds: exact for Baird's MDP",
    where="X⁻ is any matrix with ΦX⁻X = Φ, for instance the pseudoinverse X⁺",
    latex=r"v^k = \Pi(r + \gamma P v^{k-1}), \quad \Pi = \Phi X^{-}\Phi^\top D, \quad \Phi X^{-} X = \Phi",
    claims=claim_baird_claims,
    check=claim_baird_check,
    counterexamples=claim_baird_counterexamples,
)
