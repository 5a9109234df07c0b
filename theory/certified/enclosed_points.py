r"""The fixed point of a large problem between bounds: (X − γY)w = b in balls whose radii are the bounds of the moments.

Every θ that solves a system within the bounds is within the balls, the true one among them; with dependent features it
is the shortest, θ = Rᵀ(RRᵀ)⁻¹w.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from theory.certified.balls import as_balls, balls, precision
from theory.certified.bounded import Bounded
from theory.certified.enclosed_moments import Enclosed
from theory.exact.matrices import rational
from theory.problems.numbers import FloatArray

BITS = 128


def fixed_point(found: Enclosed, Y: Bounded, b: Bounded, gamma: Fraction) -> tuple[FloatArray, FloatArray] | None:
    """θ (F,) and how far the true one may be, entry by entry; None where a singular A is within the bounds."""
    if found.rank == 0:
        F = found.R.shape[1] if found.R is not None else 0
        return np.zeros(F), np.zeros(F)
    with precision(BITS):
        try:
            w = (as_balls(found.X) - as_balls(Y) * arb(rational(gamma))).solve(as_balls(b))
        except ZeroDivisionError:
            return None
        if found.R is not None:
            R = balls(found.R)
            w = R.transpose() * (R * R.transpose()).solve(w)
        theta = np.array([float(x.mid()) for x in w.entries()])
        radii = np.array([float(x.rad().abs_upper()) for x in w.entries()])
    return theta, radii * (1 + 1e-9) + 2.0**-52 * np.abs(theta)
