r"""Sequential chained TD (algorithm 1) and target-network TD (algorithm 3): one head at a time.

Head k is updated for T moves, then head k + 1:

    k = 0:   δ = R + γ φ'ᵀθ⁰ − φᵀθ⁰,       θ⁰ ← θ⁰ + α δ φ            mean  θ⁰ + α (b_μ − A_μθ⁰)
    k ≥ 1:   δ = R + γ φ'ᵀθᵏ⁻¹ − φᵀθᵏ,     θᵏ ← θᵏ + α ρ δ φ          mean  θᵏ + α (b + γYθᵏ⁻¹ − Xθᵏ)

A hot start begins head k + 1 where head k ended; a cold one leaves it where it was. After the last head K,

    "wrap"   the last head's values take the place of head 0 and head 1 is trained again;
    "stop"   nothing changes any more;
    "ring"   goes on as "wrap" does, but the prediction is always that of the head in training.

Target-network TD is the hot ring that has no behaviour head: T = 1 is off-policy TD, T → ∞ chained TD
(extra-target-network).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.checks import count, one_of, positive
from theory.learners.model import Model
from theory.learners.rule import Rule
from theory.learners.transition import Transition
from theory.problems.numbers import Array

AFTER = ("wrap", "stop", "ring")


class Turns(NamedTuple):
    """All heads' parameters, the head in training (K + 1 when stopped) and the moves it has had."""

    heads: Array  # (K + 1, F)
    head: int
    moves: int


@dataclass(frozen=True)
class SequentialChain(Rule):
    """Algorithm 1; `k` is the head that predicts (the last by default)."""

    gamma: Any
    alpha: Any
    window: int
    K: int = 256
    k: int | None = None
    hot: bool = True
    after: str = "wrap"
    name: ClassVar[str] = "chained-sequential"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "window", "k")
    parameters: ClassVar[tuple[str, ...]] = ("heads",)
    memory: ClassVar[tuple[str, ...]] = ("head", "moves")

    def __post_init__(self) -> None:
        positive(self, "alpha")
        count(self.window, 1, "window")
        count(self.K, 0, "heads")
        check_head(self.k, self.K)
        one_of(self.after, AFTER, "after")

    def init(self, heads: Array) -> Turns:
        return Turns(heads, 0, 0)

    def update(self, state: Turns, transition: Transition) -> Turns:
        heads, k = state.heads, state.head
        if k > self.K:
            return state
        phi, reward, phi_next, rho, phi_follow = transition
        if k == 0:
            delta = reward + self.gamma * (phi_follow @ heads[0]) - phi @ heads[0]
            rho = 1
        else:
            delta = reward + self.gamma * (phi_next @ heads[k - 1]) - phi @ heads[k]
        return self._next_turn(state, heads[k] + self.alpha * rho * delta * phi)

    def value(self, state: Turns, phi: Array) -> Any:
        if self.after == "ring":
            return phi @ state.heads[state.head]
        return phi @ state.heads[self.K if self.k is None else self.k]

    def key_matrix(self, model: Model, k: int = 1) -> Array:
        """A_μ for head 0, X for the others: the block of head k on the diagonal of M."""
        return model.behaviour[0] if k == 0 else model.moments.X

    def expected_update(self, state: Turns, model: Model) -> Turns:
        heads, k = state.heads, state.head
        if k > self.K:
            return state
        return self._next_turn(state, heads[k] + self.alpha * expected_step(heads, k, model))

    def _next_turn(self, state: Turns, theta: Array) -> Turns:
        heads, k, moves = state.heads.copy(), state.head, state.moves + 1
        heads[k] = theta
        if moves < self.window:
            return Turns(heads, k, moves)
        if k == self.K and (self.after == "stop" or self.K == 0):
            return Turns(heads, k + 1, 0) if self.after == "stop" else Turns(heads, k, 0)
        if k == self.K:
            heads[0], k = heads[self.K], 0
        if self.hot:
            heads[k + 1] = heads[k]
        return Turns(heads, k + 1, 0)


@dataclass(frozen=True)
class TargetNetwork(Rule):
    """Algorithm 3: bootstrap on a copy of θ that is renewed every T moves."""

    gamma: Any
    alpha: Any
    window: int
    name: ClassVar[str] = "target-network"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "window")
    vectors: ClassVar[int] = 2
    parameters: ClassVar[tuple[str, ...]] = ("heads",)
    memory: ClassVar[tuple[str, ...]] = ("moves",)

    def __post_init__(self) -> None:
        positive(self, "alpha")
        count(self.window, 1, "window")

    def init(self, heads: Array) -> Turns:
        """`heads` (2, F): θ⁰, the first target, and θ¹."""
        return Turns(heads, 1, 0)

    def update(self, state: Turns, transition: Transition) -> Turns:
        (target, theta), (phi, reward, phi_next, rho, _) = state.heads, transition
        delta = reward + self.gamma * (phi_next @ target) - phi @ theta
        return self._next_turn(state, theta + self.alpha * rho * delta * phi)

    def value(self, state: Turns, phi: Array) -> Any:
        return phi @ state.heads[1]

    def key_matrix(self, model: Model) -> Array:
        """X; over a whole window the map is I − S_T A (extra-target-network)."""
        return model.moments.X

    def expected_update(self, state: Turns, model: Model) -> Turns:
        theta = state.heads[1] + self.alpha * expected_step(state.heads, 1, model)
        return self._next_turn(state, theta)

    def _next_turn(self, state: Turns, theta: Array) -> Turns:
        heads, moves = state.heads.copy(), state.moves + 1
        heads[1] = theta
        if moves == self.window:
            heads[0], moves = theta, 0
        return Turns(heads, 1, moves)


def expected_step(heads: Array, k: int, model: Model) -> Array:
    """b_μ − A_μθ⁰ for head 0, b + γYθᵏ⁻¹ − Xθᵏ for head k ≥ 1."""
    if k == 0:
        A_mu, b_mu = model.behaviour
        return b_mu - A_mu @ heads[0]
    m = model.moments
    return m.b + model.q.gamma * (m.Y @ heads[k - 1]) - m.X @ heads[k]


def check_head(k: int | None, K: int) -> None:
    """The head that predicts is one of 0..K."""
    if k is not None:
        count(k, 0, "k")
        if k > K:
            from theory.problems import InvalidProblem

            raise InvalidProblem(f"head {k} does not exist: the last head is {K}", "k")
