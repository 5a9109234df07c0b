r"""The bound behind the conjecture: with i.i.d. normal features, for given D, P and γ,

    Pr[chain biased] ≤ 2F(F+1) Σd² (1+γ)²/(1−γτ)²        τ = tr(DP)

over the draw of Φ. It goes to 0 as S/F² grows while no state is visited much more than the others. Averaged over
draws of (D, P), min(1, ·) bounds the rate of the ensemble. For an n-step chain put γⁿ and Pⁿ.
"""

from __future__ import annotations

import numpy as np

from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray


def bias_bound(batch: Batch, gamma: float, n_steps: int = 1) -> FloatArray:
    """min(1, bound) for each problem of the batch, (n,)."""
    F = batch.Phi.shape[2]
    P = np.linalg.matrix_power(batch.P_pi, n_steps)
    discount = gamma**n_steps
    tau = np.einsum("ns,nss->n", batch.d_mu, P)
    bound = 2 * F * (F + 1) * (batch.d_mu**2).sum(axis=1) * (1 + discount) ** 2 / (1 - discount * tau) ** 2
    return np.minimum(1.0, bound)
