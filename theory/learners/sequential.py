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

from theory.learners.rule import Lanes, Moves, Rule, count, option, positive
from theory.learners.transition import Transition
from theory.problems import InvalidProblem
from theory.problems.numbers import Array


class Turns(NamedTuple):
    """All heads' parameters, the head in training (K + 1 when stopped) and the moves it has had."""

    heads: Array  # (K + 1, F)
    head: int
    moves: int


def turns_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """Every head is a vector; `memory` holds the head in training and the moves it has had."""
    window, last, hot, stop, ring = lanes.fixed[0], int(lanes.fixed[1]), lanes.fixed[2], lanes.fixed[3], lanes.fixed[4]
    memory, state, alpha, c = lanes.memory, lanes.state, lanes.settings[0], lanes.work[0]
    k = int(memory[0])
    if k > last:
        return False
    s, x, gamma, residual = moves.row[t], moves.next_row[t], moves.gamma[t], moves.residual[t]
    rho = moves.ratio[t] if k > 0 else 1.0
    if rho != 0:
        before = max(k - 1, 0)
        for j in range(state.shape[2]):
            c[j] = alpha[j] * (rho * (residual + gamma * state[before, x, j] - state[k, s, j]))
        for i in range(state.shape[1]):
            g = lanes.gram[s, i]
            for j in range(state.shape[2]):
                state[k, i, j] += c[j] * g
    memory[1] += 1
    if memory[1] < window:
        return rho != 0
    memory[1] = 0
    if k == last and (stop or last == 0):
        memory[0] = k + 1 if stop else k
        return rho != 0
    if k == last:
        state[0] = state[last]
        k = 0
    if hot:
        state[k + 1] = state[k]
    memory[0] = k + 1
    if ring:
        lanes.scored[0] = k + 1
    return True


def target_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """Vector 0 is the target, which takes a share of the parameters every so many moves; `memory` counts them."""
    s, x, rho, gamma, residual = moves.row[t], moves.next_row[t], moves.ratio[t], moves.gamma[t], moves.residual[t]
    target, e, alpha, memory, c = lanes.state[0], lanes.state[1], lanes.settings[0], lanes.memory, lanes.work[0]
    if rho != 0:
        for j in range(e.shape[1]):
            c[j] = alpha[j] * (rho * (residual + gamma * target[x, j] - e[s, j]))
        for i in range(e.shape[0]):
            g = lanes.gram[s, i]
            for j in range(e.shape[1]):
                e[i, j] += c[j] * g
    memory[0] += 1
    if memory[0] == lanes.fixed[0]:
        memory[0], share = 0, lanes.fixed[1]
        for i in range(e.shape[0]):
            for j in range(e.shape[1]):
                target[i, j] = (1.0 - share) * target[i, j] + share * e[i, j]
    return rho != 0


class InTurns(Rule):
    """What both have in common: a step size, a window, and whose turn it is."""

    parameters: ClassVar[tuple[str, ...]] = ("heads",)
    memory: ClassVar[tuple[str, ...]] = ("head", "moves")
    grouped: ClassVar[tuple[str, ...]] = ("window",)

    alpha: Any
    window: int

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha")
        count(self.window, 1, "window")


@dataclass(frozen=True)
class SequentialChain(InTurns):
    """Algorithm 1; `k` is the head that predicts (the last by default)."""

    gamma: Any
    alpha: Any
    window: int
    K: int = 256
    k: int | None = None
    hot: bool = option("start a head where the one before it ended", True)
    after: str = option("what follows the last head", "wrap", "stop", "ring")
    name: ClassVar[str] = "chained-sequential"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "window", "k")
    step = staticmethod(turns_step)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_head(self.k, self.K)

    def init(self, heads: Array) -> Turns:
        return Turns(heads, 0, 0)

    def update(self, state: Turns, transition: Transition) -> Turns:
        heads, k = state.heads, state.head
        if k > self.K:
            return state
        phi, reward, phi_next, rho, phi_follow, _ = transition
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

    def fixed(self) -> tuple[float, ...]:
        flags = self.hot, self.after == "stop", self.after == "ring"
        return float(self.window), float(self.K), *map(float, flags)

    def idle(self, steps: int) -> str | None:
        k, T = self.K if self.k is None else self.k, self.window
        if self.after == "ring" or k * T < steps:
            return None
        return f"head {k} is trained from move {k * T + 1:,} on, after {k} windows of {T}; the run ends before"

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
class TargetNetwork(InTurns):
    """Algorithm 3: bootstrap on a copy of θ that is renewed every T moves."""

    gamma: Any
    alpha: Any
    window: int
    name: ClassVar[str] = "target-network"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "window")
    vectors: ClassVar[int] = 2
    predicting: ClassVar[int] = 1
    step = staticmethod(target_step)

    def init(self, heads: Array) -> Turns:
        """`heads` (2, F): θ⁰, the first target, and θ¹."""
        return Turns(heads, 1, 0)

    def update(self, state: Turns, transition: Transition) -> Turns:
        (target, theta), (phi, reward, phi_next, rho, *_) = state.heads, transition
        delta = reward + self.gamma * (phi_next @ target) - phi @ theta
        return self._next_turn(state, theta + self.alpha * rho * delta * phi)

    def value(self, state: Turns, phi: Array) -> Any:
        return phi @ state.heads[1]

    def fixed(self) -> tuple[float, ...]:
        return float(self.window), 1.0

    def _next_turn(self, state: Turns, theta: Array) -> Turns:
        heads, moves = state.heads.copy(), state.moves + 1
        heads[1] = theta
        if moves == self.window:
            heads[0], moves = theta, 0
        return Turns(heads, 1, moves)


def check_head(k: int | None, K: int) -> None:
    """The head that predicts is one of 0..K."""
    count(K, 0, "heads")
    if k is not None:
        count(k, 0, "k")
        if k > K:
            raise InvalidProblem(f"head {k} does not exist: the last head is {K}", "k")
