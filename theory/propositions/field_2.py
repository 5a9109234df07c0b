r"""field-2: where the chain converges there is a TD solution, and not conversely.

A = X(I − B), so Av = 0 means Bv = v: ρ(B) < 1 makes A invertible, and LSTD (which needs no more) has its solution
A⁻¹b = (I − B)⁻¹X⁻¹b. LSTD solves what defeats the chain, TD or both; and neither condition makes TD stable. Perdomo,
Krishnamurthy, Bartlett and Kakade (2022) compare LSTD and fitted Q evaluation in this way.
"""

from __future__ import annotations

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.paper import paper_theory


def claims() -> Claims:
    """I − B = X⁻¹A, and its inverse."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("1 - B = Xi A", 1 - n.G, n.Xi * n.A),
        T.claim("inverse of 1 - B, left", n.Ai * n.X * (1 - n.G), T.one("F")),
        T.claim("inverse of 1 - B, right", (1 - n.G) * n.Ai * n.X, T.one("F")),
    ]


def check() -> Checks:
    """No case is unbiased and singular."""
    for problem in cases("full-rank"):
        wrong = chain_unbiased(problem).proved and matrices(problem).A.det() == 0
        yield Check(problem.name, wrong, detail="ρ(B) < 1 ⇒ det A ≠ 0")


def counterexamples() -> Counterexamples:
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


STATEMENT = Statement(
    id="field-2",
    place=2020,
    title="LSTD needs less than the chain",
    paper="shows that the chain's limit is the TD solution; that LSTD needs less is in Perdomo et al. (2022)",
    verdict="beyond the paper",
    precise="ρ(B) < 1 ⇒ A invertible; not conversely, and neither makes TD stable",
    assumptions=("X invertible",),
    cites=("ρ(B) < 1 ⇒ I − B invertible (Neumann)",),
    latex=r"I - B = X^{-1}A, \qquad (I - B)^{-1} = A^{-1}X",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
