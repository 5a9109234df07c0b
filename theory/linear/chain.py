r"""The chain's fixed points θᵏ for k = 0..K, θᵏ = X⁻¹(b + γYθᵏ⁻¹) (eq-recursion).

In the coordinates of `feature_basis` X is the identity: with dependent features the values are Π(r + γPvᵏ⁻¹) and
θᵏ is the shortest θ with these values. A chain with ρ(B) > 1 grows without bound in k; what no longer fits a
double is ±inf from there on, and `overflow_at` names the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.linear.fixed_points import behaviour_fixed_point
from theory.linear.moments import check_heads
from theory.linear.n_step import ChainStep, chain_step
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


def chain_by_recursion(problem: Problem, K: int, start: Start = "behaviour", *, n: int = 1) -> Chain:
    """Every head from the one before."""
    step, theta, c = _prepare(problem, K, start, n)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, K + 1):
            c[k] = step.g + step.B @ c[k - 1]
    return _chain(step, theta, c)


def _prepare(problem: Problem, K: int, start: Start, n: int) -> tuple[ChainStep, FloatArray, FloatArray]:
    check_heads(K)
    step, theta = chain_step(problem, n), start_parameters(problem, start)
    c = np.empty((K + 1, step.basis.rank))
    c[0] = step.basis.dual @ (problem.Phi @ theta)
    return step, theta, c


def _chain(step: ChainStep, start: FloatArray, c: FloatArray) -> Chain:
    bad = np.flatnonzero(~np.isfinite(c).all(axis=1))
    overflow_at = int(bad[0]) if len(bad) else None
    good = slice(0, overflow_at)
    theta = np.full((len(c), step.basis.R.shape[1]), np.inf)
    values = np.full((len(c), len(step.basis.W)), np.inf)
    with np.errstate(over="ignore"):
        theta[good], values[good] = step.basis.theta(c[good]), step.basis.values(c[good])
    theta[0] = start
    return Chain(theta, values, overflow_at)
