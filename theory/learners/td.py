r"""TD without correction, and off-policy TD (eq. 1).

    δ = R + γ φ'ᵀθ − φᵀθ

    td              θ ← θ + α δ φ          mean  θ + α (b_μ − A_μ θ)
    off-policy-td   θ ← θ + α ρ δ φ        mean  θ + α (b − A θ)

The first learns v_μ whatever π is; the second aims at v_π and may diverge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.checks import positive
from theory.learners.model import Model
from theory.learners.rule import Rule
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Weights(NamedTuple):
    """The state of a learner that has nothing but its parameters."""

    theta: Array  # (F,)


@dataclass(frozen=True)
class TD(Rule):
    """TD(0) of the behaviour: no importance ratio."""

    gamma: Any
    alpha: Any
    name: ClassVar[str] = "td"

    def __post_init__(self) -> None:
        positive(self, "alpha")

    def init(self, theta: Array) -> Weights:
        return Weights(theta)

    def update(self, state: Weights, transition: Transition) -> Weights:
        (theta,), (phi, reward, phi_next, _, _) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        return Weights(theta + self.alpha * delta * phi)

    def value(self, state: Weights, phi: Array) -> Any:
        return phi @ state.theta

    def key_matrix(self, model: Model) -> Array:
        """A_μ."""
        return model.behaviour[0]

    def expected_update(self, state: Weights, model: Model) -> Weights:
        A_mu, b_mu = model.behaviour
        return Weights(state.theta + self.alpha * (b_mu - A_mu @ state.theta))


@dataclass(frozen=True)
class OffPolicyTD(TD):
    """TD(0) with the importance ratio."""

    name: ClassVar[str] = "off-policy-td"

    def update(self, state: Weights, transition: Transition) -> Weights:
        (theta,), (phi, reward, phi_next, rho, _) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        return Weights(theta + self.alpha * rho * delta * phi)

    def key_matrix(self, model: Model) -> Array:
        """A = X − γY."""
        return model.moments.A

    def expected_update(self, state: Weights, model: Model) -> Weights:
        return Weights(state.theta + self.alpha * (model.moments.b - model.moments.A @ state.theta))
