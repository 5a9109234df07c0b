r"""field-6: features that P maps into their own span are safe for the chain, whatever the weights.

PΦ = ΦW (Bellman complete, rewards apart) gives Y = XW and B = γW. An eigenvector of W is one of P, Wv = λv ⇒
P(Φv) = λ(Φv), so ρ(W) ≤ ρ(P) = 1 and ρ(B) ≤ γ for every D. TD may diverge all the same: Baird's and the three-state
problem have as many independent features as states.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import matrix
from theory.exact.polynomials import unit_circle
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace


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


def check() -> Checks:
    """Closed features of the catalogue and of lumpable chains, under several weights."""
    for problem in [*cases("full-rank", "identity"), *lumped()]:
        for d in (problem.exact.d_mu.tolist(), skewed(problem.n_states)):
            e = problem.exact
            seen = Problem.from_matrices(
                e.gamma, Phi=e.Phi.tolist(), P_pi=e.P_pi.tolist(), d_mu=d, name=f"{problem.name}, d₁ = {d[0]}"
            )
            m, Phi = matrices(seen), matrix(e.Phi)
            W = m.X.solve(m.Y)
            gap = matrix(e.P_pi) * Phi - Phi * W
            wrong = largest(gap) + unit_circle(W.charpoly()).outside + (not chain_unbiased(seen).proved)
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


def counterexamples() -> Counterexamples:
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
    claims=closed_theory,
    check=check,
    counterexamples=counterexamples,
)
