r"""TD without correction, and off-policy TD (eq. 1).

    δ = R + γ φ'ᵀθ − φᵀθ

    td              θ ← θ + α δ φ          mean  θ + α (b_μ − A_μ θ)
    off-policy-td   θ ← θ + α ρ δ φ        mean  θ + α (b − A θ)

The first learns v_μ whatever π is; the second aims at v_π and may diverge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.rule import Lanes, Moves, Rule, positive
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Weights(NamedTuple):
    """The state of a learner that has nothing but its parameters."""

    theta: Array  # (F,)


def td_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """Both learners; `fixed` says whether ratios count."""
    s, x, gamma, residual = moves.row[t], moves.next_row[t], moves.gamma[t], moves.residual[t]
    rho = moves.ratio[t] if lanes.fixed[0] else 1.0
    if rho == 0:
        return False
    e, alpha, c = lanes.state[0], lanes.settings[0], lanes.work[0]
    for j in range(e.shape[1]):
        c[j] = alpha[j] * (rho * (residual + gamma * e[x, j] - e[s, j]))
    for i in range(e.shape[0]):
        g = lanes.gram[s, i]
        for j in range(e.shape[1]):
            e[i, j] += c[j] * g
    return True


@dataclass(frozen=True)
class TD(Rule):
    """TD(0) of the behaviour: no importance ratio."""

    gamma: Any
    alpha: Any
    name: ClassVar[str] = "td"
    corrected: ClassVar[bool] = False
    step = staticmethod(td_step)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha")

    def init(self, theta: Array) -> Weights:
        return Weights(theta)

    def update(self, state: Weights, transition: Transition) -> Weights:
        (theta,), (phi, reward, phi_next, *_) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        return Weights(theta + self.alpha * delta * phi)

    def value(self, state: Weights, phi: Array) -> Any:
        return phi @ state.theta

    def fixed(self) -> tuple[float, ...]:
        return (float(self.corrected),)


@dataclass(frozen=True)
class OffPolicyTD(TD):
    """TD(0) with the importance ratio."""

    name: ClassVar[str] = "off-policy-td"
    corrected: ClassVar[bool] = True

    def update(self, state: Weights, transition: Transition) -> Weights:
        (theta,), (phi, reward, phi_next, rho, *_) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        return Weights(theta + self.alpha * rho * delta * phi)
