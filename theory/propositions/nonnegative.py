r"""field-5: state aggregation is safe for TD, the chain and every target network, whatever the weights.

Φ is a 0/1 partition of the states: Φ1 = 1, and with P1 = 1 also Y1 = X1. X is diagonal and positive, Y ≥ 0. So X⁻¹Y is
stochastic and ρ(B) = γ; A = X − γY has no positive entry off the diagonal and A1 = (1 − γ)X1 > 0, which makes it a
nonsingular M-matrix, all of whose eigenvalues have positive real part; and for α ≤ 1/max X, G_T = Q + (I − Q)B is
nonnegative with G_T1 = γ1 + (1 − γ)Q1 < 1 for every T. Tabular features are the partition into single states. (Gordon
1995 calls such features averagers.)

field-7: regular splittings. If X⁻¹ ≥ 0 and Y ≥ 0 entry by entry, then ρ(B) < 1 ⇔ A is invertible with A⁻¹ ≥ 0.

A = X − γY is then a regular splitting (Varga). ⇒: A⁻¹ = Σ BⁱX⁻¹ ≥ 0. ⇐: W_kX⁻¹ = A⁻¹ − BᵏA⁻¹ ≤ A⁻¹ for every k with
W_k = Σ_{i<k} Bⁱ, and sums of nonnegative matrices that stay bounded converge, which takes ρ(B) < 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from flint import fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import fraction
from theory.methods.whole_numbers import stable_windows
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import SWAP, cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory


@cache
def aggregation_theory() -> Namespace:
    """Rows of Φ and of P that sum to one."""
    n = Namespace("gamma alpha")
    T, one = n.T, n.letters("ones", "1 -> F", ones=r"\mathbf{1}_F")
    every = n.letters("all", "1 -> S", all=r"\mathbf{1}_S")
    n.with_problem()
    T.assume("Phi 1 = 1", n.Phi * one, every)
    T.assume("P 1 = 1", n.P * every, every)
    n.with_inverse()
    Q_t = T.power(1 - T.alpha * n.X, "Q", index="t", latex="Q_T")
    G_t = T.abbreviate("G_t", Q_t + (1 - Q_t) * n.G, latex="G_T")
    n.state("Y 1 = X 1", n.Y * one, n.X * one)
    n.state("B 1 = gamma 1", n.G * one, T.gamma * one)
    n.state("A 1 = (1 - gamma) X 1", n.A * one, n.X * one - T.gamma * n.X * one)
    n.state("rows of a window", G_t * one, T.gamma * one + Q_t * one - T.gamma * Q_t * one)
    return n


def field_5_check() -> Checks:
    """Every case's states aggregated in several ways: TD, chain and all T certified, ρ(B) = γ exactly."""
    for problem in cases("endless"):
        for seen in aggregated(problem):
            m = matrices(seen)
            B = m.gamma * m.X.solve(m.Y)
            sums = [sum(row) - m.gamma for row in B.tolist()]
            alpha = 1 / max(fraction(m.X[i, i]) for i in range(m.X.nrows()))
            held = td_stable(seen).proved and chain_unbiased(seen).proved
            windows = stable_windows(seen, exact_model(seen), alpha)
            wrong = largest(sums) + (not held) + (windows.from_on != 1) + (B.charpoly()(m.gamma) != 0)
            yield Check(seen.name, wrong, detail="rows of B sum to γ; TD, chain and every T converge")


def aggregated(problem: Problem) -> Iterator[Problem]:
    """Two classes, all but one merged, and none merged."""
    S = problem.n_states
    for F in sorted({1, 2, S - 1, S} & set(range(1, S + 1))):
        Phi = [[int(min(s, F - 1) == j) for j in range(F)] for s in range(S)]
        yield problem.with_features(Phi)


def field_5_counterexamples() -> Counterexamples:
    """Features that are not a partition, and steps that are too large."""
    twostate = catalogue_problem("twostate")
    text = "Twostate, Φ = (1; 2) at γ = 99/100: one group, but not with equal features: TD and chain fail"
    failed = td_stable(twostate).refuted and chain_unbiased(twostate).refuted
    yield Counterexample("Φ is 0/1", text, failed, twostate)
    blend = Problem.from_matrices(
        "99/100",
        Phi=[[1, 0], [1, 0], ["3/4", "1/4"]],
        P_pi=[[1, 0, 0], [0, 1, 0], [1, 0, 0]],
        d_mu=["1/3"] * 3,
        name="soft aggregation",
    )
    text = "Φ = [[1, 0], [1, 0], [3/4, 1/4]], states 1 and 2 stay, 3 goes to 1: rows sum to one, and TD is unstable"
    yield Counterexample("one group a state", text, td_stable(blend).refuted, blend)
    tabular = Problem.from_matrices("1/2", Phi=[[1], [1]], P_pi=SWAP, d_mu=["1/2", "1/2"], name="one group")
    windows = stable_windows(tabular, exact_model(tabular), Fraction(5))
    text = "one group, X = 1: with α = 5 > 2/X the updates between two targets diverge, and no T up to 64 is stable"
    yield Counterexample("α ≤ 1/max X", text, not windows.ranges, tabular)


FIELD_5 = Statement(
    id="field-5",
    place=2050,
    title="State aggregation is safe",
    paper="does not treat special features",
    verdict="beyond the paper",
    precise="Φ a 0/1 partition ⇒ X⁻¹Y is stochastic, ρ(B) = γ, A is a nonsingular M-matrix: TD, the chain and, for"
    " α ≤ 1/max X, every T are stable for every D",
    assumptions=("Φ a 0/1 partition of the states", "P stochastic, D > 0", "0 ≤ γ < 1"),
    cites=(
        "Perron–Frobenius: ρ of a nonnegative matrix lies between its row sums",
        "M-matrices: a Z-matrix with Av > 0 for some v > 0 has Re λ > 0",
    ),
    latex=r"B\mathbf{1} = \gamma\mathbf{1},\quad A\mathbf{1} = (1-\gamma)X\mathbf{1},\quad"
    r" G_T\mathbf{1} = \gamma\mathbf{1} + (1-\gamma)Q_T\mathbf{1}",
    claims=aggregation_theory,
    check=field_5_check,
    counterexamples=field_5_counterexamples,
)


def field_7_claims() -> Claims:
    """The sums that are bounded by A⁻¹, for every k."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("sums below the inverse", n.W_k * n.Xi, n.Ai - n.G_k * n.Ai),
        T.claim("splitting", n.A, n.X - n.X * n.G),
    ]


def field_7_check() -> Checks:
    """Every case and aggregation with X⁻¹ ≥ 0 and Y ≥ 0: the two sides agree."""
    for problem in splittings():
        wrong = chain_unbiased(problem).proved is not inverse_positive(problem)
        yield Check(problem.name, wrong, detail="ρ(B) < 1 ⇔ A⁻¹ ≥ 0")


def splittings() -> Iterator[Problem]:
    """The problems to which it applies."""
    for problem in cases():
        for seen in (problem, *aggregated(problem)):
            m = matrices(seen)
            if m.X.det() != 0 and nonnegative(m.X.inv()) and nonnegative(m.Y):
                yield seen


def nonnegative(M: fmpq_mat) -> bool:
    """Is every entry 0 or more?"""
    return all(x >= 0 for x in M.entries())


def inverse_positive(problem: Problem) -> bool:
    """Is A invertible with A⁻¹ ≥ 0?"""
    A = matrices(problem).A
    return bool(A.det() != 0) and nonnegative(A.inv())


def field_7_counterexamples() -> Counterexamples:
    """Each sign dropped."""
    biased = catalogue_problem("quadrant-stable-biased")
    m = matrices(biased)
    text = f"quadrant-stable-biased: X = {m.X[0, 0]} > 0, Y = {m.Y[0, 0]} < 0: A⁻¹ > 0 and ρ(B) = 3/2"
    seen = inverse_positive(biased) and chain_unbiased(biased).refuted
    yield Counterexample("Y ≥ 0", text, seen and m.Y[0, 0] < 0, biased)
    three = catalogue_problem("threestate")
    m = matrices(three)
    text = "threestate: Y ≥ 0 but X⁻¹ has negative entries: ρ(B) < 1 and A⁻¹ is not nonnegative"
    seen = chain_unbiased(three).proved and not inverse_positive(three) and nonnegative(m.Y)
    yield Counterexample("X⁻¹ ≥ 0", text, seen and not nonnegative(m.X.inv()), three)


FIELD_7 = Statement(
    id="field-7",
    place=2070,
    title="Regular splittings",
    paper="does not use signs of entries; regular splittings are Varga's (1960)",
    verdict="beyond the paper",
    precise="X⁻¹ ≥ 0 and Y ≥ 0 entry by entry ⇒ (ρ(B) < 1 ⇔ A invertible and A⁻¹ ≥ 0)",
    assumptions=("X⁻¹ ≥ 0", "Y ≥ 0"),
    scope="all dimensions, all k",
    cites=("a growing bounded sequence converges; powers that are summable tend to 0",),
    latex=r"\sum_{i<k} B^i X^{-1} = A^{-1} - B^k A^{-1} \le A^{-1}",
    claims=field_7_claims,
    check=field_7_check,
    counterexamples=field_7_counterexamples,
)
