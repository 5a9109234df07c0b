r"""The letters of a large problem: what is small in balls, what is over the states in doubles with bounds.

The formulas of the methods are written in the letters of a `Ground` and serve here as they are. Of its kinds of numbers
this is the third: F×F matrices are arrays of balls (`flint.arb`) that surely hold the true entries, arrays over the
states are `OverStates`, weights `Weights`, and P is sparse; sums over the states turn the latter into the former.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat

from theory.certified.balls import as_balls, balls
from theory.certified.enclosed_moments import Enclosed
from theory.certified.enclosed_values import Progress, follow_on, resolvent
from theory.certified.over_states import Transitions, Transposed, Weighted, given, summed
from theory.exact.matrices import rational
from theory.methods.ground import Ground
from theory.problems import InvalidProblem
from theory.problems.large import LargeProblem
from theory.problems.numbers import Array

LONGEST = 3e7  # entries of P times columns, beyond which resolvents of all features take minutes


class TooLong(InvalidProblem):
    """What would take minutes, and was not asked for by name."""


@dataclass(frozen=True, eq=False)
class LargeGround(Ground):
    """The letters of a large problem."""

    Phi: Any  # OverStates
    P: Any  # Transitions
    d: Any  # Weights
    r: Any  # OverStates
    patient: bool = True  # may resolvents of all features be computed, however long they take?
    progress: Progress | None = None

    @property
    def rank(self) -> int:
        return int(self.Phi.values.shape[1])

    @cached_property
    def G(self) -> Array:
        return self.times(self.R, self.R.T)

    def seen(self, V: Any) -> Array:
        """ΦᵀV for a weighted V."""
        return self.times(self.G, self.times(self.Phi.T, V))

    def weighted(self, V: Any, weights: Any = None) -> Any:
        return Weighted(self.d if weights is None else weights, V)

    def resolvent(self, discount: Any, V: Any) -> Any:
        columns = V.values.shape[1]
        if not self.patient and columns > 1 and float(self.P.P.nnz) * columns > LONGEST:
            raise TooLong(
                f"(I − cP)⁻¹ of {columns} features of {len(self.d.values):,} states takes minutes: ask for it by name"
            )
        found = resolvent(self.P, discount, V, self.progress)
        if found is None:
            raise ZeroDivisionError("I − cP may be singular")
        return found

    def resolvents(self, discount: Any, V: Any, v: Any) -> tuple[Any, Any]:
        return self.resolvent(discount, V), self.resolvent(discount, v)

    def follow_on(self, discount: Any) -> Any:
        found = follow_on(self.P, discount, self.d)
        if found is None:
            raise ZeroDivisionError("I − cP may be singular")
        return found

    @cached_property
    def Y_transposed(self) -> Array:
        ahead = self.times(self.P, self.Phi)
        return self.times(self.G, self.times(self.Phi.T, self.weighted(ahead)).T)

    def blocks(self, a: Array, b: Array, c: Array, d: Array) -> Array:
        return np.block([[a, b], [c, d]])

    def eye(self, n: int | None = None) -> Array:
        return np.eye(self.rank if n is None else n, dtype=object)

    def number(self, value: Any) -> Any:
        return arb(rational(Fraction(value)))

    def times(self, M: Any, V: Any) -> Any:
        if isinstance(M, Transitions):
            return M.times(V)
        if isinstance(M, Transposed):
            total = summed(M.V, V.w, V.V)
            if total is None:
                raise ZeroDivisionError("numbers beyond 10^±60")
            found = _array(as_balls(total))
            return found[:, 0] if V.V.is_vector else found
        if M.size == 0 or V.size == 0:
            return M @ V
        product = arb_mat(M.tolist()) * arb_mat(V.tolist() if V.ndim == 2 else [[x] for x in V.tolist()])
        return _array(product).reshape(M.shape[0], *V.shape[1:])

    def solve(self, M: Array, B: Array) -> Array:
        if M.size == 0:
            return B
        columns = B.tolist() if B.ndim == 2 else [[x] for x in B.tolist()]
        return _array(arb_mat(M.tolist()).solve(arb_mat(columns))).reshape(B.shape)


def large_ground(
    problem: LargeProblem, found: Enclosed, patient: bool = True, progress: Progress | None = None
) -> LargeGround:
    """The letters, of moments that are known within bounds."""
    R = np.eye(found.rank, dtype=object) if found.R is None else _array(balls(found.R))
    letters: dict[str, Any] = {
        "gamma": arb(rational(problem.discount)),
        "Phi": found.Phi,
        "P": found.P,
        "r": given(problem.r_pi),
        "d": found.d,
        "R": R,
        "exact": False,
    }
    ground = LargeGround(**letters, patient=patient, progress=progress)
    X, Y, b = (_array(as_balls(m)) for m in (found.X, found.Y, found.b))
    known = {"X": X, "Y": Y, "b": b[:, 0]}
    ground.__dict__.update({letter: ground.times(ground.G, value) for letter, value in known.items()})
    ground.__dict__["Y_transposed"] = ground.times(ground.G, Y.T)
    return ground


def _array(m: arb_mat) -> Array:
    out = np.empty((m.nrows(), m.ncols()), dtype=object)
    for i, row in enumerate(m.tolist()):
        out[i] = row
    return out
