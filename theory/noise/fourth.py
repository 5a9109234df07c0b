r"""ρ₄ where fourth moments are too many for a matrix: by applying the recursion alone.

Without the constant the fourth moments of x ← M_m x obey T_j ← Σ_{m: i → j} p_m (M_m ⊗ M_m ⊗ M_m ⊗ M_m) T_i, on all
tensors with D⁴ numbers a node. The symmetric ones among them have the largest radius: |E[x¹ ⊗ x² ⊗ x³ ⊗ x⁴]| is at most
the product of the fourth roots of E|xᵏ|⁴ (Hölder). The map keeps the cone spanned by fourth powers, so its radius is an
eigenvalue; it is found in floats, by Arnoldi's iteration from a tensor inside the cone.
"""

from __future__ import annotations

import numpy as np

from theory.noise.errors import ErrorChain
from theory.problems import InvalidProblem
from theory.problems.numbers import FloatArray

MOST_WORK = 3e7  # moves·D⁵, of one application: a tenth of a second


def fourth_radius(chain: ErrorChain, maps: FloatArray) -> float:
    """Of maps (m, D, D) along the moves of a chain."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    N, D = len(chain.law), maps.shape[1]
    if len(maps) * D**5 > MOST_WORK:
        raise InvalidProblem(f"ρ₄: {N * D**4:,} fourth moments are too many", "learner")
    moves = list(zip(chain.node, chain.next_node, chain.probability.astype(np.float64), maps, strict=True))

    def apply(flat: FloatArray) -> FloatArray:
        tensors, found = flat.reshape(N, D, D**3), np.zeros((N, D, D**3))
        for i, j, p, M in moves:
            T = tensors[i]
            for _ in range(4):  # one place after the other: it comes first, and goes to the end
                T = (M @ T).T.reshape(D, D**3)
            found[j] += p * T
        return found.ravel()

    one = np.eye(D)
    inside = (
        np.einsum("ab,cd->abcd", one, one) + np.einsum("ac,bd->abcd", one, one) + np.einsum("ad,bc->abcd", one, one)
    )
    operator = LinearOperator((N * D**4,) * 2, matvec=apply, dtype=np.float64)
    try:
        values = eigs(operator, k=1, which="LR", v0=np.tile(inside.ravel(), N), ncv=30, return_eigenvectors=False)
    except ArpackNoConvergence:
        raise InvalidProblem("ρ₄: the iteration for it did not settle", "learner") from None
    return float(values[0].real)
