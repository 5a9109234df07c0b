r"""Is ρ(C) < 1? Repeated squaring, with an error bound, proves one or the other.

For every k, ‖C^(2ᵏ)‖_F < 1 implies ρ(C) < 1, and |tr C^(2ᵏ)| > F implies ρ(C) > 1. If ρ ≠ 1 one of them
comes true: after about log₂(log κ / |log ρ|) squarings, where κ says how far C is from normal. A squaring is a matrix
product, which runs at the speed of the machine.

*Error.* Let C_k be computed and e_k a bound for ‖C_k − C^(2ᵏ)‖_F; e_0 is given. With u = 2⁻⁵³

    e_{k+1} = 2ν e_k + e_k² + (F + 2) u ‖C_k‖_F²          ν ≥ ‖C_k‖₂

and |tr C_k − tr C^(2ᵏ)| ≤ √F e_k. The cheap ν is ‖C_k‖_F; the sharp one, ‖(CᵀC)²‖_F^¼, exceeds ‖C‖₂ by at most the
factor F^⅛ and costs two products more. A proof that fails says nothing.

`theory.montecarlo.disc` does it.
"""

from __future__ import annotations

import numpy as np

YES, NO, OPEN = 1, 0, -1
Verdicts = np.ndarray  # (n,) int8 of YES, NO, OPEN

SQUARINGS = 24
HUGE = 1e100  # squares of these stay in range
