r"""Stable with T updates per target network? For a batch and many T, from TD (T = 1) to the chain (T = ∞).

    G_T = Q + (I − Q)X⁻¹Y = I − pA        Q = (I − αX)ᵀ (a power)        p = (I − Q)X⁻¹        α = c/λ_max(X), 0 < c < 2

(extra-target-network; Y includes γⁿ). With X = UΛUᵀ there are two ways to compute it, and each problem takes the one
with the smaller error.

**Few updates.** In the basis U, p is diagonal, (1 − (1 − αλ)ᵀ)/λ ≤ αT, and G_T = I − p UᵀAU. No X⁻¹ occurs. Up to an
orthogonal matrix at most o = ‖UᵀU − I‖ from U, X is Λ + δ with ‖δ‖ ≤ η (measured, with ΔX), and since ‖I − αX‖ ≤ 1,
p is off by at most ½α²T²η exp(Tαη). Hence G_T by that times ‖A‖, and max p times the error of UᵀAU.

**Many updates.** K = Λ^−½Uᵀ; in the coordinates with X = I, Q is diagonal, q = (1 − αλ)ᵀ, and G_T = q + (1 − q)W with
W = KYKᵀ. K was computed: KXKᵀ = I + R with ‖R‖ ≤ r and UᵀU = I + O with ‖O‖ ≤ o, both measured. αX is
αΛ^½(I + O)⁻¹Λ^½(I + R) = αΛ + δ, ‖δ‖ ≤ c((1 + r)/(1 − o) − 1), and Q is off by at most ε = exp(T‖δ‖) − 1. Hence G_T
is off by at most ε(1 + ‖W‖) + (2 + ε)·(error of W), and some roundings.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from theory.montecarlo.dense import OPEN, UNIT, Verdicts
from theory.montecarlo.disc import inside_disc
from theory.montecarlo.moments import BatchMoments, batch_moments, frobenius, transposed
from theory.montecarlo.one_by_one import decide_open, eigenvalue_verdicts, exact_window
from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray

Form = Callable[[float], tuple[FloatArray, FloatArray]]  # G_T and its error, given T


def window_verdicts(
    batch: Batch,
    gamma: Fraction,
    windows: tuple[float, ...],
    step_size: float,
    n_steps: int = 1,
    *,
    certify: bool = False,
) -> dict[float, Verdicts]:
    """YES where ρ(G_T) < 1, NO where not, OPEN where undecided: (n,) for each T in `windows`."""
    m = batch_moments(batch, float(gamma), n_steps)
    values, U = np.linalg.eigh(m.X)
    alpha = step_size / values[:, -1]
    few, many = _few_updates(m, values, U, alpha), _many_updates(m, values, U, alpha, step_size)
    out: dict[float, Verdicts] = {}
    for T in windows:
        G, error = many(T)
        if not np.isinf(T):
            other, other_error = few(T)
            better = other_error < error
            G, error = np.where(better[:, None, None], other, G), np.where(better, other_error, error)
        verdicts = inside_disc(G, error)
        if not certify:
            left = np.flatnonzero(verdicts == OPEN)
            verdicts[left] = eigenvalue_verdicts(G[left], error[left], disc=True)
        decide_open(verdicts, lambda i, T=T: exact_window(batch, i, gamma, n_steps, T, float(alpha[i])))
        out[T] = verdicts
    return out


def weights(x: FloatArray, T: float) -> tuple[FloatArray, FloatArray]:
    """q = (1 − x)ᵀ and 1 − q for 0 < x < 2, without cancellation.

    >>> q, rest = weights(np.array([1e-20, 1.5]), 3)
    >>> f"{rest[0]:.6g}, {q[1]:.6g}"
    '3e-20, -0.125'
    """
    if np.isinf(T):
        return np.zeros_like(x), np.ones_like(x)
    with np.errstate(divide="ignore"):
        # log|1 − x|; beyond 1, |1 − x| = 1 + (x − 2), and x − 2 is exact near 2.
        exponent = T * np.where(x < 1, np.log1p(-np.minimum(x, 1)), np.log1p(np.maximum(x, 1) - 2))
    size = np.exp(exponent)
    odd = (x > 1) & (T % 2 == 1)
    return np.where(odd, -size, size), np.where(odd, 1 + size, -np.expm1(exponent))


def _few_updates(m: BatchMoments, values: FloatArray, U: FloatArray, alpha: FloatArray) -> Form:
    F = m.X.shape[1]
    with np.errstate(all="ignore"):
        product = 2.1 * F * np.sqrt(F) * UNIT  # two products with U, whose norm is √F
        o = _skew(U)
        size_X, size_A = frobenius(m.X), frobenius(m.A)
        residual = transposed(U) @ m.X @ U
        residual[:, np.arange(F), np.arange(F)] -= values
        eta = 1.01 * (frobenius(residual) + (2.1 * o + product) * size_X + m.error_X)
        A = transposed(U) @ m.A @ U
        error_A = 1.01 * (m.error_A + (2.1 * o + product) * size_A)

    def form(T: float) -> tuple[FloatArray, FloatArray]:
        x = alpha[:, None] * values
        _, rest = weights(x, T)
        with np.errstate(all="ignore"):
            p = np.where(x == 0, alpha[:, None] * T, rest / values)
            G = -p[:, :, None] * A
            G[:, np.arange(F), np.arange(F)] += 1.0
            drift = 0.5 * (alpha * T) ** 2 * eta * np.exp(T * alpha * eta)
            top = np.abs(p).max(axis=1)
            error = drift * (size_A + error_A) + top * (error_A + 40 * UNIT * size_A) + 8 * UNIT * np.sqrt(F)
        return G, _finite((o < 0.1) & np.isfinite(G).all(axis=(1, 2)), error)

    return form


def _many_updates(m: BatchMoments, values: FloatArray, U: FloatArray, alpha: FloatArray, c: float) -> Form:
    F = m.X.shape[1]
    with np.errstate(all="ignore"):
        K = transposed(U) / np.sqrt(values)[:, :, None]
        K = np.where(np.isfinite(K), K, np.nan)
        k2 = frobenius(K) ** 2
        product = 2.02 * (F + 2) * UNIT
        W = K @ m.Y @ transposed(K)
        r = frobenius(K @ m.X @ transposed(K) - np.eye(F)) + k2 * (m.error_X + product * frobenius(m.X)) + F * UNIT
        o = _skew(U)
        w = k2 * (m.error_Y + product * frobenius(m.Y))
        size = frobenius(W)
        error_W = w + (size + w) * r / (1 - r)
        error_X = c * ((1 + r) / (1 - o) - 1) + 8 * UNIT
    good = (r < 1) & (o < 1)

    def form(T: float) -> tuple[FloatArray, FloatArray]:
        q, rest = weights(alpha[:, None] * values, T)
        G = rest[:, :, None] * W
        G[:, np.arange(F), np.arange(F)] += q
        with np.errstate(all="ignore"):
            drift = np.zeros_like(size) if np.isinf(T) else np.expm1(T * error_X)
            error = drift * (1 + size) + (2 + drift) * error_W + 32 * UNIT * (np.sqrt(F) + 2 * size)
        return G, _finite(good, error)

    return form


def _skew(U: FloatArray) -> FloatArray:
    """‖UᵀU − I‖; K is Λ^−½Uᵀ up to one rounding of each entry."""
    F = U.shape[1]
    return frobenius(transposed(U) @ U - np.eye(F)) + F * (F + 8) * UNIT


def _finite(good: np.ndarray, error: FloatArray) -> FloatArray:
    return np.where(good & np.isfinite(error), 1.01 * error, np.inf)
