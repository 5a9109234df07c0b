r"""Chains of n-step estimators.

An n-step target follows π for n steps before it bootstraps:

    X_n = X        Y_n = ΦᵀDPⁿΦ        b_n = ΦᵀD Σ_{j<n} γʲPʲ r_π        A_n = X − γⁿY_n

so a chain of them is unbiased for every start exactly when ρ(γⁿΠPⁿ) < 1. Where Π = I, k heads of n
steps predict the nk-step expedition; elsewhere the fixed point A_n⁻¹b_n itself moves with n (n-step).
γⁿ < √(min d) is enough for every choice of features (extra-n-step, `theory.linear.safety`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.linear.basis import Basis, check_finite, checked_moments, feature_basis
from theory.linear.fixed_points import FixedPoint, solve_in_values
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray


@dataclass(frozen=True, eq=False)
class NStepMoments:
    """X, Y_n, A_n = X − γⁿY_n and b_n."""

    X: FloatArray  # (F, F)
    Y: FloatArray  # (F, F)
    A: FloatArray  # (F, F)
    b: FloatArray  # (F,)


@dataclass(frozen=True, eq=False)
class ChainStep:
    """One link of the chain in the coordinates of a basis: c ← g + B c."""

    basis: Basis
    B: FloatArray  # (r, r), γⁿWᵀDPⁿW
    g: FloatArray  # (r,), WᵀD times the n-step reward


def n_step_moments(problem: Problem, n: int) -> NStepMoments:
    """The moments of the n-step estimator; n = 1 is TD."""
    reward, X = n_step_reward(problem, n), checked_moments(problem).X
    ahead = problem.Phi
    for _ in range(n):
        ahead = problem.P_pi @ ahead
    weighted = problem.Phi.T * problem.d_mu
    Y = weighted @ ahead
    with np.errstate(over="ignore", invalid="ignore"):
        b = check_finite(weighted @ reward, "the moments of the rewards", "r_pi")
    return NStepMoments(X, Y, X - problem.gamma**n * Y, b)


def n_step_reward(problem: Problem, n: int) -> FloatArray:
    """Σ_{j<n} γʲP_πʲ r_π, the expected discounted reward of n steps, (S,)."""
    check_steps(n)
    total = problem.r_pi
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(n - 1):
            total = problem.r_pi + problem.gamma * problem.P_pi @ total
    return check_finite(total, "the n-step rewards", "r_pi")


def chain_step(problem: Problem, n: int = 1) -> ChainStep:
    """The link from head k−1 to head k of a chain of n-step estimators."""
    basis = feature_basis(problem)
    with np.errstate(over="ignore", invalid="ignore"):
        g = check_finite(basis.dual @ n_step_reward(problem, n), "the moments of the rewards", "r_pi")
    return ChainStep(basis, _link(problem, basis, n), g)


def n_step_fixed_point(problem: Problem, n: int) -> FixedPoint:
    """A_n⁻¹b_n, the limit of an unbiased chain of n-step estimators."""
    power = np.linalg.matrix_power(problem.gamma * problem.P_pi, n)
    return solve_in_values(feature_basis(problem), power, n_step_reward(problem, n), "A_n")


def n_step_radius(problem: Problem, n: int) -> float:
    """ρ(γⁿΠPⁿ); the chain of n-step estimators forgets every start exactly when it is below one."""
    check_steps(n)
    B = _link(problem, feature_basis(problem), n)
    return float(np.abs(np.linalg.eigvals(B)).max(initial=0.0))


def check_steps(n: int) -> None:
    """An estimator looks at least one step ahead."""
    if n < 1:
        raise InvalidProblem(f"the number of steps must be 1 or more, got {n}", "n")


def _link(problem: Problem, basis: Basis, n: int) -> FloatArray:
    ahead = basis.W
    for _ in range(n):
        ahead = problem.gamma * problem.P_pi @ ahead
    return basis.dual @ ahead
