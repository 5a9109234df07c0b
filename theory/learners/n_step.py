r"""n-step off-policy TD, and chains of n-step estimators.

When the n-th move of a window S_t, …, S_{t+n} has been seen, the first state is updated:

    G = R_1 + γR_2 + … + γⁿ⁻¹R_n,     ρ = ρ_1 ρ_2 … ρ_n
    n-step   θ ← θ + α ρ (G + γⁿ φ_nᵀθ − φ_0ᵀθ) φ_0             mean  θ + α (b_n − (X − γⁿY_n)θ)

    Y_n = ΦᵀDPⁿΦ,        b_n = ΦᵀD Σ_{j<n} γʲPʲ r_π

    chained-n-step   θᵏ ← θᵏ + α ρ (G + γⁿ φ_nᵀθᵏ⁻¹ − φ_0ᵀθᵏ) φ_0     mean  θᵏ + α (b_n + γⁿY_nθᵏ⁻¹ − Xθᵏ)

Until n moves have been seen nothing is updated, but head 0 of a chain, which learns v_μ by TD(0). After an end neither
rewards nor ratios count any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.concurrent import AllHeads
from theory.learners.rule import Lanes, Moves, Rule, count, positive
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Windowed(NamedTuple):
    """Parameters and the last moves, at most n − 1 of them."""

    theta: Array  # (F,), or (K + 1, F) for a chain
    window: tuple[Transition, ...]


def n_step_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """A return of n moves has the residual Σ γʲ residual_j, in which the true values between its ends cancel."""
    begin = t - int(lanes.fixed[0]) + 1
    if begin < 0:
        return False
    rho, gamma, residual = 1.0, 1.0, 0.0
    for i in range(begin, t + 1):
        rho, residual = rho * moves.ratio[i], residual + gamma * moves.residual[i]
        gamma = gamma * moves.gamma[i]
        if gamma == 0:
            break
    if rho == 0:
        return False
    s, x, e, alpha, c = moves.row[begin], moves.next_row[t], lanes.state[0], lanes.settings[0], lanes.work[0]
    for j in range(e.shape[1]):
        c[j] = alpha[j] * (rho * (residual + gamma * e[x, j] - e[s, j]))
    for i in range(e.shape[0]):
        g = lanes.gram[s, i]
        for j in range(e.shape[1]):
            e[i, j] += c[j] * g
    return True


def n_step_chain_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """Head 0 by its last move, the others by the window that ends with it."""
    e, alpha, c = lanes.state[0], lanes.settings[0, 0], lanes.work[0]
    now = moves.row[t]
    first = alpha * (moves.follow_residual[t] + moves.gamma[t] * e[moves.follow_row[t], 0] - e[now, 0])
    begin = t - int(lanes.fixed[0]) + 1
    rho, gamma, residual = 1.0 if begin >= 0 else 0.0, 1.0, 0.0
    for i in range(max(begin, 0), t + 1):
        rho, residual = rho * moves.ratio[i], residual + gamma * moves.residual[i]
        gamma = gamma * moves.gamma[i]
        if gamma == 0:
            break
    if rho != 0:
        s, x, rate = moves.row[begin], moves.next_row[t], alpha * rho
        for k in range(1, e.shape[1]):
            c[k] = rate * (residual + gamma * e[x, k - 1] - e[s, k])
        for i in range(e.shape[0]):
            g = lanes.gram[s, i]
            for k in range(1, e.shape[1]):
                e[i, k] += c[k] * g
    for i in range(e.shape[0]):
        e[i, 0] += first * lanes.gram[now, i]
    return rho != 0 or lanes.scored[0] == 0


@dataclass(frozen=True)
class NStep(Rule):
    """n-step off-policy TD with the product of ratios."""

    gamma: Any
    alpha: Any
    n: int = 1
    name: ClassVar[str] = "n-step"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "n")
    memory: ClassVar[tuple[str, ...]] = ("window",)
    grouped: ClassVar[tuple[str, ...]] = ("n",)
    step = staticmethod(n_step_step)

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

    def fixed(self) -> tuple[float, ...]:
        return (float(self.n),)

    def idle(self, steps: int) -> str | None:
        return too_short(self.n, steps)


@dataclass(frozen=True)
class ChainedNStep(AllHeads):
    """A concurrent chain whose heads 1..K make n-step updates."""

    n: int = 1
    name: ClassVar[str] = "chained-n-step"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "n", "k")
    memory: ClassVar[tuple[str, ...]] = ("window",)
    grouped: ClassVar[tuple[str, ...]] = ("n",)
    step = staticmethod(n_step_chain_step)

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

    def fixed(self) -> tuple[float, ...]:
        return (float(self.n),)

    def idle(self, steps: int) -> str | None:
        return None if self.head == 0 else too_short(self.n, steps)


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
