r"""A learner's error as a finite Markov chain of affine maps, in coordinates that hold nothing which never moves.

`theory.learners.affine` gives z ← A_m z + c_m at each move m. What predicts is Φθ alone, and updates lie in the span of
the features, so with a basis B of the rows of Φ (of the pairs' features, for action values) the coordinates

    x = Tz − c,      T = Φ_B for each parameter vector,      c = v_π at B for vectors that predict values, 0 for w

see all that matters: T A_m = (T A_m T⁺) T, which is checked. Where features are dependent, z has directions that no
move changes and a spurious eigenvalue 1; x has none. With the constant last, y = (x, 1),

    y ← M_m y,     M_m = [T A_m T⁺,  T A_m T⁺c + T c_m − c;  0, 1],      prediction − v_π = E_i y at node i.

The start is z₀ = σ·start·ξ with independent standard normals ξ, so x₀ = σ·(T start)ξ − c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq_mat

from theory.exact.matrices import fractions, independent_columns, matrix, pseudo_inverse
from theory.learners.affine import Affine, affine
from theory.learners.rule import Rule
from theory.learners.transition import View
from theory.model.linear_model import exact_model
from theory.model.points import target_values, true_values
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, one_kind
from theory.problems.sampling import sampled


@dataclass(frozen=True, eq=False)
class ErrorChain:
    """Moves (m,) between nodes (N,), each with its map of y = (x, 1) in D + 1 numbers."""

    node: Array  # (m,)
    next_node: Array  # (m,)
    probability: Array  # (m,), given the node
    maps: Array  # (m, D + 1, D + 1)
    first: Array  # (N,), law of the node before the first move
    law: Array  # (N,), in the long run
    spread: Array  # (D, drawn): x₀ = σ·spread·ξ − centre
    centre: Array  # (D,)
    read: Array  # (N, S, D + 1), the errors of the states from y
    d_mu: Array  # (S,)

    @property
    def size(self) -> int:
        """D."""
        return len(self.centre)

    @property
    def is_exact(self) -> bool:
        return self.maps.dtype == object

    def in_floats(self) -> ErrorChain:
        """The same in doubles."""
        numbers = {name: x.astype(np.float64) for name, x in vars(self).items() if x.dtype == object}
        return replace(self, **numbers)

    def start(self, scale: Any = 100) -> Array:
        """(N, D + 1, D + 1): E[y yᵀ 1{node}] before the first move."""
        D = self.size
        if self.is_exact:
            scale = Fraction(scale)
        y = np.concatenate([-self.centre, self.maps[0, -1:, -1]])
        one = np.multiply.outer(y, y)
        one[:D, :D] = one[:D, :D] + scale**2 * (self.spread @ self.spread.T)
        return self.first[:, None, None] * one

    def weights(self, weighting: str = "uniform") -> Array:
        """(S,): how the squared errors of the states count, "uniform" or "d_mu"."""
        if weighting not in ("uniform", "d_mu"):
            raise InvalidProblem(f"must be uniform or d_mu, got {weighting!r}", "weighting")
        S = len(self.d_mu)
        return self.d_mu if weighting == "d_mu" else np.full(S, Fraction(1, S) if self.is_exact else 1 / S)

    def form(self, weighting: str = "uniform") -> Array:
        """(N, D + 1, D + 1): the weighted squared error at node i is yᵀ form[i] y."""
        return self.read.swapaxes(1, 2) @ (self.weights(weighting)[:, None] * self.read)


class Frame:
    """Between the parameters z and the coordinates x = to @ z − centre; back is a right inverse of `to`."""

    def __init__(self, found: Affine) -> None:
        view, exact = found.view, found.view.Phi.dtype == object
        features, truth = _valued(view)
        whole = matrix(features)
        self.chosen = chosen = independent_columns(whole.transpose())
        if not chosen:
            raise InvalidProblem("all features are zero: there is nothing to learn", "Phi")
        basis = features[chosen]
        inverse = (
            fractions(pseudo_inverse(matrix(basis))).reshape(basis.shape[::-1]) if exact else np.linalg.pinv(basis)
        )
        blocks = found.size // view.n_features
        self.block = len(chosen)
        self.to = _repeat(basis, blocks)
        self.back = _repeat(inverse, blocks)
        self.spread = self.to @ found.start
        drawn = [bool(np.any(rows != 0)) for rows in np.split(self.spread, blocks)]
        self.centre = np.concatenate([truth[chosen] if d else 0 * truth[chosen] for d in drawn])

    def inside(self, A: Array) -> Array:
        """to A back, the same map on x."""
        if A.dtype == object:
            to, back = self._flint
            moved_exactly = to * matrix(A)
            inside = moved_exactly * back
            leaves, found = inside * to != moved_exactly, fractions(inside).reshape(len(self.to), -1)
        else:
            moved = self.to @ A
            found = moved @ self.back
            leaves = np.abs(found @ self.to - moved).max() > 1e-9 * (1 + np.abs(moved).max())
        if leaves:
            raise InvalidProblem("the update leaves the span of the features", "learner")
        return found

    @cached_property
    def _flint(self) -> tuple[fmpq_mat, fmpq_mat]:
        return matrix(self.to), matrix(self.back)


def error_chain(rule: Rule, problem: Problem, *, exact: bool | None = None) -> ErrorChain:
    """The chain of a rule that closes; exact where the problem is, unless told otherwise."""
    found = affine(rule, problem, exact=exact)
    return chain_of(found, Frame(found))


def chain_of(found: Affine, frame: Frame) -> ErrorChain:
    """The maps of a learner in the coordinates of a frame."""
    problem, is_exact = found.view.problem, found.view.Phi.dtype == object
    D = len(frame.centre)
    one = Fraction(1) if is_exact else 1.0
    maps = np.full((len(found.moves), D + 1, D + 1), 0 * one, dtype=found.view.Phi.dtype)
    for M, move in zip(maps, found.moves, strict=True):
        M[:D, :D] = frame.inside(move.matrix)
        M[:D, D] = M[:D, :D] @ frame.centre + frame.to @ move.vector - frame.centre
        M[D, D] = one
    truth = _truth(problem, is_exact)
    read = np.full((len(found.nodes), len(truth), D + 1), 0 * one, dtype=maps.dtype)
    for i in range(len(found.nodes)):
        read[i, :, :D] = found.read(i) @ frame.back
        read[i, :, D] = read[i, :, :D] @ frame.centre - truth
    return ErrorChain(
        np.array([m.node for m in found.moves]),
        np.array([m.next_node for m in found.moves]),
        np.array([m.probability for m in found.moves], dtype=maps.dtype),
        maps,
        found.first,
        found.law,
        frame.spread,
        frame.centre,
        read,
        problem.exact.d_mu if is_exact else problem.d_mu,
    )


def _truth(problem: Problem, exact: bool) -> Array:
    return fractions(true_values(exact_model(problem))).reshape(-1) if exact else target_values(problem)


def _valued(view: View) -> tuple[Array, Array]:
    """Features and true values of all that is valued: the states, or the pairs (s, a)."""
    exact = view.Phi.dtype == object
    v = _truth(view.problem, exact)
    if not view.action_values:
        return view.Phi, v
    mdp, _, _ = sampled(view.problem)
    P, R = one_kind(mdp.going_on, mdp.expected_rewards())
    gamma = view.problem.exact.gamma if exact else view.problem.gamma
    if not exact:
        P, R = P.astype(np.float64), R.astype(np.float64)
    return view.pairs.reshape(-1, view.n_features), (R + gamma * (P @ v)).ravel()


def _repeat(block: Array, times: int) -> Array:
    """A block diagonal matrix."""
    rows, columns = block.shape
    out = np.full((times * rows, times * columns), 0 * block.flat[0], dtype=block.dtype)
    for i in range(times):
        out[i * rows : (i + 1) * rows, i * columns : (i + 1) * columns] = block
    return out
