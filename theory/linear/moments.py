r"""The matrices of a problem, in floats.

With D = diag(d_μ) the expected updates of the paper are linear in the parameters:

    off-policy TD        θ ← θ + α (b − A θ)                 A = X − γY
    on-policy TD of μ    θ ← θ + α (b_μ − A_μ θ)
    chained TD, head k   θᵏ ← θᵏ + α (b + γY θᵏ⁻¹ − X θᵏ)

    X = ΦᵀDΦ      Y = ΦᵀDP_πΦ      b = ΦᵀDr_π      A_μ = ΦᵀD(I − γP_μ)Φ      b_μ = ΦᵀDr_μ

**Sign convention**, stated here once: an update is ``theta += alpha * (b - A @ theta)``, so it is
stable for small α exactly when every eigenvalue of A has positive real part.

All heads 0..K at once are Richardson iteration with a block bidiagonal matrix M (eq-M): A_μ in the first
diagonal block, X in the others, −γY below the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray
from theory.problems.once import once


@dataclass(frozen=True, eq=False)
class Moments:
    """X, Y, A, b, and A_mu, b_mu where the behaviour's transitions and rewards are known."""

    X: FloatArray  # (F, F)
    Y: FloatArray  # (F, F)
    A: FloatArray  # (F, F)
    b: FloatArray  # (F,)
    A_mu: FloatArray | None  # (F, F)
    b_mu: FloatArray | None  # (F,)


@once
def moments(problem: Problem) -> Moments:
    """All moments of a problem.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> m = moments(twostate)
    >>> m.X.item(), m.Y.item()
    (2.5, 3.0)
    """
    X, Y = feature_moment(problem), successor_moment(problem)
    A_mu = None if problem.P_mu is None else behaviour_key_matrix(problem)
    b_mu = None if problem.r_mu is None else behaviour_vector(problem)
    return Moments(X, Y, X - problem.gamma * Y, target_vector(problem), A_mu, b_mu)


def feature_moment(problem: Problem) -> FloatArray:
    """X = ΦᵀDΦ = E_μ[ρ φφᵀ]."""
    weighted = problem.d_mu[:, None] * problem.Phi
    X = problem.Phi.T @ weighted
    return (X + X.T) / 2  # symmetric to the last bit: Cholesky and eigh rely on it


def successor_moment(problem: Problem) -> FloatArray:
    """Y = ΦᵀDP_πΦ = E_μ[ρ φφ'ᵀ]."""
    return problem.Phi.T @ (problem.d_mu[:, None] * (problem.P_pi @ problem.Phi))


def target_vector(problem: Problem) -> FloatArray:
    """b = ΦᵀDr_π = E_μ[ρ R φ]."""
    return problem.Phi.T @ (problem.d_mu * problem.r_pi)


def behaviour_key_matrix(problem: Problem) -> FloatArray:
    """A_μ = ΦᵀD(I − γP_μ)Φ, the key matrix of on-policy TD for the behaviour."""
    if problem.P_mu is None:
        raise unknown_behaviour("A_mu", "P_mu")
    return problem.Phi.T @ (problem.d_mu[:, None] * (problem.Phi - problem.gamma * problem.P_mu @ problem.Phi))


def behaviour_vector(problem: Problem) -> FloatArray:
    """b_μ = ΦᵀDr_μ = E_μ[R φ]."""
    if problem.r_mu is None:
        raise unknown_behaviour("b_mu", "r_mu")
    return problem.Phi.T @ (problem.d_mu * problem.r_mu)


def numerical_rank(sigma: Array, size: int) -> int:
    """How many singular values stand above rounding, σ > max(shape)·eps·σ_max as in NumPy."""
    return int(np.sum(sigma > size * np.finfo(float).eps * sigma.max(initial=0.0)))


def check_heads(K: int) -> None:
    """A chain has heads 0..K with K ≥ 0."""
    if K < 0:
        raise InvalidProblem(f"the chain's last head must be 0 or more, got {K}", "K")


def unknown_behaviour(letter: str, field: str) -> InvalidProblem:
    """The error of asking a problem given by d_μ alone for what only the behaviour's chain determines."""
    return InvalidProblem(f"{letter} needs the behaviour's own chain, and only its distribution is known", field)
