r"""Where off-policy TD and on-policy TD of the behaviour come to rest.

    θ_π = A⁻¹b        θ_μ = A_μ⁻¹b_μ

Solved in the coordinates of `feature_basis`, A θ = b is

    (I − B) c = WᵀDr ,        v = Wc ,        Rθ = c

so a singular X never enters: where the features are dependent (Baird) the *values* are still unique
and θ is the shortest of the parameters that give them. If I − B itself is singular, A has a zero
eigenvalue that is no artefact of the features (Twostate at γ = 5/6, where A = 0): then there are
many solutions or none, `exists` and `unique` say which, and the least-squares one is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.linear.basis import Basis, check_finite, feature_basis
from theory.linear.moments import unknown_behaviour
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A solution of A θ = b, with what was done about singular matrices."""

    theta: FloatArray  # (F,)
    values: FloatArray  # (S,)
    exists: bool  # does A θ = b have a solution?
    unique: bool  # is this θ the only one?
    unique_values: bool  # are these values the only ones?
    note: str  # empty when all is regular


def td_fixed_point(problem: Problem) -> FixedPoint:
    """θ_π, where off-policy TD would like to go (prop-2).

    >>> tt = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> td_fixed_point(tt).note
    'A is singular and A θ = b has no solution; shown is the least-squares θ'
    """
    return solve_in_values(feature_basis(problem), problem.gamma * problem.P_pi, problem.r_pi, "A")


def behaviour_fixed_point(problem: Problem) -> FixedPoint:
    """θ_μ, where the chain starts: the fixed point of TD without correction."""
    if problem.P_mu is None:
        raise unknown_behaviour("theta_mu", "P_mu")
    if problem.r_mu is None:
        raise unknown_behaviour("theta_mu", "r_mu")
    return solve_in_values(feature_basis(problem), problem.gamma * problem.P_mu, problem.r_mu, "A_mu")


def solve_in_values(basis: Basis, discounted: FloatArray, reward: FloatArray, letter: str) -> FixedPoint:
    """v = Π(r + Gv) for G = γP, γⁿPⁿ, …, with parameters; `letter` names the key matrix in the note."""
    with np.errstate(over="ignore", invalid="ignore"):
        g = check_finite(basis.dual @ reward, "the moments of the rewards", "r_pi")
        return _solve(basis, basis.compress(discounted), g, letter)


def _solve(basis: Basis, B: FloatArray, g: FloatArray, letter: str) -> FixedPoint:
    r, F = basis.rank, basis.R.shape[1]
    E = np.eye(r) - B
    U, sigma, Vt = np.linalg.svd(E)
    # I − B is computed to eps·max(1, ‖B‖) per entry; what is below that times r is zero.
    size = max(1.0, float(np.abs(B).max(initial=0.0)))
    solid = int(np.sum(sigma > r * np.finfo(float).eps * size)) if r else 0
    c: Array
    if solid == r:
        c, exists = np.linalg.solve(E, g), True
    else:
        c = Vt[:solid].T @ ((U[:, :solid].T @ g) / sigma[:solid])
        rest = np.linalg.norm(U[:, solid:].T @ g)
        exists = bool(rest <= 8 * r * np.finfo(float).eps * max(np.linalg.norm(g), size * np.linalg.norm(c)))
    notes = []
    if not basis.full_rank:
        which = f"the features have rank {r} of {F}, so X and {letter} are singular"
        notes.append(f"{which}; θ is the shortest with these values")
    if solid < r:
        many = "many solutions; shown is one of them" if exists else "no solution; shown is the least-squares θ"
        notes.append(f"{letter} is singular and {letter} θ = b has {many}")
    regular = solid == r
    c = np.asarray(c, dtype=np.float64)
    values = check_finite(basis.values(c), "the values", "r_pi")
    return FixedPoint(basis.theta(c), values, exists, regular and basis.full_rank, regular, "; ".join(notes))
