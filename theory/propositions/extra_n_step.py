r"""extra-n-step: if γⁿ < √(min d) then the n-step chain is unbiased for every Φ.

B_n = γⁿX⁻¹Y_n = C_nΦ has the nonzero spectrum of ΦC_n = γⁿΠPⁿ. In the D-norm ‖Π‖ ≤ 1 by Pythagoras, and
‖Pⁿv‖²_D ≤ max|v|² ≤ ‖v‖²_D/min d, because Pⁿ averages; so ρ(γⁿΠPⁿ) ≤ γⁿ/√(min d) < 1. The bound is sufficient only:
Twostate needs n ≥ 19, the bound asks for 35. What is reached moves with n unless Π = I.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import fmpq, fmpq_mat

from theory.exact.matrices import rational, scaled_rows
from theory.exact.n_step import is_safe, n_step_moments
from theory.exact.polynomials import half_planes, spectral_radius_side
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import n_step_theory, paper_theory

LONGEST = 200


def claims() -> Claims:
    """B_n = C_nΦ and ΦC_n = γⁿΠPⁿ, and that Π does not expand."""
    n, steps = paper_theory(), n_step_theory()
    T = n.T
    return [
        steps.T.claim("n-step-operator", steps.g_n * steps.Xi * steps.Y_n, steps.C_n * steps.Phi),
        steps.T.claim("n-step-projection", steps.Phi * steps.C_n, steps.g_n * steps.Pi * steps.P_n),
        T.claim("projection-self-adjoint", n.Pi.T * n.D, n.D * n.Pi),
        T.claim("pythagoras", n.D, n.Pi.T * n.D * n.Pi + (1 - n.Pi).T * n.D * (1 - n.Pi)),
    ]


def check() -> Checks:
    """At the smallest safe n: D − min d·(Pⁿ)ᵀDPⁿ ⪰ 0, and the chain is unbiased for three Φ; roots counted."""
    for problem in cases("full-rank"):
        n = smallest_safe(problem)
        wrong = half_planes(averaging_gap(problem, n).charpoly()).left
        for seen in (problem, *other_features(problem)):
            m = n_step_moments(seen, n)
            wrong += spectral_radius_side(m.X.solve(m.discount * m.Y).charpoly()) >= 0
        yield Check(problem.name, wrong, detail=f"n = {n} is the smallest with γ²ⁿ < min d")


def smallest_safe(problem: Problem) -> int:
    """The least n with γⁿ < √(min d), decided in rationals."""
    return next(n for n in range(1, LONGEST * 10) if is_safe(problem, n))


def averaging_gap(problem: Problem, n: int) -> fmpq_mat:
    """D − min d·(Pⁿ)ᵀDPⁿ, positive semidefinite because Pⁿ averages."""
    d = [rational(x) for x in problem.exact.d_mu]
    P_n = power(matrices(problem).P, n)
    gap = -min(d) * (P_n.transpose() * scaled_rows(d, P_n))
    for s, weight in enumerate(d):
        gap[s, s] += weight
    return gap


def other_features(problem: Problem) -> Iterable[Problem]:
    """One alternating feature, one that picks out the rarest state."""
    d = list(problem.exact.d_mu)
    rare = d.index(min(d))
    yield problem.with_features([[(-3) ** s] for s in range(problem.n_states)])
    yield problem.with_features([[10 if s == rare else 1] for s in range(problem.n_states)])


def counterexamples() -> Counterexamples:
    """Fewer steps; the bound is not necessary; and signs in P."""
    twostate = catalogue_problem("twostate")
    radius = {n: n_step_moments(twostate, n) for n in (18, 19)}
    beta = {n: m.discount * m.Y[0, 0] / m.X[0, 0] for n, m in radius.items()}
    value = float(Fraction(str(beta[18])))
    text = f"Twostate, γ = 99/100: P² = P, so B_n = γⁿ·6/5; n = 18 gives {value:.4f} > 1, biased"
    yield Counterexample("γⁿ < √(min d)", text, beta[18] > 1 and not is_safe(twostate, 18), twostate)
    n = smallest_safe(twostate)
    text = f"the same, n = 19: B_19 < 1, unbiased, although γ¹⁹ > √½; the bound asks for n = {n}"
    loose = beta[19] < 1 and not is_safe(twostate, 19) and n == 35
    yield Counterexample("'sufficient' (it is not necessary)", text, loose, twostate)
    P = fmpq_mat([[4, -3], [-3, 4]])  # rows sum to one, entries are no probabilities
    discount = fmpq(1, 2)  # γ = 1/2, n = 1, D = I/2, Φ = I: γ² = 1/4 < 1/2 = min d
    biased = spectral_radius_side((discount * P).charpoly()) > 0 and largest(P * fmpq_mat([[1], [1]])) == 1
    text = "P = [[4, −3], [−3, 4]], D = I/2, Φ = I, γ = 1/2 < √½: P1 = 1 and γP has the eigenvalue 7/2"
    yield Counterexample(
        "P ≥ 0", text, biased and (discount * P).charpoly()(fmpq(7, 2)) == 0, {"P": [[4, -3], [-3, 4]]}
    )


STATEMENT = Statement(
    id="extra-n-step",
    place=1090,
    title="Enough steps make every Φ safe",
    paper="n-step chains are proposed; when they are unbiased is not said",
    verdict="beyond the paper",
    precise="γⁿ < √(min d) ⇒ ρ(γⁿΠPⁿ) < 1 for every Φ; sufficient, not necessary",
    assumptions=("X invertible", "γⁿ < √(min d)", "P ≥ 0, P1 = 1"),
    scope="all dimensions, all n ≥ 1, all Φ",
    cites=(
        "‖Pⁿv‖_D ≤ max|v| ≤ ‖v‖_D/√(min d), because the rows of Pⁿ are averages",
        "‖Π‖_D ≤ 1 (Pythagoras), and ρ(M) ≤ ‖M‖_D",
        "nonzero spectra of C_nΦ and ΦC_n agree (prop-3)",
    ),
    where="‖v‖_D² = vᵀDv; C_n = γⁿX⁻¹ΦᵀDPⁿ",
    latex=r"\rho(\gamma^n \Pi P^n) \le \gamma^n \|\Pi\|_D \|P^n\|_D \le \gamma^n / \sqrt{\min_s d_s}",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
