r"""TD without correction, and off-policy TD (eq. 1).

    δ = R + γ φ'ᵀθ − φᵀθ

    td              θ ← θ + α δ φ          mean  θ + α (b_μ − A_μ θ)
    off-policy-td   θ ← θ + α ρ δ φ        mean  θ + α (b − A θ)

The first learns v_μ whatever π is; the second aims at v_π and may diverge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from theory.learners.checks import positive
from theory.learners.rule import Option, Rule
from theory.learners.transition import Transition
from theory.problems.numbers import Array

if TYPE_CHECKING:
    from theory.learners.bulk.job import Job


class Weights(NamedTuple):
    """The state of a learner that has nothing but its parameters."""

    theta: Array  # (F,)


class OneVector(Rule):
    """What the family's kernel has to know of a rule: does it use ratios, traces, emphasis?"""

    corrected: ClassVar[bool] = True
    traced: ClassVar[bool] = False
    emphatic: ClassVar[bool] = False
    arithmetic: ClassVar[dict[str, Option]] = {
        "space": Option("values", ("values", "parameters"), "run on the errors of the values, or on θ itself"),
        **Rule.arithmetic,
    }

    @staticmethod
    def run(job: Job) -> None:
        from theory.learners.td.run import run

        run(job)


@dataclass(frozen=True)
class TD(OneVector):
    """TD(0) of the behaviour: no importance ratio."""

    gamma: Any
    alpha: Any
    name: ClassVar[str] = "td"
    corrected: ClassVar[bool] = False

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


@dataclass(frozen=True)
class OffPolicyTD(TD):
    """TD(0) with the importance ratio."""

    name: ClassVar[str] = "off-policy-td"
    corrected: ClassVar[bool] = True

    def update(self, state: Weights, transition: Transition) -> Weights:
        (theta,), (phi, reward, phi_next, rho, *_) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        return Weights(theta + self.alpha * rho * delta * phi)
