r"""fig-1: "chained TD solves nearly all random MDPs, TD diverges in about 20%", with as many features as states.

With F = S and Φ invertible ΠΦ = Φ gives Π = I, hence B = Φ⁻¹(γP)Φ, and ρ(γΠP) = ρ(γP) = γ < 1 because P1 = 1: the
chain is unbiased in *every* such problem, not in nearly all, and no draw of Φ, P or D can show otherwise. That is the
tabular case in another basis, and says nothing about F < S: with one feature less there are exact problems in which
the chain is biased. How often is measured by `theory success-rate`; no rate is asserted here.
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
from theory.propositions.cases import cases
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


def check() -> Checks:
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


def counterexamples() -> Counterexamples:
    """One feature less, and as many features as states that are not independent."""
    for name in ("quadrant-unstable-biased", "quadrant-stable-biased"):
        problem = catalogue_problem(name)
        beta = matrices(problem).B[0, 0]
        biased = chain_unbiased(problem).refuted and problem.n_features == problem.n_states - 1
        td = word("td", td_stable(problem).proved)
        text = f"S = 2, F = 1, {name}: B = {beta}, the chain is biased (TD is {td})"
        yield Counterexample("F = S", text, biased and abs(beta) > 1, problem)
    twins = Problem.from_matrices(
        "99/100", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], name="twin features"
    )
    radius = rational(twins.exact.gamma) / rational(Fraction(str(chain_threshold(twins).exact)))
    biased = chain_unbiased(twins).refuted and matrices(twins).X.det() == 0
    text = f"S = F = 2, Φ = [[1, 1], [2, 2]]: Π ≠ I and ρ(γΠP) = {radius}"
    yield Counterexample("Φ invertible", text, biased and radius > 1, twins)


STATEMENT = Statement(
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
    check=check,
    counterexamples=counterexamples,
)
