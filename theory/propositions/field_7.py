r"""field-7: regular splittings. If X⁻¹ ≥ 0 and Y ≥ 0 entry by entry, then ρ(B) < 1 ⇔ A is invertible with A⁻¹ ≥ 0.

A = X − γY is then a regular splitting (Varga). ⇒: A⁻¹ = Σ BⁱX⁻¹ ≥ 0. ⇐: W_kX⁻¹ = A⁻¹ − BᵏA⁻¹ ≤ A⁻¹ for every k with
W_k = Σ_{i<k} Bⁱ, and sums of nonnegative matrices that stay bounded converge, which takes ρ(B) < 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq_mat

from theory.certified.verdicts import chain_unbiased
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.field_5 import aggregated
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.paper import paper_theory


def claims() -> Claims:
    """The sums that are bounded by A⁻¹, for every k."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("sums below the inverse", n.W_k * n.Xi, n.Ai - n.G_k * n.Ai),
        T.claim("splitting", n.A, n.X - n.X * n.G),
    ]


def check() -> Checks:
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


def counterexamples() -> Counterexamples:
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


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
