r"""Beyond second moments: is the variance of a squared error finite?

Fourth moments obey x⊗x⊗x⊗x ← (M⊗M⊗M⊗M)(x⊗x⊗x⊗x) along the moves, with radius ρ₄, in symmetric coordinates
(`theory.noise.symmetric`). By Hölder's inequality no mixed product of four vectors grows faster than fourth powers do.

    light      ρ₄ < 1          a sampled mean of squared errors has a finite variance
    heavy      ρ₂ < 1 ≤ ρ₄     the mean is finite, its estimate has infinite variance
    infinite   ρ₂ ≥ 1          the mean itself grows without bound
"""

from __future__ import annotations

import numpy as np

from theory.noise.errors import ErrorChain
from theory.noise.symmetric import moment_matrix

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
