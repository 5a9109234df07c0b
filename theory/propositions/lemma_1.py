"""lemma-1: A and BAB⁻¹ have the same eigenvalues, for every invertible B.

BAB⁻¹ − λ = B(A − λ)B⁻¹, so det(λ − BAB⁻¹) = det(λ − A): the same eigenvalues with the same multiplicities. More is
true: (BAB⁻¹ − λ)ᵏ = B(A − λ)ᵏB⁻¹ for all k, so B maps generalised eigenspaces onto each other and the Jordan forms
agree. The paper takes an eigendecomposition of A, which a defective matrix does not have; the lemma does not need it.
"""

from __future__ import annotations

from functools import cache

from flint import fmpq_mat

from theory.exact.matrices import fractions, identity
from theory.exact.solve import power, pseudo_inverse
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
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


def claims() -> Claims:
    """Similar characteristic matrices, eigenvectors there and back, and all powers of A − λ."""
    return similarity_theory().claims


def check() -> Checks:
    """Characteristic polynomials and ranks of (A − λ)ᵏ; and B = γX⁻¹Y of the cases in another basis of features."""
    for name, rows, eigenvalue in MATRICES:
        A, V = fmpq_mat(rows), change_of_basis(len(rows))
        similar, shift = V * A * V.inv(), eigenvalue * identity(len(rows))
        gap = [a - b for a, b in zip(A.charpoly().coeffs(), similar.charpoly().coeffs(), strict=True)]
        ranks = [[power(M - shift, k).rank() for k in range(4)] for M in (A, similar)]
        holds = ranks[0] == ranks[1] and ranks[0][1] < len(rows)
        yield Check(name, largest(gap), detail="det(x − A) = det(x − VAV⁻¹)")
        yield Check(name, not holds, detail=f"ranks of (A − λ)ᵏ: {ranks[0]}")
    yield from on_each(cases("full-rank"), _difference, "γX⁻¹Y with features Φ and ΦV")


def _difference(problem: Problem) -> list[object]:
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


def counterexamples() -> Counterexamples:
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


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
