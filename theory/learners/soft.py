r"""TD on a soft (Polyak) target network.

δ = R + γ φ'ᵀθ̄ − φᵀθ,    θ ← θ + α ρ δ φ,    θ̄ ← (1 − τ) θ̄ + τ θ      with the new θ
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.learners.concurrent import Heads
from theory.learners.rule import Rule, fraction_of_one, option, positive
from theory.learners.sequential import target_step
from theory.learners.transition import Transition
from theory.problems.numbers import Array


@dataclass(frozen=True)
class SoftTarget(Rule):
    """A target that takes a share τ of the parameters after every move."""

    gamma: Any
    alpha: Any
    tau: Any = option("the share that the target takes", 0.125)
    name: ClassVar[str] = "soft-target"
    vectors: ClassVar[int] = 2
    parameters: ClassVar[tuple[str, ...]] = ("heads",)
    predicting: ClassVar[int] = 1
    step = staticmethod(target_step)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha", "tau")
        fraction_of_one(self, "tau")

    def init(self, heads: Array) -> Heads:
        return Heads(heads)

    def update(self, state: Heads, transition: Transition) -> Heads:
        (target, theta), (phi, reward, phi_next, rho, *_) = state.heads, transition
        theta = theta + self.alpha * rho * (reward + self.gamma * (phi_next @ target) - phi @ theta) * phi
        heads = state.heads.copy()
        heads[0], heads[1] = (1 - self.tau) * target + self.tau * theta, theta
        return Heads(heads)

    def value(self, state: Heads, phi: Array) -> Any:
        return phi @ state.heads[1]

    def fixed(self) -> tuple[float, ...]:
        return 1.0, float(self.tau)
