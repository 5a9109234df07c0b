r"""The chain's step again, for ill-conditioned features: the condition of Φ enters once, not squared.

With B = D^½Φ and K from the Cholesky factor of X, U₁ = BKᵀ is nearly orthonormal; U = U₁K'ᵀ, with K' from U₁ᵀU₁ in
place of X, is so to rounding (Cholesky–QR, twice). As the columns of U span those of B, the chain's step has the
eigenvalues of

    (UᵀU)⁻¹ UᵀNU,        N = γⁿ D^½PⁿD^−½.

*Error.* Let η = (F + 6)u(‖B‖‖K‖ + ‖U₁‖)‖K'‖: U differs from the exact product B KᵀK'ᵀ by at most η, so UᵀU − I by
at most r = (measured) + 2.1η√F, and with ν = ‖D^½PD^−½‖_Fⁿ, UᵀNU by at most w = ν(2.1η√F + ((n+1)S + 9)u F). X's own
error, which the kernel multiplies by ‖K‖², does not occur.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.montecarlo.dense import UNIT, inverse_factors
from theory.montecarlo.moments import BatchMoments, frobenius, transposed
from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray


@dataclass(frozen=True, eq=False)
class ChainSteps:
    """W and how far it may be from a matrix with the eigenvalues of γⁿΠPⁿ on span Φ."""

    W: FloatArray  # (n, F, F)
    error: FloatArray  # (n,), inf where Φ is singular to rounding
    regular: np.ndarray  # (n,) bool: Φ is proved to have full column rank


def orthonormalised(batch: Batch, m: BatchMoments, gamma: float, n_steps: int = 1) -> ChainSteps:
    """The chain's step in orthonormal coordinates."""
    n, S, F = batch.Phi.shape
    root = np.sqrt(batch.d_mu)[:, :, None]
    B = root * batch.Phi
    K = inverse_factors(m.X)
    with np.errstate(all="ignore"):
        U = B @ transposed(K)
        again = inverse_factors(transposed(U) @ U)
        reach = np.sqrt(m.trace) * frobenius(K) + frobenius(U)
        U = U @ transposed(again)
        ahead = U / root
        for _ in range(n_steps):
            ahead = batch.P_pi @ ahead
        W = gamma**n_steps * (transposed(root * U) @ ahead)
        R = transposed(U) @ U
        R.reshape(n, F * F)[:, :: F + 1] -= 1.0
        eta = 1.01 * (F + 6) * UNIT * reach * frobenius(again)
        nu = _balanced_norm(batch) ** n_steps
        residual = frobenius(R) + 2.1 * eta * np.sqrt(F) + (S + 2) * F * UNIT
        error_Y = nu * (2.1 * eta * np.sqrt(F) + 1.01 * ((n_steps + 1) * S + 9) * UNIT * F)
        regular = residual < 1  # False for NaN
        error = error_Y + (frobenius(W) + error_Y) * residual / (1 - residual)
    return ChainSteps(W, np.where(regular, error, np.inf), regular)


def _balanced_norm(batch: Batch) -> np.ndarray:
    """‖D^½PD^−½‖_F, a little rounded up, (n,)."""
    squares = np.einsum("ns,nst,nt->n", batch.d_mu, batch.P_pi**2, 1 / batch.d_mu)
    return np.sqrt(squares) * (1 + 1e-9)
