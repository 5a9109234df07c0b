r"""alg-1: Algorithm 1; "concurrent chained TD is obtained by moving line 2", the loop over the heads, inside.

That loop updates the heads one after the other in place, so head k bootstraps from the head k−1 *just updated*: a
Gauss–Seidel sweep, while eq-chain and M of eq-M update all heads simultaneously (Jacobi). With M = N − L, N the
diagonal blocks, a sweep is e ← Je, (I − αL)J = I − αN, hence J = I − α(I − αL)⁻¹M: it rests where Mθ = b†. Its
eigenvectors obey (I − αA_μ)v₀ = λv₀ and (I − αX)v_{k+1} + λαγYv_k = λv_{k+1}: the same eigenvalues as those of I −
αM, so the same convergence with the same step sizes, and another way there. The text's E[ρ_t(R_t + γv(S_{t+1}))] must
have R_{t+1}, as the algorithm has.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import identity, rational
from theory.model.iteration import concurrent_iterates, in_place_matrix
from theory.model.linear_model import exact_moments
from theory.model.points import joint_solution
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import enumerate_transitions
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, departures, existing, stacked
from theory.propositions.statement import Checks, Counterexample, Counterexamples, Gaps, Statement, on_each
from theory.propositions.theories.heads import coupled_heads, three_heads
from theory.propositions.theories.namespace import Namespace
from theory.symbolic.matrices import Draw

ALPHA, K = Fraction(1, 8), 2


@cache
def sweep_theory() -> Namespace:
    """One sweep in place: new = θ + α(b† − Nθ + L·new)."""
    n = Namespace("gamma alpha lam")
    T = n.T
    first, pick, after = n.letters("first pick after", "H -> F", first="p_0", pick="p_k", after="p_{k+1}")
    A_mu, X, Y = n.letters("A_mu X Y", "F -> F", A_mu=r"A_\mu")
    N, L = n.letters("N L", "H -> H")
    T.assume("row 0 of N", first * N, A_mu * first)
    T.assume("row k+1 of N", after * N, X * after)
    T.assume("row 0 of L", first * L)
    T.assume("row k+1 of L", after * L, T.gamma * Y * pick)
    v = n.letters("v", "1 -> H")
    T.assume("J v = lam v", (1 - T.alpha * N) * v, T.lam * (1 - T.alpha * L) * v)
    Li = T.inverse(1 - T.alpha * L, "Li", of="(1 - alpha L)", latex=r"(1-\alpha L)^{-1}")
    theta, theta_star, b, new = n.letters(
        "theta theta_star b new", "1 -> H", theta_star=r"\theta_*", b=r"b^\dagger", new=r"\theta'"
    )
    T.assume("M theta_star = b", (N - L) * theta_star, b)
    T.assume("a sweep", new, theta + T.alpha * (b - N * theta + L * new), solve_for="new")
    T.model(_a_sweep, {"F": 2}, {"F": 3})
    J = n.J = Li * (1 - T.alpha * N)
    bootstrap = T.gamma * Y * (pick * new) - X * (after * theta) + after * b
    n.state("head k+1 sees the new head k", after * new, after * theta + T.alpha * bootstrap)
    n.state("J = 1 - alpha (1 - alpha L)^-1 M", J, 1 - T.alpha * Li * (N - L))
    n.state("error of a sweep", new - theta_star, J * (theta - theta_star))
    n.state("eigenvector, head 0", (1 - T.alpha * A_mu) * (first * v), T.lam * (first * v))
    coupled = (1 - T.alpha * X) * (after * v) + T.lam * T.alpha * T.gamma * Y * (pick * v)
    n.state("eigenvector, head k+1", coupled, T.lam * (after * v))
    return n


def _a_sweep(draw: Draw) -> dict[str, Any]:
    """Three heads and an eigenvector of J with no head zero: (I − αX − λ)v_{k+1} = −λαγYv_k."""
    (values, mu, a, N, L), alpha = three_heads(draw), abs(draw.number())
    lam = 1 - alpha * mu
    system = (1 - lam) * identity(a.nrows()) - alpha * values["X"]
    v = coupled_heads(system, -lam * alpha * values["gamma"] * values["Y"], a)
    return {**values, "N": N, "L": L, "alpha": alpha, "lam": lam, "v": v}


def check() -> Checks:
    """Sweeps 0..4 against their predicted error, and det(λ − J) = det(λ − (I − αM)), identically."""
    return on_each(cases("full-rank", "behaviour"), _difference, f"K = {K}: sweeps 0..4, spectrum, rest point")


def _difference(m: Matrices) -> Gaps:
    (M, b), J = exact_moments(m.problem).joint(K), in_place_matrix(m.problem, ALPHA, K)
    target, jacobi = existing(joint_solution(m.problem, K)), identity(M.nrows()) - rational(ALPHA) * M
    yield from (M * target - b, list((J.charpoly() - jacobi.charpoly()).coeffs()))
    sweeps = islice(concurrent_iterates(exact_moments(m.problem), ALPHA, K, m.start, in_place=True), 5)
    yield from departures(map(stacked, sweeps), J, target)


def counterexamples() -> Counterexamples:
    """The transients differ, and the reward's index."""
    problem, start = catalogue_problem("threestate"), fmpq_mat(3, 1, [1, 0, 0])
    paths = [
        list(islice(concurrent_iterates(exact_moments(problem), ALPHA, 1, start, in_place=now), 2))
        for now in (False, True)
    ]
    new = [", ".join(map(str, path[1][1].entries())) for path in paths]
    text = (
        f"Threestate, α = 1/8, heads at (1, 0, 0): after one update head 1 is ({new[0]}) by eq-chain,"
        f" ({new[1]}) in place"
    )
    differ = paths[0][1][1] != paths[1][1][1] and paths[0][1][0] == paths[1][1][0]
    yield Counterexample("as stated", text, differ, problem)
    earlier = reward_before(problem)
    target = [Fraction(x) for x in problem.exact.r_pi]
    text = (
        f"Threestate: r_π = ({', '.join(map(str, target))}), but E[R_t | S_t = s], the reward on arrival, is"
        f" ({', '.join(map(str, earlier))}); and ρ_t does not correct it"
    )
    yield Counterexample("as stated", "E[ρ_t(R_t + γv(S_{t+1}))] in the text: " + text, earlier != target, problem)


def reward_before(problem: Problem) -> list[Fraction]:
    """E[ρ_t R_t | S_t = s] = E[R_t | S_t = s] under μ: the reward that was paid on the way into s."""
    total = [Fraction(0)] * problem.n_states
    for o in enumerate_transitions(problem):
        total[o.next_state] += Fraction(o.probability) * Fraction(o.reward)
    return [x / Fraction(d) for x, d in zip(total, problem.exact.d_mu, strict=True)]


STATEMENT = Statement(
    id="alg-1",
    place=260,
    title="Algorithm 1: sequential and concurrent chained TD",
    paper="concurrent chained TD is obtained by moving line 2 (the loop over heads) between lines 6 and 7",
    verdict="imprecise",
    precise="that is an in-place (Gauss–Seidel) sweep, eq-chain is simultaneous (Jacobi): same fixed point, same"
    " spectrum 1 − αλ(M), same step sizes, another transient",
    assumptions=("d_μ stationary for P_μ", "X invertible"),
    scope="all dimensions, all K",
    cites=("a block-triangular determinant is the product of its blocks'",),
    where="M = N − L with N the diagonal blocks A_μ, X, …, X; J is what one sweep does to the error",
    latex=r"J = (I - \alpha L)^{-1}(I - \alpha N) = I - \alpha (I - \alpha L)^{-1} M,"
    r" \quad \det(\lambda - J) = \det(\lambda - (I - \alpha M))",
    claims=sweep_theory,
    check=check,
    counterexamples=counterexamples,
)
