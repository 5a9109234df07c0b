r"""The chain θ⁰, θ¹, θ², … of fixed points (eq-recursion, eq-closed-form).

With B = γX⁻¹Y and c = X⁻¹b:

    recursion      θᵏ = X⁻¹(γYθᵏ⁻¹ + b)
    closed form    θᵏ = Σ_{i<k} Bⁱc + Bᵏθ⁰          (for large k in integers: `theory.exact.affine_powers`)

Where X is singular (dependent features) X⁻¹ becomes X⁺. Then vᵏ = Φθᵏ = Π(r + γPvᵏ⁻¹) as before, and θᵏ is
the parameter vector of least norm with these values.

The *k-step expedition* acts with π for k steps and with μ ever after: v⁰ = v_μ and vᵏ = r_π + γP_πvᵏ⁻¹. Where
Π = I the chain that starts at θ_μ predicts it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq_mat

from theory.exact.affine_powers import Progress, exact_iterate, exact_seconds
from theory.exact.fixed_points import FixedPoint, starting_point, td_fixed_point
from theory.exact.matrices import entry_length, identity, matrix, rational
from theory.exact.moments import exact_joint, exact_moments, true_values
from theory.exact.solve import geometric_sum, least_norm_solution
from theory.problems import InvalidProblem, Problem
from theory.text.numbers import rank_note

Start = str | Sequence[Any] | fmpq_mat


@dataclass(frozen=True, eq=False)
class ChainHead:
    """θᵏ with what it predicts, and its distance from where the chain should go."""

    k: int
    theta: fmpq_mat  # (F, 1)
    values: fmpq_mat  # (S, 1), Φθᵏ
    bias: fmpq_mat | None  # (F, 1), θᵏ − θ_π; None where there is no θ_π
    error: fmpq_mat  # (S, 1), Φθᵏ − v_π
    note: str | None  # about θ_π, where it is not unique or does not exist


def chain_step(problem: Problem) -> tuple[fmpq_mat, fmpq_mat]:
    """B = γX⁺Y and c = X⁺b, so that θᵏ = Bθᵏ⁻¹ + c."""
    m = exact_moments(problem)
    return affine_step(m.X, m.gamma * m.Y, m.b)


def affine_step(X: fmpq_mat, gammaY: fmpq_mat, b: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
    """X⁺γY and X⁺b; both right sides are in the range of X, which is that of Φᵀ."""
    joined = fmpq_mat([left + right for left, right in zip(gammaY.tolist(), b.tolist(), strict=True)])
    solution = least_norm_solution(X, joined)
    assert solution is not None  # range Y and b lie in range Φᵀ = range X, because D > 0
    F = X.nrows()
    return fmpq_mat([row[:F] for row in solution.tolist()]), fmpq_mat([row[F:] for row in solution.tolist()])


def chain_heads(problem: Problem, K: int, start: Start = "zero") -> list[fmpq_mat]:
    """θ⁰, …, θᴷ, one after the other."""
    _check_k(K)
    B, c = chain_step(problem)
    heads = [starting_point(problem, start)]
    for _ in range(K):
        heads.append(B * heads[-1] + c)
    return heads


def chain_by_closed_form(problem: Problem, k: int, start: Start = "zero") -> fmpq_mat:
    """θᵏ = Σ_{i<k} Bⁱc + Bᵏθ⁰, with the sum and the power by repeated doubling.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.5", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> chain_by_closed_form(twostate, 2)
    [24/25]
    """
    _check_k(k)
    B, c = chain_step(problem)
    B_k, W_k = geometric_sum(B, k)
    return W_k * c + B_k * starting_point(problem, start)


def chain_head(problem: Problem, k: int, start: Start = "zero", progress: Progress | None = None) -> ChainHead:
    """θᵏ, its values, and its bias against θ_π and the true v_π; k may be large (`theory.exact.affine_powers`)."""
    _check_k(k)
    F, Phi = problem.n_features, matrix(problem.exact.Phi)
    seen = fmpq_mat(identity(F).tolist() + Phi.tolist())
    found = exact_iterate(*chain_step(problem), starting_point(problem, start), k, seen, progress).entries()
    theta, values = fmpq_mat(F, 1, found[:F]), fmpq_mat(problem.n_states, 1, found[F:])
    target = td_fixed_point(problem)
    bias = None if target.theta is None else theta - target.theta
    return ChainHead(k, theta, values, bias, values - true_values(problem)[0], target.note)


def head_seconds(problem: Problem, k: int) -> float:
    """About how long `chain_head` takes."""
    _check_k(k)
    m = exact_moments(problem)
    solving = 1e-9 * problem.n_features**4 * entry_length(m.X, m.gamma * m.Y, m.b)
    return solving if solving > 60 else solving + exact_seconds(*chain_step(problem), k, problem.n_states)


def joint_solution(problem: Problem, K: int) -> FixedPoint:
    """M⁻¹b† of the heads 0..K at once (prop-6): the stacked θ⁰ = θ_μ, θ¹, …, θᴷ, ((K+1)F, 1).

    `values` stacks the heads' values. Where M is singular the solution is the one of least norm.
    """
    M, b = exact_joint(problem, K)
    theta = least_norm_solution(M, b)
    F, Phi = problem.n_features, matrix(problem.exact.Phi)
    if theta is None:
        return FixedPoint(None, None, False, False, "no joint fixed point: b† is not in the range of M")
    flat = theta.entries()
    values = [v for k in range(K + 1) for v in (Phi * fmpq_mat(F, 1, flat[k * F : (k + 1) * F])).entries()]
    rank, r = M.rank(), Phi.rank() * (K + 1)
    note = None
    if rank < r:
        note = f"M is singular (rank {rank} on {r} independent features): θ of least norm, values not unique"
    elif rank < M.nrows():
        note = rank_note(F, Phi.rank())
    return FixedPoint(theta, fmpq_mat(len(values), 1, values), rank == M.nrows(), rank == r, note)


def expedition_values(problem: Problem, k: int) -> fmpq_mat:
    """The k-step expedition's values: π for k steps, then μ for ever."""
    _check_k(k)
    e = problem.exact
    values = true_values(problem)[1]
    if values is None:
        raise InvalidProblem("an expedition ends with μ: it needs the behaviour's own transitions and rewards", "P_mu")
    gammaP, r = rational(e.gamma) * matrix(e.P_pi), matrix(e.r_pi)
    for _ in range(k):
        values = r + gammaP * values
    return values


def _check_k(k: int) -> None:
    if k < 0:
        raise InvalidProblem(f"a chain's index must be 0 or more, got {k}", "k")
