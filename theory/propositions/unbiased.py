r"""eq-zp: Bᵏ = C(γΠP)ᵏ⁻¹Φ with C = γX⁻¹ΦᵀDP, for k ≥ 1.

B = CΦ and γΠP = ΦC, so Bᵏ = (CΦ)ᵏ = C(ΦC)ᵏ⁻¹Φ: associativity, written as an induction over k. In values the chain
moves by γΠP: ΦBᵏ = (γΠP)ᵏΦ. At k = 0 the formula has no meaning, since ΠP has rank at most F and is
singular as soon as F < S.

prop-3: the chain is unbiased in the limit, from every start, exactly when ρ(B) < 1; equivalently ρ(γΠP) < 1.

The bias is Bᵏ(θ⁰ − θ_π), which vanishes for every θ⁰ exactly when Bᵏ → 0, by Gelfand when ρ(B) < 1. B = CΦ and
γΠP = ΦC have the same nonzero eigenvalues: Φ and C carry eigenvectors to and fro, and neither product vanishes
when λ ≠ 0. The paper asserts the equivalence and proves only that either condition suffices; with multiplicities it is
Sylvester's λˢ det(λ − CΦ) = λᶠ det(λ − ΦC), S and F exponents. Then A = X(I − B) is invertible by itself.

From *one* start the bias vanishes exactly when θ⁰ − θ_π lies in the generalised eigenspaces with |β| < 1.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased
from theory.exact.matrices import power
from theory.exact.polynomials import spectral_radius_side
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, departures, matrices
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
from theory.propositions.theories.paper import paper_theory, spectral_theory

K = 5


def eq_zp_claims() -> Claims:
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


def eq_zp_check() -> Checks:
    """k = 1..5 in rationals."""
    return on_each(cases("full-rank"), _difference, f"k = 1..{K}")


def _difference(m: Matrices) -> Gaps:
    C = m.X.solve(m.gamma * m.Phi.transpose() * m.D * m.P)
    return [power(m.B, k) - C * power(m.gamma * m.Pi * m.P, k - 1) * m.Phi for k in range(1, K + 1)]


def eq_zp_counterexamples() -> Counterexamples:
    """k = 0 would need the inverse of a singular matrix."""
    twostate = next(p for p in cases("full-rank") if p.name == "twostate")
    m = matrices(twostate)
    ZP = m.Pi * m.P
    text = f"Twostate: B⁰ = 1, but (γΠP)⁻¹ does not exist, rank ΠP = {ZP.rank()} < 2"
    yield Counterexample("k ≥ 1", text, ZP.det() == 0 and ZP.rank() == 1, twostate)


EQ_ZP = Statement(
    id="eq-zp",
    place=90,
    title="Powers of B through projection and transitions",
    paper="(γX⁻¹Y)ᵏ = C(γΠP)ᵏ⁻¹Φ with C = γX⁻¹ΦᵀDP",
    verdict="holds",
    precise="for k ≥ 1; in values ΦBᵏ = (γΠP)ᵏΦ for k ≥ 0",
    assumptions=("X invertible", "k ≥ 1"),
    scope="all dimensions, all k ≥ 1",
    latex=r"B^k = C\,(\gamma \Pi P)^{k-1}\,\Phi, \quad C = \gamma X^{-1} \Phi^\top D P",
    claims=eq_zp_claims,
    check=eq_zp_check,
    counterexamples=eq_zp_counterexamples,
)


def prop_3_claims() -> Claims:
    """The bias; eigenvectors of B give eigenvectors of γΠP and back, nonzero where λ ≠ 0; A = X(I − B)."""
    n, vectors = paper_theory(), spectral_theory()
    T, lam = n.T, vectors.T.lam
    Phi, C, v, w = vectors.Phi, vectors.C, vectors.v, vectors.w
    return [
        *claimed("prop-2", "bias"),
        vectors.T.claim("spectrum-forward", Phi * C * (Phi * v), lam * (Phi * v)),
        vectors.T.claim("spectrum-forward-nonzero", C * (Phi * v), lam * v),
        vectors.T.claim("spectrum-backward", C * Phi * (C * w), lam * (C * w)),
        vectors.T.claim("spectrum-backward-nonzero", Phi * (C * w), lam * w),
        T.claim("A = X (1 - B)", n.A, n.X * (1 - n.G)),
    ]


def prop_3_check() -> Checks:
    """Characteristic polynomials of B, γΠP and γPΠ agree up to zeros; on which side of 1 ρ is, decided three ways."""
    for problem in [*cases("full-rank"), defective()]:
        m = matrices(problem)
        B, Z, turned = (M.charpoly() for M in (m.B, m.gamma * m.Pi * m.P, m.gamma * m.P * m.Pi))
        gaps = [B * fmpq_poly([0] * m.S + [1]) - Z * fmpq_poly([0] * m.F + [1]), Z - turned]
        yield Check(problem.name, largest([list(x.coeffs()) for x in gaps]), detail="xˢ det(x − B) = xᶠ det(x − γΠP)")
        below = spectral_radius_side(B) < 0
        same = below == (spectral_radius_side(Z) < 0) and chain_unbiased(problem).holds == Answer.of(below)
        yield Check(problem.name, not same, detail=f"ρ {'<' if below else '≥'} 1 by B, γΠP and certificate")


def defective() -> Problem:
    """Φ = I and a P that is not diagonalisable: eigenvalue ½ twice with one eigenvector."""
    P = [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]]
    Phi = [[int(i == j) for j in range(3)] for i in range(3)]
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=["1/3"] * 3, name="defective B")


def two_rooms() -> Problem:
    """Twostate beside a state of its own: B = diag(6γ/5, γ), at γ = 9/10 one eigenvalue on each side of 1."""
    P = [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    return Problem.from_matrices("9/10", Phi=[[1, 0], [2, 0], [0, 1]], P_pi=P, d_mu=["1/3"] * 3, name="two rooms")


def prop_3_counterexamples() -> Counterexamples:
    """ρ(B) > 1 diverges from some starts and not from others; ρ(B) = 1 does not suffice."""
    rooms = two_rooms()
    B = matrices(rooms).B
    lost, found = (chain_heads(exact_model(rooms), 5, start) for start in ([1, 0], [0, 1]))
    big, small = fmpq(27, 25), fmpq(9, 10)
    grows = all(theta == fmpq_mat([[big**k], [0]]) for k, theta in enumerate(lost))
    text = f"B = diag({B[0, 0]}, {B[1, 1]}), θ_π = 0: from θ⁰ = (1, 0) the bias is (27/25)ᵏ and grows"
    yield Counterexample("ρ(B) < 1", text, grows and big > 1 and chain_unbiased(rooms).refuted, rooms)
    shrinks = all(theta == fmpq_mat([[0], [small**k]]) for k, theta in enumerate(found))
    text = "the same problem from θ⁰ = (0, 1), which lies in the eigenspace of 9/10: the bias is (9/10)ᵏ → 0"
    yield Counterexample("'for any θ⁰', in the converse", text, shrinks, rooms)
    swap = catalogue_problem("quadrant-stable-biased").with_gamma("3/5")
    m, verdict = matrices(swap), chain_unbiased(swap)
    flips = not any(map(largest, departures(chain_heads(exact_model(swap), 5, m.one), -m.one, m.theta_pi)))
    text = f"D = diag(9, 1)/10, swap, Φ = (1; −3), γ = 3/5: B = −1, the bias is (−1)ᵏ(θ⁰ − θ_π) ({verdict.reason})"
    yield Counterexample("ρ(B) < 1, strictly", text, flips and verdict.refuted, swap)


PROP_3 = Statement(
    id="prop-3",
    place=100,
    title="Unbiased in the limit",
    paper="θᵏ* → θ_π for any θ⁰ if ρ(γX⁻¹Y) < 1 or equivalently ρ(γΠP) < 1",
    verdict="holds, proof repaired",
    precise="for every θ⁰ ⇔ ρ(B) < 1 ⇔ ρ(γΠP) < 1 (nonzero spectra agree); for one θ⁰ ⇔ θ⁰ − θ_π lies in the"
    " generalised eigenspaces of B with |β| < 1",
    assumptions=("X invertible", "ρ(B) < 1"),
    scope="all dimensions, all k ≥ 0",
    cites=(
        "Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0",
        "Sylvester: λˢ det(λ − CΦ) = λᶠ det(λ − ΦC)",
        "Jordan: Bᵏe → 0 ⇔ e is in the generalised eigenspaces with |β| < 1",
    ),
    where="C = γX⁻¹ΦᵀDP, β an eigenvalue of B",
    latex=r"\theta^k_* - \theta_\pi = B^k(\theta^0 - \theta_\pi) \to 0\ \forall \theta^0"
    r" \iff \rho(B) < 1 \iff \rho(\gamma \Pi P) < 1",
    claims=prop_3_claims,
    check=prop_3_check,
    counterexamples=prop_3_counterexamples,
)
