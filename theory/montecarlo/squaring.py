r"""Is ρ(C) < 1? Repeated squaring, with an error bound, proves one or the other.

For every k, ‖C^(2ᵏ)‖_F < 1 implies ρ(C) < 1, and |tr C^(2ᵏ)| > F implies ρ(C) > 1. If ρ ≠ 1 one of them
comes true: after about log₂(log κ / |log ρ|) squarings, where κ says how far C is from normal. A squaring is a matrix
product, which runs at the speed of the machine.

*Error.* Let C_k be computed and e_k a bound for ‖C_k − C^(2ᵏ)‖_F; e_0 is given. With u = 2⁻⁵³

    e_{k+1} = 2ν e_k + e_k² + (F + 2) u ‖C_k‖_F²          ν ≥ ‖C_k‖₂

and |tr C_k − tr C^(2ᵏ)| ≤ √F e_k. The cheap ν is ‖C_k‖_F; the sharp one, ‖(CᵀC)²‖_F^¼, exceeds ‖C‖₂ by at most the
factor F^⅛ and costs two products more. A proof that fails says nothing.

This is the sharp one for a batch; the compiled kernel tries the cheap one first.
"""

from __future__ import annotations

import numpy as np

from theory.montecarlo.moments import UNIT, frobenius, transposed
from theory.problems.numbers import FloatArray

YES, NO, OPEN = 1, 0, -1
Verdicts = np.ndarray  # (n,) int8 of YES, NO, OPEN

SQUARINGS, CAREFUL_SQUARINGS = 18, 24
HUGE = 1e100  # squares of these stay in range


def inside_disc(C: FloatArray, error: FloatArray) -> Verdicts:
    """YES where all |λ| < 1 for every matrix within `error` (n,) of C (n, F, F), NO where some |λ| > 1."""
    n, F, _ = C.shape
    verdicts = np.full(n, OPEN, dtype=np.int8)
    where, e = np.arange(n), error
    for k in range(CAREFUL_SQUARINGS + 1):
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is left open
            norm = frobenius(C)
            trace = np.abs(np.einsum("nii->n", C)) - np.sqrt(F) * e - 2 * F * UNIT * norm * np.sqrt(F)
        yes, no = norm + e < 1, trace > F
        verdicts[where[yes]] = YES
        verdicts[where[no]] = NO
        left = ~(yes | no) & (e < 1) & (norm < HUGE)
        if k == CAREFUL_SQUARINGS or not left.any():
            break
        C, e, norm, where = C[left], e[left], norm[left], where[left]
        G = transposed(C) @ C
        # Two products of relative error (F+2)u each, under a fourth root.
        bound = np.minimum(norm, np.sqrt(np.sqrt(frobenius(G @ G))) * 1.0001)
        C = C @ C
        e = 1.01 * (2 * bound * e + e * e + (F + 2) * UNIT * norm * norm)
    return verdicts
