r"""X and γⁿY_n of a batch, with a bound on their rounding errors.

    X = ΦᵀDΦ        Y = γⁿ ΦᵀD Pⁿ Φ        (n = 1: TD)        A = X − Y

*Errors.* u = 2⁻⁵³. A product of matrices with inner dimension S is off by at most about S·u times the product of
absolute values, in whatever order it is added. With r_s = Σ_f Φ_sf² and since the weights d and the rows
of Pⁿ sum to one,

    ‖|Φ|ᵀD|Φ|‖_F ≤ ‖D^½Φ‖_F² = tr X,      ‖|Φ|ᵀD Pⁿ|Φ|‖_F ≤ ‖D^½Φ‖_F ‖D^½Pⁿ|Φ|‖_F ≤ √(tr X · max_s r_s)

(Cauchy–Schwarz and Jensen). So ‖ΔX‖_F ≤ (S + 6) u tr X and ‖ΔY‖_F ≤ ((n+1)S + 3n + 9) u √(tr X · max r); the few
extra units are for the weights, γⁿ, and symmetrising; a factor 1.01 for second-order terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.montecarlo.dense import UNIT
from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray


@dataclass(frozen=True, eq=False)
class BatchMoments:
    """The moments of n problems; errors are bounds in Frobenius norm."""

    X: FloatArray  # (n, F, F), symmetric
    Y: FloatArray  # (n, F, F), with γⁿ
    error_X: FloatArray  # (n,)
    error_Y: FloatArray  # (n,)
    trace: FloatArray  # (n,), tr X

    def __getitem__(self, index: np.ndarray) -> BatchMoments:
        """The moments of some of the problems."""
        return BatchMoments(self.X[index], self.Y[index], self.error_X[index], self.error_Y[index], self.trace[index])

    @property
    def A(self) -> FloatArray:
        """X − Y, the key matrix, (n, F, F)."""
        return self.X - self.Y

    @property
    def error_A(self) -> FloatArray:
        """A bound for the error of `A`, (n,)."""
        return self.error_X + self.error_Y + 2 * UNIT * (frobenius(self.X) + frobenius(self.Y))


def batch_moments(batch: Batch, gamma: float, n_steps: int = 1) -> BatchMoments:
    """X, γⁿY_n and their errors."""
    S = batch.d_mu.shape[1]
    weighted = transposed(batch.Phi * batch.d_mu[:, :, None])
    X = weighted @ batch.Phi
    X = (X + transposed(X)) / 2
    ahead = batch.Phi
    for _ in range(n_steps):
        ahead = batch.P_pi @ ahead
    Y = (weighted @ ahead) * gamma**n_steps
    rows = np.einsum("nsf,nsf->ns", batch.Phi, batch.Phi)
    trace = np.einsum("ns,ns->n", batch.d_mu, rows)
    error_X = 1.01 * (S + 6) * UNIT * trace
    error_Y = 1.01 * ((n_steps + 1) * S + 3 * n_steps + 9) * UNIT * np.sqrt(trace * rows.max(axis=1))
    return BatchMoments(X, Y, error_X, error_Y, trace)


def frobenius(M: FloatArray) -> FloatArray:
    """‖M‖_F of each matrix of a stack, a little rounded up."""
    flat = M.reshape(len(M), M.shape[1] * M.shape[2])
    return np.sqrt(np.vecdot(flat, flat)) * (1 + 4 * M.shape[-1] ** 2 * UNIT)


def transposed(M: FloatArray) -> FloatArray:
    """The transpose of each matrix of a stack."""
    return M.transpose(0, 2, 1)
