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

MANY = 400  # states beyond which one eigenvalue is found alone


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
    top, feature = worst_direction(problem.d_mu, problem.P_pi)
    # √d is an eigenvector of N for λ = 1 with the same quadratic form, so λ_max ≥ 1 but for rounding.
    return UniformSafety(problem.gamma * top, 1 / max(top, 1.0), feature)


def worst_direction(d: FloatArray, P: FloatArray) -> tuple[float, FloatArray]:
    """λ_max(sym(D^½PD^−½)) and φ = D^−½u for its eigenvector u, the largest entry positive."""
    root = np.sqrt(d)
    N = root[:, None] * P / root
    N = (N + N.T) / 2
    unit = np.ldexp(1.0, np.frexp(N.max())[1])  # of 10¹²⁰ and more LAPACK finds no eigenvalues
    N /= unit
    if len(d) > MANY:
        from scipy.sparse.linalg import ArpackError, eigsh

        try:  # √d is an eigenvector with λ = 1: a start in general position sees the others too
            eigenvalues, vectors = eigsh(N, 1, which="LA", v0=root + np.linspace(-1, 1, len(root)))
        except ArpackError:
            eigenvalues, vectors = np.linalg.eigh(N)
    else:
        eigenvalues, vectors = np.linalg.eigh(N)
    feature = vectors[:, -1] / root
    return float(unit * eigenvalues[-1]), feature * np.sign(feature[np.abs(feature).argmax()])
