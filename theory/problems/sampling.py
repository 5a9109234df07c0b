"""Transitions drawn ahead of any learner, and all of them with their probabilities.

Under μ a transition (s, a, s') of a problem has probability d(s) μ(a|s) P(s'|s, a), reward R(s, a, s')
and importance ratio ρ = π(a|s)/μ(a|s). `enumerate_transitions` lists them, exactly where the problem is
exact, so that an expectation of a sampled quantity is a finite sum:

    X = E[φφᵀ],   Y = E[ρ φφ'ᵀ],   b = E[ρ r φ].

Where episodes end (`theory.problems.validate`) the stream goes on from `start`: such a transition is one of its own,
with the next episode's first state as s' and a `discount` of 0 for what it bootstraps from. The discount of all others
is γ(s'), 1 unless a state has one of its own, and φ' above is to be read as discount·φ(s').

`sample_transitions` draws from the same list. Randomness is laid out so that results nest: every seed has
a generator of its own, spawned from the caller's, and consumes a fixed number of its doubles per step.
Hence seed i's stream is the same whether 10 or 100 seeds are drawn, and a longer run begins with the
shorter one. (A generator remembers what it has spawned: the same call on a generator that was used
before continues with fresh seeds.)

Drawing is inversion in integers. The moves possible in state s (those of probability 0 are not in the
table at all) split {0, …, 2^bits − 1} into ranges as long as their probabilities, the last one ending
exactly at 2^bits; a uniform double, which is a multiple of 2⁻⁵³, falls into exactly one of them.
So no rounding of a cumulative sum can lead to an impossible action or state, or out of the table.

What was drawn is kept as numbers of moves in that list, one byte each where there are at most 256: a
hundred observers of 100,000 moves are 10 MB, and what one of them saw is looked up when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theory.problems.mdp import MDP
from theory.problems.numbers import Array, FloatArray, InvalidProblem, Number, as_array, freeze, is_exact, one_kind
from theory.problems.problem import Problem
from theory.problems.validate import as_probabilities, ending

IntArray = NDArray[np.int64]

# Uniforms are drawn for this many steps at once: enough to amortise the calls, little memory per seed.
_BLOCK = 4096


# walk(moves, next_state, state, keys, drawn), as `_walk` does it.
Walk = Callable[["Table", IntArray, IntArray, IntArray, Array], None]


class Columns(NamedTuple):
    """Moves, column by column, (moves,) each."""

    state: Array
    action: Array
    next_state: Array
    reward: FloatArray
    ratio: FloatArray
    discount: FloatArray


@dataclass(frozen=True, eq=False)
class Transitions:
    """What `seeds` independent observers saw in `steps` steps, as numbers of moves in a list of possible ones.

    `seed` looks up one observer's moves, `all` everybody's, (seeds, steps) each. What is kept is read-only.
    """

    drawn: Array  # (seeds, steps), unsigned
    possible: Columns

    def __post_init__(self) -> None:
        freeze(self.drawn, *self.possible)

    @property
    def seeds(self) -> int:
        return self.drawn.shape[0]

    @property
    def steps(self) -> int:
        return self.drawn.shape[1]

    def seed(self, i: int) -> Columns:
        """What observer i saw, (steps,) each."""
        return self.all(i)

    def all(self, seeds: Any = slice(None)) -> Columns:
        """What these observers saw."""
        return Columns(*(column[self.drawn[seeds]] for column in self.possible))

    def __getitem__(self, seeds: slice) -> Transitions:
        """Some of the observers."""
        return Transitions(self.drawn[seeds], self.possible)


class Outcome(NamedTuple):
    """One possible transition; numbers are `Fraction` where the problem is exact."""

    state: int
    action: int
    next_state: int
    probability: Number
    reward: Number
    ratio: Number
    discount: Number = 1


def enumerate_transitions(problem: Problem) -> Iterator[Outcome]:
    """Every transition of positive probability d(s) μ(a|s) P(s'|s, a), with its reward, ratio and discount."""
    mdp, pi, mu = sampled(problem)
    possible = possible_moves(mdp, mu)
    d, mu, pi, R, chance, factor = one_kind(problem.given.d_mu, mu, pi, mdp.R, possible.probability, possible.discount)
    for i, (s, a, t) in enumerate(possible.indices):
        if d[s] == 0:
            continue
        reward = R[s, a] if R.ndim == 2 else R[s, a, t]
        outcome = (d[s] * mu[s, a] * chance[i], reward, pi[s, a] / mu[s, a], factor[i])
        yield Outcome(s, a, t, *(x if isinstance(x, Fraction) else float(x) for x in outcome))


def sample_transitions(
    rng: np.random.Generator,
    problem: Problem,
    steps: int,
    seeds: int,
    *,
    start: Any = None,
    walk: Walk | None = None,
) -> Transitions:
    """`steps` transitions under μ for each of `seeds` observers.

    One endless stream, state after state, whose first state comes from `start`: a state, a distribution over
    states, or (None) d_μ. `walk` may be a faster function that does what `_walk` does
    (`theory.learners.streams.draw_transitions` has a compiled one).
    """
    mdp, pi, mu = sampled(problem)
    for name, count in {"steps": steps, "seeds": seeds}.items():
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InvalidProblem(f"must be a positive integer, got {count!r}", name)
    first = Table.of(_start_distribution(problem, start), (0, mdp.n_states))
    possible = possible_moves(mdp, mu)
    state, action, next_state = possible.state, possible.action, possible.next_state
    weight = mu.astype(np.float64)[state, action] * possible.probability.astype(np.float64)
    moves = Table.of(weight, np.searchsorted(state, np.arange(mdp.n_states + 1)))
    drawn = np.empty((int(seeds), int(steps)), dtype=np.min_scalar_type(len(state) - 1))
    children = rng.spawn(len(drawn))
    # One double for the first state, then one a step: the layout that makes runs nest.
    now = first.draw(0, first.keys(np.array([child.random() for child in children])))
    for begin in range(0, drawn.shape[1], _BLOCK):
        block = drawn[:, begin : begin + _BLOCK]
        keys = moves.keys(np.stack([child.random(block.shape[1]) for child in children]))
        (walk or _walk)(moves, next_state, now, keys, block)
    ratio = _ratios(pi, mu)[state, action]
    reward = mdp.R[state, action] if mdp.R.ndim == 2 else mdp.R[state, action, next_state]
    reward, discount = reward.astype(np.float64), possible.discount.astype(np.float64)
    return Transitions(drawn, Columns(state, action, next_state, reward, ratio, discount))


@dataclass(frozen=True, eq=False)
class Table:
    """Categorical distributions side by side, drawn by inversion in integers.

    Outcome o belongs to one group, the groups' outcomes following each other. It is drawn from group g
    when g·2^bits + ⌊u·2^bits⌋ lies below ``upper[o]`` and not below its predecessor's bound.
    """

    bits: int
    upper: IntArray  # (outcomes,), never decreasing
    first: IntArray  # (groups + 1,): where each group begins, and the end

    @classmethod
    def of(cls, weights: FloatArray, offsets: Any) -> Table:
        """Group g has the weights ``weights[offsets[g]:offsets[g + 1]]``, which need not sum to one."""
        groups = len(offsets) - 1
        # A double from the generator has 53 bits; where 2⁵³ ranges per group do not fit, take fewer.
        bits = min(53, 62 - groups.bit_length())
        upper = np.empty(len(weights), dtype=np.int64)
        for g in range(groups):
            part = slice(offsets[g], offsets[g + 1])
            total = np.cumsum(weights[part])
            # x/x is 1 without rounding: the last outcome that can happen ends at the top, any after it are empty.
            upper[part] = (g << bits) + np.rint(total / total[-1] * 2.0**bits).astype(np.int64)
        return cls(bits, upper, np.asarray(offsets, dtype=np.int64))

    def keys(self, u: FloatArray) -> IntArray:
        """⌊u·2^bits⌋ for u in [0, 1); the product is exact, so nothing reaches 2^bits."""
        return np.floor(u * 2.0**self.bits).astype(np.int64)

    def draw(self, group: Any, keys: IntArray) -> IntArray:
        """The outcomes that `keys` select in `group` (broadcast together)."""
        return np.searchsorted(self.upper, (np.int64(group) << self.bits) + keys, side="right")


def _walk(moves: Table, next_state: IntArray, state: IntArray, keys: IntArray, drawn: Array) -> None:
    """From `state` (seeds,), which is moved along, the moves that `keys` (seeds, n) select, into `drawn`."""
    for t in range(keys.shape[1]):
        drawn[:, t] = outcome = moves.draw(state, keys[:, t])
        state[:] = next_state[outcome]


class Possible(NamedTuple):
    """All moves that the behaviour may make, in order of state and action: their P(s'|s, a) and discounts."""

    state: IntArray
    action: IntArray
    next_state: IntArray
    probability: Array
    discount: Array

    @property
    def indices(self) -> Iterator[tuple[int, int, int]]:
        return zip(self.state.tolist(), self.action.tolist(), self.next_state.tolist(), strict=True)


def possible_moves(mdp: MDP, mu: Array) -> Possible:
    """Moves on, with γ(s'), and, where episodes end, to the first state of the next with a discount of 0."""
    taken = np.asarray(mu > 0, dtype=bool)[:, :, None]
    s, a, t = np.nonzero(taken & np.asarray(mdp.P > 0, dtype=bool))
    factors = as_array([1] * mdp.n_states if is_exact(mdp.P) else [1.0] * mdp.n_states, 1, "discount")
    found = Possible(s, a, t, mdp.P[s, a, t], (factors if mdp.discount is None else mdp.discount)[t])
    if mdp.start is None:
        return found
    rest, start = one_kind(ending(mdp.P), mdp.start)
    u, b, v = np.nonzero(taken & np.asarray(rest > 0, dtype=bool)[:, :, None] & np.asarray(start > 0, dtype=bool))
    chance, again = one_kind(found.probability, rest[u, b] * start[v])
    parts = ((s, u), (a, b), (t, v), (chance, again), (found.discount, np.full(len(u), 0 * found.discount[0])))
    joined = [np.concatenate(pair) for pair in parts]
    order = np.lexsort((np.arange(len(s) + len(u)), joined[1], joined[0]))  # what goes on before what ends
    return Possible(*(x[order] for x in joined))


def _ratios(pi: Array, mu: Array) -> FloatArray:
    pi, mu = one_kind(pi, mu)
    return (pi / np.where(mu > 0, mu, mu + 1)).astype(np.float64)  # where μ = 0 nothing is ever drawn


def _start_distribution(problem: Problem, start: Any) -> FloatArray:
    if start is None:
        return problem.d_mu
    S = problem.n_states
    if isinstance(start, int | np.integer) and not isinstance(start, bool):
        if not 0 <= start < S:
            raise InvalidProblem(f"state {start} does not exist; there are {S}, from 0", "start")
        return np.eye(1, S, int(start))[0]
    return as_probabilities(start, (S,), "states", "start").astype(np.float64)


def sampled(problem: Problem) -> tuple[MDP, Array, Array]:
    """The MDP, π and μ behind a problem; the one place that complains where there are none."""
    if problem.mdp is None or problem.pi is None or problem.mu is None:
        raise InvalidProblem(f"{problem.name} has no MDP behind it to sample from: problem.realised() builds one")
    return problem.mdp, problem.pi, problem.mu
