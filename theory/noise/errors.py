r"""A learner's error as a finite Markov chain of affine maps, in coordinates that hold nothing which never moves.

`theory.learners.affine` gives z ← A_m z + c_m at each move m. What predicts is Φθ alone, and updates lie in the span of
the features, so with a basis B of the rows of Φ (of the pairs' features, for action values) the coordinates

    x = Tz − c,      T = Φ_B for each parameter vector,      c = v_π at B for vectors that predict values, 0 for w

see all that matters: T A_m = (T A_m T⁺) T, which is checked. Where features are dependent, z has directions that no
move changes and a spurious eigenvalue 1; x has none. With the constant last, y = (x, 1),

    y ← M_m y,     M_m = [T A_m T⁺,  T A_m T⁺c + T c_m − c;  0, 1],      prediction − v_π = E_i y at node i.

*At all step sizes* M_m = C_m + αA_m + βB_m: three matrices a move hold every setting (`step_maps`). A rule that is not
linear in its step sizes has its own setting alone (`error_chain`): one matrix a move.

The start is z₀ = σ·start·ξ with independent standard normals ξ, so x₀ = σ·(T start)ξ − c. Exact numbers are FLINT's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from flint import fmpq

from theory.exact.matrices import array, independent_columns, matrix, pseudo_inverse, rational
from theory.learners.affine import Affine, affine, node_key, rationals
from theory.learners.rule import Rule
from theory.learners.transition import Transition, View
from theory.model.linear_model import LinearModel, exact_model, value_model
from theory.model.points import target_values, true_values
from theory.problems import InvalidProblem, Problem
from theory.problems.graph import communicating_classes
from theory.problems.numbers import Array, FloatArray, one_kind
from theory.problems.sampling import sampled


@dataclass(frozen=True, eq=False)
class ErrorChain:
    """Moves (m,) between nodes (N,), each with its map of y = (x, 1) in D + 1 numbers."""

    node: Array  # (m,)
    next_node: Array  # (m,)
    probability: Array  # (m,), given the node
    parts: Array  # (3, m, D + 1, D + 1): C, A and B of each move; or (1, …), the maps at one setting
    first: Array  # (N,), law of the node before the first move
    law: Array  # (N,), in the long run
    spread: Array  # (D, drawn): x₀ = σ·spread·ξ − centre
    centre: Array  # (D,)
    read: Array  # (N, S, D + 1), the errors of the states from y
    d_mu: Array  # (S,)
    weights: Array  # (S,), how the squared errors of the states count
    labels: tuple[tuple[int, tuple[int, ...]], ...]  # (D,): parameter vector, and state or pair whose value it is
    nodes: tuple[tuple[Any, Any], ...]  # (N,): place and memory
    has_one_mean: bool  # or its updates take turns

    @property
    def size(self) -> int:
        """D."""
        return len(self.centre)

    @property
    def is_exact(self) -> bool:
        return self.parts.dtype == object

    @property
    def maps(self) -> Array:
        """(m, D + 1, D + 1), of a chain at one setting."""
        (found,) = self.parts
        return np.asarray(found)

    def at(self, alpha: Any, beta: Any = None) -> ErrorChain:
        """The chain at one setting; β is α unless given."""
        return replace(self, parts=self.mixed((alpha, alpha if beta is None else beta))[None])

    def mixed(self, sizes: Sequence[Any]) -> Array:
        """C + αA + βB of all moves."""
        if len(self.parts) == 1:
            return self.maps
        alpha, beta = (rational(x) if self.is_exact else float(x) for x in sizes)
        C, A, B = self.parts
        return np.asarray(C + alpha * A + beta * B)

    @cached_property
    def in_floats(self) -> ErrorChain:
        """The same in doubles."""
        if not self.is_exact:
            return self
        exact: dict[str, Any] = {n: x for n, x in vars(self).items() if getattr(x, "dtype", None) == np.dtype(object)}
        return replace(self, **{name: floats(x) for name, x in exact.items()})  # type: ignore[arg-type]

    @cached_property
    def is_driven(self) -> bool:
        """Does an error of 0 move, or read as another? In rationals this is exact."""
        return bool((self.parts[:, :, :-1, -1] != 0).any() or (self.read[:, :, -1] != 0).any())

    def start(self, scale: Any = 100) -> Array:
        """(N, D + 1, D + 1): E[y yᵀ 1{node}] before the first move."""
        D = self.size
        if self.is_exact:
            scale = rational(Fraction(scale))
        y = np.append(-self.centre, self._one)
        one = np.multiply.outer(y, y)
        one[:D, :D] = one[:D, :D] + scale**2 * (self.spread @ self.spread.T)
        return np.asarray(self.first[:, None, None] * one)

    def measured(self, weighting: str, problem: Problem) -> ErrorChain:
        """The same with squared errors that count "uniform" over states, as they do at first, by "d_mu", or as "pbe".

        The projected Bellman error of values v_π + e is Π(r + γPv − v) = −Π(I − γP)e, linear in e, and counts by d_mu.
        """
        if weighting not in ("uniform", "d_mu", "pbe"):
            raise InvalidProblem(f"must be uniform, d_mu or pbe, got {weighting!r}", "weighting")
        if weighting == "uniform":
            return self
        read = self.read if weighting == "d_mu" else _projected(problem, self.is_exact) @ self.read
        return replace(self, weights=self.d_mu, read=read)

    @property
    def form(self) -> Array:
        """(N, D + 1, D + 1): the weighted squared error at node i is yᵀ form[i] y."""
        return np.asarray(self.read.swapaxes(1, 2) @ (self.weights[:, None] * self.read))

    @property
    def _one(self) -> Any:
        return fmpq(1) if self.is_exact else 1.0

    def restricted(self, x: Sequence[int]) -> ErrorChain:
        """Some coordinates and the constant, as if the others stood still at 0."""
        own = [*x, self.size]
        return replace(
            self,
            parts=self.parts[:, :, own][:, :, :, own],
            spread=self.spread[list(x)],
            centre=self.centre[list(x)],
            read=self.read[:, :, own],
            labels=tuple(self.labels[a] for a in x),
        )

    def vector(self, which: int) -> ErrorChain:
        """One parameter vector's own maps."""
        return self.restricted([a for a, (vector, _) in enumerate(self.labels) if vector == which])

    def of_ratio(self, ratio: Fraction) -> ErrorChain:
        """β = ratio·α put in: C and A + ratio·B, and no B."""
        C, A, B = self.parts
        number = rational(ratio) if self.is_exact else float(ratio)
        return replace(self, parts=np.stack([C, A + number * B, 0 * B]))

    @property
    def averaged(self) -> ErrorChain:
        """The expected update: one node, one move."""
        if not self.has_one_mean:
            raise InvalidProblem("its updates take turns, and have no one mean", "learner")
        weights, zero, one = self.law[self.node] * self.probability, np.zeros(1, dtype=int), np.array([self._one])
        # The law of a problem in doubles sums to one up to rounding only; without a step all moves do the same.
        same = (self.parts[0] == self.parts[0][0]).all()
        means = [(weights[:, None, None] * part).sum(axis=0) for part in self.parts]
        means[0] = self.parts[0][0] if same else means[0]
        return replace(
            self,
            node=zero,
            next_node=zero,
            probability=one,
            parts=np.array(means)[:, None],
            first=one,
            law=one,
            read=self.read[:1],
            nodes=self.nodes[:1],
        )

    @cached_property
    def blocks(self) -> list[ErrorChain]:
        """The different diagonal blocks, in the finest order in which all maps are block triangular."""
        pattern = (self.parts[:, :, :-1, :-1] != 0).any(axis=(0, 1))
        found: dict[bytes, ErrorChain] = {}
        for members in communicating_classes(pattern.astype(bool)):
            own = self.restricted(sorted(members))
            found.setdefault(str(own.parts[:, :, :-1, :-1].tolist()).encode(), own)
        return list(found.values())


_floats = np.frompyfunc(lambda x: int(x.p) / int(x.q) if x else 0.0, 1, 1)


def floats(values: Array) -> FloatArray:
    """Doubles of FLINT's rationals, with one rounding each."""
    return np.asarray(_floats(values), dtype=np.float64)


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
        inverse = array(pseudo_inverse(matrix(basis))).reshape(basis.shape[::-1]) if exact else np.linalg.pinv(basis)
        blocks = found.size // view.n_features
        self.to = _repeat(basis, blocks)
        self.back = _repeat(inverse, blocks)
        self.spread = self.to @ (rationals(found.start) if exact else found.start)
        drawn = [bool(np.any(rows != 0)) for rows in np.split(self.spread, blocks)]
        self.centre = np.concatenate([truth[chosen] if d else 0 * truth[chosen] for d in drawn])

    def maps(self, parts: list[Array]) -> Array:
        """(m, D, D + 1): the maps z ← part (z, 1) on x, but for the centre that they are seen from."""
        matrices, vectors = [part[:, :-1] for part in parts], np.array([part[:, -1] for part in parts])
        moved = _each(self.to, matrices)  # T A_m
        inside = _each(self.back.T, [x.T for x in moved]).swapaxes(1, 2)  # T A_m T⁺
        if len(self.to) < self.to.shape[1]:  # else T is invertible
            again = _each(self.to.T, [x.T for x in inside]).swapaxes(1, 2)
            off = abs(again - moved).max() > (0 if self.to.dtype == object else 1e-9 * (1 + np.abs(moved).max()))
            if off:
                raise InvalidProblem("the update leaves the span of the features", "learner")
        drive = inside @ self.centre + vectors @ self.to.T
        return np.concatenate([inside, drive[:, :, None]], axis=2)


def _each(left: Array, matrices: Sequence[Array]) -> Array:
    """(m, rows, columns): a matrix times each of many, of one shape."""
    beside = np.concatenate(list(matrices), axis=1)
    product = array(matrix(left) * matrix(beside)) if left.dtype == object else left @ beside
    return np.asarray(product).reshape(len(left), len(matrices), -1).swapaxes(0, 1)


def error_chain(rule: Rule, problem: Problem, *, exact: bool | None = None) -> ErrorChain:
    """The chain of a rule that closes, at its own setting; exact where the problem is, or as `exact` says."""
    return _chain(affine(rule, problem, exact=exact), [(0, 0)])


@lru_cache(maxsize=2)
def step_maps(rule: Rule, problem: Problem, *, exact: bool | None = None) -> ErrorChain:
    """The same at all step sizes; the rule's own do not matter."""
    found = affine(rule, problem, exact=problem.is_exact if exact is None else exact, sizes=True)
    linear = [(0, 0), (1, 0), (0, 1)]
    if any(power not in linear for move in found.moves for power in move.parts):
        raise InvalidProblem(f"{rule.name} is not linear in its step sizes", "learner")
    return _chain(found, linear)


def _chain(found: Affine, powers: Sequence[tuple[int, int]]) -> ErrorChain:
    """The maps of a learner in the coordinates of its frame, the parts of these powers of α and β."""
    problem, exact, frame = found.view.problem, found.view.Phi.dtype == object, Frame(found)
    D, kind = len(frame.centre), rationals if exact else np.asarray
    one: Any = fmpq(1) if exact else 1.0
    maps = np.full((len(powers), len(found.moves), D + 1, D + 1), 0 * one, dtype=object if exact else np.float64)
    for part, power in zip(maps, powers, strict=True):
        there = [m for m, move in enumerate(found.moves) if power in move.parts]
        own = [found.moves[m].parts[power] for m in there]
        alike = all((one == own[0]).all() for one in own)  # as the identity, which all moves without a step share
        if there:
            part[there, :-1] = frame.maps(own[:1] if alike else own)
    maps[0, :, :-1, -1] -= frame.centre
    maps[0, :, -1, -1] = one
    truth = _truth(problem, exact)
    read = np.full((len(found.nodes), len(truth), D + 1), 0 * one, dtype=maps.dtype)
    for i in range(len(found.nodes)):
        read[i, :, :D] = kind(found.read(i)) @ frame.back
        read[i, :, D] = read[i, :, :D] @ frame.centre - truth
    actions = found.view.pairs.shape[1] if found.view.action_values else 0
    places = [divmod(b, actions) if actions else (b,) for b in frame.chosen]
    labels = tuple((vector, place) for vector in range(D // len(places)) for place in places)
    return ErrorChain(
        np.array([m.node for m in found.moves]),
        np.array([m.next_node for m in found.moves]),
        kind(np.array([m.probability for m in found.moves])),
        maps,
        kind(found.first),
        kind(found.law),
        frame.spread,
        frame.centre,
        read,
        kind(problem.exact.d_mu if exact else problem.d_mu),
        np.full(len(truth), one / len(truth)),
        labels,
        tuple((node.place, node_key(node.memory)) for node in found.nodes),
        _has_one_mean(found),
    )


def _has_one_mean(found: Affine) -> bool:
    """An average over moves, and over past moves where those are remembered; not over what takes turns."""
    memories = [memory for node in found.nodes for memory in node.memory.values()]
    return all(isinstance(seen, tuple) and all(isinstance(move, Transition) for move in seen) for seen in memories)


def _projected(problem: Problem, exact: bool) -> Array:
    """Π(I − γP), (S, S)."""
    m: LinearModel = exact_model(problem) if exact else value_model(problem)
    left = m.bellman(m.gamma, m.eye(m.n_states))
    found = m.values(m.solve(m.X_hat, m.summed(m.weighted(left))))
    return np.array(found.tolist(), dtype=object) if exact else np.asarray(found)


def _truth(problem: Problem, exact: bool) -> Array:
    return array(true_values(exact_model(problem))).reshape(-1) if exact else target_values(problem)


def _valued(view: View) -> tuple[Array, Array]:
    """Features and true values of all that is valued: the states, or the pairs (s, a)."""
    exact = view.Phi.dtype == object
    v, kind = _truth(view.problem, exact), rationals if exact else np.asarray
    if not view.action_values:
        return kind(view.Phi), v
    mdp, _, _ = sampled(view.problem)
    P, R = (kind(x) if exact else x.astype(np.float64) for x in one_kind(mdp.going_on, mdp.expected_rewards()))
    gamma: Any = rational(Fraction(view.problem.exact.gamma)) if exact else view.problem.gamma
    return kind(view.pairs.reshape(-1, view.n_features)), (R + gamma * (P @ v)).ravel()


def _repeat(block: Array, times: int) -> Array:
    """A block diagonal matrix."""
    rows, columns = block.shape
    out = np.full((times * rows, times * columns), 0 * block.flat[0], dtype=block.dtype)
    for i in range(times):
        out[i * rows : (i + 1) * rows, i * columns : (i + 1) * columns] = block
    return out
