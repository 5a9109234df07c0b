r"""Concurrent chained TD: every head learns from every move (eq. "alg").

    δ⁰ = R + γ φ'ᵀθ⁰ − φᵀθ⁰,          θ⁰ ← θ⁰ + α δ⁰ φ
    δᵏ = R + γ φ'ᵀθᵏ⁻¹ − φᵀθᵏ,        θᵏ ← θᵏ + α ρ δᵏ φ            k = 1..K

order "jacobi" (the paper's equation): all δᵏ from the parameters before the move. order "in-place" (its
algorithm): θᵏ⁻¹ has already moved when δᵏ is taken, which adds αγρ²δᵏ⁻¹ φ'ᵀφ to it (ρδ⁰ counts as δ⁰ at k = 1).

    mean, jacobi     θ + α (b† − Mθ)                          M of eq-M
    mean, in place   over the list of all moves: E[ρ²] enters, which no moment of the problem holds

With `normalise` each head's sampled step g is replaced by g/‖g‖ (appendix, "Details on Gradient Normalization"). The
length of a step is then always α, so it hovers and cannot settle; the mean of normalised steps is not the normalised
mean step, which the paper's figure 2 shows (`theory.figures.expected_updates`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from theory.learners.rule import Lanes, Moves, Rule, option, positive
from theory.learners.sequential import check_head
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Heads(NamedTuple):
    """The parameters of all heads 0..K."""

    heads: Array  # (K + 1, F)


def chain_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """Head 0 learns from every move, the others from those whose ratio is not 0; for action values all count 1.

    Short on purpose: with the branches of `varied_step` Numba counts references to the arrays anew in each move, which
    takes longer than the move.
    """
    s, x, gamma, residual = moves.row[t], moves.next_row[t], moves.gamma[t], moves.residual[t]
    e, alpha, c = lanes.state[0], lanes.settings[0, 0], lanes.work[0]
    weight = moves.ratio[t] if lanes.fixed[0] else 1.0
    rate, size = alpha * weight, e.shape[1]
    c[0] = alpha * (moves.follow_residual[t] + gamma * e[moves.follow_row[t], 0] - e[s, 0])
    if weight == 0:
        for i in range(e.shape[0]):
            e[i, 0] += c[0] * lanes.gram[s, i]
        return bool(lanes.scored[0] == 0)
    for k in range(1, size):
        c[k] = rate * (residual + gamma * e[x, k - 1] - e[s, k])
    for i in range(e.shape[0]):
        g = lanes.gram[s, i]
        for k in range(size):
            e[i, k] += c[k] * g
    return True


def varied_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """The same with heads that move one after the other, or by steps of length α."""
    in_place, normalise = lanes.fixed[1], lanes.fixed[2]
    s, x, gamma, residual, weight = moves.row[t], moves.next_row[t], moves.gamma[t], moves.residual[t], moves.ratio[t]
    e, alpha, c = lanes.state[0], lanes.settings[0, 0], lanes.work[0]
    length, touched = 1.0, in_place * lanes.gram[s, x]
    if lanes.gram[s, s] > 0:  # a state without features moves nothing
        length = np.sqrt(lanes.gram[s, s])
    c[0] = alpha * (moves.follow_residual[t] + gamma * e[moves.follow_row[t], 0] - e[s, 0])
    if normalise:
        c[0] = alpha * np.sign(c[0]) / length
    moved = 1 if weight == 0 else e.shape[1]
    for k in range(1, moved):
        c[k] = alpha * weight * (residual + gamma * (e[x, k - 1] + touched * c[k - 1]) - e[s, k])
        if normalise:
            c[k] = alpha * np.sign(c[k]) / length
    for i in range(e.shape[0]):
        for k in range(moved):
            e[i, k] += c[k] * lanes.gram[s, i]
    return bool(weight != 0 or lanes.scored[0] == 0)


@dataclass(frozen=True)
class AllHeads(Rule):
    """A chain whose heads 0..K all learn from every move; `k` is the head that predicts (the last by default)."""

    gamma: Any
    alpha: Any
    K: int = 256
    k: int | None = None
    columns: ClassVar[tuple[str, ...]] = ("alpha", "k")
    across: ClassVar[str] = "heads"
    step = staticmethod(chain_step)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha")
        check_head(self.k, self.K)

    @property
    def head(self) -> int:
        """The head that predicts."""
        return self.K if self.k is None else self.k

    def fixed(self) -> tuple[float, ...]:
        return (float(not self.action_values),)


@dataclass(frozen=True)
class ConcurrentChain(AllHeads):
    """Every head moves by its own TD error, which bootstraps from the head before it."""

    order: str = option("heads move simultaneously, or one after the other", "jacobi", "in-place")
    normalise: bool = option("steps of length α", False)
    name: ClassVar[str] = "chained-concurrent"
    parameters: ClassVar[tuple[str, ...]] = ("heads",)

    def fixed(self) -> tuple[float, ...]:
        return 1.0, float(self.order == "in-place"), float(self.normalise)

    @classmethod
    def step_with(cls, options: Mapping[str, Any]) -> Any:
        plain = options.get("order", "jacobi") == "jacobi" and not options.get("normalise")
        return chain_step if plain else varied_step

    def init(self, heads: Array) -> Heads:
        return Heads(heads)

    def update(self, state: Heads, transition: Transition) -> Heads:
        phi, reward, phi_next, rho, phi_follow, _ = transition
        heads = state.heads.copy()
        before = heads if self.order == "in-place" else state.heads
        delta = reward + self.gamma * (phi_follow @ heads[0]) - phi @ heads[0]
        heads[0] = heads[0] + self.alpha * self._step(delta * phi)
        for k in range(1, self.K + 1):
            delta = reward + self.gamma * (phi_next @ before[k - 1]) - phi @ heads[k]
            heads[k] = heads[k] + self.alpha * self._step(rho * delta * phi)
        return Heads(heads)

    def value(self, state: Heads, phi: Array) -> Any:
        return phi @ state.heads[self.head]

    def obstacle(self) -> str | None:
        return "steps of length α are not linear in the parameters" if self.normalise else None

    def _step(self, g: Array) -> Array:
        if not self.normalise:
            return g
        length = np.sqrt(g @ g)
        return g / length if length > 0 else g
