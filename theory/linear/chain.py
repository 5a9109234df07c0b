r"""The chain's fixed points θᵏ for k = 0..K, by three routes that must agree.

    recursion      θᵏ = X⁻¹(b + γYθᵏ⁻¹)                          (eq-recursion)
    closed form    θᵏ = Σ_{i<k} Bⁱ X⁻¹b + Bᵏθ⁰                   (eq-closed-form)
    bias formula   θᵏ = θ_π + Bᵏ(θ⁰ − θ_π)                       (prop-2, needs Aθ = b solvable)

with B = γX⁻¹Y; all heads also solve M θ = b† at once (prop-6). The routes work in the coordinates of
`feature_basis`, where X is the identity: with dependent features they give Π(r + γPvᵏ⁻¹) and the
shortest θ with these values. A chain with ρ(B) > 1 grows without bound in k; what no longer fits a
double is ±inf from there on, and `overflow_at` names the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.linear.basis import check_finite, feature_basis, representable
from theory.linear.fixed_points import behaviour_fixed_point, solve_in_values
from theory.linear.moments import check_heads, joint_matrix, joint_vector
from theory.linear.n_step import ChainStep, chain_step, n_step_reward
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


def chain_by_closed_form(problem: Problem, K: int, start: Start = "behaviour", *, n: int = 1) -> Chain:
    """Every head from the powers of B: the geometric sum of rewards plus what is left of the start."""
    step, theta, c = _prepare(problem, K, start, n)
    total, left, powered = np.zeros_like(step.g), c[0].copy(), step.g.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, K + 1):
            total, left, powered = total + powered, step.B @ left, step.B @ powered
            c[k] = total + left
    return _chain(step, theta, c)


def chain_by_bias_formula(problem: Problem, K: int, start: Start = "behaviour", *, n: int = 1) -> Chain:
    """Every head from the distance of the start to the TD fixed point."""
    step, theta, c = _prepare(problem, K, start, n)
    power = np.linalg.matrix_power(problem.gamma * problem.P_pi, n)
    limit = solve_in_values(step.basis, power, n_step_reward(problem, n), "A")
    if not limit.exists:
        raise InvalidProblem("A θ = b has no solution, so there is no θ_π to measure the bias from", "A")
    c_pi = step.basis.dual @ limit.values
    error = c[0] - c_pi
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, K + 1):
            error = step.B @ error
            c[k] = c_pi + error
    return _chain(step, theta, c)


def joint_solution(problem: Problem, K: int) -> Chain:
    """M⁻¹b† by one sparse solve (prop-6); the chain from θ_μ by a route that knows no recursion.

    Where X is singular so is M, and features of size 1e±300 have no M in doubles; then the same system is
    solved in the coordinates of the basis, where its blocks are I − B_μ, I and −B.
    """
    from scipy.sparse import block_diag, csc_array, eye_array, kron
    from scipy.sparse.linalg import splu

    check_heads(K)
    basis = feature_basis(problem)
    F, r = problem.n_features, basis.rank
    if r == 0:
        return Chain(np.zeros((K + 1, F)), np.zeros((K + 1, problem.n_states)), None)
    if basis.full_rank and representable(problem):
        M = csc_array(joint_matrix(problem, K, sparse=True))
        theta = check_finite(splu(M).solve(joint_vector(problem, K)).reshape(-1, F), "the parameters", "r_pi")
        return Chain(theta, theta @ problem.Phi.T, None)
    start = behaviour_fixed_point(problem)  # refuses a problem whose behaviour is unknown
    assert problem.P_mu is not None
    assert problem.r_mu is not None
    step = chain_step(problem)
    first = np.eye(r) - problem.gamma * basis.compress(problem.P_mu)
    M_c = block_diag([csc_array(first)] + [eye_array(r)] * K) - kron(eye_array(K + 1, k=-1), csc_array(step.B))
    rhs = np.concatenate([basis.dual @ problem.r_mu, *[step.g] * K])
    c = splu(csc_array(M_c)).solve(rhs).reshape(-1, r)
    theta = basis.theta(c)
    theta[0] = start.theta
    return Chain(theta, basis.values(c), None)


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
