"""The matrices of a problem in rational arithmetic: the exact twin of `theory.linear.moments`.

The letters and the sign convention are those of that module. Of a problem given in floats these are
the moments of the rationals that its doubles denote: exact for the numbers as given.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from theory.exact.matrices import (
    block_bidiagonal,
    columns,
    identity,
    independent_columns,
    matrix,
    rational,
    scaled_rows,
)
from theory.problems import InvalidProblem, Problem
from theory.problems.once import once


@dataclass(frozen=True, eq=False)
class ExactMoments:
    """X, Y, A, b, and A_mu, b_mu where known, as FLINT matrices (vectors are columns)."""

    gamma: fmpq
    X: fmpq_mat  # (F, F)
    Y: fmpq_mat  # (F, F)
    A: fmpq_mat  # (F, F)
    b: fmpq_mat  # (F, 1)
    A_mu: fmpq_mat | None  # (F, F)
    b_mu: fmpq_mat | None  # (F, 1)


@once
def exact_moments(problem: Problem) -> ExactMoments:
    """All moments of a problem, exactly.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> exact_moments(twostate).A
    [-47/100]
    """
    e = problem.exact
    gamma = rational(e.gamma)
    Phi, d = matrix(e.Phi), [rational(x) for x in e.d_mu]
    PhiD = scaled_rows(d, Phi).transpose()
    X, Y = PhiD * Phi, PhiD * (matrix(e.P_pi) * Phi)
    A_mu = None if e.P_mu is None else X - gamma * (PhiD * (matrix(e.P_mu) * Phi))
    b_mu = None if e.r_mu is None else PhiD * matrix(e.r_mu)
    return ExactMoments(gamma, X, Y, X - gamma * Y, PhiD * matrix(e.r_pi), A_mu, b_mu)


def exact_projection(problem: Problem) -> fmpq_mat:
    """Π = ΦX⁺ΦᵀD onto span Φ, also where X is singular: dependent columns of Φ are left out."""
    Phi = matrix(problem.exact.Phi)
    basis = columns(Phi, independent_columns(Phi))
    if basis.ncols() == 0:
        return fmpq_mat(Phi.nrows(), Phi.nrows())
    PhiD = scaled_rows([rational(x) for x in problem.exact.d_mu], basis).transpose()
    return basis * (PhiD * basis).solve(PhiD)


def exact_rank(problem: Problem) -> int:
    """Rank of Φ."""
    return int(matrix(problem.given.Phi).rank())


def exact_joint(problem: Problem, K: int) -> tuple[fmpq_mat, fmpq_mat]:
    """M and b† of the heads 0..K."""
    m = exact_moments(problem)
    if K < 0:
        raise InvalidProblem(f"the chain's last head must be 0 or more, got {K}", "K")
    if m.A_mu is None or m.b_mu is None:
        raise InvalidProblem("the joint matrix needs the behaviour's own chain and rewards", "P_mu")
    M = block_bidiagonal([m.A_mu] + [m.X] * K, -m.gamma * m.Y)
    stacked = m.b_mu.entries() + m.b.entries() * K
    return M, fmpq_mat(len(stacked), 1, stacked)


def true_values(problem: Problem) -> tuple[fmpq_mat, fmpq_mat | None]:
    """v_π = (I − γP_π)⁻¹r_π and, where the behaviour's chain is known, v_μ."""
    e, one = problem.exact, identity(problem.n_states)
    gamma = rational(e.gamma)
    v_pi = (one - gamma * matrix(e.P_pi)).solve(matrix(e.r_pi))
    if e.P_mu is None or e.r_mu is None:
        return v_pi, None
    return v_pi, (one - gamma * matrix(e.P_mu)).solve(matrix(e.r_mu))
