"""lemma-1: A and BAB⁻¹ have the same eigenvalues, for every invertible B.

BAB⁻¹ − λ = B(A − λ)B⁻¹, so det(λ − BAB⁻¹) = det(λ − A): the same eigenvalues with the same multiplicities. More is
true: (BAB⁻¹ − λ)ᵏ = B(A − λ)ᵏB⁻¹ for all k, so B maps generalised eigenspaces onto each other and the Jordan forms
agree. The paper takes an eigendecomposition of A, which a defective matrix does not have; the lemma does not need it.

prop-9: ρ(Z) ≤ 1 for Z = V⁻¹PV with P stochastic and V invertible.

Zᵏ = V⁻¹PᵏV and Z − λ = V⁻¹(P − λ)V, so Z and P have the same eigenvalues (lemma-1). Pᵏ1 = 1 for all k: its rows keep
their sum, and being nonnegative its entries stay within [0, 1], so no eigenvalue exceeds 1 in modulus. In fact
ρ(Z) = 1, because Z(V⁻¹1) = V⁻¹1. It says nothing about ΠP: on Twostate ρ(ΠP) = 6/5.
"""

from __future__ import annotations

from functools import cache

from flint import fmpq, fmpq_mat

from theory.exact.matrices import fractions, identity
from theory.exact.polynomials import unit_circle
from theory.exact.solve import power, pseudo_inverse
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import (
    Check,
    Checks,
    Counterexample,
    Counterexamples,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.namespace import Namespace

# Matrices with a rational eigenvalue λ of theirs, by name: the ranks of (A − λ)ᵏ show the sizes of its Jordan blocks.
MATRICES: tuple[tuple[str, list[list[int]], int], ...] = (
    ("defective, λ = 1 twice", [[1, 1], [0, 1]], 1),
    ("λ = ±i and 2", [[0, -1, 3], [1, 0, 5], [0, 0, 2]], 2),
    ("λ = 2 in blocks of 2 and 1", [[2, 1, 0], [0, 2, 0], [0, 0, 2]], 2),
    ("nilpotent", [[0, 1, 0], [0, 0, 1], [0, 0, 0]], 0),
)


@cache
def similarity_theory() -> Namespace:
    """A, an invertible B, an eigenvector v of A and an eigenvector w of BAB⁻¹."""
    n = Namespace("lam")
    T, (v, w), B = n.T, n.letters("v w", "1 -> N"), n.letters("B", "N -> N")
    Bi = T.inverse(B, "Bi", of="B", latex="B^{-1}")
    A = n.letters("A", "N -> N")
    T.assume("A v = lam v", A * v, T.lam * v)
    T.assume("B A Bi w = lam w", B * A * Bi * w, T.lam * w)
    similar = B * A * Bi
    L = T.power(A - T.lam, "L", latex=r"(A-\lambda)^k")
    M = T.power(similar - T.lam, "M", latex=r"(BAB^{-1}-\lambda)^k")
    n.state("characteristic matrices", similar - T.lam, B * (A - T.lam) * Bi)
    n.state("eigenvector forward", similar * (B * v), T.lam * (B * v))
    n.state("eigenvector backward", A * (Bi * w), T.lam * (Bi * w))
    n.state("generalised eigenspaces", M, B * L * Bi)
    return n


def lemma_1_check() -> Checks:
    """Characteristic polynomials and ranks of (A − λ)ᵏ; and B = γX⁻¹Y of the cases in another basis of features."""
    for name, rows, eigenvalue in MATRICES:
        A, V = fmpq_mat(rows), change_of_basis(len(rows))
        similar, shift = V * A * V.inv(), eigenvalue * identity(len(rows))
        gap = [a - b for a, b in zip(A.charpoly().coeffs(), similar.charpoly().coeffs(), strict=True)]
        ranks = [[power(M - shift, k).rank() for k in range(4)] for M in (A, similar)]
        holds = ranks[0] == ranks[1] and ranks[0][1] < len(rows)
        yield Check(name, largest(gap), detail="det(x − A) = det(x − VAV⁻¹)")
        yield Check(name, not holds, detail=f"ranks of (A − λ)ᵏ: {ranks[0]}")
    yield from on_each(cases("full-rank"), _lemma_1_difference, "γX⁻¹Y with features Φ and ΦV")


def _lemma_1_difference(problem: Problem) -> list[object]:
    V = change_of_basis(problem.n_features)
    other = problem.with_features(fractions(matrices(problem).Phi * V).reshape(problem.n_states, -1))
    B, changed = matrices(problem).B, matrices(other).B
    gap = [a - b for a, b in zip(B.charpoly().coeffs(), changed.charpoly().coeffs(), strict=True)]
    return [changed - V.inv() * B * V, gap]


def change_of_basis(n: int) -> fmpq_mat:
    """An integer matrix with determinant 1: ones on and below the diagonal times their transpose.

    >>> change_of_basis(2), change_of_basis(5).det()
    ([1, 1]
    [1, 2], 1)
    """
    return fmpq_mat(n, n, [min(i, j) + 1 for i in range(n) for j in range(n)])


def lemma_1_counterexamples() -> Counterexamples:
    """A singular B, and a matrix without an eigendecomposition."""
    A, B = fmpq_mat([[1, 0], [0, 2]]), fmpq_mat([[1, 0], [0, 0]])
    with_plus = B * A * pseudo_inverse(B)
    lost = with_plus.charpoly() != A.charpoly() and B.det() == 0
    text = "A = diag(1, 2), B = diag(1, 0): no B⁻¹, and BAB⁺ = diag(1, 0) has lost the eigenvalue 2"
    yield Counterexample("B of full rank", text, lost, {"A": [[1, 0], [0, 2]], "B": [[1, 0], [0, 0]]})
    jordan, V = fmpq_mat([[1, 1], [0, 1]]), change_of_basis(2)
    defect = (jordan - identity(2)).rank() == 1 and jordan != identity(2)
    same = (V * jordan * V.inv()).charpoly() == jordan.charpoly()
    text = "A = [[1, 1], [0, 1]]: λ = 1 twice and one eigenvector, A ≠ VΛV⁻¹; the lemma holds all the same"
    yield Counterexample(
        "A diagonalisable, as the paper's proof has it", text, defect and same, {"A": [[1, 1], [0, 1]]}
    )


LEMMA_1 = Statement(
    id="lemma-1",
    place=310,
    title="Similarity keeps eigenvalues",
    paper="A has the same eigenvalues as BAB⁻¹ for all square A and B of full rank",
    verdict="holds, proof repaired",
    precise="with multiplicities and Jordan blocks, for every A: (BAB⁻¹ − λ)ᵏ = B(A − λ)ᵏB⁻¹",
    assumptions=("B invertible",),
    scope="all dimensions, all k ≥ 0",
    cites=("det(UV) = det U · det V",),
    where="here A is any square matrix and B any invertible one",
    latex=r"(BAB^{-1} - \lambda)^k = B (A - \lambda)^k B^{-1}, \quad \det(\lambda - BAB^{-1}) = \det(\lambda - A)",
    claims=similarity_theory,
    check=lemma_1_check,
    counterexamples=lemma_1_counterexamples,
)


@cache
def stochastic_theory() -> Namespace:
    """P with P1 = 1 (nonnegativity is no equation; it enters through the norm, see `cites`), and Z = V⁻¹PV."""
    n = Namespace("lam")
    T, one, (P, V) = n.T, n.letters("one", "1 -> S", one=r"\mathbf{1}"), n.letters("P V", "S -> S")
    Vi = T.inverse(V, "Vi", of="V", latex="V^{-1}")
    T.assume("P 1 = 1", P * one, one)
    Z = Vi * P * V
    P_k, Z_k = T.power(P, "P", latex="P^k"), T.power(Z, "Z", latex="Z^k")
    n.state("similar", Z - T.lam, Vi * (P - T.lam) * V)
    n.state("powers", Z_k, Vi * P_k * V)
    n.state("rows keep their sum", P_k * one, one)
    n.state("one is an eigenvalue", Z * (Vi * one), Vi * one)
    return n


def prop_9_check() -> Checks:
    """Z = V⁻¹PV of every case: no root outside the unit circle and one at 1, counted exactly; Pᵏ stays stochastic."""
    return on_each(cases("endless"), _prop_9_difference, "roots counted exactly, P⁰..P⁴ stochastic")


def _prop_9_difference(problem: Problem) -> list[object]:
    P, V = matrices(problem).P, change_of_basis(problem.n_states)
    polynomial = (V.inv() * P * V).charpoly()
    circle, out = unit_circle(polynomial), list[object]()
    for k in range(5):
        rows = power(P, k).tolist()
        out += [sum(row, fmpq(0)) - 1 for row in rows] + [int(min(row) < 0) for row in rows]
    return [circle.outside, int(circle.on == 0), polynomial(1), *out]


def prop_9_counterexamples() -> Counterexamples:
    """Each half of "stochastic", and the product with Π."""
    for drops, rows in (("rows sum to one", [[1, 1], [1, 1]]), ("P ≥ 0", [[2, -1], [0, 1]])):
        outside = unit_circle(fmpq_mat(rows).charpoly()).outside
        at_two = fmpq_mat(rows).charpoly()(2) == 0
        text = f"P = {rows} has the eigenvalue 2"
        yield Counterexample(drops, text, outside == 1 and at_two, {"P": rows})
    twostate = catalogue_problem("twostate")
    product = matrices(twostate).Pi * matrices(twostate).P
    text = "Twostate: ρ(Π) = ρ(P) = 1, but ΠP has the eigenvalue 6/5; the bound does not pass to ΠP"
    above = product.charpoly()(fmpq(6, 5)) == 0 and unit_circle(product.charpoly()).outside == 1
    yield Counterexample("Z alone, not diag(I, 0)·Z", text, above, twostate)


PROP_9 = Statement(
    id="prop-9",
    place=330,
    title="Spectral radius of the transformed transitions",
    paper="ρ(Z) ≤ 1 for Z = V⁻¹PV, V invertible and P stochastic",
    verdict="holds",
    precise="ρ(Z) = ρ(P) = 1; nothing follows for ρ(ΠP)",
    assumptions=("P ≥ 0", "P1 = 1", "V invertible"),
    scope="all dimensions, all k ≥ 0",
    cites=("|λ| ≤ ‖P‖_∞ = 1 for a stochastic P",),
    where="V is any invertible matrix, the paper's is that of prop-8",
    latex=r"Z^k = V^{-1} P^k V, \quad P^k \mathbf{1} = \mathbf{1} \ \Rightarrow\ \rho(Z) = \rho(P) = 1",
    claims=stochastic_theory,
    check=prop_9_check,
    counterexamples=prop_9_counterexamples,
)
