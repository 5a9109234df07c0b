r"""Hybrid TD (Hackman 2012; White and White 2016): TD where the behaviour is the target, a gradient method elsewhere.

    δ = R + γ φ'ᵀθ − φᵀθ

    θ ← θ + α (ρ δ φ + (ρ − 1) (φ − γφ') (φᵀw))          mean  θ + α (b − Aθ − (A_μ − A)ᵀw)
    w ← w + β (ρ δ φ − (φ − γφ') (φᵀw))                  mean  w + β (b − Aθ − A_μᵀw)

This is HTD(λ) at λ = 0, and TDC with A_μᵀ in the place of X. On policy ρ = 1: θ moves as TD does, whatever w is.

L. Hackman, "Faster Gradient-TD Algorithms", MSc thesis, University of Alberta, is cited as of 2012; the library dates
the degree to spring 2013 (doi 10.7939/R3JS95).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.learners.gradient import Pair, TwoTimescale
from theory.learners.rule import Lanes, Moves
from theory.learners.transition import Transition


def hybrid_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """Errors e = Φθ − v_π and u = Φw; w moves with every move."""
    s, x, rho, gamma, residual = moves.row[t], moves.next_row[t], moves.ratio[t], moves.gamma[t], moves.residual[t]
    e, u, alpha, beta = lanes.state[0], lanes.state[1], lanes.settings[0], lanes.settings[1]
    along, along_next, w_along, w_next = lanes.work[0], lanes.work[1], lanes.work[2], lanes.work[3]
    for j in range(e.shape[1]):
        delta, estimate = residual + gamma * e[x, j] - e[s, j], u[s, j]
        hybrid = alpha[j] * ((rho - 1.0) * estimate)
        along[j] = alpha[j] * (rho * delta) + hybrid
        along_next[j] = -gamma * hybrid
        w_along[j] = beta[j] * (rho * delta - estimate)
        w_next[j] = gamma * (beta[j] * estimate)
    for i in range(e.shape[0]):
        g, g_next = lanes.gram[s, i], lanes.gram[x, i]
        for j in range(e.shape[1]):
            e[i, j] += along[j] * g + along_next[j] * g_next
            u[i, j] += w_along[j] * g + w_next[j] * g_next
    return True


@dataclass(frozen=True)
class HTD(TwoTimescale):
    """Hybrid TD with its own step size for the auxiliary weights."""

    gamma: Any
    alpha: Any
    beta: Any
    name: ClassVar[str] = "htd"
    step = staticmethod(hybrid_step)

    def update(self, state: Pair, transition: Transition) -> Pair:
        (theta, w), (phi, reward, phi_next, rho, *_) = state, transition
        delta = reward + self.gamma * (phi_next @ theta) - phi @ theta
        correction = (phi @ w) * (phi - self.gamma * phi_next)
        return Pair(
            theta + self.alpha * (rho * delta * phi + (rho - 1) * correction),
            w + self.beta * (rho * delta * phi - correction),
        )
