r"""Beyond second moments: is the variance of a squared error finite, and that of emphatic TD's trace?

Fourth moments obey x⊗x⊗x⊗x ← (M⊗M⊗M⊗M)(x⊗x⊗x⊗x) along the moves, with radius ρ₄, in symmetric coordinates
(`theory.noise.symmetric`). By Hölder's inequality no mixed product of four vectors grows faster than fourth powers do.

    light      ρ₄ < 1          a sampled mean of squared errors has a finite variance
    heavy      ρ₂ < 1 ≤ ρ₄     the mean is finite, its estimate has infinite variance
    infinite   ρ₂ ≥ 1          the mean itself grows without bound

Emphatic TD carries F ← γρF + 1, so that E[F²] obeys a linear recursion with the matrix γ²Q,

    Q(s, s') = Σ_a μ(a|s) ρ(s, a)² P(s'|s, a),        E[F²] bounded ⇔ γ² ρ(Q) < 1 ⇔ γ < 1/√ρ(Q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.exact.algebraic import AlgebraicNumber
from theory.exact.matrices import matrix
from theory.exact.polynomials import characteristic_polynomial
from theory.exact.spectral_radius import largest_modulus
from theory.noise.errors import ErrorChain
from theory.noise.symmetric import moment_matrix
from theory.problems import InvalidProblem, Problem
from theory.problems.mdp import one_kind
from theory.problems.sampling import sampled

DENSE = 300  # beyond, only the largest eigenvalue is looked for
CLOSE = 1e-7  # ρ₄ this near to 1 is not told apart from it in floats


def fourth_radius(chain: ErrorChain) -> float:
    """ρ₄ in floats: the map keeps the cone of fourth moments, so its largest eigenvalue is its radius."""
    L = moment_matrix(chain, 4, constant=False)
    if len(L) < DENSE:
        return float(np.abs(np.linalg.eigvals(L)).max())
    from scipy.sparse.linalg import eigs

    return float(np.abs(eigs(L, k=1, which="LM", v0=np.ones(len(L)), tol=1e-10, return_eigenvectors=False)[0]))


def tail(stable: bool, rho4: float | None) -> str | None:
    """light, heavy or infinite; None where ρ₄ is unknown or too close to 1."""
    if not stable:
        return "infinite"
    if rho4 is None or abs(rho4 - 1) < CLOSE:
        return None
    return "light" if rho4 < 1 else "heavy"


@dataclass(frozen=True)
class TraceVariance:
    """Is E[F²] of emphatic TD bounded, and below which discount; None: below each."""

    finite: bool
    threshold: AlgebraicNumber | None


def trace_variance(problem: Problem) -> TraceVariance:
    """Exactly, for a problem given exactly."""
    if not problem.is_exact:
        raise InvalidProblem("exact verdicts need a problem given exactly, this one is in floats")
    mdp, pi, mu = sampled(problem)
    P, pi, mu = one_kind(mdp.P, pi, mu)
    S, A = mu.shape
    Q = np.full((S, S), 0 * mu[0, 0], dtype=object)
    for s in range(S):
        for a in range(A):
            if mu[s, a] > 0:
                Q[s] = Q[s] + pi[s, a] ** 2 / mu[s, a] * P[s, a]
    radius = largest_modulus(characteristic_polynomial(matrix(Q))).exact
    if radius is None:
        raise InvalidProblem("the spectral radius of γ²Σμρ²P is too long to write down exactly")
    if radius <= 0:
        return TraceVariance(True, None)
    threshold = radius.root(2).reciprocal()
    return TraceVariance(threshold > problem.exact.gamma, threshold)
