"""prop-9: ρ(Z) ≤ 1 for Z = V⁻¹PV with P stochastic and V invertible.

Zᵏ = V⁻¹PᵏV and Z − λ = V⁻¹(P − λ)V, so Z and P have the same eigenvalues (lemma-1). Pᵏ1 = 1 for all k: its rows keep
their sum, and being nonnegative its entries stay within [0, 1], so no eigenvalue exceeds 1 in modulus. In fact
ρ(Z) = 1, because Z(V⁻¹1) = V⁻¹1. It says nothing about ΠP: on Twostate ρ(ΠP) = 6/5.
"""

from __future__ import annotations

from functools import cache

from flint import fmpq, fmpq_mat

from theory.exact.polynomials import unit_circle
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.lemma_1 import change_of_basis
from theory.propositions.matrices import matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.namespace import Namespace


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


def claims() -> Claims:
    """Similarity for all powers, and the eigenvalue 1."""
    return stochastic_theory().claims


def check() -> Checks:
    """Z = V⁻¹PV of every case: no root outside the unit circle and one at 1, counted exactly; Pᵏ stays stochastic."""
    return on_each(cases("endless"), _difference, "roots counted exactly, P⁰..P⁴ stochastic")


def _difference(problem: Problem) -> list[object]:
    P, V = matrices(problem).P, change_of_basis(problem.n_states)
    polynomial = (V.inv() * P * V).charpoly()
    circle, out = unit_circle(polynomial), list[object]()
    for k in range(5):
        rows = power(P, k).tolist()
        out += [sum(row, fmpq(0)) - 1 for row in rows] + [int(min(row) < 0) for row in rows]
    return [circle.outside, int(circle.on == 0), polynomial(1), *out]


def counterexamples() -> Counterexamples:
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


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
