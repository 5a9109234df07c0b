r"""True values of the policies, k-step expeditions, and how far an estimate is from them.

    v_π = (I − γP_π)⁻¹ r_π        v_μ = (I − γP_μ)⁻¹ r_μ

A *k-step expedition* follows π for k steps and μ ever after; its value is

    vᵏ = r_π + γP_π vᵏ⁻¹ ,  v⁰ = v_μ ,        vᵏ − v_π = (γP_π)ᵏ (v_μ − v_π)

and this is what the chain's head k predicts wherever Π = I (claim-v, n-step).

Errors of an estimate v of a true value v*:

    bias    v − v*                                  state by state
    RMSE    √(mean over states of (v − v*)²)        unweighted, as in the paper's tables
"""

from __future__ import annotations

import numpy as np

from theory.linear.basis import check_finite
from theory.linear.moments import unknown_behaviour
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


def target_values(problem: Problem) -> FloatArray:
    """v_π, (S,)."""
    return _discounted(problem.P_pi, problem.r_pi, problem.gamma)


def behaviour_values(problem: Problem) -> FloatArray:
    """v_μ, (S,)."""
    if problem.P_mu is None:
        raise unknown_behaviour("v_mu", "P_mu")
    if problem.r_mu is None:
        raise unknown_behaviour("v_mu", "r_mu")
    return _discounted(problem.P_mu, problem.r_mu, problem.gamma)


def expedition_values(problem: Problem, K: int) -> FloatArray:
    """Values of the k-step expeditions for k = 0..K, (K+1, S)."""
    v = np.empty((K + 1, problem.n_states))
    v[0] = behaviour_values(problem)
    for k in range(1, K + 1):
        v[k] = problem.r_pi + problem.gamma * problem.P_pi @ v[k - 1]
    return v


def bias(problem: Problem, values: FloatArray) -> FloatArray:
    """v − v_π, for one vector or a stack (…, S)."""
    return values - target_values(problem)


def rmse(problem: Problem, values: FloatArray) -> FloatArray:
    """Root mean squared error over states, all alike; a number, or one per vector of a stack."""
    # The root mean square of a vector scaled by its largest entry cannot overflow before it has to.
    error = np.abs(bias(problem, values))
    largest = error.max(axis=-1)
    unit = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return unit * np.sqrt(np.mean((error / unit[..., None]) ** 2, axis=-1))


def _discounted(P: FloatArray, r: FloatArray, gamma: float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return check_finite(np.linalg.solve(np.eye(len(P)) - gamma * P, r), "the values", "r_pi")
