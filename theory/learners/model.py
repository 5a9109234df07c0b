r"""What expected updates are made of: a problem's quantities and moments, all floats or all exact.

The moments X, Y, A, b, A_μ, b_μ come from `theory.model`; this module only lets one formula serve both kinds of
numbers. Action values are state values of the chain of pairs (s, a),

    d(s, a) = d_μ(s) μ(a|s),    P_π[(s, a), (s', a')] = P(s'|s, a) π(a'|s'),    r(s, a) = R̄(s, a),

so `pair_problem` turns one into the other, and a chain on action values has the moments of that problem.
Pairs that the behaviour never takes are left out; by coverage the target never takes them either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from theory.exact.matrices import fractions, matrix
from theory.learners.transition import View
from theory.model.linear_model import LinearModel, exact_moments, moments
from theory.problems import Problem
from theory.problems.numbers import Array, as_exact, one_kind
from theory.problems.problem import Quantities
from theory.problems.sampling import sampled


class Moments(NamedTuple):
    """The matrices of expected updates."""

    X: Array  # (F, F)
    Y: Array  # (F, F)
    A: Array  # (F, F)
    b: Array  # (F,)


@dataclass(frozen=True, eq=False)
class Model:
    """A problem in one kind of numbers; with `action_values`, of its pairs (s, a)."""

    problem: Problem
    exact: bool = False
    action_values: bool = False

    @cached_property
    def chain(self) -> Problem:
        """The problem whose states are what is valued: states, or pairs."""
        return pair_problem(self.problem) if self.action_values else self.problem

    @cached_property
    def q(self) -> Quantities:
        """γ, Φ, P_π, r_π, d_μ, P_μ, r_μ."""
        return self.chain.exact if self.exact else self.chain.floats

    @cached_property
    def linear(self) -> LinearModel:
        """X, Y, A and b, in FLINT's matrices where they are exact."""
        return exact_moments(self.chain) if self.exact else moments(self.chain)

    @cached_property
    def moments(self) -> Moments:
        """X, Y, A and b."""
        m, F = self.linear, self.chain.n_features
        X, Y, A = (self._array(M, F, F) for M in (m.X, m.Y, m.A))
        return Moments(X, Y, A, self._array(m.b, F))

    @cached_property
    def behaviour(self) -> tuple[Array, Array]:
        """A_μ and b_μ, which only a problem with a behaviour chain has."""
        m, F = self.linear.behaviour, self.chain.n_features
        return self._array(m.A, F, F), self._array(m.b, F)

    def _array(self, M: Any, *shape: int) -> Array:
        return fractions(M).reshape(shape) if self.exact else M

    @cached_property
    def policies(self) -> tuple[Array, Array, Array, Array]:
        """P (S, A, S) with γ(s') in it, R̄ (S, A), π and μ (S, A) of the MDP."""
        mdp, *policies = sampled(self.problem)
        parts = (mdp.going_on, mdp.expected_rewards(), *policies)
        P, R, pi, mu = (as_exact(x) if self.exact else x.astype(np.float64) for x in parts)
        return P, R, pi, mu


def pair_problem(problem: Problem) -> Problem:
    """The problem of valuing pairs (s, a) with the features φ(s) ⊗ 1_a."""
    view = View(problem, action_values=True)
    mdp, pi, mu = sampled(problem)
    s, a = taken_pairs(mu)
    P, R, pi, mu, d = one_kind(mdp.going_on, mdp.expected_rewards(), pi, mu, problem.given.d_mu)
    reach = P[s, a][:, s]  # P(s'|s, a) for each pair and each pair's state
    reward = R[s, a]
    return Problem.from_matrices(
        problem.given.gamma,
        Phi=view.pairs[s, a],
        P_pi=reach * pi[s, a],
        P_mu=reach * mu[s, a],
        d_mu=d[s] * mu[s, a],
        r_pi=reward,
        r_mu=reward,
        name=f"{problem.name}, action values",
        episodic=True,
    )


def taken_pairs(mu: Array) -> tuple[Array, Array]:
    """States and actions of the pairs that the behaviour takes, in order of state, then action."""
    s, a = np.nonzero(np.asarray(mu > 0, dtype=bool))
    return s, a


def solve(matrix_: Array, right: Array) -> Array:
    """matrix⁻¹ right, exactly where both are exact."""
    if matrix_.dtype == object:
        return fractions(matrix(matrix_).solve(matrix(right))).reshape(right.shape)
    return np.linalg.solve(matrix_, right)


def eye(like: Array) -> Array:
    """The unit matrix in the kind of numbers of the square matrix `like`."""
    unit = np.eye(len(like))
    return as_exact(unit) if like.dtype == object else unit
