r"""ρ₂ and ρ₄ where moments are too many for a matrix: by applying the recursion alone.

Without the constant the p-th moments of x ← M_m x obey T_j ← Σ_{m: i → j} p_m (M_m ⊗ ⋯ ⊗ M_m) T_i, on all tensors with
Dᵖ numbers a node. The symmetric ones among them have the largest radius: |E[x¹ ⊗ ⋯ ⊗ xᵖ]| is at most the product of the
p-th roots of E|xᵏ|ᵖ (Hölder). For even p the map keeps the cone spanned by p-th powers, so its radius is an eigenvalue;
it is found in floats, by Arnoldi's iteration from a tensor inside the cone.
"""

from __future__ import annotations

import numpy as np

from theory.noise.errors import ErrorChain
from theory.problems import InvalidProblem
from theory.problems.numbers import FloatArray

MOST_WORK = 3e7  # multiplications of one application, moves·D^(p + 1): a tenth of a second


def iterated_radius(chain: ErrorChain, maps: FloatArray, order: int, tolerance: float = 0.0) -> float:
    """Of maps (m, D, D) along the moves of a chain; ρ₂ or ρ₄."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    N, (m, D, _) = len(chain.law), maps.shape
    if m * D ** (order + 1) > MOST_WORK:
        word = {2: "second", 4: "fourth"}[order]
        raise InvalidProblem(f"{N * D**order:,} {word} moments are too many to iterate", "learner")
    by_next = np.argsort(chain.next_node, kind="stable")
    node, M = chain.node[by_next], maps[by_next]
    weights = chain.probability.astype(np.float64)[by_next][:, None, None]
    reached, begins = np.unique(chain.next_node[by_next], return_index=True)

    def apply(flat: FloatArray) -> FloatArray:
        T = weights * flat.reshape(N, D, -1)[node]
        for _ in range(order):  # one place after the other: it comes first, and goes to the end
            T = (M @ T).swapaxes(1, 2).reshape(m, D, -1)
        found = np.zeros((N, D ** (order - 1) * D))
        found[reached] = np.add.reduceat(T.reshape(m, -1), begins, axis=0)
        return found.ravel()

    operator = LinearOperator((N * D**order,) * 2, matvec=apply, dtype=np.float64)
    start = np.tile(_inside(D, order).ravel(), N)
    try:
        values = eigs(operator, k=1, which="LR", v0=start, ncv=30, tol=tolerance, return_eigenvectors=False)
    except ArpackNoConvergence:
        raise InvalidProblem(f"the iteration for ρ{'₂' if order == 2 else '₄'} did not settle", "learner") from None
    return float(values[0].real)


def _inside(D: int, order: int) -> FloatArray:
    """The moments of D independent standard normals."""
    one = np.eye(D)
    if order == 2:
        return one
    pairs = ("ab,cd->abcd", "ac,bd->abcd", "ad,bc->abcd")
    return np.asarray(sum(np.einsum(pair, one, one) for pair in pairs))
