"""lemma-1: A and BAB⁻¹ have the same eigenvalues, for every invertible B.

BAB⁻¹ − λ = B(A − λ)B⁻¹, so det(λ − BAB⁻¹) = det(λ − A): the same eigenvalues with the same multiplicities. More is
true: (BAB⁻¹ − λ)ᵏ = B(A − λ)ᵏB⁻¹ for all k, so B maps generalised eigenspaces onto each other and the Jordan forms
agree. The paper takes an eigendecomposition of A, which a defective matrix does not have; the lemma does not need it.

prop-9: ρ(Z) ≤ 1 for Z = V⁻¹PV with P stochastic and V invertible.

Zᵏ = V⁻¹PᵏV and Z − λ = V⁻¹(P − λ)V, so Z and P have the same eigenvalues (lemma-1). Pᵏ1 = 1 for all k: its rows keep
their sum, and being nonnegative its entries stay within [0, 1], so no eigenvalue exceeds 1 in modulus. In fact
ρ(Z) = 1, because Z(V⁻¹1) = V⁻¹1. It says nothing about ΠP: on Twostate ρ(ΠP) = 6/5.

prop-8: Π is diagonalisable with eigenvalues 0 and 1; exactly F ones when Φ has full column rank.

Π² = Π: so Πu = κu gives (κ² − κ)u = 0, and every u is Πu + (1 − Π)u, a sum of eigenvectors for 1 and 0. With
L = X⁻¹ΦᵀD we have ΦL = Π and LΦ = 1, so the rank of Π is that of Φ, namely F, and tr Π = tr LΦ = F.
The paper's "the remaining F eigenvalues are each either 0 or 1" can be sharpened: all of them are 1.

Where Φ's columns depend on each other X⁻¹ does not exist; with any generalised inverse Π is still a projection onto
span Φ, and the number of ones is the rank of Φ.
"""

from __future__ import annotations

from functools import cache

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.matrices import fractions, identity, power, pseudo_inverse
from theory.exact.polynomials import unit_circle
from theory.model.linear_model import exact_model
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.chain_recursion import twin_features
from theory.propositions.matrices import Matrices, matrices, ones, trace
from theory.propositions.registry import claimed
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory, spectral_theory

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


def _lemma_1_difference(m: Matrices) -> Gaps:
    V = change_of_basis(m.F)
    changed = matrices(m.problem.with_features(fractions(m.Phi * V).reshape(m.S, -1))).B
    return [changed - V.inv() * m.B * V, list((m.B.charpoly() - changed.charpoly()).coeffs())]


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


def _prop_9_difference(m: Matrices) -> Gaps:
    V = change_of_basis(m.S)
    polynomial = (V.inv() * m.P * V).charpoly()
    circle = unit_circle(polynomial)
    yield from (circle.outside, circle.on == 0, polynomial(1))
    for k in range(5):
        yield power(m.P, k) * ones(m.S) - ones(m.S)
        yield min(power(m.P, k).entries()) < 0


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


def prop_8_claims() -> Claims:
    """Idempotent, its eigenvalues, the eigenvectors that span, and the left inverse of Φ that counts the ones."""
    n, vectors = paper_theory(), spectral_theory()
    T, kappa, L = n.T, vectors.T.kappa, n.Xi * n.Phi.T * n.D
    return [
        T.claim("projection", n.Pi * n.Pi, n.Pi),
        vectors.T.claim("projection-eigenvalues", (kappa * kappa - kappa) * vectors.u),
        T.claim("projection-fixes-features", n.Pi * n.Phi, n.Phi),
        T.claim("the rest goes to zero", n.Pi * (1 - n.Pi)),
        T.claim("Pi = Phi L", n.Pi, n.Phi * L),
        T.claim("L Phi = 1", L * n.Phi, T.one("F")),
        *claimed("claim-baird", "singular-projection", "singular-fixes-features"),
    ]


def prop_8_check() -> Checks:
    """det(x − Π) = xˢ⁻ʳ(x − 1)ʳ, tr Π = rank Π = r = rank Φ, and rank Π + rank(1 − Π) = S; dependent features too."""
    return on_each(cases(), _difference, "characteristic polynomial, trace, ranks")


def _difference(m: Matrices) -> Gaps:
    Pi, r = m.Pi, exact_model(m.problem).rank
    expected = fmpq_poly([0] * (m.S - r) + [1]) * fmpq_poly([-1, 1]) ** r
    ranks = [Pi.rank() - r, Pi.rank() + (identity(m.S) - Pi).rank() - m.S]
    return [Pi * Pi - Pi, Pi * m.Phi - m.Phi, list((Pi.charpoly() - expected).coeffs()), trace(Pi) - r, ranks]


def prop_8_counterexamples() -> Counterexamples:
    """Dependent features, and a state that is never visited."""
    twins = twin_features()
    Pi = matrices(twins).Pi
    text = (
        f"Φ = [[1, 1], [2, 2]]: X is singular; Π = ΦX⁺ΦᵀD has tr Π = {Pi[0, 0] + Pi[1, 1]}, one eigenvalue 1 for F = 2"
    )
    fewer = matrices(twins).X.det() == 0 and Pi[0, 0] + Pi[1, 1] == Pi.rank() == 1
    yield Counterexample("Φ of full column rank", text, fewer, twins)
    Phi, D = identity(2), fmpq_mat([[1, 0], [0, 0]])  # `Problem` refuses a state without visits
    X = Phi.transpose() * D * Phi
    text = "Φ = I, d_μ = (1, 0): X = diag(1, 0) is singular although Φ has full rank, and Π is not defined"
    unvisited = X.det() == 0 and Phi.rank() == 2
    yield Counterexample("D > 0", text, unvisited, {"Phi": [[1, 0], [0, 1]], "d_mu": [1, 0]})


PROP_8 = Statement(
    id="prop-8",
    place=320,
    title="Structure of the projection",
    paper="Π = V diag(I, 0) V⁻¹: at least S − F eigenvalues are 0, the remaining F are each 0 or 1",
    verdict="holds",
    precise="exactly F eigenvalues are 1 and S − F are 0; with dependent features rank Φ ones, Π = ΦX⁻ΦᵀD",
    assumptions=("Φ of full column rank", "D > 0"),
    scope="all dimensions",
    cites=("tr(UV) = tr(VU), and rank = trace of an idempotent",),
    where="L = X⁻¹ΦᵀD; the columns of V are eigenvectors of Π",
    latex=r"\Pi^2 = \Pi, \quad \Pi = \Phi L,\ L\Phi = I_F"
    r" \ \Rightarrow\ \operatorname{tr}\Pi = \operatorname{rank}\Pi = F",
    claims=prop_8_claims,
    check=prop_8_check,
    counterexamples=prop_8_counterexamples,
)
