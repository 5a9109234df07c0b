"""eq-zp: Bᵏ = C(γΠP)ᵏ⁻¹Φ with C = γX⁻¹ΦᵀDP, for k ≥ 1.

B = CΦ and γΠP = ΦC, so Bᵏ = (CΦ)ᵏ = C(ΦC)ᵏ⁻¹Φ: associativity, written as an induction over k. In values the chain
moves by γΠP: ΦBᵏ = (γΠP)ᵏΦ. At k = 0 the formula has no meaning, since ΠP has rank at most F and is
singular as soon as F < S.
"""

from __future__ import annotations

from theory.exact.matrices import matrix, scaled_rows
from theory.exact.matrices import rational as q
from theory.exact.solve import power
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.paper import paper_theory

K = 5


def claims() -> Claims:
    """Bᵏ⁺¹ = C(γΠP)ᵏΦ, ΦBᵏ = (γΠP)ᵏΦ, and the two products B = CΦ and γΠP = ΦC."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("zp", T.next(n.G_k), n.C * n.Z_k * n.Phi),
        T.claim("zp-intertwines", n.Phi * n.G_k * n.Xi * n.Phi.T * n.D, n.Z_k * n.Pi),
        T.claim("values move by gamma Pi P", n.Phi * n.G_k, n.Z_k * n.Phi),
        T.claim("B = C Phi", n.G, n.C * n.Phi),
        T.claim("gamma Pi P = Phi C", T.gamma * n.Pi * n.P, n.Phi * n.C),
    ]


def check() -> Checks:
    """k = 1..5 in rationals."""
    return on_each(cases("full-rank"), _difference, f"k = 1..{K}")


def _difference(problem: Problem) -> list[object]:
    e, m = problem.exact, matrices(problem)
    Phi, P, Pi = matrix(e.Phi), matrix(e.P_pi), matrices(problem).Pi
    C = m.X.solve(m.gamma * scaled_rows([q(x) for x in e.d_mu], Phi).transpose() * P)
    B = m.X.solve(m.gamma * m.Y)
    return [power(B, k) - C * power(m.gamma * Pi * P, k - 1) * Phi for k in range(1, K + 1)]


def counterexamples() -> Counterexamples:
    """k = 0 would need the inverse of a singular matrix."""
    twostate = next(p for p in cases("full-rank") if p.name == "twostate")
    ZP = matrices(twostate).Pi * matrices(twostate).P
    text = f"Twostate: B⁰ = 1, but (γΠP)⁻¹ does not exist, rank ΠP = {ZP.rank()} < 2"
    yield Counterexample("k ≥ 1", text, ZP.det() == 0 and ZP.rank() == 1, twostate)


STATEMENT = Statement(
    id="eq-zp",
    place=90,
    title="Powers of B through projection and transitions",
    paper="(γX⁻¹Y)ᵏ = C(γΠP)ᵏ⁻¹Φ with C = γX⁻¹ΦᵀDP",
    verdict="holds",
    precise="for k ≥ 1; in values ΦBᵏ = (γΠP)ᵏΦ for k ≥ 0",
    assumptions=("X invertible", "k ≥ 1"),
    scope="all dimensions, all k ≥ 1",
    latex=r"B^k = C\,(\gamma \Pi P)^{k-1}\,\Phi, \quad C = \gamma X^{-1} \Phi^\top D P",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
