r"""The chain's fixed points θᵏ for k = 0..K, θᵏ = X⁻¹(b + γYθᵏ⁻¹) (eq-recursion).

In the coordinates of `feature_basis` X is the identity: with dependent features the values are Π(r + γPvᵏ⁻¹) and
θᵏ is the shortest θ with these values. A chain with ρ(B) > 1 grows without bound in k; what no longer fits a
double is ±inf from there on, and `overflow_at` names the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.linear.basis import Basis, check_finite, feature_basis
from theory.linear.fixed_points import behaviour_fixed_point
from theory.linear.moments import check_heads
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray

Start = str | Sequence[float] | FloatArray
START = "θ⁰ = (1, 2, …, F)"  # `counting_start`, in words


@dataclass(frozen=True, eq=False)
class Chain:
    """Fixed points of the heads 0..K."""

    theta: FloatArray  # (K+1, F)
    values: FloatArray  # (K+1, S)
    overflow_at: int | None  # first head beyond double precision


def start_parameters(problem: Problem, start: Start = "behaviour") -> FloatArray:
    """θ⁰: zero, θ_μ ("behaviour"), or F given numbers."""
    if isinstance(start, str):
        if start == "zero":
            return np.zeros(problem.n_features)
        if start == "behaviour":
            return behaviour_fixed_point(problem).theta
        raise InvalidProblem(f"expected 'zero', 'behaviour' or a list of numbers, got {start!r}", "start")
    theta = np.asarray(start, dtype=np.float64)
    if theta.shape != (problem.n_features,):
        raise InvalidProblem(f"has shape {theta.shape}, but there are {problem.n_features} features", "start")
    if not np.isfinite(theta).all():
        raise InvalidProblem("is not finite", "start", int(np.flatnonzero(~np.isfinite(theta))[0]))
    return theta


def counting_start(problem: Problem) -> FloatArray:
    """θ⁰ = (1, 2, …, F), where pictures start: no symmetry of the catalogue's problems hides from it."""
    return np.arange(1.0, problem.n_features + 1)


def chain_by_recursion(problem: Problem, K: int, start: Start = "behaviour") -> Chain:
    """Every head from the one before."""
    check_heads(K)
    basis, theta = feature_basis(problem), start_parameters(problem, start)
    B = problem.gamma * basis.compress(problem.P_pi)
    c = np.empty((K + 1, basis.rank))
    with np.errstate(over="ignore", invalid="ignore"):
        g = check_finite(basis.dual @ problem.r_pi, "the moments of the rewards", "r_pi")
        c[0] = basis.dual @ (problem.Phi @ theta)
        for k in range(1, K + 1):
            c[k] = g + B @ c[k - 1]
    return _chain(basis, theta, c)


def _chain(basis: Basis, start: FloatArray, c: FloatArray) -> Chain:
    bad = np.flatnonzero(~np.isfinite(c).all(axis=1))
    overflow_at = int(bad[0]) if len(bad) else None
    good = slice(0, overflow_at)
    theta = np.full((len(c), basis.R.shape[1]), np.inf)
    values = np.full((len(c), len(basis.W)), np.inf)
    with np.errstate(over="ignore"):
        theta[good], values[good] = basis.theta(c[good]), basis.values(c[good])
    theta[0] = start
    return Chain(theta, values, overflow_at)
