r"""Gradient TD: GTD2, TDC and TDRC, with auxiliary weights w that track X⁻¹(b − Aθ).

    δ = R + γ φ'ᵀθ − φᵀθ

    gtd2   θ ← θ + α ρ (φ − γφ') (φᵀw)
    tdc    θ ← θ + α ρ (δ φ − γ φ' (φᵀw))
    tdrc   as tdc, and w shrinks besides by βκ w

    reading "textbook"      w ← w + β ρ (δ − wᵀφ) φ           Sutton and Barto (2018); the default
    reading "2009"          w ← w + β (ρδ − wᵀφ) φ            Sutton et al. (2009); TDRC as published (2020)
    reading "plain-first"   the same w, and for gtd2          the λ-forms of GTD2 at λ = 0
                            θ ← θ + α (φ − γρφ') (φᵀw)

All on the right are values before the move. Since E_μ[ρ | s] = 1 all readings have the same mean,

    w + β (b − Aθ − Xw) [− βκ w],       gtd2: θ + α Aᵀw,       tdc, tdrc: θ + α (b − Aθ − γYᵀw),

and differ in their noise alone. The textbook's is the default for all three, TDRC included: what a move of ratio 0 says
about π is nothing, and so it changes nothing (but for the ridge), and learners that are compared differ in one thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.rule import Lanes, Moves, Rule, option, positive
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Pair(NamedTuple):
    """Parameters and auxiliary weights."""

    theta: Array  # (F,)
    w: Array  # (F,)


def gradient_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """All three; with the textbook's auxiliary update and no ridge a move of ratio 0 changes nothing."""
    correction, textbook, plain, ridge = lanes.fixed[0], lanes.fixed[1], lanes.fixed[2], lanes.fixed[3]
    s, x, rho, gamma, residual = moves.row[t], moves.next_row[t], moves.ratio[t], moves.gamma[t], moves.residual[t]
    moved = rho != 0 or plain != 0
    if not moved and textbook and not ridge:
        return False
    e, u, alpha, beta = lanes.state[0], lanes.state[1], lanes.settings[0], lanes.settings[1]
    along, along_next, surprise = lanes.work[0], lanes.work[1], lanes.work[2]
    for j in range(e.shape[1]):  # in a loop of its own: with fewer arrays to tell apart, both vectorise
        along_next[j] = residual + gamma * e[x, j] - e[s, j]
    for j in range(e.shape[1]):
        delta, estimate, rate = along_next[j], u[s, j], alpha[j] * rho
        surprise[j] = beta[j] * (rho * (delta - estimate) if textbook else rho * delta - estimate)
        along[j] = alpha[j] * estimate if plain else rate * (delta if correction else estimate)
        along_next[j] = -gamma * (rate * estimate)
    for i in range(e.shape[0]):
        g = lanes.gram[s, i]
        for j in range(e.shape[1]):
            u[i, j] = (1.0 - beta[j] * ridge) * u[i, j] + surprise[j] * g
    if moved:
        for i in range(e.shape[0]):
            g, g_next = lanes.gram[s, i], lanes.gram[x, i]
            for j in range(e.shape[1]):
                e[i, j] += along[j] * g + along_next[j] * g_next
    return moved


class TwoTimescale(Rule):
    """A second vector w with a step size of its own; values are θ's."""

    columns: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    parameters: ClassVar[tuple[str, ...]] = ("theta", "w")
    auxiliary: ClassVar[int] = 1

    alpha: Any
    beta: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "alpha", "beta")

    def init(self, theta: Array, w: Array | None = None) -> Pair:
        return Pair(theta, 0 * theta if w is None else w)

    def value(self, state: Pair, phi: Array) -> Any:
        return phi @ state.theta


class WithAuxiliary(TwoTimescale):
    """What the three have in common: the update of w."""

    corrected: ClassVar[bool] = False  # is θ moved by δ, with a correction, or by w alone?
    step = staticmethod(gradient_step)

    reading: str

    def update(self, state: Pair, transition: Transition) -> Pair:
        (theta, w), (phi, reward, phi_next, rho, *_) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        estimate = phi @ w
        surprise = rho * (delta - estimate) if self.reading == "textbook" else rho * delta - estimate
        kept = w - self.beta * self.ridge * w if self.ridge else w
        return Pair(theta + self.alpha * self.direction(delta, estimate, transition), kept + self.beta * surprise * phi)

    def direction(self, delta: Any, estimate: Any, transition: Transition) -> Array:
        """What θ moves along, before α."""
        raise NotImplementedError

    def fixed(self) -> tuple[float, ...]:
        textbook, plain = self.reading == "textbook", self.reading == "plain-first"
        return float(self.corrected), float(textbook), float(plain), float(self.ridge)

    @property
    def ridge(self) -> Any:
        """What w shrinks by, per β."""
        return 0


@dataclass(frozen=True)
class GTD2(WithAuxiliary):
    """θ follows −Aᵀw's gradient; stable whenever A is regular."""

    gamma: Any
    alpha: Any
    beta: Any
    reading: str = option("where the ratio stands", "textbook", "2009", "plain-first")
    name: ClassVar[str] = "gtd2"

    def direction(self, delta: Any, estimate: Any, transition: Transition) -> Array:
        phi, _, phi_next, rho, *_ = transition
        first = 1 if self.reading == "plain-first" else rho
        return estimate * (first * phi - self.gamma * rho * phi_next)


@dataclass(frozen=True)
class TDC(WithAuxiliary):
    """TD with a gradient correction."""

    gamma: Any
    alpha: Any
    beta: Any
    reading: str = option("where the ratio stands", "textbook", "2009")
    name: ClassVar[str] = "tdc"
    corrected: ClassVar[bool] = True

    def direction(self, delta: Any, estimate: Any, transition: Transition) -> Array:
        phi, _, phi_next, rho, *_ = transition
        return rho * (delta * phi - self.gamma * estimate * phi_next)


@dataclass(frozen=True)
class TDRC(TDC):
    """TDC whose auxiliary weights are shrunk by a ridge κ; usually run with β = α and κ = 1."""

    kappa: Any = option("the ridge on the auxiliary weights", 1)
    name: ClassVar[str] = "tdrc"

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "kappa")

    @property
    def ridge(self) -> Any:
        return self.kappa
