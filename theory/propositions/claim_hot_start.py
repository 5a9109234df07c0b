r"""claim-hot-start: "the hot start accelerates convergence but does not change the fixed point".

With T updates a head, Q = (I − αX)^T: a hot start gives e_{k+1} = (Q + (I − Q)B)e_k, which rests at θ_π; a cold start
at θ_c gives e_{k+1} = (I − Q)Be_k + Q(θ_c − θ_π), which rests at θ_π + (I − (I − Q)B)⁻¹Q(θ_c − θ_π). Both end at
Bθᵏ⁻¹ + c only when Q → 0, that is T → ∞. For finite T the limit moves, and so does the condition to reach it: either
can converge where the other does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice

from flint import fmpq_mat

from theory.certified.answers import NO, YES
from theory.certified.verdicts import window_stable
from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import fraction, identity, rational
from theory.exact.moments import exact_moments
from theory.exact.richardson import cold_start_matrix, richardson, target_network_iterates, target_network_matrix
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement, on_each
from theory.propositions.theories.paper import paper_theory
from theory.symbolic.theory import Claim

ALPHA, T, K = Fraction(1, 8), 3, 4


def claims() -> Sequence[Claim]:
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


def check() -> Iterable[Check]:
    """Rounds 0..4 of T = 3 updates, hot and cold, against their predicted errors; and both rest points."""
    return on_each(cases("full-rank", "solvable"), _difference, "rounds 0..4 of 3 updates, hot and cold")


def _difference(problem: Problem) -> list[object]:
    F, theta_pi = problem.n_features, td_fixed_point(problem).theta
    assert theta_pi is not None
    start = fmpq_mat(F, 1, list(range(1, F + 1)))
    G, cold = target_network_matrix(problem, ALPHA, T), cold_start_matrix(problem, ALPHA, T)
    Q, out = _Q(problem, T), list[object]()
    hot_iterates = target_network_iterates(problem, ALPHA, T, K, start)
    cold_iterates = target_network_iterates(problem, ALPHA, T, K, start, hot=False)
    rest = cold_limit(problem, ALPHA, T, start)
    for k, (h, c) in enumerate(zip(hot_iterates, cold_iterates, strict=True)):
        out += [h - theta_pi - power(G, k) * (start - theta_pi), c - rest - power(cold, k) * (start - rest)]
    gap = (identity(F) - cold).solve(Q * (start - theta_pi))
    return [*out, rest - theta_pi - gap, cold * (rest - theta_pi) + Q * (start - theta_pi) - (rest - theta_pi)]


def _Q(problem: Problem, T: int) -> fmpq_mat:
    X = exact_moments(problem).X
    return power(identity(X.nrows()) - X * rational(ALPHA), T)


def cold_limit(problem: Problem, alpha: Fraction, T: int, start: fmpq_mat) -> fmpq_mat:
    """Where cold-started rounds rest: the map of one round is affine, θ = Cθ + c, read off at θ⁰ = 0."""
    C, m = cold_start_matrix(problem, alpha, T), exact_moments(problem)
    offset = next(islice(richardson(m.X, m.b, alpha, start), T, None))
    return (identity(start.nrows()) - C).solve(offset)


def counterexamples() -> Iterable[Counterexample]:
    """The limit moves, and each start has problems that only it solves."""
    twostate = catalogue_problem("twostate-reward").with_gamma("1/2")
    alpha, zero = Fraction(1, 5), fmpq_mat(1, 1)
    both = all(window_stable(twostate, 1, alpha, start).proved for start in ("hot", "cold"))
    hot, limits = td_fixed_point(twostate).theta, [cold_limit(twostate, alpha, T, zero) for T in (1, 2, 8)]
    assert hot is not None
    texts = ", ".join(str(x[0, 0]) for x in limits[:2])
    text = (
        f"Twostate, γ = 1/2, α = 1/5: hot starts end at θ_π = {hot[0, 0]}, cold starts from 0 at {texts} for T = 1, 2"
    )
    nearer = [abs(fraction((x - hot)[0, 0])) for x in limits]
    yield Counterexample("as stated", text, both and nearer[0] > nearer[1] > nearer[2] > 0, twostate)
    swap = catalogue_problem("quadrant-stable-biased")
    alpha = Fraction(5, 12)
    decided = [window_stable(swap, 1, alpha, start).holds for start in ("hot", "cold")]
    maps = target_network_matrix(swap, alpha, 1)[0, 0], cold_start_matrix(swap, alpha, 1)[0, 0]
    text = (
        f"Φ = (1; −3), α = 5/12, T = 1: errors are multiplied by {maps[0]} hot and by {maps[1]} cold: only hot"
        " converges"
    )
    yield Counterexample("T → ∞", text, decided == [YES, NO] and abs(maps[0]) < 1 < abs(maps[1]), swap)
    biased = catalogue_problem("twostate")
    alpha = Fraction(1, 5)
    decided = [window_stable(biased, 1, alpha, start).holds for start in ("hot", "cold")]
    maps = target_network_matrix(biased, alpha, 1)[0, 0], cold_start_matrix(biased, alpha, 1)[0, 0]
    text = (
        f"Twostate, γ = 99/100, α = 1/5, T = 1: {maps[0]} hot, {maps[1]} cold: only cold converges, to a biased limit"
    )
    yield Counterexample("T → ∞", text, decided == [NO, YES] and abs(maps[1]) < 1 < abs(maps[0]), biased)


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
