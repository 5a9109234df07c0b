r"""n-step off-policy TD, and chains of it.

When the n-th move of a window S_t, …, S_{t+n} has been seen, the first state is updated:

    G = R_1 + γR_2 + … + γⁿ⁻¹R_n,     ρ = ρ_1 ρ_2 … ρ_n
    n-step           θ  ← θ  + α ρ (G + γⁿ φ_nᵀθ − φ_0ᵀθ) φ_0             mean  θ + α (b_n − (X − γⁿY_n)θ)
    chained-n-step   θᵏ ← θᵏ + α ρ (G + γⁿ φ_nᵀθᵏ⁻¹ − φ_0ᵀθᵏ) φ_0         mean  θᵏ + α (b_n + γⁿY_nθᵏ⁻¹ − Xθᵏ)

    Y_n = ΦᵀDPⁿΦ,        b_n = ΦᵀD Σ_{j<n} γʲPʲ r_π

Head 0 learns v_μ by TD(0) from every single move. Until n moves have been seen nothing else is updated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from theory.learners.checks import count, positive
from theory.learners.model import Model
from theory.learners.rule import Rule
from theory.learners.sequential import check_head
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Windowed(NamedTuple):
    """Parameters and the last moves, at most n − 1 of them."""

    theta: Array  # (F,), or (K + 1, F) for a chain
    window: tuple[Transition, ...]


@dataclass(frozen=True)
class NStep(Rule):
    """n-step off-policy TD with the product of ratios."""

    gamma: Any
    alpha: Any
    n: int = 1
    name: ClassVar[str] = "n-step"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "n")
    memory: ClassVar[tuple[str, ...]] = ("window",)

    def __post_init__(self) -> None:
        positive(self, "alpha")
        count(self.n, 1, "n")

    def init(self, theta: Array) -> Windowed:
        return Windowed(theta, ())

    def update(self, state: Windowed, transition: Transition) -> Windowed:
        theta, window = state.theta, (*state.window, transition)
        if len(window) < self.n:
            return Windowed(theta, window)
        phi, G, phi_last, rho = summary(self.gamma, window)
        delta = G + self.gamma**self.n * (phi_last @ theta) - phi @ theta
        return Windowed(theta + self.alpha * rho * delta * phi, window[1:])

    def value(self, state: Windowed, phi: Array) -> Any:
        return phi @ state.theta

    def key_matrix(self, model: Model) -> Array:
        """A_n = X − γⁿY_n."""
        return model.moments.X - model.q.gamma**self.n * n_step_moments(model, self.n)[0]

    def expected_update(self, state: Windowed, model: Model) -> Windowed:
        """The mean over stationary windows of n moves."""
        b_n = n_step_moments(model, self.n)[1]
        return Windowed(state.theta + self.alpha * (b_n - self.key_matrix(model) @ state.theta), state.window)


@dataclass(frozen=True)
class ChainedNStep(Rule):
    """A concurrent chain whose heads 1..K make n-step updates."""

    gamma: Any
    alpha: Any
    n: int = 1
    K: int = 256
    k: int | None = None
    name: ClassVar[str] = "chained-n-step"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "n", "k")
    memory: ClassVar[tuple[str, ...]] = ("window",)

    def __post_init__(self) -> None:
        positive(self, "alpha")
        count(self.n, 1, "n")
        count(self.K, 0, "heads")
        check_head(self.k, self.K)

    def init(self, heads: Array) -> Windowed:
        return Windowed(heads, ())

    def update(self, state: Windowed, transition: Transition) -> Windowed:
        before, window = state.theta, (*state.window, transition)
        heads = before.copy()
        phi, reward, _, _, phi_follow = transition
        delta = reward + self.gamma * (phi_follow @ before[0]) - phi @ before[0]
        heads[0] = before[0] + self.alpha * delta * phi
        if len(window) < self.n:
            return Windowed(heads, window)
        phi, G, phi_last, rho = summary(self.gamma, window)
        for k in range(1, self.K + 1):
            delta = G + self.gamma**self.n * (phi_last @ before[k - 1]) - phi @ before[k]
            heads[k] = before[k] + self.alpha * rho * delta * phi
        return Windowed(heads, window[1:])

    def value(self, state: Windowed, phi: Array) -> Any:
        return phi @ state.theta[self.K if self.k is None else self.k]

    def key_matrix(self, model: Model, k: int = 1) -> Array:
        """A_μ for head 0, X for the others."""
        return model.behaviour[0] if k == 0 else model.moments.X

    def expected_update(self, state: Windowed, model: Model) -> Windowed:
        """The mean over stationary windows of n moves."""
        Y_n, b_n = n_step_moments(model, self.n)
        (A_mu, b_mu), X, heads = model.behaviour, model.moments.X, state.theta
        first = b_mu - A_mu @ heads[0]
        rest = [b_n + model.q.gamma**self.n * (Y_n @ heads[k - 1]) - X @ heads[k] for k in range(1, self.K + 1)]
        return Windowed(heads + self.alpha * np.array([first, *rest], dtype=heads.dtype), state.window)


def summary(gamma: Any, window: tuple[Transition, ...]) -> tuple[Array, Any, Array, Any]:
    """φ_0, discounted reward G, φ_n and the product of ratios of a window of moves."""
    G, rho, discount = 0, 1, 1
    for move in window:
        G, rho, discount = G + discount * move.reward, rho * move.ratio, discount * gamma
    return window[0].phi, G, window[-1].phi_next, rho


def n_step_moments(model: Model, n: int) -> tuple[Array, Array]:
    """Y_n and b_n."""
    q = model.q
    ahead, reward = q.Phi, 0 * q.r_pi
    for _ in range(n):
        ahead, reward = q.P_pi @ ahead, q.r_pi + q.gamma * (q.P_pi @ reward)
    weighted = q.Phi.T * q.d_mu
    return weighted @ ahead, weighted @ reward
