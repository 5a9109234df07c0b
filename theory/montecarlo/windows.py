r"""Stable with T updates per target network? For a batch and many T, from TD (T = 1) towards the chain (T = ∞).

    G_T = I − pA        p = α Σ_{j<T} (I − αX)ʲ        α = c/λ_max(X), 0 < c < 2

(extra-target-network; Y includes γⁿ). With X = UΛUᵀ and B = UᵀAU, G_T is similar to I − p^½Bp^½, p = (1 − (1 − αλ)ᵀ)/λ:
no X⁻¹ occurs, and the matrix is balanced.

*Errors.* Up to an orthogonal matrix at most o = ‖UᵀU − I‖ from U, X is Λ + δ with ‖δ‖ ≤ η (measured, with ΔX). As both
are symmetric, p is off by at most η max|p'| between their eigenvalues (Daleckii and Krein), and with m the largest
|1 − αx| there |p'| ≤ α² Σ j m^{j−1} ≤ α² min(½T², (1 − m)⁻²). The similarity multiplies that by ‖p^−½‖‖Bp^½‖, and the
error of B by max p.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.montecarlo.verdicts import (
    UNIT,
    Question,
    Verdicts,
    batch_moments,
    by_eigenvalues,
    exact_window,
    frobenius,
    inside_disc,
    shifted,
    transposed,
)
from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray


def window_verdicts(
    batch: Batch, gamma: Fraction, windows: tuple[float, ...], step_size: float, chain: Verdicts, n_steps: int = 1
) -> dict[float, Verdicts]:
    """YES where ρ(G_T) < 1, NO where not, OPEN where undecided: (n,) for each T; `chain` are those of T = ∞."""
    m = batch_moments(batch, float(gamma), n_steps)
    F = m.X.shape[1]
    values, U = np.linalg.eigh((m.X + transposed(m.X)) / 2)
    alpha = step_size / values[:, -1]
    out: dict[float, Verdicts] = {}
    with np.errstate(all="ignore"):  # what overflows is left open
        skew = frobenius(shifted(transposed(U) @ U, -1.0)) + F * (F + 8) * UNIT
        rotated = 2.1 * skew + 2.1 * F * np.sqrt(F) * UNIT  # two products with U, whose norm is √F
        residual = shifted(transposed(U) @ m.X @ U, -values)
        eta = 1.01 * (frobenius(residual) + rotated * frobenius(m.X) + m.error_X)
        B = transposed(U) @ m.A @ U
        error_B = 1.01 * (m.error_A + rotated * frobenius(m.A))
        x, near = alpha[:, None] * values, (alpha * eta)[:, None]
        farthest = np.maximum(np.abs(1 - x + near), np.abs(1 - x - near)).max(axis=1)
        for T in windows:
            if np.isinf(T):
                out[T] = chain
                continue
            p = np.where(x == 0, alpha[:, None] * T, one_minus_power(x, T) / values)
            root = np.sqrt(p)
            half = B * root[:, None, :]
            G = root[:, :, None] * half
            slope = alpha**2 * np.minimum(T**2 / 2, (1 - farthest) ** -2.0)
            largest = root.max(axis=1)
            error = largest**2 * error_B + 50 * UNIT * frobenius(G) + 8 * UNIT * np.sqrt(F)
            error += eta * slope / root.min(axis=1) * (frobenius(half) + largest * error_B)
            good = (skew < 0.1) & (farthest <= 1) & np.isfinite(G).all(axis=(1, 2)) & np.isfinite(error)
            out[T] = _decided(shifted(-G, 1.0), np.where(good, 1.01 * error, np.inf), batch, gamma, n_steps, T, alpha)
    return out


def one_minus_power(x: FloatArray, T: float) -> FloatArray:
    """1 − (1 − x)ᵀ for 0 < x < 2, without cancellation.

    >>> [float(f"{y:.6g}") for y in one_minus_power(np.array([1e-20, 1.5]), 3)]
    [3e-20, 1.125]
    """
    # log|1 − x|; beyond 1, |1 − x| = 1 + (x − 2), and x − 2 is exact near 2.
    with np.errstate(divide="ignore"):
        exponent = T * np.where(x < 1, np.log1p(-np.minimum(x, 1)), np.log1p(np.maximum(x, 1) - 2))
    return np.where((x > 1) & (T % 2 == 1), 1 + np.exp(exponent), -np.expm1(exponent))


def _decided(
    G: FloatArray, error: FloatArray, batch: Batch, gamma: Fraction, n_steps: int, T: float, alpha: FloatArray
) -> Verdicts:
    stable = Question(len(G))
    stable.ask("squaring", lambda at: inside_disc(G[at], error[at]))
    stable.ask("eigenvalues", lambda at: by_eigenvalues(G[at], error[at], disc=True))
    stable.certify(lambda i: exact_window(batch, i, gamma, n_steps, int(T), Fraction(float(alpha[i]))))
    return stable.verdicts
