r"""Expected updates, iterated: what every algorithm does on average.

Richardson iteration (def-richardson) for any M and b, whose error is known in advance for all t:

    θ_{t+1} = θ_t + α(b − Mθ_t)        r_t = θ_t − M⁻¹b = (I − αM)ᵗ r_0

and its uses: off-policy TD (M = A); all heads at once, simultaneously (Jacobi, eq-chain) or in place
(Gauss–Seidel, which is what moving line 2 of the paper's alg-1 gives: the same fixed point and spectrum, another
transient); target networks.

*Hot start*: a round begins where the one before ended. *Cold start*: it begins at the common start.

*Gradient normalisation* replaces the update vector g by g/‖g‖, for each head by itself ("head", the
paper's figure 2) or for all stacked ("joint"). Every step then has length α (a zero update stays zero), so
it hovers about the fixed point at distance ~α and cannot converge (claim-normalise).

Overflow is a result: parameters that leave the range of doubles are +inf from then on, never NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from theory.linear.basis import checked_moments
from theory.linear.chain import Start, start_parameters
from theory.linear.moments import check_heads, unknown_behaviour
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

Normalise = Literal["head", "joint"] | None


@dataclass(frozen=True, eq=False)
class Iterates:
    """Parameters along an iteration; the leading axes are the algorithm's, the last is the feature."""

    theta: FloatArray  # (…, F)

    @property
    def overflowed(self) -> Array:
        """Where parameters left the range of doubles; shape of the leading axes."""
        return np.asarray(~np.isfinite(self.theta).all(axis=-1))

    def values(self, problem: Problem) -> FloatArray:
        """Φθ, (…, S); inf where the parameters overflowed."""
        finite = np.where(self.overflowed[..., None], 0.0, self.theta)
        with np.errstate(over="ignore", invalid="ignore"):
            values = finite @ problem.Phi.T
        return np.where(self.overflowed[..., None] | ~np.isfinite(values), np.inf, values)


def richardson(M: FloatArray, b: FloatArray, alpha: float, start: FloatArray, steps: int) -> Iterates:
    """θ_0 … θ_steps, (steps+1, F)."""
    check_count(steps, "steps")
    theta = np.empty((steps + 1, len(b)))
    theta[0] = start
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(steps):
            theta[t + 1] = theta[t] + alpha * (b - M @ theta[t])
    saturate(theta)  # what is not finite once stays so: inf and NaN only breed their like
    return Iterates(theta)


def off_policy_td(problem: Problem, alpha: float, steps: int, start: Start = "zero") -> Iterates:
    """Expected off-policy TD, θ ← θ + α(b − Aθ), (steps+1, F)."""
    m = checked_moments(problem)
    return richardson(m.A, m.b, alpha, start_parameters(problem, start), steps)


def target_network(
    problem: Problem,
    alpha: float,
    window: int,
    rounds: int,
    start: Start = "zero",
    *,
    hot: bool = True,
) -> Iterates:
    """TD towards a target network that is refreshed every `window` updates, (rounds, window+1, F).

    The first target is `start`, and with a cold start every round begins there.
    One update per target is off-policy TD; many are the sequential chain (alg-1).
    """
    check_count(rounds, "rounds")
    check_count(window, "window")
    m = checked_moments(problem)
    target = restart = start_parameters(problem, start)
    theta = np.empty((rounds, window + 1, problem.n_features))
    for k in range(rounds):
        with np.errstate(over="ignore", invalid="ignore"):
            b = m.b + (m.X - m.A) @ target  # b + γYθ⁻
        theta[k] = richardson(m.X, b, alpha, target if hot else restart, window).theta
        target = theta[k, -1]
    return Iterates(theta)


def concurrent_chain(
    problem: Problem,
    alpha: float,
    K: int,
    steps: int,
    start: Start = "zero",
    *,
    in_place: bool = False,
    normalise: Normalise = None,
    every: int = 1,
) -> Iterates:
    """All heads 0..K at every step, (steps//every + 1, K+1, F): every `every`-th state is kept.

    `in_place` lets head k bootstrap from the predecessor's already updated parameters.
    """
    check_heads(K)
    check_count(steps, "steps")
    if in_place and normalise == "joint":
        raise InvalidProblem("an in-place sweep has no joint update vector: normalise each head", "normalise")
    A_mu, b_mu = _behaviour(problem)
    m = checked_moments(problem)
    gY = m.X - m.A
    theta = np.tile(start_parameters(problem, start), (K + 1, 1))
    kept = np.empty((steps // every + 1, *theta.shape))
    kept[0] = theta
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(1, steps + 1):
            if in_place:
                for k in range(K + 1):
                    g = b_mu - A_mu @ theta[0] if k == 0 else m.b + gY @ theta[k - 1] - m.X @ theta[k]
                    theta[k] += alpha * (_normalised(g) if normalise else g)
            else:
                g = np.empty_like(theta)
                g[0] = b_mu - A_mu @ theta[0]
                g[1:] = m.b + theta[:-1] @ gY.T - theta[1:] @ m.X
                if normalise == "head":
                    g = _normalised(g)
                elif normalise == "joint":
                    g = _normalised(g.ravel()).reshape(g.shape)
                theta += alpha * g
            if t % every == 0:
                kept[t // every] = theta
    saturate(kept)
    return Iterates(kept)


def saturate(theta: FloatArray) -> None:
    """In place: a vector (last axis) with an entry that is not finite becomes +inf altogether."""
    lost = ~np.isfinite(theta).all(axis=-1)
    if lost.any():
        theta[lost] = np.inf


def check_count(n: int, where: str) -> None:
    """Steps, windows and rounds are counted from zero."""
    if n < 0:
        raise InvalidProblem(f"must be 0 or more, got {n}", where)


def _normalised(g: FloatArray) -> FloatArray:
    # Divide by the largest entry first: ‖g‖ may overflow where g does not.
    largest = np.abs(g).max(axis=-1, keepdims=True)
    g = g / np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(g, axis=-1, keepdims=True)
    return g / np.where(length > 0, length, 1.0)


def _behaviour(problem: Problem) -> tuple[FloatArray, FloatArray]:
    m = checked_moments(problem)
    if m.A_mu is None:
        raise unknown_behaviour("A_mu", "P_mu")
    if m.b_mu is None:
        raise unknown_behaviour("b_mu", "r_mu")
    return m.A_mu, m.b_mu
