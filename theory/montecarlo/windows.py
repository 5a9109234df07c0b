r"""Stable with T updates per target network? For a batch and many T, from TD (T = 1) to the chain (T = ∞).

    G_T = Q + (I − Q)B        Q = (I − αX)ᵀ (a power)        B = X⁻¹Y        α = c/λ_max(X), 0 < c < 2

In the eigenbasis X = UΛUᵀ, K = Λ^−½Uᵀ, Q is diagonal, q = (1 − αλ)ᵀ, and G_T = q + (1 − q)W with W = KYKᵀ
(extra-target-network; Y includes γⁿ).

*Error.* K was computed: KXKᵀ = I + R with ‖R‖ ≤ r and UᵀU = I + O with ‖O‖ ≤ o, both measured. In the coordinates of K,
αX is αΛ^½(I + O)⁻¹Λ^½(I + R) = αΛ + δ, ‖δ‖ ≤ c((1 + r)/(1 − o) − 1), and as ‖I − αΛ‖ ≤ 1, Q is off by at most
ε = exp(T‖δ‖) − 1. Hence G_T is off by at most ε(1 + ‖W‖) + (2 + ε)·(error of W), and some roundings.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.montecarlo.eigenvalues import eigenvalue_verdicts
from theory.montecarlo.moments import UNIT, BatchMoments, batch_moments, frobenius, transposed
from theory.montecarlo.one_by_one import decide_open, exact_window
from theory.montecarlo.squaring import OPEN, Verdicts, inside_disc
from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray


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
    W, error_W, error_X = _principal(m, values, U, step_size)
    norm = frobenius(W)
    out: dict[float, Verdicts] = {}
    for T in windows:
        q, rest = weights(alpha[:, None] * values, T)
        G = rest[:, :, None] * W
        G[:, np.arange(G.shape[1]), np.arange(G.shape[1])] += q
        with np.errstate(over="ignore", invalid="ignore"):
            drift = np.zeros_like(norm) if np.isinf(T) else np.expm1(T * error_X)
            error = drift * (1 + norm) + (2 + drift) * error_W + 32 * UNIT * (np.sqrt(G.shape[1]) + 2 * norm)
        error = np.where(np.isfinite(error), 1.01 * error, np.inf)
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


def _principal(
    m: BatchMoments, values: FloatArray, U: FloatArray, c: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """W = KYKᵀ with its error, and ‖δ‖; infinite errors where X is singular to rounding."""
    F = m.X.shape[1]
    one = np.eye(F)
    with np.errstate(all="ignore"):
        K = transposed(U) / np.sqrt(values)[:, :, None]
        K = np.where(np.isfinite(K), K, np.nan)
        k2 = frobenius(K) ** 2
        product = 2.02 * (F + 2) * UNIT
        W = K @ m.Y @ transposed(K)
        r = frobenius(K @ m.X @ transposed(K) - one) + k2 * (m.error_X + product * frobenius(m.X)) + F * UNIT
        # K is Λ^−½Uᵀ up to one rounding of each entry.
        o = frobenius(transposed(U) @ U - one) + F * (F + 8) * UNIT
        w = k2 * (m.error_Y + product * frobenius(m.Y))
        error_W = w + (frobenius(W) + w) * r / (1 - r)
        error_X = c * ((1 + r) / (1 - o) - 1) + 8 * UNIT
    good = (r < 1) & (o < 1)
    return W, np.where(good, error_W, np.inf), np.where(good, error_X, np.inf)
