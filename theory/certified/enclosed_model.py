r"""The letters of a large problem: what is small in balls, what is over the states in doubles with bounds.

The formulas of the methods are written in the letters of a `LinearModel` and serve here as they are: F×F matrices are
FLINT's matrices of balls that surely hold the true entries, arrays over the states are `OverStates`, weights `Weights`,
and P is sparse; sums over the states turn the latter into the former.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat

from theory.budgets import RESOLVENTS
from theory.certified.balls import as_balls, as_bounded, balls, unit
from theory.certified.enclosed_moments import Enclosed
from theory.certified.enclosed_values import Progress, follow_on, resolvent
from theory.certified.over_states import OverStates, Transitions, Transposed, Weighted, given, summed
from theory.exact.matrices import rational
from theory.model.linear_model import LinearModel, TooLong
from theory.problems.large import LargeProblem
from theory.problems.numbers import Array


@dataclass(frozen=True, eq=False)
class EnclosedModel(LinearModel):
    """The letters of a large problem, between bounds."""

    patient: bool = True  # may resolvents of all features be computed, however long they take?
    progress: Progress | None = None

    @property
    def rank(self) -> int:
        return int(self.Phi.values.shape[1])

    @property
    def n_states(self) -> int:
        return len(self.Phi.values)

    def number(self, value: Any) -> arb:
        return arb(rational(Fraction(value)))

    def eye(self, n: int | None = None) -> arb_mat:
        return unit(self.rank if n is None else n)

    def transposed(self, M: Any) -> Any:
        return Transposed(M) if isinstance(M, OverStates) else M.transpose()

    def times(self, M: Any, V: Any) -> Any:
        if isinstance(M, Transitions):
            return M.times(V)
        if isinstance(M, Transposed):
            total = summed(M.V, V.w, V.V)
            if total is None:
                raise ZeroDivisionError("numbers beyond 10^±60")
            return as_balls(total)
        return M * V

    def weighted(self, V: Any, weights: Any = None) -> Any:
        return Weighted(self.d if weights is None else weights, V)

    def resolvent(self, discount: Any, *parts: OverStates) -> tuple[OverStates, ...]:
        columns = max(part.values.shape[1] for part in parts)
        if not self.patient and columns > 1 and float(self.P.P.nnz) * columns > RESOLVENTS:
            raise TooLong(
                f"(I − cP)⁻¹ of {columns} features of {self.n_states:,} states takes minutes: ask for it by name"
            )
        found = [resolvent(self.P, discount, part, self.progress) for part in parts]
        if any(part is None for part in found):
            raise ZeroDivisionError("I − cP may be singular")
        return tuple(part for part in found if part is not None)

    def follow_on(self, discount: Any) -> Any:
        found = follow_on(self.P, discount, self.d)
        if found is None:
            raise ZeroDivisionError("I − cP may be singular")
        return found

    def point(self, w: arb_mat) -> tuple[Array, Array, str | None]:
        theta = as_bounded(self.parameters(w))
        note = f"each entry to {float(theta.rad.max(initial=0.0)):.1g}, proved"
        return theta.mid[:, 0], self.Phi.values @ as_bounded(w).mid[:, 0], note


def enclosed_model(
    problem: LargeProblem, found: Enclosed, patient: bool = True, progress: Progress | None = None
) -> EnclosedModel:
    """The letters, of moments that are known within bounds."""
    R = None if found.R is None else balls(found.R)
    gamma, r = arb(rational(problem.discount)), given(problem.r_pi)
    model = EnclosedModel(gamma, found.Phi, found.P, r, found.d, R, patient=patient, progress=progress)
    model.__dict__.update(X_hat=as_balls(found.X), Y_hat=as_balls(found.Y), b_hat=as_balls(found.b))
    return model
