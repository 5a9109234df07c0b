r"""field-1: TD, hard target networks and the chain solve one system with three preconditioners.

θ ← θ + N(b − Aθ) with N = αI (TD), S_T = αΣ_{j<T}(I − αX)ʲ (T updates per target network, PFQI) and X⁻¹ (the chain,
FQI): for all dimensions and all T. Every N is invertible, so all rest where Aθ = b.

With dependent features range A lies in range Φᵀ, which is where b = ΦᵀDr is from: there is a solution for every reward
exactly where rank A = rank X (*rank invariance*). TD then converges from every start, for small steps and to some
solution, exactly where I − αA is semiconvergent, and that is what the verdict on independent features says. Wu,
Greenwald and Parr (2025) have these conditions.

field-2: where the chain converges there is a TD solution, and not conversely.

A = X(I − B), so Av = 0 means Bv = v: ρ(B) < 1 makes A invertible, and LSTD (which needs no more) has its solution
A⁻¹b = (I − B)⁻¹X⁻¹b. LSTD solves what defeats the chain, TD or both; and neither condition makes TD stable. Perdomo,
Krishnamurthy, Bartlett and Kakade (2022) compare LSTD and fitted Q evaluation in this way.
"""

from __future__ import annotations

from functools import cache

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.polynomials import half_planes
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import blocks, matrices
from theory.propositions.methods import converges
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory


@cache
def window_theory() -> Namespace:
    """T updates towards a frozen target, whatever X and Y are."""
    n = Namespace("gamma alpha")
    T, (X, Y) = n.T, n.letters("X Y", "F -> F")
    b, start = n.letters("b theta0", "1 -> F", theta0=r"\theta^0")
    Q = T.power(1 - T.alpha * X, "Q", index="t", latex="Q_T")
    U = T.geometric_sum(Q, "U", latex="U_T")
    target = b + T.gamma * Y * start
    hot = T.sequence("hot", start, lambda x: x + T.alpha * (target - X * x), index="t", latex=r"\theta_T")
    n.state("a window's preconditioner", hot, start + T.alpha * U * (b - X * start + T.gamma * Y * start))
    return n


def field_1_claims() -> Claims:
    """Each method as a step along b − Aθ, and the error's matrix."""
    n = paper_theory()
    T = n.T
    rest = n.b - n.A * n.theta0
    return [
        T.claim("the chain's preconditioner", n.Xi * (T.gamma * n.Y * n.theta0 + n.b), n.theta0 + n.Xi * rest),
        *window_theory(),
        T.claim("error of a window", n.G_t, 1 - n.S_t * n.A),
        T.claim("range of A", n.A, n.Phi.T * (n.D * (n.Phi - T.gamma * n.P * n.Phi))),
    ]


def field_1_check() -> Checks:
    """Ranks, solvability for each unit reward, and semiconvergence of I − αA, exactly, against the verdicts."""
    for problem in cases():
        invariant, solvable = rank_invariant(problem), solvable_for_every_reward(problem)
        wrong = (invariant is not solvable) + (converges("lstd", problem) != Answer.of(invariant))
        wrong += td_stable(problem).proved is not (invariant and semiconvergent(problem))
        yield Check(problem.name, wrong, detail="rank A = rank X ⇔ solvable; semiconvergent ⇔ TD stable")


def rank_invariant(problem: Problem) -> bool:
    """rank A = rank X?"""
    m = matrices(problem)
    return bool(m.A.rank() == m.X.rank())


def solvable_for_every_reward(problem: Problem) -> bool:
    """Is ΦᵀDe_s in the range of A for every state s?"""
    m = matrices(problem)
    return bool(blocks([[m.A, m.Phi.transpose() * m.D]]).rank() == m.A.rank())


def semiconvergent(problem: Problem) -> bool:
    """For small α: no root of A left of the axis, and those on it zeros without a chain of vectors."""
    A = matrices(problem).A
    roots = half_planes(A.charpoly())
    return roots.left == 0 and roots.axis == A.nrows() - A.rank()


def field_1_counterexamples() -> Counterexamples:
    """Twostate where A = 0: with rewards there is no solution, without there are many."""
    edge = Problem.from_matrices(
        "5/6", Phi=[[1], [2]], P_pi=TO_SECOND, d_mu=["1/2", "1/2"], r_pi=[1, 1], name="twostate at γ = 5/6"
    )
    m = matrices(edge)
    text = f"Twostate at γ = 5/6: rank A = 0 < rank X = 1, b = {m.b[0, 0]}: Aθ = b has no solution"
    yield Counterexample("rank A = rank X", text, m.A.rank() == 0 and m.b[0, 0] != 0, edge)
    text = f"the same problem: I − αA = I is semiconvergent, and yet θ grows by α·{m.b[0, 0]} a step from every start"
    grows = semiconvergent(edge) and m.A.rank() == 0 and m.b[0, 0] != 0
    yield Counterexample("there is a solution", text, grows, edge)


FIELD_1 = Statement(
    id="field-1",
    place=2010,
    title="One system, three preconditioners",
    paper="treats TD, target networks and the chain apart; the common form is that of Wu, Greenwald and Parr (2025)",
    verdict="beyond the paper",
    precise="TD, T updates per target and the chain are θ ← θ + N(b − Aθ) with N = αI, S_T, X⁻¹; with dependent"
    " features there is a solution for every reward ⇔ rank A = rank X, and where there is one TD converges from every"
    " start ⇔ I − αA semiconvergent",
    assumptions=("X invertible, for the chain's form", "0 < α < 2/λ_max(X), for S_T to be invertible"),
    scope="all dimensions, all T; ranks and semiconvergence on exact problems",
    cites=("semiconvergence: Aᵏ converges ⇔ ρ ≤ 1, on the circle only 1, and that semisimple",),
    latex=r"\theta^{k+1} = \theta^k + N(b - A\theta^k),\quad N = \alpha I,\ S_T,\ X^{-1}",
    claims=field_1_claims,
    check=field_1_check,
    counterexamples=field_1_counterexamples,
)


def field_2_claims() -> Claims:
    """I − B = X⁻¹A, and its inverse."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("1 - B = Xi A", 1 - n.G, n.Xi * n.A),
        T.claim("inverse of 1 - B, left", n.Ai * n.X * (1 - n.G), T.one("F")),
        T.claim("inverse of 1 - B, right", (1 - n.G) * n.Ai * n.X, T.one("F")),
    ]


def field_2_check() -> Checks:
    """No case is unbiased and singular."""
    for problem in cases("full-rank"):
        wrong = chain_unbiased(problem).proved and matrices(problem).A.det() == 0
        yield Check(problem.name, wrong, detail="ρ(B) < 1 ⇒ det A ≠ 0")


def field_2_counterexamples() -> Counterexamples:
    """The four quadrants of one MDP, with A invertible in each."""
    for name, td, chain, what in (
        ("quadrant-stable-biased", True, False, "A invertible ⇒ ρ(B) < 1"),
        ("quadrant-unstable-biased", False, False, "A invertible ⇒ TD stable or ρ(B) < 1"),
        ("quadrant-unstable-unbiased", False, True, "ρ(B) < 1 ⇒ TD stable"),
    ):
        problem = catalogue_problem(name)
        det = matrices(problem).A.det()
        seen = td_stable(problem).proved is td and chain_unbiased(problem).proved is chain
        text = f"{name}: det A = {det} ≠ 0, TD {'stable' if td else 'unstable'}, chain {'un' * chain}biased"
        yield Counterexample(f"the converse: {what}", text, bool(seen and det != 0), problem)


FIELD_2 = Statement(
    id="field-2",
    place=2020,
    title="LSTD needs less than the chain",
    paper="shows that the chain's limit is the TD solution; that LSTD needs less is in Perdomo et al. (2022)",
    verdict="beyond the paper",
    precise="ρ(B) < 1 ⇒ A invertible; not conversely, and neither makes TD stable",
    assumptions=("X invertible",),
    cites=("ρ(B) < 1 ⇒ I − B invertible (Neumann)",),
    latex=r"I - B = X^{-1}A, \qquad (I - B)^{-1} = A^{-1}X",
    claims=field_2_claims,
    check=field_2_check,
    counterexamples=field_2_counterexamples,
)
