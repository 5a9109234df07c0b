r"""Gradient TD: GTD2, TDC and TDRC, with auxiliary weights w that track X⁻¹(b − Aθ).

    δ = R + γ φ'ᵀθ − φᵀθ

    w ← w + β ρ (δ − wᵀφ) φ            reading "textbook" (the default)
    w ← w + β (ρδ − wᵀφ) φ             reading "2009"

    gtd2   θ ← θ + α ρ (φ − γφ') (φᵀw)
    tdc    θ ← θ + α ρ (δ φ − γ φ' (φᵀw))
    tdrc   as tdc, and w shrinks:  w ← w + β ρ (δ − wᵀφ) φ − β κ w

All on the right are values before the move. Since E_μ[ρ | s] = 1 both readings have the same mean,

    w + β (b − Aθ − Xw) [− βκ w],       gtd2: θ + α Aᵀw,       tdc, tdrc: θ + α (b − Aθ − γYᵀw).

`key_matrix` is that of z = (θ, w), z ← z + α(g − Gz).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from theory.learners.checks import one_of, positive
from theory.learners.model import Model, eye
from theory.learners.rule import Rule
from theory.learners.transition import Transition
from theory.problems.numbers import Array

READINGS = ("textbook", "2009")


class Pair(NamedTuple):
    """Parameters and auxiliary weights."""

    theta: Array  # (F,)
    w: Array  # (F,)


@dataclass(frozen=True)
class GTD2(Rule):
    """θ follows −Aᵀw's gradient; stable whenever A is regular."""

    gamma: Any
    alpha: Any
    beta: Any
    reading: str = "textbook"
    name: ClassVar[str] = "gtd2"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    parameters: ClassVar[tuple[str, ...]] = ("theta", "w")

    def __post_init__(self) -> None:
        positive(self, "alpha", "beta")
        one_of(self.reading, READINGS, "reading")

    def init(self, theta: Array, w: Array | None = None) -> Pair:
        return Pair(theta, 0 * theta if w is None else w)

    def update(self, state: Pair, transition: Transition) -> Pair:
        (theta, w), (phi, reward, phi_next, rho, _) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        estimate = phi @ w
        surprise = rho * (delta - estimate) if self.reading == "textbook" else rho * delta - estimate
        gradient = self._gradient(delta, estimate, phi, phi_next)
        return Pair(theta + self.alpha * rho * gradient, self._shrunk(w) + self.beta * surprise * phi)

    def value(self, state: Pair, phi: Array) -> Any:
        return phi @ state.theta

    def key_matrix(self, model: Model) -> Array:
        """G = [[0, −Aᵀ], [ηA, ηX]] with η = β/α."""
        m, eta = model.moments, self.beta / self.alpha
        return np.block([[0 * m.A, -m.A.T], [eta * m.A, eta * self._auxiliary(m.X)]])

    def expected_update(self, state: Pair, model: Model) -> Pair:
        m, (theta, w) = model.moments, state
        error = m.b - m.A @ theta
        return Pair(theta + self.alpha * (m.A.T @ w), w + self.beta * (error - self._auxiliary(m.X) @ w))

    def _gradient(self, delta: Any, estimate: Any, phi: Array, phi_next: Array) -> Array:
        return estimate * (phi - self.gamma * phi_next)

    def _shrunk(self, w: Array) -> Array:
        return w

    def _auxiliary(self, X: Array) -> Array:
        return X


@dataclass(frozen=True)
class TDC(GTD2):
    """TD with a gradient correction."""

    name: ClassVar[str] = "tdc"

    def key_matrix(self, model: Model) -> Array:
        """G = [[A, γYᵀ], [ηA, ηX]] with η = β/α."""
        m, eta = model.moments, self.beta / self.alpha
        return np.block([[m.A, model.q.gamma * m.Y.T], [eta * m.A, eta * self._auxiliary(m.X)]])

    def expected_update(self, state: Pair, model: Model) -> Pair:
        m, (theta, w) = model.moments, state
        error = m.b - m.A @ theta
        corrected = error - model.q.gamma * (m.Y.T @ w)
        return Pair(theta + self.alpha * corrected, w + self.beta * (error - self._auxiliary(m.X) @ w))

    def _gradient(self, delta: Any, estimate: Any, phi: Array, phi_next: Array) -> Array:
        return delta * phi - self.gamma * estimate * phi_next


@dataclass(frozen=True)
class TDRC(TDC):
    """TDC whose auxiliary weights are shrunk by a ridge κ; usually run with β = α and κ = 1."""

    kappa: Any = 1
    name: ClassVar[str] = "tdrc"

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "kappa")

    def _shrunk(self, w: Array) -> Array:
        return w - self.beta * self.kappa * w

    def _auxiliary(self, X: Array) -> Array:
        return X + self.kappa * eye(X)
