r"""Safe whatever the features: uniform safety of a target, a behaviour and a discount.

For given (D, P, γ) three things are equivalent (extra-uniform-safety):

    TD is stable for all Φ        the chain is unbiased for all Φ        γ λ_max(sym(D^½ P D^−½)) < 1

With x = D^½Φθ the quadratic form of A is xᵀ(I − γ sym(D^½PD^−½))x, so the bound makes A positive
definite for every Φ. When it fails, the top eigenvector u gives φ = D^−½u, one feature for which

    X = φᵀDφ = 1        A = 1 − γλ_max ≤ 0        B = γλ_max ≥ 1 ,

so TD is unstable and the chain biased at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.problems import Problem
from theory.problems.numbers import FloatArray

MANY = 1000  # states beyond which one eigenvalue is found alone


@dataclass(frozen=True, eq=False)
class UniformSafety:
    """The bound γλ_max, the discount at which it is one, and the feature that is worst for both algorithms."""

    bound: float  # γ λ_max(sym(D^½PD^−½))
    gamma_threshold: float  # 1/λ_max ≤ 1: safe for every Φ exactly below it
    worst_feature: FloatArray  # (S,), φᵀDφ = 1, largest entry positive

    @property
    def safe(self) -> bool:
        """Is every choice of features safe, TD stable and the chain unbiased?"""
        return self.bound < 1


def uniform_safety(problem: Problem) -> UniformSafety:
    """Judges (D, P_π, γ) of a problem; its features play no part.

    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> s = uniform_safety(swap)
    >>> s.safe, round(s.bound, 12)
    (False, 1.5)
    """
    root = np.sqrt(problem.d_mu)
    N = root[:, None] * problem.P_pi / root
    if problem.n_states > MANY:
        from scipy.sparse.linalg import eigsh

        # √d is an eigenvector with λ = 1: a start in general position sees the others too.
        eigenvalues, vectors = eigsh((N + N.T) / 2, 1, which="LA", v0=root + np.linspace(-1, 1, len(root)))
    else:
        eigenvalues, vectors = np.linalg.eigh((N + N.T) / 2)
    top = float(eigenvalues[-1])
    feature = vectors[:, -1] / root
    feature = feature * np.sign(feature[np.abs(feature).argmax()])
    # √d is an eigenvector of N for λ = 1 with the same quadratic form, so λ_max ≥ 1 but for rounding.
    return UniformSafety(problem.gamma * top, 1 / max(top, 1.0), feature)
