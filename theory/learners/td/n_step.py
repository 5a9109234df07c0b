r"""n-step off-policy TD.

When the n-th move of a window S_t, …, S_{t+n} has been seen, the first state is updated:

    G = R_1 + γR_2 + … + γⁿ⁻¹R_n,     ρ = ρ_1 ρ_2 … ρ_n
    n-step   θ ← θ + α ρ (G + γⁿ φ_nᵀθ − φ_0ᵀθ) φ_0             mean  θ + α (b_n − (X − γⁿY_n)θ)

    Y_n = ΦᵀDPⁿΦ,        b_n = ΦᵀD Σ_{j<n} γʲPʲ r_π

Until n moves have been seen nothing is updated. After an end neither rewards nor ratios count any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.checks import count, positive
from theory.learners.td.rule import OneVector
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Windowed(NamedTuple):
    """Parameters and the last moves, at most n − 1 of them."""

    theta: Array  # (F,), or (K + 1, F) for a chain
    window: tuple[Transition, ...]


@dataclass(frozen=True)
class NStep(OneVector):
    """n-step off-policy TD with the product of ratios."""

    gamma: Any
    alpha: Any
    n: int = 1
    name: ClassVar[str] = "n-step"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "n")
    memory: ClassVar[tuple[str, ...]] = ("window",)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha")
        count(self.n, 1, "n")

    def init(self, theta: Array) -> Windowed:
        return Windowed(theta, ())

    def update(self, state: Windowed, transition: Transition) -> Windowed:
        theta, window = state.theta, (*state.window, transition)
        if len(window) < self.n:
            return Windowed(theta, window)
        phi, G, phi_last, rho = summary(self.gamma, window)
        delta = G + phi_last @ theta - phi @ theta
        return Windowed(theta + self.alpha * rho * delta * phi, window[1:])

    def value(self, state: Windowed, phi: Array) -> Any:
        return phi @ state.theta

    def idle(self, steps: int) -> str | None:
        return too_short(self.n, steps)


def summary(gamma: Any, window: tuple[Transition, ...]) -> tuple[Array, Any, Array, Any]:
    """φ_0, discounted reward G, γⁿφ_n and the product of ratios of a window of moves, up to where the episode ends."""
    G, rho, discount = 0, 1, 1
    for move in window[:-1]:
        G, rho = G + discount * move.reward, rho * move.ratio
        discount = discount * gamma * move.discount
        if discount == 0:
            return window[0].phi, G, 0 * move.phi_next, rho
    last = window[-1]
    return window[0].phi, G + discount * last.reward, discount * gamma * last.phi_next, rho * last.ratio


def too_short(n: int, steps: int) -> str | None:
    """Why n-step estimators never learn in a run of so many moves, where that is so."""
    return f"a window of n = {n:,} moves is not complete before the run ends" if n > steps else None
