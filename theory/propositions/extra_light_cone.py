r"""extra-light-cone: with equal starts and simultaneous updates head k equals off-policy TD exactly for t ≤ k.

If heads k and k+1 equal TD at time t, head k+1 equals TD at time t+1, because its update is then TD's; the engine does
the induction over t for all heads at once, counted from the edge of the cone. It is sharp: at t = k+1 the difference is
(αγY)ᵏ times the first step's difference between the behaviour's TD and off-policy TD, so what head 0 knows travels one
head per update, and a long chain diverges like TD before it converges.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

from flint import fmpq, fmpq_mat

from theory.exact.matrices import identity, is_zero, power
from theory.model.iteration import concurrent_iterates, td_iterates
from theory.model.linear_model import exact_moments
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, matrices, ones
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Gaps, Statement, on_each
from theory.propositions.theories.heads import HEADS, split_heads
from theory.propositions.theories.namespace import Namespace, kronecker
from theory.symbolic.matrices import Draw

ALPHA, K = fmpq(1, 10), 4


@cache
def light_cone_theory() -> Namespace:
    """Heads k ≥ t equal off-policy TD at time t, for all t.

    H is the space of all heads together, counted from the edge of the cone: entry j of θ_t is head t+j at time t. Its
    update needs itself and its neighbour, θ_{t+1} = Up θ_t + α(b + γYθ_t − X Up θ_t) with (Up θ)_j = θ_{j+1}, and
    never head 0. X and Y act on each head alike, so Up commutes with them; Up b = b says that all heads have one b,
    Up start = start that they start equal. TD in every entry stays equal over the entries, and θ_t equals it.

    A chain of K+1 heads is the beginning of an endless one, since a head needs only lower ones. Nothing asks H to be
    of finite dimension; the exact models have finitely many heads, the last of which follows itself, or mix heads.
    """
    n = Namespace("gamma alpha")
    T, (up, X, Y) = n.T, n.letters("Up X Y", "H -> H", Up=r"\uparrow")
    b, start = n.letters("b start", "1 -> H", start=r"\theta_0")
    for name, letter in {"X": X, "Y": Y}.items():
        T.assume(f"Up {name} = {name} Up", up * letter, letter * up)
    T.assume("Up b = b", up * b, b)
    T.assume("equal starts", up * start, start)
    T.model(lambda draw: _cone(draw, _next_head), *HEADS)
    T.model(lambda draw: _cone(draw, draw.stochastic), *HEADS)

    def update(own: Any, lower: Any) -> Any:
        return own + T.alpha * (b + T.gamma * Y * lower - X * own)

    td = T.sequence("td", start, lambda x: update(x, x), index="t", latex=r"\theta^{\mathrm{TD}}_t")
    n.theta = T.sequence("theta", start, lambda x: update(up * x, x), index="t", latex=r"\theta_t")
    T.lemma("Up td_t = td_t", up * td, td)
    n.state("light-cone-td", up * td, td)
    n.state("light-cone", n.theta, td)
    return n


def _next_head(heads: int) -> fmpq_mat:
    """Row j picks head j+1; the last head, which has none after it, picks itself."""
    return fmpq_mat(heads, heads, [int(j == min(i + 1, heads - 1)) for i in range(heads) for j in range(heads)])


def _cone(draw: Draw, up: Callable[[int], fmpq_mat]) -> dict[str, Any]:
    """Three or four heads, of two features each or three, that share X, Y, b and the start."""
    heads, features = (M.nrows() for M in split_heads(draw))
    alike = {name: kronecker(identity(heads), draw.matrix(features, features)) for name in ("X", "Y")}
    equal = {name: kronecker(ones(heads), draw.matrix(features, 1)) for name in ("b", "start")}
    return {"Up": kronecker(up(heads), identity(features)), **alike, **equal}


@cache
def edge_theory() -> Namespace:
    """On the edge of the cone head k+1 still equals TD at t = k+1 and head k does not: the gap is handed on."""
    n = Namespace("gamma alpha")
    T, (X, Y) = n.T, n.letters("X Y", "F -> F")
    b, td, gap0 = n.letters("b td gap0", "1 -> F", td=r"\theta_t", gap0=r"\delta_0")
    after = td + T.alpha * (b - (X - T.gamma * Y) * td)
    gap = T.sequence(
        "gap", gap0, lambda g: td + T.alpha * (b + T.gamma * Y * (td + g) - X * td) - after, latex=r"\delta_k"
    )
    N_k = T.power(T.alpha * T.gamma * Y, "N", latex=r"(\alpha\gamma Y)^k")
    n.state("the edge", gap, N_k * gap0)
    return n


def claims() -> Claims:
    """All heads inside the cone, for all t, and the gap on its edge, for all k."""
    return [*light_cone_theory(), *edge_theory()]


def check() -> Checks:
    """Heads 0..4 against TD for all t ≤ k, identically, and at t = k+1 against the predicted gap."""
    return on_each(cases("behaviour"), _difference, "t ≤ k ≤ 4, and the gap at t = k + 1")


def _difference(m: Matrices) -> Gaps:
    rows = list(islice(concurrent_iterates(exact_moments(m.problem), ALPHA, K, m.start), K + 2))
    td = list(islice(td_iterates(exact_moments(m.problem), ALPHA, m.start), K + 2))
    first, hand_on = rows[1][0] - td[1], ALPHA * m.gamma * m.Y
    for k in range(K + 1):
        yield from (rows[t][k] - td[t] for t in range(k + 1))
        yield rows[k + 1][k] - td[k + 1] - power(hand_on, k) * first


def counterexamples() -> Counterexamples:
    """One step later; updates in place; another start for head 0."""
    problem = catalogue_problem("twostate-reward")
    zero = fmpq_mat(1, 1)
    heads, td = (
        islice(concurrent_iterates(exact_moments(problem), ALPHA, 2, zero), 4),
        islice(td_iterates(exact_moments(problem), ALPHA, zero), 4),
    )
    gaps = [row[2] - theta for row, theta in zip(heads, td, strict=True)]
    late = [is_zero(gap) for gap in gaps] == [True, True, True, False]
    text = f"{problem.name}, head 2, α = 1/10: equal to TD for t ≤ 2, at t = 3 off by {gaps[3][0, 0]}"
    yield Counterexample("t ≤ k", text, late, problem)
    one = fmpq_mat([[1]])
    swept = list(islice(concurrent_iterates(exact_moments(problem), ALPHA, 1, one, in_place=True), 2))[1][1]
    after = list(islice(td_iterates(exact_moments(problem), ALPHA, one), 2))[1]
    text = "the same from 1, head 1 updated after head 0 in the same sweep:"
    text += f" {swept[0, 0]} at t = 1, TD has {after[0, 0]}"
    yield Counterexample("simultaneous updates", text, swept != after, problem)
    m = matrices(problem)
    moved = ALPHA * (m.b + m.gamma * m.Y * one)  # head 0 starts at 1, head 1 and TD at 0
    after = list(islice(td_iterates(exact_moments(problem), ALPHA, zero), 2))[1]
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
