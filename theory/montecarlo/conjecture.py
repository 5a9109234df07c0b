r"""The bound behind the conjecture: with i.i.d. normal features, for given D, P and γ,

    Pr[chain biased] ≤ F(F+1) (√Σd² + γ‖DP‖)²/(1 − γτ)²        τ = tr(DP)        ‖·‖ Frobenius

over the draw of Φ (proved in `theory.propositions.conjecture`). It goes to 0 as S/F² grows while no state is visited
much more than the others. Averaged over draws of (D, P), min(1, ·) bounds the rate of the ensemble. For an n-step chain
put γⁿ and Pⁿ.
"""

from __future__ import annotations

import numpy as np

from theory.problems.ensembles import Batch
from theory.problems.numbers import FloatArray


def bias_bound(batch: Batch, gamma: float, n_steps: int = 1) -> FloatArray:
    """min(1, bound) for each problem of the batch, (n,)."""
    F = batch.Phi.shape[2]
    squares = np.vecdot(batch.d_mu, batch.d_mu)
    pairs = F * (F + 1)
    if pairs * squares.min() >= 1:
        return np.ones(len(batch))  # whatever P is
    P = batch.P_pi if n_steps == 1 else np.linalg.matrix_power(batch.P_pi, n_steps)
    discount = gamma**n_steps
    tau = np.einsum("ns,nss->n", batch.d_mu, P)
    spread = np.sqrt(squares) + discount * np.sqrt(np.einsum("ns,nst,nst->n", batch.d_mu**2, P, P))
    return np.minimum(1.0, pairs * spread**2 / (1 - discount * tau) ** 2)
