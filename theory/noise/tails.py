r"""Beyond second moments: is the variance of a squared error finite?

Fourth moments obey x⊗x⊗x⊗x ← (M⊗M⊗M⊗M)(x⊗x⊗x⊗x) along the moves, with radius ρ₄, in symmetric coordinates
(`theory.noise.moments`). By Hölder's inequality no mixed product of four vectors grows faster than fourth powers do.

    light      ρ₄ < 1          a sampled mean of squared errors has a finite variance
    heavy      ρ₂ < 1 ≤ ρ₄     the mean is finite, its estimate has infinite variance
    infinite   ρ₂ ≥ 1          the mean itself grows without bound
"""

from __future__ import annotations

CLOSE = 1e-7  # ρ₄ this near to 1 is not told apart from it in floats


def tail(stable: bool, rho4: float | None) -> str | None:
    """light, heavy or infinite; None where ρ₄ is unknown or too close to 1."""
    if not stable:
        return "infinite"
    if rho4 is None or abs(rho4 - 1) < CLOSE:
        return None
    return "light" if rho4 < 1 else "heavy"
