r"""extra-cold-start: a target network whose learner restarts at a fixed θ_init is another iteration, and biased.

T updates from θ_init give e_{k+1} = γS_TY e_k + Q(θ_init − θ_π), with Q = (I − αX)^T. So the condition is
ρ(γS_TY) < 1, which does not ask for A, and the limit solves (I − γS_TY)(θ_∞ − θ_π) = Q(θ_init − θ_π): biased unless
θ_init − θ_π is in the kernel of Q. Its stability is not monotone in T either: T = 10 and 50 are stable on
Baird-Reward with α = 1/10, T = 30 is not. For small αT it is always stable, because S_T → 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from theory.certified.answers import Answer
from theory.certified.verdicts import td_stable, window_stable
from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import identity
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.exact.richardson import cold_start_matrix, target_network_iterates, window_sum
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.extra_quadrants import certified
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory
from theory.text.words import word

ALPHA, KEPT = Fraction(1, 10), 3
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


def claims() -> Claims:
    """T updates from θ_init, the error they leave, and the limit's bias."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("cold operator", (1 - n.Q_t) * n.G, T.gamma * n.S_t * n.Y),
        T.claim("target-cold-start", n.cold, n.Q_t * n.init + (1 - n.Q_t) * (n.G * n.theta0 + n.Xi * n.b)),
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        *limit_theory().claims,
    ]


def check() -> Checks:
    """The cold-started iterates against their prediction, identically; the windows of Baird-Reward by certificate."""
    yield from on_each(cases(), _difference, "T = 1, 4, three networks, and the limit")
    baird = catalogue_problem("baird-reward")
    for T, stable in STABLE.items():
        verdict = window_stable(baird, T, ALPHA, "cold")
        counted = spectral_radius_side(characteristic_polynomial(cold_start_matrix(baird, ALPHA, T))) < 0
        agree = verdict.holds == Answer.of(counted) and counted is stable and certified(verdict)
        yield Check(baird.name, not agree, detail=f"T = {T}: {word('window', stable)}")


def _difference(problem: Problem) -> list[object]:
    m, F, target = matrices(problem), problem.n_features, td_fixed_point(problem).theta
    start, one, out = counting(F), identity(F), list[object]()
    if target is None:
        return out
    for T in (1, 4):
        S = window_sum(m.X, ALPHA, T)
        Q, step = one - S * m.X, cold_start_matrix(problem, ALPHA, T)
        limit = target + (one - step).solve(Q * (start - target))
        found = target_network_iterates(problem, ALPHA, T, KEPT, start, hot=False)
        out += [theta - limit - power(step, k) * (start - limit) for k, theta in enumerate(found)]
    return out


def counterexamples() -> Counterexamples:
    """Stable where hot start fails, with a limit that is not θ_π; and T is no measure of safety."""
    problem = catalogue_problem("twostate-reward")
    m, target = matrices(problem), td_fixed_point(problem).theta
    assert target is not None
    S = window_sum(m.X, ALPHA, 1)
    limit = (identity(1) - cold_start_matrix(problem, ALPHA, 1)).solve(S * m.b)
    rests = limit == S * (m.gamma * m.Y * limit + m.b) and limit != target  # one update from θ_init = 0
    stable = window_stable(problem, 1, ALPHA, "cold").proved and td_stable(problem).refuted
    text = f"{problem.name}, T = 1, α = 1/10, θ_init = 0: converges although TD diverges, to {limit[0, 0]} and not to"
    text += f" θ_π = {target[0, 0]}"
    yield Counterexample("hot start, for the limit θ_π", text, stable and rests, problem)
    baird = catalogue_problem("baird-reward")
    seen = {T: window_stable(baird, T, ALPHA, "cold").holds for T in STABLE}
    said = ", ".join(f"T = {T} {word('window', held.json)}" for T, held in seen.items())
    text = f"Baird-Reward, α = 1/10: {said}"
    yield Counterexample("monotone in T", text, seen == {T: Answer.of(held) for T, held in STABLE.items()}, baird)


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
