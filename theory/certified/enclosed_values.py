r"""Solutions of (I − cP)Z = V over the states of a large problem, with a proved bound on their error; v_π is one.

Z comes from iterations whose steps are products with P, and need not be right. With the residual R = V − (I − cP)Z of
whatever was found,

    |Z − (I − cP)⁻¹V|  ≤  ‖(I − cP)⁻¹‖_∞ max|R|        entry by entry, in each column.

The rows of P sum to at most p. Where cp < 1 that norm is at most 1/(1 − cp). Where episodes end and c = 1 it is the
expected length of the longest: if h > 0 has h − cPh ≥ κ > 0 then I − cP is an M-matrix, its inverse is nonnegative, and
the norm, the largest entry of (I − cP)⁻¹1, is at most max h/κ. Any h will do; one that solves (I − cP)h = 1 to a few
digits gives nearly the norm itself.

R is computed in doubles, and what that may be off by, (k + 6)u(max|V| + 2 max|Z|) for k entries in a row, is added. For
Pᵀ the same holds in the norm of sums, which is that of `Weights`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, bicgstab, spilu

from theory.certified.bounded import UNIT
from theory.certified.over_states import OverStates, Transitions, Weights, number
from theory.problems.numbers import FloatArray

QUICK, LONGEST, CHECKED = 60, 20_000, 50  # steps of the first iteration, of the second, and between two looks at it
CLOSE = 1e-9  # of the residual beside V
UNDERFLOW = 1e-300  # of an entry of the residual: more than any row of P has entries, times the least double
DROPPED, FILL = 1e-4, 20  # of incomplete factors: entries below are dropped; how many times those of P there may be

Progress = Callable[[float], None]


def resolvent(P: Transitions, factor: Any, V: OverStates, progress: Progress | None = None) -> OverStates | None:
    """(I − cP)⁻¹V for a number c, as a ball; None where I − cP may be singular."""
    c, off = number(factor)
    system = _System(P.P, c)
    longest = _horizon(P, off, system)
    if longest is None:
        return None
    n = V.values.shape[1]
    values, error = np.empty_like(V.values), np.empty(n)
    for j in range(n):
        v = np.ascontiguousarray(V.values[:, j])
        z = system.solved(v, 1e-14 if n == 1 else 1e-11, progress if n == 1 else None)
        size, rest = float(np.abs(z).max(initial=0.0)), system.rest(v, z)
        rounding = (P.longest + 6) * UNIT * (float(V.size[j]) + (1 + P.norm) * size) + off * P.norm * size
        error[j] = (float(np.abs(rest).max(initial=0.0)) + rounding + V.error[j] + UNDERFLOW) * longest * (1 + 1e-9)
        values[:, j] = z
        if progress is not None and n > 1:
            progress((j + 1) / n)
    return OverStates(values, error, V.is_vector)


def follow_on(P: Transitions, factor: Any, d: Weights) -> Weights | None:
    """(I − cPᵀ)⁻¹d for a number c, as a ball."""
    c, off = number(factor)
    horizon = _horizon(P, off, _System(P.P, c))
    if horizon is None:
        return None
    back = _System(P.transposed, c)
    f = back.solved(d.values, 1e-14)
    total, longest = float(np.abs(f).sum()), int(np.diff(P.transposed.indptr).max(initial=1))
    rounding = (longest + 6) * UNIT * (float(np.abs(d.values).sum()) + (1 + P.norm) * total) + off * P.norm * total
    rest = float(np.abs(back.rest(d.values, f)).sum())
    lost = len(f) * UNDERFLOW
    return Weights(f, (rest * (1 + 1e-9) + rounding + d.error + lost) * horizon * (1 + 1e-9))


def _horizon(P: Transitions, off: float, system: _System) -> float | None:
    """A bound of ‖(I − xP)⁻¹‖_∞ for every x within `off` of c; None where none is found."""
    room = 1 - (abs(system.c) + off) * P.norm * (1 + 4 * UNIT)
    if room > 0:
        return 1 / room * (1 + 4 * UNIT)
    if system.c < 0:
        return None
    ones = np.ones(P.P.shape[0])
    h = system.solved(ones, 1e-6)
    largest = float(h.max())
    if not (h.min() > 0 and largest < 1 / UNIT):  # NaN, too
        return None
    # h − cPh = 1 − rest, in doubles
    rounding = ((P.longest + 6) * UNIT * (1 + P.norm) + off * P.norm) * largest + 8 * UNIT
    least = 1 - float(system.rest(ones, h).max()) - rounding * (1 + 1e-9)
    return largest / least * (1 + 1e-9) if least > 0 else None


class _System:
    """(I − cP)z = v, and about its solutions."""

    def __init__(self, P: Any, c: float) -> None:
        self.P, self.c = P, c

    def rest(self, v: FloatArray, z: FloatArray) -> FloatArray:
        """v − z + cPz."""
        found: FloatArray = self.P @ z
        found *= self.c
        found -= z
        found += v
        return found

    def left(self, v: FloatArray, z: FloatArray) -> float:
        """The largest entry of that, beside v's."""
        return _size(self.rest(v, z)) / _size(v)

    def solved(self, v: FloatArray, close: float, progress: Progress | None = None) -> FloatArray:
        """About (I − cP)⁻¹v: to `close` by BiCGSTAB where that is quick, else by z ← v + cPz, whose rest falls as cᵗ.

        Without discount it falls only as episodes end, and BiCGSTAB goes on with incomplete factors of I − P.
        """
        if self.c == 0 or not v.any():
            return v.copy()
        unit = _size(v)
        if not 1e-10 < unit < 1e10 and np.isfinite(unit):  # BiCGSTAB gives up where numbers are small
            with np.errstate(all="ignore"):
                scaled: FloatArray = self.solved(v / unit, close, progress) * unit
            return scaled
        with np.errstate(all="ignore"):
            z = bicgstab(self._operator, v, rtol=close, atol=0.0, maxiter=QUICK)[0]
            if self.left(v, z) <= CLOSE:
                return z
            if self.c >= 1:
                return z if self._factors is None else self._with_factors(v, close, self._factors)
        return self._repeated(v, progress)

    @cached_property
    def _operator(self) -> LinearOperator:
        S, scaled = self.P.shape[0], self._scaled
        return LinearOperator((S, S), matvec=lambda z: z - scaled @ z, dtype=np.float64)

    @cached_property
    def _scaled(self) -> Any:
        return self.P * self.c

    @cached_property
    def _factors(self) -> LinearOperator | None:
        """Incomplete factors of I − cP; None where a pivot is zero."""
        S = self.P.shape[0]
        try:
            found = spilu(sparse.csc_array(sparse.eye_array(S) - self._scaled), drop_tol=DROPPED, fill_factor=FILL)
        except RuntimeError:
            return None
        return LinearOperator((S, S), matvec=found.solve, dtype=np.float64)

    def _with_factors(self, v: FloatArray, close: float, factors: LinearOperator) -> FloatArray:
        z: FloatArray = bicgstab(self._operator, v, rtol=close, atol=0.0, maxiter=QUICK, M=factors)[0]
        return z

    def _repeated(self, v: FloatArray, progress: Progress | None) -> FloatArray:
        c, z = self.c, v.copy()
        for step in range(1, min(LONGEST, int(np.log(CLOSE) / np.log(c)) + 2)):
            z = self._scaled @ z
            z += v
            if step % CHECKED == 0:
                rest = self.rest(v, z)
                # Rows that sum to one keep what all states share: it falls as cᵗ and no faster, and is known.
                shift = (float(rest.min()) + float(rest.max())) / 2 / (1 - c)
                if _size(rest - shift * (1 - c)) <= CLOSE * _size(v):
                    return z + shift
                if progress is not None:
                    progress(min(1.0, float(np.log(_size(rest) / _size(v)) / np.log(CLOSE))))
        return z


def _size(v: FloatArray) -> float:
    return float(np.abs(v).max())
