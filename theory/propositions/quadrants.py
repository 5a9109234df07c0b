r"""extra-quadrants: "TD is stable" and "the chain is unbiased" are independent of each other.

In one two-state MDP, D = diag(9, 1)/10, P the swap, γ = 9/10, all four combinations occur by changing Φ alone. With one
feature the chain's condition is the stronger one: A = X(1 − B) with X > 0, so |B| < 1 implies A > 0, and "unstable
but unbiased" needs F ≥ 2. There it comes from an invertible Φ: Π = I leaves B the spectrum of γP, while
A = ΦᵀD(I − γP)Φ depends on the basis.

extra-determinant: if det A < 0 then TD, the chain and every hot-started target network fail.

A = X(I − B) and I − G_T = S_T A, for all dimensions and all T; the rest is the sign of a determinant. det A < 0 makes
an odd number of eigenvalues of A negative: TD diverges. det X > 0 then makes det(I − B) < 0, so B has a real
eigenvalue above 1. S_T has the eigenvalues (1 − (1 − αx)^T)/x over those of X: positive for
0 < α < 2/λ_max(X) and, for odd T, for every α > 0; so det(I − G_T) < 0 and G_T has a real eigenvalue above 1.

For even T and α beyond 2/λ_max(X) it is not so: there the inner updates diverge, and two of them can still end up
right. Twostate at γ = 99/100 is stable with α = 1 and T = 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from theory.certified.answers import Answer
from theory.certified.verdicts import Verdict, chain_unbiased, td_stable, window_stable
from theory.exact.matrices import fraction, identity, rational
from theory.exact.polynomials import is_anti_hurwitz, is_schur
from theory.model.iteration import target_network_matrix, window_sum
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import SWAP, cases
from theory.propositions.matrices import matrices
from theory.propositions.registry import claimed
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
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


def extra_quadrants_claims() -> Claims:
    """A = X(1 − B), from which F = 1 follows; and what an invertible Φ does to the chain."""
    return [
        *claimed("prop-3", "A = X (1 - B)"),
        *invertible_features(),
    ]


def extra_quadrants_check() -> Checks:
    """The quadrants by certificate and by exact root counts; all cases with one feature."""
    for (stable, unbiased), Phi in QUADRANTS.items():
        problem = swap(Phi)
        td, chain = td_stable(problem), chain_unbiased(problem)
        m = matrices(problem)
        counted = (is_anti_hurwitz(m.A.charpoly()), is_schur(m.B.charpoly()))
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
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=SWAP, d_mu=["9/10", "1/10"], name=f"swap, Φ = {Phi}")


def extra_quadrants_counterexamples() -> Counterexamples:
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


EXTRA_QUADRANTS = Statement(
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
    claims=extra_quadrants_claims,
    check=extra_quadrants_check,
    counterexamples=extra_quadrants_counterexamples,
)


WINDOWS = (1, 2, 3, 8, 50)


def extra_determinant_claims() -> Claims:
    """The two factorisations whose determinants are compared."""
    n = paper_theory()
    return [
        *claimed("prop-3", "A = X (1 - B)"),
        *claimed("extra-target-network", "target-operator"),
        n.T.claim("1 - G_T = S_T A", 1 - n.G_t, n.S_t * n.A),
    ]


def extra_determinant_check() -> Checks:
    """The determinants multiply, exactly; where det A < 0 everything fails, by certificate."""
    for problem in [*cases("full-rank"), *two_features()]:
        m, one = matrices(problem), identity(problem.n_features)
        alpha = safe_step(problem)
        gaps = [m.A.det() - m.X.det() * (one - matrices(problem).B).det()]
        for T in WINDOWS:
            inner = (one - target_network_matrix(problem, alpha, T)).det()
            gaps.append(inner - window_sum(m.X, alpha, T).det() * m.A.det())
        yield Check(problem.name, largest(gaps), detail="det A = det X det(I − B), det(I − G_T) = det S_T det A")
        if m.A.det() < 0:
            held = [td_stable(problem), chain_unbiased(problem)]
            held += [window_stable(problem, T, alpha) for T in WINDOWS]
            held += [window_stable(problem, T, 40 * alpha) for T in WINDOWS if T % 2]
            wrong = sum(not verdict.refuted for verdict in held)
            detail = "det A < 0: TD, chain and windows certified to fail; odd windows also at forty times the step"
            yield Check(problem.name, wrong, detail=detail)


def safe_step(problem: Problem) -> Fraction:
    """1/tr X < 2/λ_max(X)."""
    X = matrices(problem).X
    return 1 / fraction(sum((X[i, i] for i in range(X.nrows())), rational(0)))


def two_features() -> Iterable[Problem]:
    """Twostate beside a state of its own, at a γ between the thresholds 5/6 and 1, in two bases."""
    for Phi in ([[1, 0], [2, 0], [0, 1]], [[1, 1], [2, 2], [0, 1]]):
        P = [[0, 1, 0], [0, 1, 0], ["1/2", 0, "1/2"]]
        yield Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=["1/3"] * 3, name=f"two rooms with a door, Φ = {Phi}")


def extra_determinant_counterexamples() -> Counterexamples:
    """Even T with a large step size; cold start; and the converse."""
    twostate = catalogue_problem("twostate")
    m, G = matrices(twostate), target_network_matrix(twostate, 1, 2)[0, 0]
    verdict = window_stable(twostate, 2, 1)
    text = f"Twostate at γ = 99/100, α = 1 > 2/X = 4/5, T = 2: det A = {m.A[0, 0]} < 0 and G_2 = {G}: it converges"
    stable = m.A[0, 0] < 0 < G < 1 and verdict.proved
    yield Counterexample("α < 2/λ_max(X), for even T", text, stable, twostate)
    cold = window_stable(twostate, 1, "1/10", "cold")
    text = "Twostate, α = 1/10, T = 1, each network started at the same place: γS_TY = 297/1000 < 1"
    yield Counterexample("hot start", text, cold.proved and m.A[0, 0] < 0, twostate)
    positive = catalogue_problem("quadrant-unstable-unbiased")
    det = matrices(positive).A.det()
    text = f"Φ = [[1, 0], [3, 1]], D = diag(9, 1)/10, swap: det A = {det} > 0 and TD is unstable all the same"
    yield Counterexample(
        "only this direction: det A > 0 ⇏ stable", text, det > 0 and td_stable(positive).refuted, positive
    )


EXTRA_DETERMINANT = Statement(
    id="extra-determinant",
    place=1050,
    title="A negative determinant is fatal",
    paper="says where each method fails, not where all do",
    verdict="beyond the paper",
    precise="det A < 0 ⇒ TD unstable, chain biased, every hot-started window unstable with 0 < α < 2/λ_max(X), and"
    " every odd window with any α > 0; an even window with a larger α may converge",
    assumptions=("X invertible", "det A < 0", "hot start", "0 < α < 2/λ_max(X) or T odd"),
    scope="all dimensions, all T ≥ 1",
    cites=(
        "det(UV) = det U det V",
        "a real matrix with det M < 0 has a real eigenvalue < 0: complex ones come in pairs",
        "spectral mapping: S_T has the eigenvalues (1 − (1 − αx)^T)/x",
    ),
    where="x is an eigenvalue of X",
    latex=r"\det A = \det X \det(I - B), \quad \det(I - G_T) = \det S_T \det A",
    claims=extra_determinant_claims,
    check=extra_determinant_check,
    counterexamples=extra_determinant_counterexamples,
)
