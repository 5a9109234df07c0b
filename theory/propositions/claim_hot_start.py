r"""claim-hot-start: "the hot start accelerates convergence but does not change the fixed point".

With T updates a head, Q = (I − αX)^T: a hot start gives e_{k+1} = (Q + (I − Q)B)e_k, which rests at θ_π; a cold start
at θ_c gives e_{k+1} = (I − Q)Be_k + Q(θ_c − θ_π), which rests at θ_π + (I − (I − Q)B)⁻¹Q(θ_c − θ_π). Both end at
Bθᵏ⁻¹ + c only when Q → 0, that is T → ∞. For finite T the limit moves, and so does the condition to reach it: either
can converge where the other does not.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from flint import fmpq_mat

from theory.certified.answers import NO, YES, Answer
from theory.certified.verdicts import window_stable
from theory.exact.matrices import fraction, identity, rational
from theory.exact.richardson import cold_start_matrix, richardson, target_network_iterates, target_network_matrix
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.paper import paper_theory

ALPHA, T, K = Fraction(1, 8), 3, 4


def claims() -> Claims:
    """Both rounds, their difference, and what each makes of θ_π."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("target-sum", 1 - n.Q_t, n.S_t * n.X),
        T.claim("target-operator", n.G_t, 1 - n.S_t * n.A),
        T.claim("target-hot-start", n.hot - n.theta_pi, n.G_t * (n.theta0 - n.theta_pi)),
        T.claim("target-cold-start", n.cold, n.Q_t * n.init + (1 - n.Q_t) * (n.G * n.theta0 + n.Xi * n.b)),
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        T.claim("hot and cold differ by Q", n.hot - n.cold, n.Q_t * (n.theta0 - n.init)),
    ]


def check() -> Checks:
    """Rounds 0..4 of T = 3 updates, hot and cold, against their predicted errors; and both rest points."""
    return on_each(cases("full-rank", "solvable"), _difference, "rounds 0..4 of 3 updates, hot and cold")


def _difference(problem: Problem) -> list[object]:
    theta_pi, start, out = matrices(problem).theta_pi, counting(problem.n_features), list[object]()
    G, cold = target_network_matrix(problem, ALPHA, T), cold_start_matrix(problem, ALPHA, T)
    one, rest = identity(problem.n_features), cold_limit(problem, ALPHA, T, start)
    Q = power(one - matrices(problem).X * rational(ALPHA), T)
    iterates = (target_network_iterates(problem, ALPHA, T, K, start, hot=hot) for hot in (True, False))
    for k, (h, c) in enumerate(zip(*iterates, strict=True)):
        out += [h - theta_pi - power(G, k) * (start - theta_pi), c - rest - power(cold, k) * (start - rest)]
    gap = (one - cold).solve(Q * (start - theta_pi))
    return [*out, rest - theta_pi - gap, cold * (rest - theta_pi) + Q * (start - theta_pi) - (rest - theta_pi)]


def cold_limit(problem: Problem, alpha: Fraction, T: int, start: fmpq_mat) -> fmpq_mat:
    """Where cold-started rounds rest: the map of one round is affine, θ = Cθ + c, read off at θ⁰ = 0."""
    C, m = cold_start_matrix(problem, alpha, T), matrices(problem)
    offset = next(islice(richardson(m.X, m.b, alpha, start), T, None))
    return (identity(start.nrows()) - C).solve(offset)


def counterexamples() -> Counterexamples:
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


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
