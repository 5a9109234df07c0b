r"""Where the expected updates rest: θ_π, θ_μ and what they predict, in rational arithmetic.

    off-policy TD   Aθ_π = b          on-policy TD of μ   A_μθ_μ = b_μ

**Singular systems.** The row space of A lies in that of Φ, so with r = rank Φ three things can happen.

- rank A = F: θ is unique.
- rank A = r < F, as with Baird's 8 features of 7 states: many θ, all with the same values Φθ. We take the θ of
  least norm, A⁺b; it lies in the row space of Φ, where the chain's fixed points lie too.
- rank A < r: A is singular beyond that. If b is in the range of A, many θ with different values solve Aθ = b;
  if it is not, there is no TD fixed point. Both happen only on a threshold, and both are results, not errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import matrix
from theory.exact.moments import ExactMoments, exact_moments
from theory.exact.solve import least_norm_solution
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_array, as_exact
from theory.problems.validate import check_shape
from theory.text.numbers import rank_note


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A solution of a linear system for θ: the one of least norm, what it predicts, and whether it is the only one."""

    theta: fmpq_mat | None  # (F, 1); None where there is no solution
    values: fmpq_mat | None  # (S, 1), Φθ
    unique: bool  # is θ the only solution?
    unique_values: bool  # do all solutions predict the same values?
    note: str | None = None  # what is unusual, in words


def td_fixed_point(problem: Problem) -> FixedPoint:
    """θ_π, where off-policy TD rests.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> td_fixed_point(twostate).theta
    [3/2]
    >>> print(td_fixed_point(twostate.with_gamma("5/6")).note)
    no TD fixed point: b is not in the range of A
    """
    m = exact_moments(problem)
    return fixed_point(problem, m.A, m.b, "A", "b")


def behaviour_fixed_point(problem: Problem) -> FixedPoint:
    """θ_μ, where on-policy TD of the behaviour rests: the chain's usual start."""
    A_mu, b_mu = behaviour_moments(exact_moments(problem))
    return fixed_point(problem, A_mu, b_mu, "A_mu", "b_mu")


def fixed_point(problem: Problem, M: fmpq_mat, b: fmpq_mat, M_name: str, b_name: str) -> FixedPoint:
    """The least-norm θ with Mθ = b and what it predicts; the row space of M must lie in that of Φ."""
    Phi = matrix(problem.exact.Phi)
    F, rank, r = problem.n_features, M.rank(), Phi.rank()
    theta = least_norm_solution(M, b)
    if theta is None:
        return FixedPoint(None, None, False, False, f"no TD fixed point: {b_name} is not in the range of {M_name}")
    note = None
    if rank < r:
        note = f"{M_name} is singular (rank {rank} on {r} independent features): θ of least norm, values not unique"
    elif rank < F:
        note = rank_note(F, r)
    return FixedPoint(theta, Phi * theta, rank == F, rank == r, note)


def starting_point(problem: Problem, start: str | Sequence[Any] | fmpq_mat) -> fmpq_mat:
    """θ⁰ of a chain: ``"zero"``, ``"behaviour"`` for θ_μ, or F numbers."""
    if isinstance(start, fmpq_mat):
        return start
    if not isinstance(start, str):
        theta = as_array(start, 1, "start")
        check_shape(theta, (problem.n_features,), "features", "start")
        return matrix(as_exact(theta))
    if start == "zero":
        return fmpq_mat(problem.n_features, 1)
    if start == "behaviour":
        found = behaviour_fixed_point(problem)
        if found.theta is None:
            raise InvalidProblem(f"the behaviour has {found.note}", "start")
        return found.theta
    raise InvalidProblem(f"expected 'zero', 'behaviour' or a list of numbers, got {start!r}", "start")


def behaviour_moments(m: ExactMoments) -> tuple[fmpq_mat, fmpq_mat]:
    """A_μ and b_μ, or the error that they are unknown."""
    if m.A_mu is None or m.b_mu is None:
        missing = "P_mu" if m.A_mu is None else "r_mu"
        raise InvalidProblem("θ_μ needs the behaviour's own transitions and rewards", missing)
    return m.A_mu, m.b_mu
