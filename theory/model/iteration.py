r"""Expected updates, iterated: what every algorithm does on average, in floats or exactly.

Richardson iteration (def-richardson) for any M and b, whose error is known in advance for all t:

    θ_{t+1} = θ_t + α(b − Mθ_t)        error r_t = θ_t − θ_* = (I − αM)ᵗ r_0        where Mθ_* = b

The paper's schemes as expected updates, on the paper's own F×F matrices (`theory.model.linear_model.moments`):

- *sequential*: each head does T updates towards the finished head before it. From the start θ_s,
  θᵏ = Qθ_s + (I − Q)(Bθᵏ⁻¹ + c) with Q = (I − αX)ᵀ, T an exponent. *Hot* starts where the head before ended,
  *cold* starts every head at the same place.
- *target network*: sequential and hot, on one parameter vector: e_{k+1} = G_T e_k with
  G_T = Q + (I − Q)B = I − S_T A and S_T = α Σ_{j<T} (I − αX)ʲ. T = 1 is off-policy TD, T = ∞ the chain.
- *concurrent*: all heads at once. Simultaneous (Jacobi) is Richardson with the joint matrix M; *in place*
  (Gauss–Seidel) each head already sees the new head before it: with M = N − L, N the block diagonal,
  e ← (I − αL)⁻¹(I − αN)e. Same fixed point, same spectrum, another transient.

Overflow in floats is a result: parameters that leave the range of doubles are not finite from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import geometric_sum, identity, power, rational
from theory.model.linear_model import LinearModel, exact_moments
from theory.model.points import check_count
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_number


def richardson(M: Any, b: Any, alpha: Any, theta: Any) -> Iterator[Any]:
    """θ_0, θ_1, … without end."""
    floats = isinstance(M, np.ndarray)
    step = float(alpha) if floats else step_size(alpha)
    scaled_M, scaled_b = step * M, step * b
    while True:
        yield theta
        with np.errstate(over="ignore", invalid="ignore"):
            theta = theta + scaled_b - (scaled_M @ theta if floats else scaled_M * theta)


def predicted_error(M: fmpq_mat, alpha: Any, error: fmpq_mat, t: int) -> fmpq_mat:
    """(I − αM)ᵗ r_0."""
    return power(identity(M.nrows()) - step_size(alpha) * M, t) * error


def td_iterates(m: LinearModel, alpha: Any, theta: Any) -> Iterator[Any]:
    """Off-policy TD's expected iterates."""
    return richardson(m.A, m.b, alpha, theta)


def network_rounds(m: LinearModel, alpha: Any, T: int, theta: Any, *, hot: bool = True) -> Iterator[list[Any]]:
    """TD towards a target network that is replaced every T updates: the T + 1 iterates of each round, without end.

    A round begins where the one before ended (hot) or at `theta` (cold); the first target is `theta`.
    """
    check_count(T, "T")
    target = theta
    while True:
        towards = m.b + m.gamma * m.times(m.Y, target)
        yield (iterates := list(islice(richardson(m.X, towards, alpha, target if hot else theta), T + 1)))
        target = iterates[-1]


def target_network_iterates(m: LinearModel, alpha: Any, T: int, K: int, theta: Any, *, hot: bool = True) -> list[Any]:
    """θ_0 = `theta`, …, θ_K: what each of K rounds arrives at."""
    check_count(K, "K")
    return [theta, *(found[-1] for found in islice(network_rounds(m, alpha, T, theta, hot=hot), K))]


def sequential_heads(m: LinearModel, alpha: Any, T: int, K: int, theta: Any, *, hot: bool = True) -> list[Any]:
    """Heads 0..K after T updates each: T(K+1) in all. Head 0 does T updates of the behaviour's TD from `theta`."""
    check_count(T, "T")
    check_count(K, "K")
    heads = [next(islice(td_iterates(m.behaviour, alpha, theta), T, None))]
    for _ in range(K):
        towards = m.b + m.gamma * m.times(m.Y, heads[-1])
        heads.append(next(islice(richardson(m.X, towards, alpha, heads[-1] if hot else theta), T, None)))
    return heads


def concurrent_iterates(
    m: LinearModel, alpha: Any, K: int, theta: Any, *, in_place: bool = False
) -> Iterator[list[Any]]:
    """Heads 0..K after t = 0, 1, … joint updates, all heads started at `theta`."""
    check_count(K, "K")
    first, step = m.behaviour, m.number(alpha if isinstance(alpha, float) else as_number(alpha, "alpha"))
    now = [theta] * (K + 1)
    while True:
        yield now
        new = [now[0] + step * (first.b - m.times(first.A, now[0]))]
        for k in range(1, K + 1):
            before = new[k - 1] if in_place else now[k - 1]
            new.append(now[k] + step * (m.b + m.gamma * m.times(m.Y, before) - m.times(m.X, now[k])))
        now = new


def target_network_matrix(problem: Problem, alpha: Any, T: int) -> fmpq_mat:
    """G_T = I − S_T A: how one hot-started window of T updates maps the error θ − θ_π.

    >>> from theory.problems import Problem
    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> m = exact_moments(swap)
    >>> target_network_matrix(swap, "1/2", 1) == identity(1) - fmpq(1, 2) * m.A
    True
    """
    m = exact_moments(problem)
    return identity(problem.n_features) - window_sum(m.X, alpha, T) * m.A


def cold_start_matrix(problem: Problem, alpha: Any, T: int) -> fmpq_mat:
    """(I − Q)B = γS_T Y: how a cold-started window maps the distance to its own limit, which for finite T is biased."""
    m = exact_moments(problem)
    return m.gamma * window_sum(m.X, alpha, T) * m.Y


def window_sum(X: fmpq_mat, alpha: Any, T: int) -> fmpq_mat:
    """S_T = α Σ_{j<T} (I − αX)ʲ, so that T updates of Xθ = g from θ_s give (I − αX)ᵀθ_s + S_T g."""
    check_count(T, "T")
    step = step_size(alpha)
    return step * geometric_sum(identity(X.nrows()) - step * X, T)[1]


def in_place_matrix(problem: Problem, alpha: Any, K: int) -> fmpq_mat:
    """(I − αL)⁻¹(I − αN), which maps the joint error of an in-place sweep."""
    M, _ = exact_moments(problem).joint(K)
    F, n, step = problem.n_features, M.nrows(), step_size(alpha)
    left, right = identity(n), identity(n)
    for i in range(n):
        for j in range(n):
            if i // F == j // F:
                right[i, j] -= step * M[i, j]
            else:
                left[i, j] += step * M[i, j]  # M = N − L
    return left.solve(right)


def step_size(alpha: Any) -> fmpq:
    """α as a rational; a float is the rational it denotes."""
    value = as_number(alpha, "alpha")
    if value <= 0:
        raise InvalidProblem(f"a step size must be positive, got {value}", "alpha")
    return rational(Fraction(value))
