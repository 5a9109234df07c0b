r"""extra-quadrants: "TD is stable" and "the chain is unbiased" are independent of each other.

In one two-state MDP, D = diag(9, 1)/10, P the swap, γ = 9/10, all four combinations occur by changing Φ alone. With one
feature the chain's condition is the stronger one: A = X(1 − B) with X > 0, so |B| < 1 implies A > 0, and "unstable
but unbiased" needs F ≥ 2. There it comes from an invertible Φ: Π = I leaves B the spectrum of γP, while
A = ΦᵀD(I − γP)Φ depends on the basis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from theory.certified.answers import Answer
from theory.certified.verdicts import Verdict, chain_unbiased, td_stable
from theory.exact.chain import chain_step
from theory.exact.moments import exact_moments
from theory.exact.polynomials import is_anti_hurwitz, is_schur
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement
from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import paper_theory, standard_letters, with_inverse
from theory.symbolic.matrices import Draw
from theory.symbolic.theory import Claim, Theory
from theory.text.words import word

QUADRANTS = {(True, True): [[1], [0]], (False, False): [[1], [3]], (True, False): [[1], [-3]]}
QUADRANTS |= {(False, True): [[1, 0], [3, 1]]}  # (TD stable, chain unbiased): Φ


@cache
def invertible_features() -> Chapter:
    """Φ with a two-sided inverse: nothing is projected away."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, Phi_i=T.op("Phi_i", "S -> F", latex=r"\Phi^{-1}"))
    T.assume("Phi_i Phi = 1", n.Phi_i * n.Phi, 1)
    T.assume("Phi Phi_i = 1", n.Phi * n.Phi_i, 1)
    for name, letter in with_inverse(T, letters).items():
        setattr(n, name, letter)
    T.model(_square, {"S": 2, "F": 2}, {"S": 3, "F": 3})
    n.state("nothing is projected away", n.Pi, 1)
    n.state("B is similar to gamma P", n.Phi * n.G, T.gamma * n.P * n.Phi)
    return n


def _square(draw: Draw) -> dict[str, Any]:
    Phi = draw.matrix(draw.dims["S"], draw.dims["F"])
    while not Phi.det():
        Phi = draw.matrix(draw.dims["S"], draw.dims["F"])
    return {"Phi": Phi, "Phi_i": Phi.inv()}


def claims() -> Sequence[Claim]:
    """A = X(1 − B), from which F = 1 follows; and what an invertible Φ does to the chain."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("A = X (1 - B)", n.A, n.X * (1 - n.G)),
        *invertible_features().claims.values(),
    ]


def check() -> Iterable[Check]:
    """The quadrants by certificate and by exact root counts; all cases with one feature."""
    for (stable, unbiased), Phi in QUADRANTS.items():
        problem = swap(Phi)
        td, chain = td_stable(problem), chain_unbiased(problem)
        counted = (is_anti_hurwitz(exact_moments(problem).A.charpoly()), is_schur(chain_step(problem)[0].charpoly()))
        expected = Answer.of(stable), Answer.of(unbiased)
        agree = counted == (stable, unbiased) and (td.holds, chain.holds) == expected
        agree = agree and certified(td) and certified(chain)
        detail = f"TD {word('td', stable)}, chain {word('chain', unbiased)}"
        yield Check(f"swap with Φ = {Phi}", Fraction(int(not agree)), detail=detail)
    for problem in cases("full-rank"):
        if problem.n_features == 1:
            m, B = exact_moments(problem), chain_step(problem)[0][0, 0]
            follows = m.X[0, 0] > 0 and m.A[0, 0] == m.X[0, 0] * (1 - B) and (abs(B) >= 1 or m.A[0, 0] > 0)
            yield Check(problem.name, Fraction(int(not follows)), detail="F = 1: unbiased ⇒ stable")


def certified(verdict: Verdict) -> bool:
    """Does the verdict carry a certificate that its independent checker accepts?"""
    return verdict.certificate is not None and verdict.certificate.recheck()


def swap(Phi: list[list[int]]) -> Problem:
    """D = diag(9, 1)/10, P the swap, γ = 9/10, seen through Φ."""
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"], name=f"swap, Φ = {Phi}")


def counterexamples() -> Iterable[Counterexample]:
    """Two features: unbiased and unstable; and one feature the other way round."""
    two = catalogue_problem("quadrant-unstable-unbiased")
    A = exact_moments(two).A
    trace = A[0, 0] + A[1, 1]
    text = f"Φ = [[1, 0], [3, 1]]: Π = I, so ρ(γΠP) = 9/10, and tr A = {trace} < 0: TD diverges"
    unstable = td_stable(two).refuted and chain_unbiased(two).proved and trace < 0
    yield Counterexample("F = 1, for unbiased ⇒ stable", text, unstable, two)
    one = catalogue_problem("quadrant-stable-biased")
    m, B = exact_moments(one), chain_step(one)[0][0, 0]
    text = f"Φ = (1; −3): A = {m.A[0, 0]} > 0 and B = {B}, so TD converges and the chain does not"
    biased = m.A[0, 0] > 0 and B < -1
    yield Counterexample("only this direction: stable ⇏ unbiased", text, biased, one)


STATEMENT = Statement(
    id="extra-quadrants",
    place=1010,
    title="Stable and unbiased are independent",
    paper="counts both conditions on random MDPs; how they are related it does not say",
    verdict="beyond the paper",
    precise="in one two-state MDP all four combinations occur by changing Φ alone; for F = 1 unbiased implies stable,"
    " so 'unstable and unbiased' needs F ≥ 2",
    assumptions=("X invertible", "F = 1, for unbiased ⇒ stable"),
    scope="four exact problems; the implication for F = 1 and all S",
    cites=("D > 0 and Φ ≠ 0 ⇒ X = ΦᵀDΦ > 0",),
    latex=r"F = 1:\quad A = X(1 - B),\ X > 0 \ \Rightarrow\ \bigl(|B| < 1 \Rightarrow A > 0\bigr)",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
