"""prop-8: Π is diagonalisable with eigenvalues 0 and 1; exactly F ones when Φ has full column rank.

Π² = Π: so Πu = κu gives (κ² − κ)u = 0, and every u is Πu + (1 − Π)u, a sum of eigenvectors for 1 and 0. With
L = X⁻¹ΦᵀD we have ΦL = Π and LΦ = 1, so the rank of Π is that of Φ, namely F, and tr Π = tr LΦ = F.
The paper's "the remaining F eigenvalues are each either 0 or 1" can be sharpened: all of them are 1.

Where Φ's columns depend on each other X⁻¹ does not exist; with any generalised inverse Π is still a projection onto
span Φ, and the number of ones is the rank of Φ.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.matrices import identity
from theory.exact.moments import exact_rank
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.chain_recursion import twin_features
from theory.propositions.matrices import matrices
from theory.propositions.registry import claimed
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.paper import paper_theory, spectral_theory


def claims() -> Claims:
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


def check() -> Checks:
    """det(x − Π) = xˢ⁻ʳ(x − 1)ʳ, tr Π = rank Π = r = rank Φ, and rank Π + rank(1 − Π) = S; dependent features too."""
    return on_each(cases(), _difference, "characteristic polynomial, trace, ranks")


def _difference(problem: Problem) -> list[object]:
    Pi, Phi, S, r = matrices(problem).Pi, matrices(problem).Phi, problem.n_states, exact_rank(problem)
    expected = fmpq_poly([0] * (S - r) + [1]) * fmpq_poly([-1, 1]) ** r
    coefficients = [a - b for a, b in zip(Pi.charpoly().coeffs(), expected.coeffs(), strict=True)]
    trace = sum((Pi[i, i] for i in range(S)), fmpq(0))
    ranks = [Pi.rank() - r, Pi.rank() + (identity(S) - Pi).rank() - S]
    return [Pi * Pi - Pi, Pi * Phi - Phi, coefficients, trace - r, ranks]


def counterexamples() -> Counterexamples:
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


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
