r"""What squaring leaves open: eigenvalues, believed only where they are far enough from the boundary.

With M = VΛV⁻¹ and any error E, V⁻¹(M + E)V = Λ + V⁻¹EV, and by Gershgorin the eigenvalues of M + E lie in discs around
those of M, the i-th of radius √F ‖y_i‖‖E‖‖V‖, y_i the i-th row of V⁻¹. If none of the discs meets the boundary, then
as many eigenvalues of M + E as of M are on each side of it. ‖E‖ is the error of M, plus 10 F u ‖M‖ for LAPACK's own
backward error: customary, not proved, and the reason why ``--certify`` does without this.
"""

from __future__ import annotations

import numpy as np

from theory.montecarlo.moments import UNIT
from theory.montecarlo.squaring import NO, OPEN, YES, Verdicts
from theory.problems.numbers import FloatArray


def eigenvalue_verdicts(M: FloatArray, error: FloatArray, *, disc: bool) -> Verdicts:
    """YES where all |λ| < 1 (`disc`) or all Re λ > 0, for every matrix within `error` (n,) of M (n, F, F)."""
    return np.array([_verdict(one, float(e), disc) for one, e in zip(M, error, strict=True)], dtype=np.int8)


def _verdict(M: FloatArray, error: float, disc: bool) -> int:
    if not (np.isfinite(M).all() and np.isfinite(error)):
        return OPEN
    F = len(M)
    try:
        values, V = np.linalg.eig(M)
        # The sum of a row's moduli is at most √F times its norm.
        condition = np.sqrt(F) * np.linalg.norm(V) * np.linalg.norm(np.linalg.inv(V), axis=1)
    except np.linalg.LinAlgError:
        return OPEN
    radius = condition * (error + 10 * F * UNIT * np.linalg.norm(M))
    margin = 1 - np.abs(values) if disc else values.real
    if not (np.abs(margin) > radius).all():
        return OPEN
    return YES if (margin > 0).all() else NO
