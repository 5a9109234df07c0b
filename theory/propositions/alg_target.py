r"""alg-target: sequential chained TD and target-network TD "have the same behaviour and hence same fixed points".

One window of T updates from θ⁰ towards θ⁰ ends at θ¹* + Q(θ⁰ − θ¹*) with Q = (I − αX)^T, and G_T − B = Q(I − B):
window and head differ by Q, which vanishes for T → ∞ and α < 2/λ_max(X). With the hot start kept in both, and no
estimate of v_μ first, the two algorithms agree for every T. The paper says that without the hot start they do; but
Algorithm 3 always copies, so then one is hot, the other cold, and they differ by Q(θ⁰ − θ_c) in every window.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_mat

from theory.certified.answers import NO, YES
from theory.certified.verdicts import chain_unbiased, window_stable
from theory.exact.matrices import identity, rational
from theory.exact.richardson import target_network_iterates, target_network_matrix
from theory.exact.solve import power
from theory.linear.step_sizes import head_step_sizes
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.alg_3 import run
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import paper_theory

ALPHA, SLOW = Fraction(1, 8), 4096


def claims() -> Claims:
    """Window and head differ by Q; hot and cold windows differ by Q; rest points."""
    n = paper_theory()
    T = n.T
    head = n.G * n.theta0 + n.Xi * n.b  # θ¹*
    return [
        T.claim("a window ends at the head up to Q", n.hot - head, n.Q_t * (n.theta0 - head)),
        T.claim("G_T - B = Q (1 - B)", n.G_t - n.G, n.Q_t * (1 - n.G)),
        T.claim("hot and cold differ by Q", n.hot - n.cold, n.Q_t * (n.theta0 - n.init)),
        T.claim("target-operator", n.G_t, 1 - n.S_t * n.A),
        T.claim("target-hot-start", n.hot - n.theta_pi, n.G_t * (n.theta0 - n.theta_pi)),
        T.claim("target-outer", n.outer - n.theta_pi, n.H_k * (n.theta0 - n.theta_pi)),
    ]


def check() -> Checks:
    """Algorithm 3 is hot sequential chaining; windows miss the head by Q; T = 4096 decides like the chain."""
    for problem in cases("full-rank"):
        yield Check(
            problem.name, largest(_difference(problem)), detail="windows 1..3 of T = 2; θ_T − θ¹* for T = 1, 2, 5"
        )
        alpha = Fraction(head_step_sizes(problem).limit / 2).limit_denominator(1000)
        same = window_stable(problem, SLOW, alpha).holds == chain_unbiased(problem).holds
        yield Check(problem.name, not same, detail=f"T = {SLOW}, α = {alpha}: stable exactly if unbiased")


def _difference(problem: Problem) -> list[object]:
    m, start, one = matrices(problem), counting(problem.n_features), identity(problem.n_features)
    rounds = target_network_iterates(problem, ALPHA, 2, 3, start)
    out: list[object] = [rounds[K + 1] - run(problem, ALPHA, 2, K, start, start)[0] for K in range(3)]
    head = m.B * start + m.c
    for T in (1, 2, 5):
        Q = power(one - rational(ALPHA) * m.X, T)
        out.append(target_network_iterates(problem, ALPHA, T, 1, start)[1] - head - Q * (start - head))
        out.append(target_network_matrix(problem, ALPHA, T) - m.B - Q * (one - m.B))
    return out


def counterexamples() -> Counterexamples:
    """Without both optional steps; with fast switching, in both directions."""
    problem, zero = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat(1, 1)
    hot, cold = (target_network_iterates(problem, ALPHA, 2, 2, zero, hot=hot)[2] for hot in (True, False))
    text = f"Twostate with rewards, γ = 1/2, α = 1/8, T = 2, start 0: Algorithm 3 is at {hot[0, 0]} after two windows,"
    text += f" Algorithm 2 without its optional steps at {cold[0, 0]}"
    yield Counterexample("as stated", text, hot != cold and run(problem, ALPHA, 2, 1, zero, zero)[0] == hot, problem)
    window, alpha = catalogue_problem("finite-window"), Fraction(1, 16)
    decided = [window_stable(window, T, alpha).holds for T in (1, 7, 8, 127, 128)]
    ok = decided == [NO, NO, YES, YES, NO] and chain_unbiased(window).refuted
    text = (
        "finite-window, α = 1/16: TD and the infinite chain both fail, windows of T = 8 and 127 converge, 7"
        " and 128 do not"
    )
    yield Counterexample("T → ∞", text, ok, window)
    square, alpha = catalogue_problem("quadrant-unstable-unbiased"), Fraction(1, 5)
    fast, slow = (window_stable(square, T, alpha).holds for T in (1, SLOW))
    text = f"Φ = [[1, 0], [3, 1]]: windows of T = 1 (off-policy TD) diverge, T = {SLOW} converges as the chain does"
    yield Counterexample("T → ∞", text, (fast, slow, chain_unbiased(square).holds) == (NO, YES, YES), square)


STATEMENT = Statement(
    id="alg-target",
    place=290,
    title="Target networks and sequential chaining",
    paper="without the optional steps sequential chained TD and target-network TD have the same behaviour and fixed"
    " points",
    verdict="holds with an added assumption",
    precise="for T → ∞ (α < 2/λ_max(X)); for finite T only if both start hot from the same θ⁰, and then for every T;"
    " windows miss θᵏ* by Q(θᵏ⁻¹ − θᵏ*), Q = (I − αX)^T",
    assumptions=("T → ∞", "α < 2/λ_max(X)", "X invertible"),
    scope="all dimensions, all T, all k ≥ 0",
    cites=("Gelfand: ρ(I − αX) < 1 ⇔ (I − αX)^T → 0",),
    where="θ_T is the learner after T updates from θ⁰ towards the target θ⁰",
    latex=r"\theta_T - \theta^1_* = Q(\theta^0 - \theta^1_*), \quad G_T - B = Q(I - B), \quad Q = (I - \alpha X)^{T}",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
