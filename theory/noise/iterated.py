r"""ρ₂ and ρ₄ of one setting in floats, without finding all eigenvalues.

Without the constant the p-th moments of x ← M_m x obey T_j ← Σ_{m: i → j} p_m (M_m ⊗ ⋯ ⊗ M_m) T_i. Symmetric tensors
have the largest radius: |E[x¹ ⊗ ⋯ ⊗ xᵖ]| is at most the product of the p-th roots of E|xᵏ|ᵖ (Hölder). For even p the
map keeps the cone spanned by p-th powers, so its radius ρ is an eigenvalue, with an eigenvector in the cone.

*Up to some thousand moments* (`theory.noise.symmetric`) L is a matrix. Of all eigenvalues ρ is the one nearest to any
real σ ≥ ρ, and inverse iteration finds it whatever else is near to it. Where the vector is not in the cone, σ was below
ρ, and is taken larger. *More* are iterated on all tensors, by Arnoldi's method from one inside the cone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import comb

import numpy as np

from theory.noise.errors import ErrorChain
from theory.noise.symmetric import moment_matrix, sorted_places
from theory.problems import InvalidProblem
from theory.problems.numbers import FloatArray

MOST_WORK = 3e7  # multiplications of one application, moves·D^(p + 1): a tenth of a second
LONGEST = 1e9  # of all of them: a few seconds
VECTORS = 80  # of Arnoldi's iteration: with 30 it has settled on another eigenvalue than the largest
OUTSIDE = 1e-5  # how far a computed eigenvector may be outside of the cone, relative
DENSE = 3000  # moments up to which there is a matrix
SMALL = 150  # and up to which all eigenvalues are found
SHIFTS = (1.001, 1.1, 2.0, 16.0, 256.0, 1e6, 1e12)


def iterated_radius(chain: ErrorChain, maps: FloatArray, order: int, tolerance: float = 0.0) -> float:
    """Of maps (m, D, D) along the moves of a chain; ρ₂ or ρ₄."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    N, (m, D, _) = len(chain.law), maps.shape
    if is_dense(N, D, order):
        return _inverse_iteration(replace(chain.in_floats(), maps=maps), order)
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

    size = N * D**order
    operator = LinearOperator((size, size), matvec=apply, dtype=np.float64)
    start, vectors = np.tile(_inside(D, order).ravel(), N), min(VECTORS, size - 1)
    rounds = max(2, int(LONGEST / (vectors * m * D ** (order + 1))))
    word = f"the iteration for ρ{'₂' if order == 2 else '₄'} did not settle"
    try:
        accuracy = max(tolerance, 1e-9)
        values, found = eigs(operator, k=1, which="LR", v0=start, ncv=vectors, tol=accuracy, maxiter=rounds)
    except ArpackNoConvergence:
        raise InvalidProblem(word, "learner") from None
    if not _in_cone(np.asarray(found[:, 0].real.reshape(N, D, D, -1))):
        raise InvalidProblem(word, "learner")
    return float(values[0].real)


def is_dense(N: int, D: int, order: int) -> bool:
    """Are the moments of that order of D numbers at N nodes few enough for a matrix?"""
    return N * comb(D + order - 1, order) <= DENSE


def _inverse_iteration(chain: ErrorChain, order: int) -> float:
    from scipy.linalg import lu_factor, lu_solve
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    N, D = len(chain.law), chain.maps.shape[1]
    L = moment_matrix(replace(chain, centre=np.zeros(D)), order, constant=False, most=DENSE)
    if len(L) <= SMALL:
        return float(np.abs(np.linalg.eigvals(L)).max())
    places = sorted_places(D, order)
    for sigma in SHIFTS:
        factors = lu_factor(sigma * np.eye(len(L)) - L)
        inverse = LinearOperator(L.shape, lambda x, f=factors: lu_solve(f, x, check_finite=False), dtype=np.float64)
        with suppress(ArpackNoConvergence):
            values, found = eigs(inverse, k=1, which="LM", v0=np.ones(len(L)), ncv=min(30, len(L) - 1), tol=1e-12)
            if abs(values[0].imag) < 1e-9 * abs(values[0]) and values[0].real > 0:
                T = found[:, 0].real.reshape(N, -1)[:, places].reshape(N, D, D, -1)
                if _in_cone(T):
                    return float(sigma - 1 / values[0].real)
    raise InvalidProblem(f"the iteration for ρ{'₂' if order == 2 else '₄'} did not settle", "learner")


def _in_cone(T: FloatArray) -> bool:
    """Are these moments (N, D, D, D^(p − 2)), up to sign, of a law? Then E[xxᵀ|x|^(p − 2)] is semidefinite."""
    D = T.shape[1]
    traced = T[..., 0] if T.shape[3] == 1 else T[..., :: D + 1].sum(axis=-1)
    second = np.linalg.eigvalsh((traced + traced.swapaxes(1, 2)) / 2)
    return bool(min(second.max(), -second.min()) <= OUTSIDE * np.abs(second).max())


def _inside(D: int, order: int) -> FloatArray:
    """The moments of D independent standard normals."""
    one = np.eye(D)
    if order == 2:
        return one
    pairs = ("ab,cd->abcd", "ac,bd->abcd", "ad,bc->abcd")
    return np.asarray(sum(np.einsum(pair, one, one) for pair in pairs))
