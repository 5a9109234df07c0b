r"""field-6: features that P maps into their own span are safe for the chain, whatever the weights.

PΦ = ΦW (Bellman complete, rewards apart) gives Y = XW and B = γW. An eigenvector of W is one of P, Wv = λv ⇒
P(Φv) = λ(Φv), so ρ(W) ≤ ρ(P) = 1 and ρ(B) ≤ γ for every D. TD may diverge all the same: Baird's and the three-state
problem have as many independent features as states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import matrix
from theory.exact.moments import exact_moments
from theory.exact.polynomials import unit_circle
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement, largest
from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import a_problem_without_step, standard_letters, with_inverse
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Claim, Theory


@cache
def closed_theory() -> Chapter:
    """PΦ = ΦW, and an eigenvector of W."""
    T = Theory("gamma lam")
    letters = standard_letters(T)
    n = Chapter(T, **letters, W=T.op("W", "F -> F"), v=T.op("v", "1 -> F"))
    T.assume("P Phi = Phi W", n.P * n.Phi, n.Phi * n.W)
    T.assume("W v = lam v", n.W * n.v, T.lam * n.v)
    for name, letter in with_inverse(T, letters).items():
        setattr(n, name, letter)
    T.model(_closed, {"S": 4, "F": 2}, {"S": 4, "F": 3}, {"S": 3, "F": 2})
    n.state("Y = X W", n.Y, n.X * n.W)
    n.state("B = gamma W", n.G, T.gamma * n.W)
    n.state("eigenvectors of P", n.P * n.Phi * n.v, T.lam * n.Phi * n.v)
    return n


def _closed(draw: Draw) -> dict[str, Any]:
    """P = ΦWL + Z(1 − ΦL) with LΦ = 1; W has v as an eigenvector."""
    S, F = draw.dims["S"], draw.dims["F"]
    Phi, basis = draw.matrix(S, F), draw.matrix(F, F)
    while Phi.rank() < F or not basis.det():
        Phi, basis = draw.matrix(S, F), draw.matrix(F, F)
    values = [draw.number() for _ in range(F)]
    W = basis * draw.diagonal(values) * basis.inv()
    L = (Phi.transpose() * Phi).inv() * Phi.transpose()
    P = Phi * W * L + draw.matrix(S, S) * (identity_matrix(S) - Phi * L)
    v = basis * matrix([[1]] + [[0]] * (F - 1))
    return {**a_problem_without_step(draw), "P": P, "Phi": Phi, "W": W, "lam": values[0], "v": v}


def claims() -> Sequence[Claim]:
    """Y, B and the eigenvectors."""
    return list(closed_theory().claims.values())


def check() -> Iterable[Check]:
    """Closed features of the catalogue and of lumpable chains, under several weights."""
    for problem in [*cases("full-rank", "identity"), *lumped()]:
        for d in (problem.exact.d_mu.tolist(), skewed(problem.n_states)):
            e = problem.exact
            seen = Problem.from_matrices(
                e.gamma, Phi=e.Phi.tolist(), P_pi=e.P_pi.tolist(), d_mu=d, name=f"{problem.name}, d₁ = {d[0]}"
            )
            m, Phi = exact_moments(seen), matrix(e.Phi)
            W = m.X.solve(m.Y)
            gap = matrix(e.P_pi) * Phi - Phi * W
            wrong = largest(gap) + unit_circle(W.charpoly()).outside + (not chain_unbiased(seen).proved)
            yield Check(seen.name, Fraction(wrong), detail="PΦ = ΦW with W = X⁻¹Y, ρ(W) ≤ 1, chain unbiased")


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


def counterexamples() -> Iterable[Counterexample]:
    """TD on closed features; and features that are not closed."""
    for name in ("baird", "threestate"):
        problem = catalogue_problem(name)
        text = f"{name}: as many independent features as states, the chain is unbiased and TD unstable"
        seen = chain_unbiased(problem).proved and td_stable(problem).refuted
        yield Counterexample("the chain, not TD", text, seen, problem)
    twostate = catalogue_problem("twostate")
    text = "Twostate: PΦ = (2; 2) is no multiple of Φ = (1; 2), and the chain is biased at γ = 99/100"
    yield Counterexample("PΦ = ΦW", text, chain_unbiased(twostate).refuted, twostate)


STATEMENT = Statement(
    id="field-6",
    place=2060,
    title="Closed features are safe for the chain",
    paper="has this for Π = I only, without saying so (fig-1)",
    verdict="beyond the paper",
    precise="PΦ = ΦW ⇒ B = γW and ρ(B) ≤ γ for every D; TD may still diverge",
    assumptions=("PΦ = ΦW", "X invertible", "P stochastic"),
    cites=("ρ(P) = 1 for a stochastic P",),
    latex=r"P\Phi = \Phi W \ \Rightarrow\ B = \gamma W,\quad \rho(B) \le \gamma",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
