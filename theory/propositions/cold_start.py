r"""claim-hot-start: "the hot start accelerates convergence but does not change the fixed point".

With T updates a head, Q = (I − αX)^T: a hot start gives e_{k+1} = (Q + (I − Q)B)e_k, which rests at θ_π; a cold start
at θ_c gives e_{k+1} = (I − Q)Be_k + Q(θ_c − θ_π), which rests at θ_π + (I − (I − Q)B)⁻¹Q(θ_c − θ_π). Both end at
Bθᵏ⁻¹ + c only when Q → 0, that is T → ∞. For finite T the limit moves, and so does the condition to reach it: either
can converge where the other does not.

extra-cold-start: a target network whose learner restarts at a fixed θ_init is another iteration, and biased.

T updates from θ_init give e_{k+1} = γS_TY e_k + Q(θ_init − θ_π), with Q = (I − αX)^T. So the condition is
ρ(γS_TY) < 1, which does not ask for A, and the limit solves (I − γS_TY)(θ_∞ − θ_π) = Q(θ_init − θ_π): biased unless
θ_init − θ_π is in the kernel of Q. Its stability is not monotone in T either: T = 10 and 50 are stable on
Baird-Reward with α = 1/10, T = 30 is not. For small αT it is always stable, because S_T → 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice

from flint import fmpq_mat

from theory.certified.answers import NO, YES, Answer
from theory.certified.verdicts import td_stable, window_stable
from theory.exact.matrices import fraction, identity, power, rational
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.model.iteration import (
    cold_start_matrix,
    richardson,
    target_network_iterates,
    target_network_matrix,
    window_sum,
)
from theory.model.linear_model import exact_moments
from theory.model.points import td_fixed_point
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, departures, matrices
from theory.propositions.quadrants import certified
from theory.propositions.registry import claimed
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    on_each,
)
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory
from theory.text.words import word

ALPHA, T, K = Fraction(1, 8), 3, 4


def claim_hot_start_claims() -> Claims:
    """Both rounds, their difference, and what each makes of θ_π."""
    n = paper_theory()
    return [
        *claimed("prop-4", "target-sum"),
        *claimed("extra-target-network", "target-operator", "target-hot-start"),
        *claimed("eq-recursion", "target-cold-start"),
        *claimed("prop-4", "target-cold-bias"),
        n.T.claim("hot and cold differ by Q", n.hot - n.cold, n.Q_t * (n.theta0 - n.init)),
    ]


def claim_hot_start_check() -> Checks:
    """Rounds 0..4 of T = 3 updates, hot and cold, against their predicted errors; and both rest points."""
    return on_each(
        cases("full-rank", "solvable"), _claim_hot_start_difference, "rounds 0..4 of 3 updates, hot and cold"
    )


def _claim_hot_start_difference(m: Matrices) -> Gaps:
    G, cold = target_network_matrix(m.problem, ALPHA, T), cold_start_matrix(m.problem, ALPHA, T)
    rest, Q = cold_limit(m.problem, ALPHA, T, m.start), power(m.one - m.X * rational(ALPHA), T)
    for hot, step, limit in ((True, G, m.theta_pi), (False, cold, rest)):
        yield from departures(
            target_network_iterates(exact_moments(m.problem), ALPHA, T, K, m.start, hot=hot), step, limit
        )
    moved, away = Q * (m.start - m.theta_pi), rest - m.theta_pi
    yield from (away - (m.one - cold).solve(moved), cold * away + moved - away)


def cold_limit(problem: Problem, alpha: Fraction, T: int, start: fmpq_mat) -> fmpq_mat:
    """Where cold-started rounds rest: the map of one round is affine, θ = Cθ + c, read off at θ⁰ = 0."""
    C, m = cold_start_matrix(problem, alpha, T), matrices(problem)
    offset = next(islice(richardson(m.X, m.b, alpha, start), T, None))
    return (identity(start.nrows()) - C).solve(offset)


def claim_hot_start_counterexamples() -> Counterexamples:
    """The limit moves, and each start has problems that only it solves."""
    twostate = catalogue_problem("twostate-reward").with_gamma("1/2")
    alpha, zero, hot = Fraction(1, 5), fmpq_mat(1, 1), matrices(twostate).theta_pi
    both = all(window_stable(twostate, 1, alpha, start).proved for start in ("hot", "cold"))
    limits = [cold_limit(twostate, alpha, T, zero) for T in (1, 2, 8)]
    ends = ", ".join(str(x[0, 0]) for x in limits[:2])
    text = f"Twostate, γ = 1/2, α = 1/5: hot starts end at θ_π = {hot[0, 0]}, cold starts from 0 at {ends} for T = 1, 2"
    nearer = [abs(fraction((x - hot)[0, 0])) for x in limits]
    yield Counterexample("as stated", text, both and nearer[0] > nearer[1] > nearer[2] > 0, twostate)
    for name, alpha, expected, text in (
        ("quadrant-stable-biased", Fraction(5, 12), [YES, NO], "Φ = (1; −3), α = 5/12, T = 1: errors are multiplied by"
         " {0} hot and by {1} cold: only hot converges"),
        ("twostate", Fraction(1, 5), [NO, YES], "Twostate, γ = 99/100, α = 1/5, T = 1: {0} hot, {1} cold: only cold"
         " converges, to a biased limit"),
    ):  # fmt: skip
        problem = catalogue_problem(name)
        decided = [window_stable(problem, 1, alpha, start).holds for start in ("hot", "cold")]
        maps = [step(problem, alpha, 1)[0, 0] for step in (target_network_matrix, cold_start_matrix)]
        shrinks = [Answer.of(bool(abs(x) < 1)) for x in maps]
        yield Counterexample("T → ∞", text.format(*maps), decided == expected == shrinks, problem)


CLAIM_HOT_START = Statement(
    id="claim-hot-start",
    place=200,
    title="Hot start",
    paper="the optional hot start accelerates convergence but does not change the fixed point",
    verdict="imprecise",
    precise="for T → ∞ and α < 2/λ_max(X) only; for finite T hot starts rest at θ_π, cold ones at θ_π + (I −"
    " (I−Q)B)⁻¹Q(θ_c − θ_π), and they converge under different conditions",
    assumptions=("T → ∞", "α < 2/λ_max(X)"),
    scope="all dimensions, all T, all k ≥ 0",
    cites=("Gelfand: ρ(I − αX) < 1 ⇔ (I − αX)^T → 0",),
    where="θ_c is where a cold start begins, θ_T a head after T updates",
    latex=r"\theta^{\mathrm{hot}}_T - \theta^{\mathrm{cold}}_T = Q(\theta^0 - \theta_c), \quad Q = (I - \alpha X)^{T}",
    claims=claim_hot_start_claims,
    check=claim_hot_start_check,
    counterexamples=claim_hot_start_counterexamples,
)


STEP, KEPT = Fraction(1, 10), 3
STABLE = {10: True, 30: False, 50: True}  # the windows of Baird-Reward


@cache
def limit_theory() -> Namespace:
    """A limit θ_∞ of the cold-started windows: it is only assumed to rest."""
    n = Namespace("gamma")
    T, (X, Y, S) = n.T, n.letters("X Y S", "F -> F", S="S_T")
    Q = T.define("Q", 1 - S * X)
    init, target = n.letters("init theta_pi", "1 -> F", init=r"\theta_{\mathrm{init}}")
    b, limit = n.letters("b limit", "1 -> F", limit=r"\theta_\infty")
    T.assume("A theta_pi = b", (X - T.gamma * Y) * target, b)
    T.assume("the limit rests", limit, Q * init + S * (T.gamma * Y * limit + b))
    n.state("bias of the limit", (1 - T.gamma * S * Y) * (limit - target), Q * (init - target))
    return n


def extra_cold_start_claims() -> Claims:
    """T updates from θ_init, the error they leave, and the limit's bias."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("cold operator", (1 - n.Q_t) * n.G, T.gamma * n.S_t * n.Y),
        *claimed("eq-recursion", "target-cold-start"),
        *claimed("prop-4", "target-cold-bias"),
        *limit_theory(),
    ]


def extra_cold_start_check() -> Checks:
    """The cold-started iterates against their prediction, identically; the windows of Baird-Reward by certificate."""
    yield from on_each(cases(), _extra_cold_start_difference, "T = 1, 4, three networks, and the limit")
    baird = catalogue_problem("baird-reward")
    for T, stable in STABLE.items():
        verdict = window_stable(baird, T, STEP, "cold")
        counted = spectral_radius_side(characteristic_polynomial(cold_start_matrix(baird, STEP, T))) < 0
        agree = verdict.holds == Answer.of(counted) and counted is stable and certified(verdict)
        yield Check(baird.name, not agree, detail=f"T = {T}: {word('window', stable)}")


def _extra_cold_start_difference(m: Matrices) -> Gaps:
    target = td_fixed_point(m.problem).theta
    if target is None:
        return
    for T in (1, 4):
        Q, step = m.one - window_sum(m.X, STEP, T) * m.X, cold_start_matrix(m.problem, STEP, T)
        limit = target + (m.one - step).solve(Q * (m.start - target))
        yield from departures(
            target_network_iterates(exact_moments(m.problem), STEP, T, KEPT, m.start, hot=False), step, limit
        )


def extra_cold_start_counterexamples() -> Counterexamples:
    """Stable where hot start fails, with a limit that is not θ_π; and T is no measure of safety."""
    problem = catalogue_problem("twostate-reward")
    m = matrices(problem)
    S = window_sum(m.X, STEP, 1)
    limit = (m.one - cold_start_matrix(problem, STEP, 1)).solve(S * m.b)
    rests = limit == S * (m.gamma * m.Y * limit + m.b) and limit != m.theta_pi  # one update from θ_init = 0
    stable = window_stable(problem, 1, STEP, "cold").proved and td_stable(problem).refuted
    text = f"{problem.name}, T = 1, α = 1/10, θ_init = 0: converges although TD diverges, to {limit[0, 0]} and not to"
    text += f" θ_π = {m.theta_pi[0, 0]}"
    yield Counterexample("hot start, for the limit θ_π", text, stable and rests, problem)
    baird = catalogue_problem("baird-reward")
    seen = {T: window_stable(baird, T, STEP, "cold").holds for T in STABLE}
    said = ", ".join(f"T = {T} {word('window', held.json)}" for T, held in seen.items())
    text = f"Baird-Reward, α = 1/10: {said}"
    yield Counterexample("monotone in T", text, seen == {T: Answer.of(held) for T, held in STABLE.items()}, baird)


EXTRA_COLD_START = Statement(
    id="extra-cold-start",
    place=1030,
    title="Cold-started target networks",
    paper="each target network's learner may start anywhere, since it converges; finite T is not treated",
    verdict="beyond the paper",
    precise="cold start: e_{k+1} = γS_TY e_k + Q(θ_init − θ_π); stable ⇔ ρ(γS_TY) < 1, which is not monotone in T,"
    " and the limit has the bias (I − γS_TY)⁻¹Q(θ_init − θ_π)",
    assumptions=("Aθ_π = b", "every network starts at the same θ_init"),
    scope="all dimensions, all T ≥ 0; one exact problem for the windows",
    cites=("ρ(γS_TY) < 1 ⇔ the iteration converges from everywhere (Gelfand)",),
    where="θ_init is where every network's learner starts, θ_∞ the limit in k",
    latex=r"(I - \gamma S_T Y)(\theta_\infty - \theta_\pi) = (I - \alpha X)^{T} (\theta_{\mathrm{init}} - \theta_\pi)",
    claims=extra_cold_start_claims,
    check=extra_cold_start_check,
    counterexamples=extra_cold_start_counterexamples,
)
