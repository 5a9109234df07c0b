r"""A learner's move as an affine map of its parameters, derived from its rule and never written a second time.

Where a rule is affine in its parameters z = (θ, w, all heads), its update at a move m is

    z ← A_m z + c_m,

and one `update` of letters in place of numbers gives the map: exactly in fractions, or in floats, and with α and β as
letters, too, at all step sizes at once. Some rules carry a memory beside z that the moves alone decide (the last n − 1
moves, the head in training). Place and memory together are a *node* of a finite Markov chain, its edges are the moves:

    node i: (s, memory), or (s, a, memory) for action values         edge i → j with probability p, ratio, reward

Moments of z over this chain obey finite linear recursions. The project's protocol begins with a place drawn from
`start` where the problem declares it, else from d_μ; with an empty memory; and with z_0 = σ·start·ξ, ξ a vector of
independent standard normals. It predicts ``read(i) @ z``.

A chain of K + 1 heads has (K + 1)F parameters, of which head k sees only its own and those of head k − 1: K = 2 tells
all there is to know of the maps. Likewise T > 2 in a sequential chain or target network only repeats the first move.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
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


Parts = dict[tuple[int, int], Array]  # of (rows, D + 1): the coefficients of αⁱβʲ by (i, j), the constant's last


class Move(NamedTuple):
    """An edge of the chain of nodes with its map z ← Σ αⁱβʲ part_ij (z, 1); at one setting part (0, 0) alone."""

    node: int
    next_node: int
    probability: Number  # given the node
    seen: Transition
    parts: Parts


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
        return self.coordinates.size

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
        return _fractions(
            coefficients(template.pack(template.begin(template.letters(n))), n, self.view.Phi)[0, 0][:, :-1]
        )

    @property
    def n_vectors(self) -> int:
        """Parameter vectors that are drawn."""
        return type(self.rule).n_vectors(getattr(self.rule, "K", 0))

    def read(self, node: int) -> Array:
        """(S, D): the predicted values at a node are ``read(node) @ z``."""
        template, memory, features = self.coordinates, self.nodes[node].memory, self.view.value_features
        seen = _flint(features) if features.dtype == object else features
        values = self.rule.value(template.state(template.letters(self.size), memory), seen)
        return _fractions(coefficients(values, self.size, self.view.Phi)[0, 0][:, :-1])

    @cached_property
    def coordinates(self) -> Coordinates:
        """Between z and the states of the rule."""
        return Coordinates(self.rule, self.view)


def affine(rule: Rule, problem: Problem, *, exact: bool | None = None, sizes: bool = False) -> Affine:
    """The maps of a rule that closes on a problem with an MDP; exact where the problem is, or as `exact` says.

    With `sizes` the step sizes stay letters, whatever the rule's own are; else the maps have one part.

    In exact arithmetic γ and the step sizes of the rule must be fractions or integers, too. The rule is then applied to
    FLINT's rationals, which are several times faster than Python's.
    """
    reason = rule.obstacle()
    if reason is not None:
        raise InvalidProblem(f"{rule.name} has no affine maps: {reason}", "learner")
    view = View(problem, action_values=rule.action_values, exact=exact)
    applied = copy(rule)  # which has been checked
    for name, x in vars(rule).items():
        if sizes and name in ("alpha", "beta") and name in rule.columns:
            object.__setattr__(applied, name, AffineForm({((1, 0) if name == "alpha" else (0, 1), 0): _one(view.Phi)}))
        elif view.Phi.dtype == object and isinstance(x, Fraction | float):  # a double is a rational
            object.__setattr__(applied, name, rational(Fraction(x)))
    template = Coordinates(applied, view)
    letters = template.letters(template.size)
    begin = template.memory(template.empty)
    steps = _by_place(view)
    nodes = [Node(place, begin) for place in steps]
    index = {node_key(node): i for i, node in enumerate(nodes)}
    moves: list[Move] = []
    for i, node in enumerate(nodes):  # grows while new memories are met
        for step in steps[node.place]:
            after = applied.update(template.state(letters, node.memory), step.seen)
            reached = Node(step.next_place, template.memory(after))
            j = index.setdefault(node_key(reached), len(nodes))
            if j == len(nodes):
                nodes.append(reached)
            moves.append(
                Move(i, j, step.probability, step.seen, coefficients(template.pack(after), template.size, view.Phi))
            )
    first = [*_visited(view, list(steps)), *[0 * steps[nodes[0].place][0].probability] * (len(nodes) - len(steps))]
    return Affine(rule, view, tuple(nodes), tuple(moves), np.array(first, dtype=view.Phi.dtype))


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
        self.empty = self.begin(_zeros(self.drawn, self.like))
        self.shapes = {name: getattr(self.empty, name).shape for name in rule.parameters}
        self.size = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def letters(self, n: int) -> Array:
        """n unknown parameters."""
        return np.array([AffineForm({((0, 0), k + 1): _one(self.like)}) for k in range(n)], dtype=object)

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


class AffineForm:
    """What an update makes of letters: affine in the parameters z, a polynomial in α and β.

    Its terms are c·αⁱβʲ z_k by ((i, j), k), with k = 0 for those without a parameter.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: dict[tuple[tuple[int, int], int], Any]) -> None:
        self.terms = terms

    def __add__(self, other: Any) -> AffineForm:
        if isinstance(other, np.ndarray):
            return NotImplemented
        found = dict(self.terms)
        for key, x in _terms(other).items():
            found[key] = found[key] + x if key in found else x
        return AffineForm(found)

    def __mul__(self, other: Any) -> AffineForm:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, AffineForm):
            return AffineForm({key: other * x for key, x in self.terms.items()} if other else {})
        found: dict[tuple[tuple[int, int], int], Any] = {}
        for ((i, j), a), x in self.terms.items():
            for ((k, m), b), y in other.terms.items():
                if a and b:
                    raise InvalidProblem("the update multiplies parameters with each other", "learner")
                key = (i + k, j + m), a + b
                found[key] = found[key] + x * y if key in found else x * y
        return AffineForm(found)

    def __sub__(self, other: Any) -> AffineForm:
        return NotImplemented if isinstance(other, np.ndarray) else self + (-1) * other

    def __rsub__(self, other: Any) -> AffineForm:
        return self * -1 + other

    __radd__, __rmul__ = __add__, __mul__


def _terms(value: Any) -> dict[tuple[tuple[int, int], int], Any]:
    return value.terms if isinstance(value, AffineForm) else {((0, 0), 0): value} if value else {}


def coefficients(values: Array, n: int, like: Array) -> Parts:
    """Of many forms in n parameters; at least part (0, 0) is there."""

    entries = [(power, row, k - 1, x) for row, v in enumerate(values) for (power, k), x in _terms(v).items() if x]
    shape = len(values), n + 1
    found = {p: _zeros(shape[0] * shape[1], like).reshape(shape) for p in {(0, 0), *(entry[0] for entry in entries)}}
    for power, row, column, x in entries:
        found[power][row, column] = x
    return found


def _one(like: Array) -> Any:
    return fmpq(1) if like.dtype == object else 1.0


def _zeros(n: int, like: Array) -> Array:
    return np.array([fmpq(0)] * n, dtype=object) if like.dtype == object else np.zeros(n)


def rationals(values: Array) -> Array:
    """FLINT's rationals for Python's, and for those that doubles denote."""
    exact = (rational(Fraction(x)) if isinstance(x, float) else rational(x) for x in values.ravel())
    return np.array(list(exact), dtype=object).reshape(values.shape)


def _flint(value: Any) -> Any:
    return rationals(value) if isinstance(value, np.ndarray) else rational(value)


_exactly = np.frompyfunc(fraction, 1, 1)


def _fractions(values: Array) -> Array:
    """Python's fractions for FLINT's rationals; floats stay."""
    return np.asarray(_exactly(values), dtype=object) if values.dtype == object else values


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
