r"""Chains of n-step estimators, exactly.

Each head looks n steps ahead before it bootstraps from the head before:

    X_n = X      Y_n = ΦᵀDPⁿΦ      b_n = ΦᵀD Σ_{j<n} γʲPʲr      θᵏ = X⁻¹(γⁿY_nθᵏ⁻¹ + b_n)

It is the one-step chain of the problem with Pⁿ, γⁿ and n-step rewards, so it is unbiased in the limit exactly when
ρ(γⁿΠPⁿ) < 1, that is for γ < ρ(ΠPⁿ)^{−1/n}. Its limit solves (X − γⁿY_n)θ = b_n, and *that moves with n* unless
Π = I (or r and P agree with the features by luck); only where Π = I do k heads predict the nk-step expedition.

Sufficient for every Φ (extra-n-step): γⁿ < √(min d), because ‖Π‖_D ≤ 1 and ‖Pⁿ‖_D ≤ 1/√(min d).
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from theory.exact.chain import Start, affine_step
from theory.exact.fixed_points import FixedPoint, fixed_point, starting_point
from theory.exact.matrices import matrix, rational, scaled_rows
from theory.exact.solve import geometric_sum, power
from theory.problems import InvalidProblem, Problem


@dataclass(frozen=True, eq=False)
class NStepMoments:
    """What one head of an n-step chain estimates with; θ ← θ + α(b + γⁿYθᵏ⁻¹ − Xθ)."""

    discount: fmpq  # γⁿ
    X: fmpq_mat  # (F, F)
    Y: fmpq_mat  # (F, F)
    A: fmpq_mat  # (F, F), X − γⁿY_n
    b: fmpq_mat  # (F, 1)


def n_step_moments(problem: Problem, n: int) -> NStepMoments:
    """X, Y_n, A_n and b_n; n = 1 gives X, Y, A and b."""
    check_n(n)
    e = problem.exact
    gamma, P, Phi = rational(e.gamma), matrix(e.P_pi), matrix(e.Phi)
    weighted = scaled_rows([rational(x) for x in e.d_mu], Phi).transpose()
    _, returns = geometric_sum(gamma * P, n)
    X, Y = weighted * Phi, weighted * (power(P, n) * Phi)
    return NStepMoments(gamma**n, X, Y, X - gamma**n * Y, weighted * (returns * matrix(e.r_pi)))


def n_step_fixed_point(problem: Problem, n: int) -> FixedPoint:
    """Where n-step TD rests, and the limit of the n-step chain where that is unbiased."""
    m = n_step_moments(problem, n)
    return fixed_point(problem, m.A, m.b, f"A_{n}", f"b_{n}")


def n_step_chain(problem: Problem, n: int, k: int, start: Start = "zero") -> fmpq_mat:
    """θᵏ of the n-step chain: Σ_{i<k} Bⁱc + Bᵏθ⁰ with B = γⁿX⁺Y_n and c = X⁺b_n."""
    if k < 0:
        raise InvalidProblem(f"a chain's index must be 0 or more, got {k}", "k")
    m = n_step_moments(problem, n)
    B, c = affine_step(m.X, m.discount * m.Y, m.b)
    B_k, W_k = geometric_sum(B, k)
    return W_k * c + B_k * starting_point(problem, start)


def is_safe(problem: Problem, n: int) -> bool:
    """Is γⁿ < √(min d), decided exactly as γ²ⁿ < min d?"""
    check_n(n)
    return bool(rational(problem.exact.gamma) ** (2 * n) < min(rational(x) for x in problem.exact.d_mu))


def check_n(n: int) -> None:
    """Raises where n is no number of steps."""
    if n < 1:
        raise InvalidProblem(f"an estimator looks at least 1 step ahead, got {n}", "n")
