r"""Chains of n-step estimators.

    θᵏ ← θᵏ + α ρ (G + γⁿ φ_nᵀθᵏ⁻¹ − φ_0ᵀθᵏ) φ_0         mean  θᵏ + α (b_n + γⁿY_nθᵏ⁻¹ − Xθᵏ)

with the windows, G, ρ, Y_n and b_n of `theory.learners.td.n_step`. Head 0 learns v_μ by TD(0) from every single move;
until n moves have been seen nothing else is updated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.learners.checks import count
from theory.learners.concurrent.rule import AllHeads
from theory.learners.td.n_step import Windowed, summary, too_short
from theory.learners.transition import Transition
from theory.problems.numbers import Array


@dataclass(frozen=True)
class ChainedNStep(AllHeads):
    """A concurrent chain whose heads 1..K make n-step updates."""

    n: int = 1
    name: ClassVar[str] = "chained-n-step"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "n", "k")
    memory: ClassVar[tuple[str, ...]] = ("window",)

    def __post_init__(self) -> None:
        super().__post_init__()
        count(self.n, 1, "n")

    def init(self, heads: Array) -> Windowed:
        return Windowed(heads, ())

    def update(self, state: Windowed, transition: Transition) -> Windowed:
        before, window = state.theta, (*state.window, transition)
        heads = before.copy()
        phi, reward, _, _, phi_follow, _ = transition
        delta = reward + self.gamma * (phi_follow @ before[0]) - phi @ before[0]
        heads[0] = before[0] + self.alpha * delta * phi
        if len(window) < self.n:
            return Windowed(heads, window)
        phi, G, phi_last, rho = summary(self.gamma, window)
        for k in range(1, self.K + 1):
            delta = G + phi_last @ before[k - 1] - phi @ before[k]
            heads[k] = before[k] + self.alpha * rho * delta * phi
        return Windowed(heads, window[1:])

    def value(self, state: Windowed, phi: Array) -> Any:
        return phi @ state.theta[self.head]

    def idle(self, steps: int) -> str | None:
        return None if self.head == 0 else too_short(self.n, steps)
