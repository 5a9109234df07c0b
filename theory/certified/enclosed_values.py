r"""Solutions of (I − cP)Z = V over the states of a large problem, with a proved bound on their error; v_π is one.

Z comes from iterations whose steps are products with P, and need not be right. Since the rows of P sum to
at most p and cp < 1, ‖(I − cP)⁻¹‖_∞ ≤ 1/(1 − cp), so with the residual R = V − (I − cP)Z of whatever was found

    |Z − (I − cP)⁻¹V|  ≤  max|R| / (1 − cp)        entry by entry, in each column.

R is computed in doubles, and what that may be off by, (k + 6)u(max|V| + 2 max|Z|) for k entries in a row, is added. For
Pᵀ the same holds in the norm of sums, which is that of `Weights`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, bicgstab

from theory.certified.doubles import UNIT
from theory.certified.over_states import OverStates, Transitions, Weights, number
from theory.problems.numbers import FloatArray

QUICK, LONGEST, CHECKED = 60, 20_000, 50  # steps of the first iteration, of the second, and between two looks at it
CLOSE = 1e-9  # of the residual beside V

Progress = Callable[[float], None]


def resolvent(P: Transitions, factor: Any, V: OverStates, progress: Progress | None = None) -> OverStates | None:
    """(I − cP)⁻¹V for a number c, as a ball; None where cp < 1 is not certain."""
    c, off = number(factor)
    room = 1 - (abs(c) + off) * P.norm * (1 + 4 * UNIT)
    if not room > 0:
        return None
    n = V.values.shape[1]
    values, error = np.empty_like(V.values), np.empty(n)
    for j in range(n):
        v = np.ascontiguousarray(V.values[:, j])
        z = _solved(P.P, c, v, 1e-14 if n == 1 else 1e-11, progress if n == 1 else None)
        size, rest = float(np.abs(z).max(initial=0.0)), _rest(P.P, c, v, z)
        rounding = (P.longest + 6) * UNIT * (float(V.size[j]) + (1 + P.norm) * size) + off * P.norm * size
        error[j] = (float(np.abs(rest).max(initial=0.0)) + rounding + V.error[j]) / room * (1 + 1e-9)
        values[:, j] = z
        if progress is not None and n > 1:
            progress((j + 1) / n)
    return OverStates(values, error, V.is_vector)


def follow_on(P: Transitions, factor: Any, d: Weights) -> Weights | None:
    """(I − cPᵀ)⁻¹d for a number c, as a ball."""
    c, off = number(factor)
    room = 1 - (abs(c) + off) * P.norm * (1 + 4 * UNIT)
    if not room > 0:
        return None
    back = P.transposed
    f = _solved(back, c, d.values, 1e-14)
    total, longest = float(np.abs(f).sum()), int(np.diff(back.indptr).max(initial=1))
    rounding = (longest + 6) * UNIT * (float(np.abs(d.values).sum()) + (1 + P.norm) * total) + off * P.norm * total
    rest = float(np.abs(_rest(back, c, d.values, f)).sum())
    return Weights(f, (rest * (1 + 1e-9) + rounding + d.error) / room * (1 + 1e-9))


def _rest(P: Any, c: float, v: FloatArray, z: FloatArray) -> FloatArray:
    """v − z + cPz."""
    found: FloatArray = P @ z
    found *= c
    found -= z
    found += v
    return found


def _solved(P: Any, c: float, v: FloatArray, close: float, progress: Progress | None = None) -> FloatArray:
    """About (I − cP)⁻¹v: to `close` by BiCGSTAB where that is quick, else by z ← v + cPz, whose rest falls as cᵗ."""
    S = len(v)
    if c == 0 or not v.any():
        return v.copy()
    scaled = P * c
    operator = LinearOperator((S, S), matvec=lambda z: z - scaled @ z, dtype=np.float64)
    with np.errstate(all="ignore"):
        z, _ = bicgstab(operator, v, rtol=close, atol=0.0, maxiter=QUICK)
        left = _size(_rest(P, c, v, z)) / _size(v)
    if left <= CLOSE:
        return z
    z = v.copy()
    for step in range(1, min(LONGEST, int(np.log(CLOSE) / np.log(c)) + 2) if c < 1 else LONGEST):
        z = scaled @ z
        z += v
        if step % CHECKED == 0:
            rest = _rest(P, c, v, z)
            # Rows that sum to one keep what all states share: it falls as cᵗ and no faster, and is known.
            shift = (float(rest.min()) + float(rest.max())) / 2 / (1 - c)
            if _size(rest - shift * (1 - c)) <= CLOSE * _size(v):
                return z + shift
            if progress is not None:
                progress(min(1.0, float(np.log(_size(rest) / _size(v)) / np.log(CLOSE))))
    return z


def _size(v: FloatArray) -> float:
    return float(np.abs(v).max())
