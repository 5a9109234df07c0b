r"""What the bulk of the tests leaves open, one problem at a time: eigenvalues in floats, then certificates.

**Eigenvalues** are believed only where they are far enough from the boundary. With M = VΛV⁻¹ and any error E,
V⁻¹(M + E)V = Λ + V⁻¹EV, and by Gershgorin the eigenvalues of M + E lie in discs around those of M, the i-th of radius
√F ‖y_i‖‖E‖‖V‖, y_i the i-th row of V⁻¹. If none of the discs meets the boundary, then as many eigenvalues of M + E as
of M are on each side of it. ‖E‖ is the error of M, plus 10 F u ‖M‖ for LAPACK's own backward error: customary, not
proved, and the reason why ``--certify`` does without this.

**Certificates** (`theory.certified`) are for what lies within rounding error of the boundary, what has dependent
features, and with ``--certify`` all that the float proofs leave open. A tie counts as not stable, and not unbiased: the
conditions are strict.
"""

from __future__ import annotations

from fractions import Fraction
from math import isinf

import numpy as np

from theory.certified.answers import Verdict
from theory.certified.pencils import WindowPencil
from theory.certified.verdicts import chain_unbiased, iteration_converges, mean_stable, td_stable, window_stable
from theory.exact.matrices import matrix, rational
from theory.model.linear_model import ExactModel, independent
from theory.montecarlo.dense import NO, OPEN, UNIT, YES, Verdicts
from theory.problems.ensembles import Batch
from theory.problems.numbers import Array, FloatArray, as_exact


def eigenvalue_verdicts(M: FloatArray, error: FloatArray, *, disc: bool) -> Verdicts:
    """YES where all |λ| < 1 (`disc`) or all Re λ > 0, for every matrix within `error` (n,) of M (n, F, F)."""
    return np.array([_by_eigenvalues(one, float(e), disc) for one, e in zip(M, error, strict=True)], dtype=np.int8)


def exact_td(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> int:
    """TD stable?"""
    if n_steps == 1:
        return _code(td_stable(batch.problem(i, gamma)))
    return _code(mean_stable(_n_steps(batch, i, gamma, n_steps).A))


def exact_chain(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> int:
    """Chain unbiased?"""
    if n_steps == 1:
        return _code(chain_unbiased(batch.problem(i, gamma)))
    m = _n_steps(batch, i, gamma, n_steps)
    return _code(iteration_converges(m.B))


def exact_window(batch: Batch, i: int, gamma: Fraction, n_steps: int, window: float, alpha: float) -> int:
    """Stable with T = `window` updates per target network, hot start?"""
    if isinf(window):
        return exact_chain(batch, i, gamma, n_steps)
    if n_steps == 1:
        return _code(window_stable(batch.problem(i, gamma), int(window), Fraction(alpha)))
    m = _n_steps(batch, i, gamma, n_steps)
    pencil = WindowPencil(m.X, m.A, rational(Fraction(alpha)), int(window), hot=True)
    return _code(iteration_converges(pencil.exact().N))


def _n_steps(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> ExactModel:
    # Pⁿ with all its digits is no problem of its own: the rows of a P in floats do not sum to one exactly.
    P = as_exact(batch.P_pi[i])
    power: Array = P
    for _ in range(n_steps - 1):
        power = power @ P
    parts = (batch.Phi[i], power, np.zeros(len(power)), batch.d_mu[i])
    return independent(ExactModel(rational(gamma**n_steps), *map(matrix, parts)))


def _code(verdict: Verdict) -> int:
    return verdict.holds.pick(YES, NO, OPEN)


def decide_open(verdicts: np.ndarray, ask: object) -> int:
    """Fill in what is OPEN by asking ``ask(i)``; how many there were."""
    left = np.flatnonzero(verdicts == OPEN)
    for i in left:
        verdicts[i] = ask(int(i))  # type: ignore[operator]
    return len(left)


def _by_eigenvalues(M: FloatArray, error: float, disc: bool) -> int:
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
