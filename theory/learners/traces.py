r"""Off-policy TD(λ) and emphatic TD: a decaying memory of where one has been.

    td-lambda   e ← ρ (γλ e + φ)                          θ ← θ + α δ e

    etd         F ← γ ρ₋ F + 1,    M = λ + (1 − λ) F
                e ← ρ (γλ e + M φ)                         θ ← θ + α δ e

with ρ₋ the ratio of the move before (interest one in every state). `Traced.follow` carries γρF from one move to
the next; it and e start at 0, so F starts at 1. Both fade by the discount of a move, to nothing at an end.

The mean update is over stationary histories. Given S_t = s the mean of the past is linear: with
F̄ = (I − γP_πᵀ)⁻¹d and m = λd + (1−λ)F̄ (m = d for TD(λ)), the visits-weighted mean of γλe + Mφ is row s of

    Z = (I − γλP_πᵀ)⁻¹ diag(m) Φ,        A = Zᵀ(I − γP_π)Φ,        b = Zᵀ r_π.

The rule's own update reproduces that past on average (`tests/learners/test_expected_updates.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.rule import Lanes, Moves, Rule, fraction_of_one, positive
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Traced(NamedTuple):
    """Parameters, trace, and what is carried over of the follow-on trace."""

    theta: Array  # (F,)
    trace: Array  # (F,)
    follow: Any


def trace_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """The errors and the trace are two vectors; `memory` holds the follow-on trace, and whether the other is not 0."""
    s, x, rho, gamma, residual = moves.row[t], moves.next_row[t], moves.ratio[t], moves.gamma[t], moves.residual[t]
    e, trace, memory = lanes.state[0], lanes.state[1], lanes.memory
    if rho == 0:
        if memory[1]:
            trace[:] = 0.0
        memory[:2] = 0.0
        return False
    before = moves.gamma[t - 1] if t > 0 else 0.0
    follow = memory[0] + 1.0
    alpha, lambda_ = lanes.settings[0], lanes.settings[1]
    c, decay, emphasis = lanes.work[0], lanes.work[1], lanes.work[2]
    for j in range(e.shape[1]):
        c[j] = alpha[j] * (residual + gamma * e[x, j] - e[s, j])
        decay[j] = before * lambda_[j]
        emphasis[j] = lambda_[j] + (1.0 - lambda_[j]) * follow if lanes.fixed[0] else 1.0
    for i in range(e.shape[0]):
        g = lanes.gram[s, i]
        for j in range(e.shape[1]):
            trace[i, j] = rho * (decay[j] * trace[i, j] + emphasis[j] * g)
            e[i, j] += c[j] * trace[i, j]
    memory[0], memory[1] = gamma * rho * follow, 1.0
    return True


@dataclass(frozen=True)
class TDLambda(Rule):
    """Off-policy TD(λ) with accumulating traces."""

    gamma: Any
    alpha: Any
    lambda_: Any = 0.5  # with 0 it would be off-policy TD
    name: ClassVar[str] = "td-lambda"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "lambda_")
    emphatic: ClassVar[bool] = False
    auxiliary: ClassVar[int] = 1
    step = staticmethod(trace_step)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha")
        fraction_of_one(self, "lambda_")

    def init(self, theta: Array) -> Traced:
        return Traced(theta, 0 * theta, 0 * theta[0])

    def update(self, state: Traced, transition: Transition) -> Traced:
        (theta, trace, follow), (phi, reward, phi_next, rho, _, discount) = state, transition
        F, M = self._emphasis(follow)
        trace = rho * (self.gamma * self.lambda_ * trace + M * phi)
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        return Traced(theta + self.alpha * delta * trace, discount * trace, self.gamma * discount * rho * F)

    def value(self, state: Traced, phi: Array) -> Any:
        return phi @ state.theta

    def fixed(self) -> tuple[float, ...]:
        return (float(self.emphatic),)

    def obstacle(self) -> str:
        return "the trace remembers all moves and multiplies the parameters"

    def _emphasis(self, follow: Any) -> tuple[Any, Any]:
        return follow, 1


@dataclass(frozen=True)
class ETD(TDLambda):
    """Emphatic TD(λ) with interest one; ETD(0) by default, as in the paper."""

    lambda_: Any = 0
    name: ClassVar[str] = "etd"
    emphatic: ClassVar[bool] = True

    def _emphasis(self, follow: Any) -> tuple[Any, Any]:
        F = follow + 1
        return F, self.lambda_ + (1 - self.lambda_) * F
