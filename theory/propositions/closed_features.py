r"""fig-1: "chained TD solves nearly all random MDPs, TD diverges in about 20%", with as many features as states.

With F = S and Φ invertible ΠΦ = Φ gives Π = I, hence B = Φ⁻¹(γP)Φ, and ρ(γΠP) = ρ(γP) = γ < 1 because P1 = 1: the
chain is unbiased in *every* such problem, not in nearly all, and no draw of Φ, P or D can show otherwise. That is the
tabular case in another basis, and says nothing about F < S: with one feature less there are exact problems in which
the chain is biased. How often is measured by `theory success-rate`; no rate is asserted here.

field-6: features that P maps into their own span are safe for the chain, whatever the weights.

PΦ = ΦW (Bellman complete, rewards apart) gives Y = XW and B = γW. An eigenvector of W is one of P, Wv = λv ⇒
P(Φv) = λ(Φv), so ρ(W) ≤ ρ(P) = 1 and ρ(B) ≤ γ for every D. TD may diverge all the same: Baird's and the three-state
problem have as many independent features as states.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from flint import fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import identity, rational
from theory.exact.polynomials import unit_circle
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import matrices, ones
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace
from theory.text.words import word
from theory.thresholds.discounts import chain_threshold


@cache
def square_theory() -> Namespace:
    """Φ invertible and the rows of P sum to one; nothing else."""
    n = Namespace("gamma")
    T, one = n.T, n.letters("one", "1 -> S", one=r"\mathbf{1}")
    n.with_problem().with_inverse()
    Phi_i = n.letters("Phi_i", "S -> F", Phi_i=r"\Phi^{-1}")
    T.assume("Phi_i Phi = 1", Phi_i * n.Phi, 1)
    T.assume("Phi Phi_i = 1", n.Phi * Phi_i, 1)
    T.assume("P 1 = 1", n.P * one, one)
    G_k, P_k = T.power(n.G, "B", latex="B^k"), T.power(n.P, "P", latex="P^k")
    g_k = T.scalar_sequence("g", 1, lambda g: T.gamma * g, latex=r"\gamma^k")
    n.state("nothing is projected away", n.Pi, T.one("S"))
    n.state("B is similar to gamma P", n.G, T.gamma * Phi_i * n.P * n.Phi)
    n.state("all powers", G_k, g_k * Phi_i * P_k * n.Phi)
    n.state("gamma is an eigenvalue", n.G * (Phi_i * one), T.gamma * Phi_i * one)
    n.state("rows keep their sum", P_k * one, one)
    return n


def fig_1_check() -> Checks:
    """Exact stand-ins for the figure's draws, S = F = 2..5, γ = 99/100, and the cases with Π = I: ρ(γΠP) = γ."""
    for problem in [*cases("identity"), *draws()]:
        S, P = problem.n_states, matrices(problem).P
        Pi = matrices(problem).Pi
        circle, at_one = unit_circle((Pi * P).charpoly()), (Pi * P).charpoly()(1)
        decided = chain_unbiased(problem).proved and circle.outside == 0
        threshold = chain_threshold(problem).exact
        exact = threshold is not None and threshold == 1
        error = largest([Pi - identity(S), at_one, P * ones(S) - ones(S)])
        stable = word("td", td_stable(problem).proved)
        yield Check(problem.name, error + int(not (decided and exact)), detail=f"Π = I, ρ(ΠP) = 1, TD {stable}")


def draws() -> Iterator[Problem]:
    """Random exact problems with F = S: any P and D, integer features, drawn until invertible."""
    for seed in range(6):
        rng = random.Random(seed)
        S = 2 + seed % 4
        Phi = [[rng.randint(-9, 9) for _ in range(S)] for _ in range(S)]
        while fmpq_mat(Phi).det() == 0:
            Phi = [[rng.randint(-9, 9) for _ in range(S)] for _ in range(S)]
        rows = [[rng.randint(1, 9) for _ in range(S)] for _ in range(S + 1)]
        d, *P = [[Fraction(x, sum(row)) for x in row] for row in rows]
        yield Problem.from_matrices("99/100", Phi=Phi, P_pi=P, d_mu=d, name=f"drawn-{S}x{S}-{seed}")


def fig_1_counterexamples() -> Counterexamples:
    """One feature less, and as many features as states that are not independent."""
    for name in ("quadrant-unstable-biased", "quadrant-stable-biased"):
        problem = catalogue_problem(name)
        beta = matrices(problem).B[0, 0]
        biased = chain_unbiased(problem).refuted and problem.n_features == problem.n_states - 1
        td = word("td", td_stable(problem).proved)
        text = f"S = 2, F = 1, {name}: B = {beta}, the chain is biased (TD is {td})"
        yield Counterexample("F = S", text, biased and abs(beta) > 1, problem)
    twins = Problem.from_matrices(
        "99/100", Phi=[[1, 1], [2, 2]], P_pi=TO_SECOND, d_mu=["1/2", "1/2"], name="twin features"
    )
    radius = rational(twins.exact.gamma) / rational(Fraction(str(chain_threshold(twins).exact)))
    biased = chain_unbiased(twins).refuted and matrices(twins).X.det() == 0
    text = f"S = F = 2, Φ = [[1, 1], [2, 2]]: Π ≠ I and ρ(γΠP) = {radius}"
    yield Counterexample("Φ invertible", text, biased and radius > 1, twins)


FIG_1 = Statement(
    id="fig-1",
    place=170,
    title="Success rate on random MDPs",
    paper="with as many features as states, chained TD solves the TD problem in nearly all random MDPs",
    verdict="vacuous in the reported setting",
    precise="F = S and Φ invertible ⇒ Π = I ⇒ ρ(γΠP) = γ: 100% by algebra, whatever is drawn; nothing follows for F <"
    " S",
    assumptions=("F = S", "Φ invertible", "γ < 1"),
    scope="all dimensions, all k ≥ 0, every D, P and invertible Φ",
    cites=("Perron–Frobenius: ρ(P) = 1 for a stochastic P", "Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0"),
    latex=r"\Pi\Phi = \Phi,\ \Phi\Phi^{-1} = I \ \Rightarrow\ \Pi = I,"
    r" \quad B = \Phi^{-1}(\gamma P)\Phi, \quad \rho(\gamma\Pi P) = \gamma",
    claims=square_theory,
    check=fig_1_check,
    counterexamples=fig_1_counterexamples,
)


@cache
def closed_theory() -> Namespace:
    """PΦ = ΦW, and an eigenvector of W."""
    n = Namespace("gamma lam")
    T, v, W = n.T, n.letters("v", "1 -> F"), n.letters("W", "F -> F")
    n.with_problem()
    T.assume("P Phi = Phi W", n.P * n.Phi, n.Phi * W)
    T.assume("W v = lam v", W * v, T.lam * v)
    n.with_inverse()
    n.state("Y = X W", n.Y, n.X * W)
    n.state("B = gamma W", n.G, T.gamma * W)
    n.state("eigenvectors of P", n.P * n.Phi * v, T.lam * n.Phi * v)
    return n


def field_6_check() -> Checks:
    """Closed features of the catalogue and of lumpable chains, under several weights."""
    for problem in [*cases("full-rank", "identity"), *lumped()]:
        for d in (problem.exact.d_mu.tolist(), skewed(problem.n_states)):
            e = problem.exact
            seen = Problem.from_matrices(
                e.gamma, Phi=e.Phi.tolist(), P_pi=e.P_pi.tolist(), d_mu=d, name=f"{problem.name}, d₁ = {d[0]}"
            )
            m = matrices(seen)
            W = m.X.solve(m.Y)
            wrong = (
                largest(m.P * m.Phi - m.Phi * W) + unit_circle(W.charpoly()).outside + (not chain_unbiased(seen).proved)
            )
            yield Check(seen.name, wrong, detail="PΦ = ΦW with W = X⁻¹Y, ρ(W) ≤ 1, chain unbiased")


def skewed(S: int) -> list[Fraction]:
    """A distribution that falls by a factor of 5 from state to state."""
    weights = [Fraction(1, 5**s) for s in range(S)]
    return [w / sum(weights) for w in weights]


def lumped() -> list[Problem]:
    """Two groups of two states, in which each state moves to the groups as its mate does."""
    P = [["1/2", 0, "1/4", "1/4"], [0, "1/2", "1/2", 0], ["1/3", 0, "2/3", 0], [0, "1/3", "1/3", "1/3"]]
    return [
        Problem.from_matrices("99/100", Phi=Phi, P_pi=P, d_mu=["1/4"] * 4, name=f"lumped, Φ = {Phi}")
        for Phi in ([[1, 0], [1, 0], [0, 1], [0, 1]], [[1, 2], [1, 2], [-3, 1], [-3, 1]])
    ]


def field_6_counterexamples() -> Counterexamples:
    """TD on closed features; and features that are not closed."""
    for name in ("baird", "threestate"):
        problem = catalogue_problem(name)
        text = f"{name}: as many independent features as states, the chain is unbiased and TD unstable"
        seen = chain_unbiased(problem).proved and td_stable(problem).refuted
        yield Counterexample("the chain, not TD", text, seen, problem)
    twostate = catalogue_problem("twostate")
    text = "Twostate: PΦ = (2; 2) is no multiple of Φ = (1; 2), and the chain is biased at γ = 99/100"
    yield Counterexample("PΦ = ΦW", text, chain_unbiased(twostate).refuted, twostate)


FIELD_6 = Statement(
    id="field-6",
    place=2060,
    title="Closed features are safe for the chain",
    paper="has this for Π = I only, without saying so (fig-1)",
    verdict="beyond the paper",
    precise="PΦ = ΦW ⇒ B = γW and ρ(B) ≤ γ for every D; TD may still diverge",
    assumptions=("PΦ = ΦW", "X invertible", "P stochastic"),
    cites=("ρ(P) = 1 for a stochastic P",),
    latex=r"P\Phi = \Phi W \ \Rightarrow\ B = \gamma W,\quad \rho(B) \le \gamma",
    claims=closed_theory,
    check=field_6_check,
    counterexamples=field_6_counterexamples,
)
