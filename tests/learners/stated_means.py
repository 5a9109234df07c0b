r"""The means of learners written out as formulas, to compare with the means of their updates over all moves.

`Model` has a problem's quantities and moments in one kind of numbers, all floats or all exact. Action values are state
values of the chain of pairs (s, a),

    d(s, a) = d_μ(s) μ(a|s),    P_π[(s, a), (s', a')] = P(s'|s, a) π(a'|s'),    r(s, a) = R̄(s, a),

so `pair_problem` turns one into the other. Pairs that the behaviour never takes are left out; by coverage the target
never takes them either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from theory.exact.matrices import fraction, fractions, matrix
from theory.learners.affine import Affine, Move
from theory.learners.concurrent import ConcurrentChain
from theory.learners.corrected import ChainedExpectedSarsa, ChainedQ, ChainedRetrace, ChainedVTrace
from theory.learners.traces import ETD, TDLambda
from theory.learners.transition import Transition, View
from theory.model.linear_model import LinearModel, exact_moments, moments
from theory.problems import Problem
from theory.problems.numbers import Array, as_exact, one_kind
from theory.problems.problem import Quantities
from theory.problems.sampling import enumerate_transitions, sampled


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


def head_step(heads: Array, k: int, model: Model) -> Array:
    """b_μ − A_μθ⁰ for head 0, b + γYθᵏ⁻¹ − Xθᵏ for head k ≥ 1."""
    if k == 0:
        A_mu, b_mu = model.behaviour
        return b_mu - A_mu @ heads[0]
    m = model.moments
    return m.b + model.q.gamma * (m.Y @ heads[k - 1]) - m.X @ heads[k]


def chain_mean(rule: ConcurrentChain, heads: Array, model: Model) -> Array:
    """All heads of a chain whose heads move simultaneously."""
    steps = [head_step(heads, k, model) for k in range(rule.K + 1)]
    return heads + rule.alpha * np.array(steps, dtype=heads.dtype)


def follow_on(model: Model) -> Array:
    """F̄ = (I − γP_πᵀ)⁻¹d."""
    return solve(_resolvent(model, 1), model.q.d_mu)


def trace_past(rule: TDLambda, model: Model) -> Array:
    """Z = (I − γλP_πᵀ)⁻¹ diag(m) Φ, m = λd + (1 − λ)F̄ of emphatic TD and d of TD(λ)."""
    d, emphasis = model.q.d_mu, rule.lambda_
    m = emphasis * d + (1 - emphasis) * follow_on(model) if isinstance(rule, ETD) else d
    return solve(_resolvent(model, emphasis), m[:, None] * model.q.Phi)


def trace_key_matrix(rule: TDLambda, model: Model) -> Array:
    """A = Zᵀ(I − γP_π)Φ."""
    q = model.q
    return trace_past(rule, model).T @ (q.Phi - q.gamma * (q.P_pi @ q.Phi))


def trace_mean(rule: TDLambda, theta: Array, model: Model) -> Array:
    """θ over stationary histories."""
    b = trace_past(rule, model).T @ model.q.r_pi
    return theta + rule.alpha * (b - trace_key_matrix(rule, model) @ theta)


def corrected_past(rule: ChainedExpectedSarsa, model: Model) -> Array:
    """Z = (I − γP_cᵀ)⁻¹DΦ: row s is d(s)·E[e | s]."""
    q = model.q
    carried = _carried(rule, model)
    return solve(eye(carried) - q.gamma * carried.T, q.d_mu[:, None] * q.Phi)


def corrected_mean(rule: ChainedExpectedSarsa, heads: Array, model: Model) -> Array:
    """All heads over stationary histories: X(θᵏ⁻¹ − θᵏ) + Zᵀ(r_w + γP_wΦθᵏ⁻¹ − D_wΦθᵏ⁻¹)."""
    q, (A_mu, b_mu), X = model.q, model.behaviour, model.moments.X
    P_w, r_w, total = q.P_pi, q.r_pi, 0 * q.d_mu + 1
    if isinstance(rule, ChainedVTrace):
        P_w, r_w, total = _cut(model, rule.rho_bar)
    values = heads @ q.Phi.T  # (K + 1, states)
    correction = (r_w + q.gamma * (values @ P_w.T) - values * total) @ corrected_past(rule, model)
    rest = [(heads[k - 1] - heads[k]) @ X + correction[k - 1] for k in range(1, rule.K + 1)]
    return heads + rule.alpha * np.array([b_mu - A_mu @ heads[0], *rest], dtype=heads.dtype)


def _carried(rule: ChainedExpectedSarsa, model: Model) -> Array:
    """P_c, the transitions weighted by the trace that is carried along them."""
    if isinstance(rule, ChainedVTrace):
        return rule.lambda_ * _cut(model, rule.c_bar)[0]
    if isinstance(rule, ChainedRetrace):
        _, _, pi, mu = model.policies
        s, a = taken_pairs(mu)
        cut = np.array([min(1, x) for x in pi[s, a] / mu[s, a]], dtype=mu.dtype)
        return rule.lambda_ * model.q.P_mu * cut
    return rule.lambda_ * model.q.P_mu if isinstance(rule, ChainedQ) else 0 * model.q.P_pi


def _cut(model: Model, bar: Any) -> tuple[Array, Array, Array]:
    """P_w, r_w and the diagonal of D_w for w = min(bar, ρ)."""
    P, R, pi, mu = model.policies
    # μ·min(bar, π/μ) without dividing by μ = 0
    flat = [min(bar * m, p) if m else 0 * p for p, m in zip(pi.ravel(), mu.ravel(), strict=True)]
    weight = np.array(flat, dtype=pi.dtype).reshape(pi.shape)
    P_w = sum((weight[:, a, None] * P[:, a] for a in range(P.shape[1])), start=0 * P[:, 0])
    return P_w, (weight * R).sum(axis=1), weight.sum(axis=1)


def _resolvent(model: Model, lambda_: Any) -> Array:
    """I − γλP_πᵀ."""
    q = model.q
    exact_lambda = Fraction(lambda_) if model.exact else lambda_
    return eye(q.P_pi) - q.gamma * exact_lambda * q.P_pi.T


def all_transitions(view: View) -> Iterator[tuple[int, int, int, int, Any, Transition]]:
    """Every (s, a, s', a', probability, transition), a' being what the behaviour does next (0 for state values)."""
    mu = view.problem.mu
    assert mu is not None  # a View has an MDP behind it
    for s, a, t, probability, reward, ratio, discount in enumerate_transitions(view.problem):
        if not view.action_values:
            yield s, a, t, 0, probability, view.see(s, a, t, reward, ratio, discount)
            continue
        for b in np.nonzero(mu[t] > 0)[0].tolist():
            yield s, a, t, b, probability * mu[t, b], view.see(s, a, t, reward, ratio, discount, b)


def matrix_and_vector(move: Move) -> tuple[Array, Array]:
    """Of the map z ← matrix z + vector of a move at one setting."""
    part = move.parts[0, 0]
    part = np.asarray(_exactly(part), dtype=object) if part.dtype == object else part
    return part[:, :-1], part[:, -1]


def mean_map(found: Affine) -> tuple[Array, Array]:
    """The same of the mean in the long run, where the node is independent of z."""
    weights = [found.law[move.node] * move.probability for move in found.moves]
    maps = [matrix_and_vector(move) for move in found.moves]
    total = [sum((w * part for w, part in zip(weights, parts, strict=True)), start=0 * parts[0])
             for parts in zip(*maps, strict=True)]  # fmt: skip
    return total[0], total[1]


_exactly = np.frompyfunc(fraction, 1, 1)
