r"""prop-3: the chain is unbiased in the limit, from every start, exactly when ρ(B) < 1; equivalently ρ(γΠP) < 1.

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
from theory.exact.chain import chain_heads, chain_step
from theory.exact.fixed_points import td_fixed_point
from theory.exact.polynomials import spectral_radius_side
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import paper_theory, spectral_theory


def claims() -> Claims:
    """The bias; eigenvectors of B give eigenvectors of γΠP and back, nonzero where λ ≠ 0; A = X(I − B)."""
    n, vectors = paper_theory(), spectral_theory()
    T, lam = n.T, vectors.T.lam
    Phi, C, v, w = vectors.Phi, vectors.C, vectors.v, vectors.w
    return [
        T.claim("bias", n.theta - n.theta_pi, n.G_k * (n.theta0 - n.theta_pi)),
        vectors.T.claim("spectrum-forward", Phi * C * (Phi * v), lam * (Phi * v)),
        vectors.T.claim("spectrum-forward-nonzero", C * (Phi * v), lam * v),
        vectors.T.claim("spectrum-backward", C * Phi * (C * w), lam * (C * w)),
        vectors.T.claim("spectrum-backward-nonzero", Phi * (C * w), lam * w),
        T.claim("A = X (1 - B)", n.A, n.X * (1 - n.G)),
    ]


def check() -> Checks:
    """Characteristic polynomials of B, γΠP and γPΠ agree up to zeros; on which side of 1 ρ is, decided three ways."""
    for problem in [*cases("full-rank"), defective()]:
        m = matrices(problem)
        B, Z = m.X.solve(m.gamma * m.Y), m.gamma * matrices(problem).Pi * matrices(problem).P
        turned = m.gamma * matrices(problem).P * matrices(problem).Pi
        in_features, in_values = B.charpoly() * _x(problem.n_states), Z.charpoly() * _x(problem.n_features)
        gaps = [in_features - in_values, Z.charpoly() - turned.charpoly()]
        error = max(largest(list(gap.coeffs())) for gap in gaps)
        yield Check(problem.name, error, detail="xˢ det(x − B) = xᶠ det(x − γΠP)")
        below = spectral_radius_side(B.charpoly()) < 0
        same = below == (spectral_radius_side(Z.charpoly()) < 0)
        same = same and chain_unbiased(problem).holds == Answer.of(below)
        yield Check(problem.name, not same, detail=f"ρ {'<' if below else '≥'} 1 by B, γΠP and certificate")


def _x(n: int) -> fmpq_poly:
    return fmpq_poly([0] * n + [1])


def defective() -> Problem:
    """Φ = I and a P that is not diagonalisable: eigenvalue ½ twice with one eigenvector."""
    P = [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]]
    Phi = [[int(i == j) for j in range(3)] for i in range(3)]
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=["1/3"] * 3, name="defective B")


def two_rooms() -> Problem:
    """Twostate beside a state of its own: B = diag(6γ/5, γ), at γ = 9/10 one eigenvalue on each side of 1."""
    P = [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    return Problem.from_matrices("9/10", Phi=[[1, 0], [2, 0], [0, 1]], P_pi=P, d_mu=["1/3"] * 3, name="two rooms")


def counterexamples() -> Counterexamples:
    """ρ(B) > 1 diverges from some starts and not from others; ρ(B) = 1 does not suffice."""
    rooms = two_rooms()
    B, _ = chain_step(rooms)
    lost, found = (chain_heads(rooms, 5, start) for start in ([1, 0], [0, 1]))
    big, small = fmpq(27, 25), fmpq(9, 10)
    grows = all(theta == fmpq_mat([[big**k], [0]]) for k, theta in enumerate(lost))
    text = f"B = diag({B[0, 0]}, {B[1, 1]}), θ_π = 0: from θ⁰ = (1, 0) the bias is (27/25)ᵏ and grows"
    yield Counterexample("ρ(B) < 1", text, grows and big > 1 and chain_unbiased(rooms).refuted, rooms)
    shrinks = all(theta == fmpq_mat([[0], [small**k]]) for k, theta in enumerate(found))
    text = "the same problem from θ⁰ = (0, 1), which lies in the eigenspace of 9/10: the bias is (9/10)ᵏ → 0"
    yield Counterexample("'for any θ⁰', in the converse", text, shrinks, rooms)
    swap = catalogue_problem("quadrant-stable-biased").with_gamma("3/5")
    start, target = fmpq_mat([[1]]), td_fixed_point(swap).theta
    verdict = chain_unbiased(swap)
    flips = target is not None and all(
        theta - target == (-1) ** k * (start - target) for k, theta in enumerate(chain_heads(swap, 5, start))
    )
    text = f"D = diag(9, 1)/10, swap, Φ = (1; −3), γ = 3/5: B = −1, the bias is (−1)ᵏ(θ⁰ − θ_π) ({verdict.reason})"
    yield Counterexample("ρ(B) < 1, strictly", text, flips and verdict.refuted, swap)


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
