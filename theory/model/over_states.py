r"""Arrays over the states of a large problem, in doubles with a bound on their error, and what they sum to.

`OverStates` is (V, e): each true entry of column j is within e_j of V_sj. With p = ‖P‖_∞ and at most k entries in a row
of P, a product PV computed in doubles is off, in column j, by at most

    p e_j + (k + 2) u p max|V_j|,        u = 2⁻⁵³.

`Weights` is (w, ε): the true weights differ from w by at most ε in sum. What is summed over the states,

    (UᵀDV)_ij = Σ_s w_s U_si V_sj,

is formed in blocks of n rows, whose m results are added, so in doubles it is off by at most (n + m + 6) u Σ|w U_i V_j|
(in whatever order within a block, with or without fused operations), and by Cauchy and Schwarz

    Σ_s |w_s U_si V_sj|  ≤  √(Σ|w|U_i²) √(Σ|w|V_j²),

which costs one pass over each array and no second product. What U, V and w are off by themselves adds
√(Σ|w|U_i²)√Σ|w| e_j, its mirror image, and ε max|U_i| max|V_j|. All bounds are inflated by 10⁻⁹ for their own rounding
and raised for underflow, sums by 10⁻²⁵⁰: the largest entry of a column lies within 10^±60, which is checked, and so
what underflows in a term is below 10⁻³²³·10⁶⁰.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from theory.model.balls import SAFE, UNIT, Bounded
from theory.problems.numbers import FloatArray

ROWS = 2048  # in a block
_INFLATE, _TINY, _UNDERFLOW = 1 + 1e-9, 1e-290, 1e-250


class Transitions:
    """P, sparse, with bounds on its norms."""

    def __init__(self, P: Any) -> None:
        self.P = P
        self.longest = int(np.diff(P.indptr).max(initial=1))
        totals = np.asarray(P.sum(axis=1)).ravel()
        self.norm = float(totals.max(initial=0.0)) * (1 + 4 * (self.longest + 2) * UNIT)

    @cached_property
    def transposed(self) -> Any:
        """Pᵀ, as rows."""
        return self.P.T.tocsr()

    def times(self, V: OverStates) -> OverStates:
        """PV."""
        rounding = (self.longest + 2) * UNIT * V.size
        return OverStates(self.P @ V.values, (self.norm * (V.error + rounding)) * _INFLATE + _TINY, V.is_vector)


@dataclass(frozen=True, eq=False)
class OverStates:
    """Each true entry of column j is within `error[j]` of `values[:, j]`."""

    values: FloatArray  # (S, n)
    error: FloatArray  # (n,)
    is_vector: bool = False  # one column that stands for a vector

    @property
    def T(self) -> Transposed:
        """Vᵀ."""
        return Transposed(self)

    @cached_property
    def size(self) -> FloatArray:
        """max|V_j|."""
        return _largest(self.values)

    def __rmul__(self, factor: arb) -> OverStates:
        """A number, as a ball, times V."""
        c, off = number(factor)
        error = abs(c) * self.error + (off + 2 * UNIT * abs(c)) * (self.size + self.error)
        return OverStates(c * self.values, error * _INFLATE + _TINY, self.is_vector)

    def __add__(self, other: OverStates) -> OverStates:
        return self._sum(other, self.values + other.values)

    def __sub__(self, other: OverStates) -> OverStates:
        return self._sum(other, self.values - other.values)

    def _sum(self, other: OverStates, values: FloatArray) -> OverStates:
        error = (self.error + other.error + UNIT * _largest(values)) * _INFLATE + _TINY
        return OverStates(values, error, self.is_vector)


@dataclass(frozen=True, eq=False)
class Weights:
    """The true weights, none of them negative, differ from `values` by at most `error` in sum."""

    values: FloatArray  # (S,)
    error: float = 0.0

    def __rmul__(self, factor: arb) -> Weights:
        """A number, as a ball, times w."""
        c, off = number(factor)
        total = float(np.abs(self.values).sum())
        return Weights(c * self.values, (abs(c) * self.error + (off + 2 * UNIT * abs(c)) * total) * _INFLATE + _TINY)

    def __add__(self, other: Weights) -> Weights:
        values = self.values + other.values
        error = self.error + other.error + UNIT * float(np.abs(values).sum())
        return Weights(values, error * _INFLATE + _TINY)


class Weighted(NamedTuple):
    """diag(w)V."""

    w: Weights
    V: OverStates


class Transposed(NamedTuple):
    """Vᵀ."""

    V: OverStates


def given(values: FloatArray) -> OverStates:
    """Numbers as given, without errors; a vector is one column."""
    columns = values if values.ndim == 2 else values[:, None]
    return OverStates(columns, np.zeros(columns.shape[1]), values.ndim == 1)


def summed(U: OverStates, w: Weights, V: OverStates) -> Bounded | None:
    """Σ_s w_s U_si V_sj, (m, n); None where numbers are too large or too small for these bounds."""
    if not all(_safe(x) for x in (U.size, V.size)):
        return None
    S, m, n = len(w.values), U.values.shape[1], V.values.shape[1]
    same = U is V
    mid, of_U, of_V = np.zeros((m, n)), np.zeros(m), np.zeros(n)
    for start in range(0, S, ROWS):
        rows = slice(start, start + ROWS)
        weights, u = w.values[rows, None], U.values[rows]
        weighted = weights * u
        mid += weighted.T @ V.values[rows]
        of_U += np.einsum("si,si->i", np.abs(weighted), np.abs(u))
        if not same:
            v = V.values[rows]
            of_V += np.einsum("si,si->i", np.abs(weights) * np.abs(v), np.abs(v))
    of_V = of_U if same else of_V
    if same:
        mid = (mid + mid.T) / 2
    steps = (min(ROWS, S) + -(-S // ROWS) + 8) * UNIT
    total = float(np.abs(w.values).sum()) * (1 + 1e-9)
    root_U, root_V = np.sqrt(of_U) * (1 + 1e-9), np.sqrt(of_V) * (1 + 1e-9)  # their own sums are off by `steps`
    error_U, error_V = np.sqrt(total) * U.error, np.sqrt(total) * V.error
    rad = np.outer(root_U, 2 * steps * root_V + error_V) + np.outer(error_U, root_V + error_V)
    rad += w.error * np.outer(U.size + U.error, V.size + V.error)
    return Bounded(mid, rad * (1 + 1e-8) + _UNDERFLOW)


def number(factor: Any) -> tuple[float, float]:
    """A ball as a double and a bound on its distance."""
    mid = float(factor.mid()) if isinstance(factor, arb) else float(factor)
    rad = float(factor.rad().abs_upper()) * (1 + 4 * UNIT) if isinstance(factor, arb) else 0.0
    return mid, rad + 2 * UNIT * abs(mid) + _TINY


def _largest(values: FloatArray) -> FloatArray:
    """max|V_j|, without a copy."""
    return np.maximum(values.max(axis=0, initial=0.0), -values.min(axis=0, initial=0.0))


def _safe(sizes: FloatArray) -> bool:
    nonzero = sizes[sizes != 0]
    return bool(np.isfinite(sizes).all()) and (
        nonzero.size == 0 or (nonzero.min() > SAFE[0] and nonzero.max() < SAFE[1])
    )
