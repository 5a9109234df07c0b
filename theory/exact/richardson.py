r"""Richardson iteration in rational arithmetic: every iterate equals its prediction identically.

    θ_{t+1} = θ_t + α(b − Mθ_t)        error r_t = θ_t − θ_* = (I − αM)ᵗ r_0        where Mθ_* = b

The paper's schemes as expected updates:

- *sequential*: each head does T updates towards the finished head before it. From the start θ_s,
  θᵏ = Qθ_s + (I − Q)(Bθᵏ⁻¹ + c) with Q = (I − αX)ᵀ, T an exponent. *Hot* starts where the head before ended,
  *cold* starts every head at the same place.
- *target network*: sequential and hot, on one parameter vector: e_{k+1} = G_T e_k with
  G_T = Q + (I − Q)B = I − S_T A and S_T = α Σ_{j<T} (I − αX)ʲ. T = 1 is off-policy TD, T = ∞ the chain.
- *concurrent*: all heads at once. Simultaneous (Jacobi) is Richardson with the joint matrix M; *in place*
  (Gauss–Seidel) each head already sees the new head before it: with M = N − L, N the block diagonal,
  e ← (I − αL)⁻¹(I − αN)e. Same fixed point, same spectrum, another transient.

G_T and the iterates need no inverse of X, so they hold for dependent features as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

from flint import fmpq, fmpq_mat

from theory.exact.fixed_points import behaviour_moments
from theory.exact.matrices import identity, rational
from theory.exact.moments import ExactMoments, exact_joint, exact_moments
from theory.exact.solve import geometric_sum, power
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_number


def richardson(M: fmpq_mat, b: fmpq_mat, alpha: Any, theta: fmpq_mat) -> Iterator[fmpq_mat]:
    """θ_0, θ_1, … without end."""
    step = step_size(alpha)
    scaled_M, scaled_b = step * M, step * b
    while True:
        yield theta
        theta = theta + scaled_b - scaled_M * theta


def predicted_error(M: fmpq_mat, alpha: Any, error: fmpq_mat, t: int) -> fmpq_mat:
    """(I − αM)ᵗ r_0."""
    return power(identity(M.nrows()) - step_size(alpha) * M, t) * error


def td_iterates(problem: Problem, alpha: Any, theta: fmpq_mat) -> Iterator[fmpq_mat]:
    """Off-policy TD's expected iterates."""
    m = exact_moments(problem)
    return richardson(m.A, m.b, alpha, theta)


def sequential_heads(
    problem: Problem, alpha: Any, T: int, K: int, theta: fmpq_mat, *, hot: bool = True
) -> list[fmpq_mat]:
    """Heads 0..K after T updates each: T(K+1) in all. Head 0 does T updates of the behaviour's TD from `theta`."""
    m = exact_moments(problem)
    A_mu, b_mu = behaviour_moments(m)
    first = _after(richardson(A_mu, b_mu, alpha, theta), T)
    return _targets(m, alpha, T, K, first, cold=None if hot else theta)


def target_network_iterates(
    problem: Problem, alpha: Any, T: int, K: int, theta: fmpq_mat, *, hot: bool = True
) -> list[fmpq_mat]:
    """θ_0 = `theta`, …, θ_K: each from T updates towards the one before, started there (hot) or at `theta` (cold)."""
    return _targets(exact_moments(problem), alpha, T, K, theta, cold=None if hot else theta)


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
    _check_count(T, "T")
    step = step_size(alpha)
    return step * geometric_sum(identity(X.nrows()) - step * X, T)[1]


def concurrent_iterates(
    problem: Problem, alpha: Any, K: int, theta: fmpq_mat, *, in_place: bool = False
) -> Iterator[list[fmpq_mat]]:
    """Heads 0..K after t = 0, 1, … joint updates, all heads started at `theta`."""
    _check_count(K, "K")
    m = exact_moments(problem)
    A_mu, b_mu = behaviour_moments(m)
    step = step_size(alpha)
    now = [theta] * (K + 1)
    while True:
        yield now
        new = [now[0] + step * (b_mu - A_mu * now[0])]
        for k in range(1, K + 1):
            before = new[k - 1] if in_place else now[k - 1]
            new.append(now[k] + step * (m.b + m.gamma * m.Y * before - m.X * now[k]))
        now = new


def in_place_matrix(problem: Problem, alpha: Any, K: int) -> fmpq_mat:
    """(I − αL)⁻¹(I − αN), which maps the joint error of an in-place sweep."""
    M, _ = exact_joint(problem, K)
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


def _targets(m: ExactMoments, alpha: Any, T: int, K: int, first: fmpq_mat, *, cold: fmpq_mat | None) -> list[fmpq_mat]:
    _check_count(K, "K")
    heads = [first]
    for _ in range(K):
        begin = heads[-1] if cold is None else cold
        heads.append(_after(richardson(m.X, m.gamma * m.Y * heads[-1] + m.b, alpha, begin), T))
    return heads


def _after(iterates: Iterator[fmpq_mat], T: int) -> fmpq_mat:
    _check_count(T, "T")
    return next(islice(iterates, T, None))


def _check_count(n: int, name: str) -> None:
    if n < 0:
        raise InvalidProblem(f"must be 0 or more, got {n}", name)
