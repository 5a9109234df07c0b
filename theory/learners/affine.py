r"""A learner's move as an affine map of its parameters, derived from its rule and never written a second time.

Where a rule is affine in its parameters z = (θ, w, all heads), its update at a move m is

    z ← A_m z + c_m,        c_m = update(0, m),        A_m e_i = update(e_i, m) − c_m ,

so applying `update` to zero and to the unit vectors gives the map: exactly in fractions, or in floats. Some rules carry
a memory beside z that the moves alone decide (the last n − 1 moves, the head in training). Place and memory together
are a *node* of a finite Markov chain, its edges are the moves:

    node i: (s, memory), or (s, a, memory) for action values         edge i → j with probability p, ratio, reward

Moments of z over this chain obey finite linear recursions. The project's protocol begins with a place drawn from
`start` where the problem declares it, else from d_μ; with an empty memory; and with z_0 = σ·start·ξ, ξ a vector of
independent standard normals. It predicts ``read(i) @ z``.

A chain of K + 1 heads has (K + 1)F parameters, of which head k sees only its own and those of head k − 1: K = 2 tells
all there is to know of the maps. Likewise T > 2 in a sequential chain or target network only repeats the first move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

from theory.exact.matrices import fraction, rational
from theory.learners.rule import Rule
from theory.learners.transition import Transition, View, denoted
from theory.problems import InvalidProblem, Problem
from theory.problems.graph import stationary_distribution
from theory.problems.numbers import Array, Number, one_kind
from theory.problems.sampling import possible_moves, sampled

Place = tuple[int, ...]  # (s,), or (s, a) for action values


class Step(NamedTuple):
    """A move of the behaviour: from a place to the next one, with its probability given the place."""

    place: Place
    next_place: Place
    probability: Number
    seen: Transition


class Move(NamedTuple):
    """An edge of the chain of nodes, and the map z ← matrix @ z + vector that it does."""

    node: int
    next_node: int
    probability: Number  # given the node
    reward: Number
    ratio: Number
    matrix: Array  # (D, D)
    vector: Array  # (D,)


class Node(NamedTuple):
    """Where the behaviour is, and what the learner remembers besides its parameters."""

    place: Place
    memory: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Affine:
    """A learner on a problem as a finite Markov chain of affine maps; D parameters, N nodes."""

    rule: Rule
    view: View
    nodes: tuple[Node, ...]
    moves: tuple[Move, ...]
    first: Array  # (N,), law of the node before the first move

    @property
    def size(self) -> int:
        """D."""
        return len(self.moves[0].vector)

    @cached_property
    def law(self) -> Array:
        """(N,), how often each node is visited in the long run."""
        if not self.rule.memory:
            law = _visited(self.view, [node.place for node in self.nodes], stationary=True)
            return np.array(law, dtype=self.first.dtype)
        N = len(self.nodes)
        P = np.full((N, N), 0 * self.first[0], dtype=self.first.dtype)
        for move in self.moves:
            P[move.node, move.next_node] += move.probability
        return stationary_distribution(P)

    @cached_property
    def start(self) -> Array:
        """(D, vectors·F): the parameters before the first move, in terms of what is drawn."""
        template, n = self.coordinates, self.n_vectors * self.view.n_features
        return _fractions(_linear(lambda theta: template.pack(template.begin(theta)), n, self.view.Phi)[0])

    @property
    def n_vectors(self) -> int:
        """Parameter vectors that are drawn."""
        return type(self.rule).n_vectors(getattr(self.rule, "K", 0))

    def read(self, node: int) -> Array:
        """(S, D): the predicted values at a node are ``read(node) @ z``."""
        template, memory, features = self.coordinates, self.nodes[node].memory, self.view.value_features
        if features.dtype == object:
            features = _flint(features)
        found = _linear(lambda z: self.rule.value(template.state(z, memory), features), self.size, self.view.Phi)[0]
        return _fractions(found)

    def expected(self) -> tuple[Array, Array]:
        """The mean map in the long run: E[z'] = matrix @ z + vector where the node is independent of z."""
        weights = [self.law[move.node] * move.probability for move in self.moves]
        zero = 0 * self.moves[0].vector
        matrix = sum((w * m.matrix for w, m in zip(weights, self.moves, strict=True)), start=np.outer(zero, zero))
        return matrix, sum((w * m.vector for w, m in zip(weights, self.moves, strict=True)), start=zero)

    @cached_property
    def coordinates(self) -> Coordinates:
        """Between z and the states of the rule."""
        return Coordinates(self.rule, self.view)


def affine(rule: Rule, problem: Problem, *, exact: bool | None = None) -> Affine:
    """The maps of a rule that closes on a problem with an MDP; exact where the problem is, unless told otherwise.

    In exact arithmetic γ and the step sizes of the rule must be fractions or integers, too. The rule is then applied to
    FLINT's rationals, which are several times faster than Python's; what comes out are fractions.
    """
    return _in_fractions(_derived(rule, problem, exact))


def _in_fractions(found: Affine) -> Affine:
    moves = (m._replace(matrix=_fractions(m.matrix), vector=_fractions(m.vector)) for m in found.moves)
    return replace(found, moves=tuple(moves))


def _derived(rule: Rule, problem: Problem, exact: bool | None) -> Affine:
    """The same with maps of FLINT's rationals where they are exact."""
    reason = rule.obstacle()
    if reason is not None:
        raise InvalidProblem(f"{rule.name} has no affine maps: {reason}", "learner")
    view = View(problem, action_values=rule.action_values, exact=exact)
    template = Coordinates(_quick(rule) if view.Phi.dtype == object else rule, view)
    begin = template.memory(template.begin(template.zeros(template.drawn)))
    steps = _by_place(view)
    nodes = [Node(place, begin) for place in steps]
    index = {node_key(node): i for i, node in enumerate(nodes)}
    moves: list[Move] = []
    for i, node in enumerate(nodes):  # grows while new memories are met
        for step in steps[node.place]:
            after = template.state(template.zeros(template.size), node.memory)
            reached = Node(step.next_place, template.memory(template.rule.update(after, step.seen)))
            j = index.setdefault(node_key(reached), len(nodes))
            if j == len(nodes):
                nodes.append(reached)
            matrix, vector = template.map(node.memory, step.seen)
            reward, ratio = _number(step.seen.reward), _number(step.seen.ratio)
            moves.append(Move(i, j, step.probability, reward, ratio, matrix, vector))
    first = [*_visited(view, list(steps)), *[0 * steps[nodes[0].place][0].probability] * (len(nodes) - len(steps))]
    return Affine(rule, view, tuple(nodes), tuple(moves), np.array(first, dtype=view.Phi.dtype))


def step_size_parts(rule: Rule, problem: Problem, *, exact: bool | None = None) -> tuple[Affine, list[list[Array]]]:
    """The maps at α = β = 1, and of each move C, A and B of its map C + αA + βB, (D, D + 1) each, the vector last.

    The step sizes of `rule` itself do not matter. From the maps at (α, β) = (1, 1), (2, 1), (1, 2); what the rule does
    to one vector at (2, 3) or (3, 1) shows that there is nothing else in them: a vector of many different numbers, for
    which another term would have to vanish by chance. In exact arithmetic the parts are FLINT's rationals.
    """
    two = "beta" in rule.columns

    def sized(alpha: int, beta: int) -> Rule:
        return replace(rule, alpha=alpha, **({"beta": beta} if two else {}))  # type: ignore[type-var]

    def whole(alpha: int, beta: int) -> list[Array]:
        return [np.column_stack([m.matrix, m.vector]) for m in _derived(sized(alpha, beta), problem, exact).moves]

    base = _derived(sized(1, 1), problem, exact)
    at_one = [np.column_stack([m.matrix, m.vector]) for m in base.moves]
    others = (whole(2, 1), whole(1, 2) if two else at_one)
    far = (2, 3) if two else (3, 1)
    seen, z = _moved(sized(*far), base)
    found = []
    for one, first, second, moved in zip(at_one, *others, seen, strict=True):
        alpha, beta = first - one, second - one  # β's part is 0 where there is none
        parts = [one - alpha - beta, alpha, beta]
        rest = moved - (parts[0] + far[0] * alpha + far[1] * beta) @ np.append(z, 1 + 0 * z[0])
        if np.any(rest != 0) if rest.dtype == object else np.abs(rest).max() > 1e-9 * np.abs(moved).max():
            raise InvalidProblem(f"{rule.name} is not linear in its step sizes", "learner")
        found.append(parts)
    return base, found


def _moved(rule: Rule, base: Affine) -> tuple[list[Array], Array]:
    """Where each move of a chain takes one vector, by the rule; and the vector: square roots of primes, rounded."""
    primes = [n for n in range(2, 20 * base.size + 20) if all(n % d for d in range(2, int(n**0.5) + 1))]
    like = base.view.Phi
    template = Coordinates(_quick(rule) if like.dtype == object else rule, base.view)
    z = template.zeros(base.size)
    z[:] = [fmpq(isqrt(p * 10**12), 10**6) if like.dtype == object else p**0.5 for p in primes[: base.size]]
    steps = _by_place(base.view)
    return [
        template.pack(template.rule.update(template.state(z, node.memory), step.seen))
        for node in base.nodes
        for step in steps[node.place]
    ], z


def _by_place(view: View) -> dict[Place, list[Step]]:
    """The moves of the behaviour from each place, as seen in FLINT's rationals where they are exact."""
    steps: dict[Place, list[Step]] = {}
    for step in behaviour_steps(view):
        quick = step if view.Phi.dtype != object else step._replace(seen=Transition(*map(_flint, step.seen)))
        steps.setdefault(step.place, []).append(quick)
    return steps


def behaviour_steps(view: View) -> Iterator[Step]:
    """All moves of the behaviour, in order of state, action, next state (and next action, for action values)."""
    mdp, pi, mu = sampled(view.problem)
    possible = possible_moves(mdp, mu)
    mu, pi, R, P, discount = one_kind(mu, pi, mdp.R, possible.probability, possible.discount)
    if view.Phi.dtype != object:
        mu, pi, R, P, discount = (x.astype(np.float64) for x in (mu, pi, R, P, discount))
    elif mu.dtype != object:  # given in floats, asked for exactly: the rationals that the doubles denote
        mu, pi, R, P, discount = (np.asarray(denoted(x)) for x in (mu, pi, R, P, discount))
    for i, (s, a, t) in enumerate(possible.indices):
        seen = (R[s, a] if R.ndim == 2 else R[s, a, t], pi[s, a] / mu[s, a], discount[i])
        if not view.action_values:
            yield Step((s,), (t,), mu[s, a] * P[i], view.see(s, a, t, *seen))
            continue
        for b in np.nonzero(mu[t] > 0)[0].tolist():
            yield Step((s, a), (t, b), P[i] * mu[t, b], view.see(s, a, t, *seen, b))


class Coordinates:
    """Between the states of a rule and flat vectors of its parameters."""

    def __init__(self, rule: Rule, view: View) -> None:
        self.rule, self.like = rule, view.Phi
        heads = type(rule).n_vectors(getattr(rule, "K", 0))
        self.shape = (heads, view.n_features) if heads > 1 or hasattr(rule, "K") else (view.n_features,)
        self.drawn = int(np.prod(self.shape))
        self.empty = self.begin(self.zeros(self.drawn))
        self.shapes = {name: getattr(self.empty, name).shape for name in rule.parameters}
        self.size = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def zeros(self, n: int) -> Array:
        return _zeros(n, self.like)

    def begin(self, theta: Array) -> Any:
        return self.rule.init(theta.reshape(self.shape))

    def pack(self, state: Any) -> Array:
        return np.concatenate([getattr(state, name).ravel() for name in self.rule.parameters])

    def memory(self, state: Any) -> dict[str, Any]:
        return {name: getattr(state, name) for name in self.rule.memory}

    def state(self, z: Array, memory: dict[str, Any]) -> Any:
        parts, at = {}, 0
        for name, shape in self.shapes.items():
            n = int(np.prod(shape))
            parts[name], at = z[at : at + n].reshape(shape), at + n
        return self.empty._replace(**parts, **memory)

    def map(self, memory: dict[str, Any], seen: Transition) -> tuple[Array, Array]:
        """The matrix and the vector of one move."""
        return _linear(lambda z: self.pack(self.rule.update(self.state(z, memory), seen)), self.size, self.like)


def _linear(function: Callable[[Array], Array], n: int, like: Array) -> tuple[Array, Array]:
    """Matrix and vector of an affine function of n numbers."""
    constant = function(_zeros(n, like))
    columns = []
    for i in range(n):
        unit = _zeros(n, like)
        unit[i] += 1
        columns.append(function(unit) - constant)
    return np.column_stack(columns), constant


def _zeros(n: int, like: Array) -> Array:
    return np.array([fmpq(0)] * n, dtype=object) if like.dtype == object else np.zeros(n)


def _quick(rule: Rule) -> Rule:
    """The same rule, which has been checked, with FLINT's rationals for numbers."""
    quick = copy(rule)
    for name, x in vars(rule).items():
        if isinstance(x, Fraction | float):  # a double is a rational
            object.__setattr__(quick, name, rational(Fraction(x)))
    return quick


def rationals(values: Array) -> Array:
    """FLINT's rationals for Python's, and for those that doubles denote."""
    exact = (rational(Fraction(x)) if isinstance(x, float) else rational(x) for x in values.ravel())
    return np.array(list(exact), dtype=object).reshape(values.shape)


def _flint(value: Any) -> Any:
    return rationals(value) if isinstance(value, np.ndarray) else rational(value)


_NONE = Fraction(0)


def _number(x: Any) -> Any:
    if not isinstance(x, fmpq):
        return x
    return fraction(x) if x else _NONE  # most are zero


_numbers = np.frompyfunc(_number, 1, 1)


def _fractions(values: Array) -> Array:
    """Python's fractions for FLINT's rationals; floats stay."""
    return np.asarray(_numbers(values), dtype=object) if values.dtype == object else values


def _visited(view: View, places: list[Place], stationary: bool = False) -> list[Number]:
    """d(s), or d(s)μ(a|s): d is `start` where the problem declares it, else and in the long run d_μ."""
    exact = view.Phi.dtype == object
    mdp, _, mu = sampled(view.problem)
    d = view.problem.exact.d_mu if exact else view.problem.d_mu
    if mdp.start is not None and not stationary:
        d = np.asarray(denoted(mdp.start)) if exact else mdp.start.astype(np.float64)
    if not view.action_values:
        return [d[s] for (s,) in places]
    mu = mu if exact else mu.astype(np.float64)
    return [d[s] * mu[s, a] for s, a in places]


def node_key(value: Any) -> Any:
    """What tells nodes apart; a move remembered is the very object that was seen."""
    if isinstance(value, Transition):
        return id(value)
    if isinstance(value, dict):
        return tuple(node_key(x) for x in value.values())
    return tuple(node_key(x) for x in value) if isinstance(value, tuple) else value
