r"""extra-light-cone: with equal starts and simultaneous updates head k equals off-policy TD exactly for t ≤ k.

If heads k and k+1 equal TD at time t, head k+1 equals TD at time t+1, because its update is then TD's; the engine does
the induction over t for all heads at once, counted from the edge of the cone. It is sharp: at t = k+1 the difference is
(αγY)ᵏ times the first step's difference between the behaviour's TD and off-policy TD, so what head 0 knows travels one
head per update, and a long chain diverges like TD before it converges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice

from flint import fmpq, fmpq_mat

from theory.exact.matrices import is_zero
from theory.exact.moments import exact_moments
from theory.exact.richardson import concurrent_iterates, td_iterates
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement, on_each
from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.light_cone import light_cone_theory
from theory.symbolic.theory import Claim, Theory

ALPHA, K = fmpq(1, 10), 4


@cache
def edge_theory() -> Chapter:
    """On the edge of the cone head k+1 still equals TD at t = k+1 and head k does not: the gap is handed on."""
    T = Theory("gamma alpha")
    X, Y, b = T.op("X", "F -> F"), T.op("Y", "F -> F"), T.op("b", "1 -> F")
    td, gap0 = T.op("td", "1 -> F", latex=r"\theta_t"), T.op("gap0", "1 -> F", latex=r"\delta_0")
    after = td + T.alpha * (b - (X - T.gamma * Y) * td)
    gap = T.sequence(
        "gap", gap0, lambda g: td + T.alpha * (b + T.gamma * Y * (td + g) - X * td) - after, latex=r"\delta_k"
    )
    N_k = T.power(T.alpha * T.gamma * Y, "N", latex=r"(\alpha\gamma Y)^k")
    n = Chapter(T, X=X, Y=Y, b=b, td=td, gap0=gap0, gap=gap, N_k=N_k)
    n.state("the edge", gap, N_k * gap0)
    return n


def claims() -> Sequence[Claim]:
    """All heads inside the cone, for all t, and the gap on its edge, for all k."""
    n = light_cone_theory()
    T = n.T
    return [
        T.claim("light-cone-td", n.up * n.td, n.td),
        T.claim("light-cone", n.theta, n.td),
        *edge_theory().claims.values(),
    ]


def check() -> Iterable[Check]:
    """Heads 0..4 against TD for all t ≤ k, identically, and at t = k+1 against the predicted gap."""
    return on_each(cases("behaviour"), _difference, "t ≤ k ≤ 4, and the gap at t = k + 1")


def _difference(problem: Problem) -> list[object]:
    m, F = exact_moments(problem), problem.n_features
    start = fmpq_mat(F, 1, list(range(1, F + 1)))
    rows = list(islice(concurrent_iterates(problem, ALPHA, K, start), K + 2))
    td = list(islice(td_iterates(problem, ALPHA, start), K + 2))
    inside = [rows[t][k] - td[t] for k in range(K + 1) for t in range(k + 1)]
    first, hand_on = rows[1][0] - td[1], ALPHA * m.gamma * m.Y
    edge = [rows[k + 1][k] - td[k + 1] - power(hand_on, k) * first for k in range(K + 1)]
    return [*inside, *edge]


def counterexamples() -> Iterable[Counterexample]:
    """One step later; updates in place; another start for head 0."""
    problem = catalogue_problem("twostate-reward")
    zero = fmpq_mat(1, 1)
    heads, td = islice(concurrent_iterates(problem, ALPHA, 2, zero), 4), islice(td_iterates(problem, ALPHA, zero), 4)
    gaps = [row[2] - theta for row, theta in zip(heads, td, strict=True)]
    late = [is_zero(gap) for gap in gaps] == [True, True, True, False]
    text = f"{problem.name}, head 2, α = 1/10: equal to TD for t ≤ 2, at t = 3 off by {gaps[3][0, 0]}"
    yield Counterexample("t ≤ k", text, late, problem)
    one = fmpq_mat([[1]])
    swept = list(islice(concurrent_iterates(problem, ALPHA, 1, one, in_place=True), 2))[1][1]
    after = list(islice(td_iterates(problem, ALPHA, one), 2))[1]
    text = "the same from 1, head 1 updated after head 0 in the same sweep:"
    text += f" {swept[0, 0]} at t = 1, TD has {after[0, 0]}"
    yield Counterexample("simultaneous updates", text, swept != after, problem)
    m = exact_moments(problem)
    moved = ALPHA * (m.b + m.gamma * m.Y * one)  # head 0 starts at 1, head 1 and TD at 0
    after = list(islice(td_iterates(problem, ALPHA, zero), 2))[1]
    text = f"head 0 started at 1, head 1 at 0: head 1 is at {moved[0, 0]} after one update, TD from 0 at {after[0, 0]}"
    yield Counterexample("equal starts", text, moved != after, problem)


STATEMENT = Statement(
    id="extra-light-cone",
    place=1080,
    title="The light cone of the concurrent chain",
    paper="all heads are updated at once and converge; how they move before is only shown in a figure",
    verdict="beyond the paper",
    precise="θᵏ_t = TD's θ_t for all t ≤ k; at t = k + 1 they differ by (αγY)ᵏ(θ⁰_1 − θ_1)",
    assumptions=("equal starts", "simultaneous updates", "t ≤ k"),
    scope="all dimensions, all k ≥ 0 and t ≤ k",
    where="θ_t, with TD above it in the formula, is the iterate of off-policy TD",
    latex=r"\theta^k_t = \theta^{\mathrm{TD}}_t\ (t \le k), \quad \theta^k_{k+1} - \theta^{\mathrm{TD}}_{k+1}"
    r" = (\alpha\gamma Y)^k (\theta^0_1 - \theta^{\mathrm{TD}}_1)",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
