r"""fig-1: "chained TD solves nearly all random MDPs, TD diverges in about 20%", with as many features as states.

With F = S and Φ invertible ΠΦ = Φ gives Π = I, hence B = Φ⁻¹(γP)Φ, and ρ(γΠP) = ρ(γP) = γ < 1 because P1 = 1: the
chain is unbiased in *every* such problem, not in nearly all, and no draw of Φ, P or D can show otherwise. That is the
tabular case in another basis, and says nothing about F < S: with one feature less there are exact problems in which
the chain is biased. How often is measured by `theory success-rate`; no rate is asserted here.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.chain import chain_step
from theory.exact.matrices import identity, matrix, rational
from theory.exact.moments import exact_moments, exact_projection
from theory.exact.polynomials import unit_circle
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement, largest
from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import standard_letters, with_inverse
from theory.symbolic.matrices import Draw
from theory.symbolic.theory import Claim, Theory
from theory.text.words import word
from theory.thresholds.discounts import chain_threshold


@cache
def square_theory() -> Chapter:
    """Φ invertible and the rows of P sum to one; nothing else."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters))
    n.Phi_i = T.op("Phi_i", "S -> F", latex=r"\Phi^{-1}")
    T.assume("Phi_i Phi = 1", n.Phi_i * n.Phi, 1)
    T.assume("Phi Phi_i = 1", n.Phi * n.Phi_i, 1)
    n.one = T.op("one", "1 -> S", latex=r"\mathbf{1}")
    T.assume("P 1 = 1", n.P * n.one, n.one)
    n.e0 = T.op("e0", "1 -> F", latex="e_0")
    T.model(_square, {"S": 2, "F": 2}, {"S": 3, "F": 3}, {"S": 4, "F": 4})
    n.G_k, n.P_k = T.power(n.G, "B", latex="B^k"), T.power(n.P, "P", latex="P^k")
    n.g_k = T.scalar_sequence("g", 1, lambda g: T.gamma * g, latex=r"\gamma^k")
    n.state("nothing is projected away", n.Pi, T.one("S"))
    n.state("B is similar to gamma P", n.G, T.gamma * n.Phi_i * n.P * n.Phi)
    n.state("all powers", n.G_k, n.g_k * n.Phi_i * n.P_k * n.Phi)
    n.state("gamma is an eigenvalue", n.G * (n.Phi_i * n.one), T.gamma * n.Phi_i * n.one)
    n.state("rows keep their sum", n.P_k * n.one, n.one)
    return n


def _square(draw: Draw) -> dict[str, Any]:
    S = draw.dims["S"]
    D, P = draw.diagonal(draw.distribution(S)), draw.stochastic(S)
    return {"D": D, "P": P, "gamma": abs(draw.number()), "one": fmpq_mat(S, 1, [1] * S)}


def claims() -> Sequence[Claim]:
    """Π = I, B is similar to γP in all powers, and γ is its eigenvalue."""
    return list(square_theory().claims.values())


def check() -> Iterable[Check]:
    """Exact stand-ins for the figure's draws, S = F = 2..5, γ = 99/100, and the cases with Π = I: ρ(γΠP) = γ."""
    for problem in [*cases("identity"), *draws()]:
        S, P = problem.n_states, matrix(problem.exact.P_pi)
        Pi = exact_projection(problem)
        circle, at_one = unit_circle((Pi * P).charpoly()), (Pi * P).charpoly()(1)
        decided = chain_unbiased(problem).proved and circle.outside == 0
        threshold = chain_threshold(problem).exact
        exact = threshold is not None and threshold == 1
        error = largest([Pi - identity(S), at_one, P * fmpq_mat(S, 1, [1] * S) - fmpq_mat(S, 1, [1] * S)])
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


def counterexamples() -> Iterable[Counterexample]:
    """One feature less, and as many features as states that are not independent."""
    for name in ("quadrant-unstable-biased", "quadrant-stable-biased"):
        problem = catalogue_problem(name)
        beta = chain_step(problem)[0][0, 0]
        biased = chain_unbiased(problem).refuted and problem.n_features == problem.n_states - 1
        td = word("td", td_stable(problem).proved)
        text = f"S = 2, F = 1, {name}: B = {beta}, the chain is biased (TD is {td})"
        yield Counterexample("F = S", text, biased and abs(beta) > 1, problem)
    twins = Problem.from_matrices(
        "99/100", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], name="twin features"
    )
    radius = rational(twins.exact.gamma) / rational(Fraction(str(chain_threshold(twins).exact)))
    biased = chain_unbiased(twins).refuted and exact_moments(twins).X.det() == 0
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
