r"""extra-quadrants: "TD is stable" and "the chain is unbiased" are independent of each other.

In one two-state MDP, D = diag(9, 1)/10, P the swap, γ = 9/10, all four combinations occur by changing Φ alone. With one
feature the chain's condition is the stronger one: A = X(1 − B) with X > 0, so |B| < 1 implies A > 0, and "unstable
but unbiased" needs F ≥ 2. There it comes from an invertible Φ: Π = I leaves B the spectrum of γP, while
A = ΦᵀD(I − γP)Φ depends on the basis.
"""

from __future__ import annotations

from functools import cache

from theory.certified.answers import Answer
from theory.certified.verdicts import Verdict, chain_unbiased, td_stable
from theory.exact.polynomials import is_anti_hurwitz, is_schur
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory
from theory.text.words import word

QUADRANTS = {(True, True): [[1], [0]], (False, False): [[1], [3]], (True, False): [[1], [-3]]}
QUADRANTS |= {(False, True): [[1, 0], [3, 1]]}  # (TD stable, chain unbiased): Φ


@cache
def invertible_features() -> Namespace:
    """Φ with a two-sided inverse: nothing is projected away."""
    n = Namespace("gamma").with_problem()
    T, Phi_i = n.T, n.letters("Phi_i", "S -> F", Phi_i=r"\Phi^{-1}")
    T.assume("Phi_i Phi = 1", Phi_i * n.Phi, 1)
    T.assume("Phi Phi_i = 1", n.Phi * Phi_i, 1)
    n.with_inverse()
    n.state("nothing is projected away", n.Pi, 1)
    n.state("B is similar to gamma P", n.Phi * n.G, T.gamma * n.P * n.Phi)
    return n


def claims() -> Claims:
    """A = X(1 − B), from which F = 1 follows; and what an invertible Φ does to the chain."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("A = X (1 - B)", n.A, n.X * (1 - n.G)),
        *invertible_features().claims,
    ]


def check() -> Checks:
    """The quadrants by certificate and by exact root counts; all cases with one feature."""
    for (stable, unbiased), Phi in QUADRANTS.items():
        problem = swap(Phi)
        td, chain = td_stable(problem), chain_unbiased(problem)
        counted = (is_anti_hurwitz(matrices(problem).A.charpoly()), is_schur(matrices(problem).B.charpoly()))
        expected = Answer.of(stable), Answer.of(unbiased)
        agree = counted == (stable, unbiased) and (td.holds, chain.holds) == expected
        agree = agree and certified(td) and certified(chain)
        detail = f"TD {word('td', stable)}, chain {word('chain', unbiased)}"
        yield Check(f"swap with Φ = {Phi}", not agree, detail=detail)
    for problem in cases("full-rank"):
        if problem.n_features == 1:
            m, B = matrices(problem), matrices(problem).B[0, 0]
            follows = m.X[0, 0] > 0 and m.A[0, 0] == m.X[0, 0] * (1 - B) and (abs(B) >= 1 or m.A[0, 0] > 0)
            yield Check(problem.name, not follows, detail="F = 1: unbiased ⇒ stable")


def certified(verdict: Verdict) -> bool:
    """Does the verdict carry a certificate that its independent checker accepts?"""
    return verdict.certificate is not None and verdict.certificate.recheck()


def swap(Phi: list[list[int]]) -> Problem:
    """D = diag(9, 1)/10, P the swap, γ = 9/10, seen through Φ."""
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"], name=f"swap, Φ = {Phi}")


def counterexamples() -> Counterexamples:
    """Two features: unbiased and unstable; and one feature the other way round."""
    two = catalogue_problem("quadrant-unstable-unbiased")
    A = matrices(two).A
    trace = A[0, 0] + A[1, 1]
    text = f"Φ = [[1, 0], [3, 1]]: Π = I, so ρ(γΠP) = 9/10, and tr A = {trace} < 0: TD diverges"
    unstable = td_stable(two).refuted and chain_unbiased(two).proved and trace < 0
    yield Counterexample("F = 1, for unbiased ⇒ stable", text, unstable, two)
    one = catalogue_problem("quadrant-stable-biased")
    m, B = matrices(one), matrices(one).B[0, 0]
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
