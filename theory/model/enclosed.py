r"""The moments of a large problem, each entry between bounds that are proved; what its verdicts are made of.

    X = ΦᵀDΦ        Y = ΦᵀDPΦ        b = ΦᵀDr        r×r and r, in doubles with bounds (`theory.model.over_states`)

The features must be independent: X ≻ 0 is proved. Where it cannot be, the rows of Φ are looked at: if there are few
different ones (aggregated or copied states), the leftmost independent columns C and R of Φ = CR are found exactly, and
the moments are those of C, with G = RRᵀ as in `theory.model.linear_model`.

**The model**: what is small in balls, what is over the states in doubles with bounds. The formulas of the methods are
written in the letters of a `LinearModel` and serve here as they are: F×F matrices are FLINT's matrices of balls that
surely hold the true entries, arrays over the states are `OverStates`, weights `Weights`, and P is sparse; sums over the
states turn the latter into the former.

**The fixed point**: (X − γY)w = b in balls whose radii are the bounds of the moments. Every θ that solves a system
within the bounds is within the balls, the true one among them; with dependent features it is the shortest, θ =
Rᵀ(RRᵀ)⁻¹w.

Solutions of (I − cP)Z = V over the states of a large problem, with a proved bound on their error; v_π is one.

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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, bicgstab, spilu

from theory.budgets import DIFFERENT_ROWS, RESOLVENT_STEPS, RESOLVENTS
from theory.exact.matrices import fractions, independent_columns, matrix, rational
from theory.model.balls import BITS, UNIT, Bounded, as_balls, as_bounded, balls, precision, unit
from theory.model.linear_model import WITHOUT_DISCOUNT, FloatModel, LinearModel, TooLong
from theory.model.over_states import OverStates, Transitions, Transposed, Weighted, Weights, given, number, summed
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray
from theory.problems.problem import cached_for_all_discounts


@dataclass(frozen=True, eq=False)
class EnclosedModel(LinearModel):
    """The letters of a large problem, between bounds."""

    resolved: bool = True  # are the features shown to be independent?
    patient: bool = True  # may resolvents of all features be computed, however long they take?
    progress: Progress | None = None

    @cached_property
    def width(self) -> float:  # type: ignore[override]
        """The widest bound on an entry of X̂ or Ŷ; nan where they are not known."""
        if not self.resolved:
            return float("nan")
        return max(float(as_bounded(M).rad.max(initial=0.0)) for M in (self.X_hat, self.Y_hat))

    def between(self, X: Bounded, Y: Bounded, b: Bounded | None = None) -> EnclosedModel:
        """The same with these moments of C."""
        other = replace(self)
        other.__dict__.update(X_hat=as_balls(X), Y_hat=as_balls(Y), b_hat=self.b_hat if b is None else as_balls(b))
        return other

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
        return theta.mid[:, 0], self.values(w), note

    def values(self, w: arb_mat) -> FloatArray:
        """Cw in floats, which nothing that is proved is made of."""
        return self.Phi.values @ as_bounded(w).mid[:, 0]


def enclosed(problem: Problem, patient: bool = True, progress: Progress | None = None) -> EnclosedModel:
    """The model of a large problem; `resolved` where its features are shown to be independent, and of a middle size.

    Without patience, what takes minutes is refused (`TooLong`).
    """
    known = _at_no_discount(problem)
    model = replace(known, gamma=arb(rational(Fraction(problem.given.gamma))), patient=patient, progress=progress)
    model.__dict__.update({name: known.__dict__[name] for name in WITHOUT_DISCOUNT if name in known.__dict__})
    return model


def middle(problem: Any) -> FloatModel:
    """The same in floats, as X and Y are in the middle of their bounds; without features where those are not known."""
    model, p = enclosed(problem), problem.given
    if not model.resolved:
        return FloatModel(float(p.gamma), p.Phi[:, :0], p.successors, p.r_pi, p.d_mu)
    R = None if model.R is None else as_bounded(model.R).mid
    found = FloatModel(float(p.gamma), model.Phi.values, p.successors, p.r_pi, p.d_mu, R)
    found.__dict__.update({name: as_bounded(getattr(model, name)).mid for name in ("X_hat", "Y_hat")})
    found.__dict__["b_hat"] = as_bounded(model.b_hat).mid[:, 0]
    return found


@cached_for_all_discounts
def _at_no_discount(problem: Any) -> EnclosedModel:
    d, R, C = Weights(problem.d_mu), None, given(problem.Phi)
    P, own = Transitions(problem.successors), problem.behaviour_successors
    model = EnclosedModel(
        arb(0),
        C,
        P,
        given(problem.r_pi),
        d,
        None,
        None if own is None else Transitions(own),
        None if problem.r_mu is None else given(problem.r_mu),
    )
    unknown = replace(model, resolved=False)
    X = summed(C, d, C)
    if X is None:
        return unknown
    if not X.is_positive_definite():
        chosen = independent(problem.Phi)
        if chosen is None:
            return unknown
        columns, R = chosen
        C = given(np.ascontiguousarray(problem.Phi[:, columns]))
        X = summed(C, d, C)
        if X is None or not X.is_positive_definite():
            return unknown
    Y, b = summed(C, d, P.times(C)), summed(C, d, model.r)
    if Y is None or b is None:
        return unknown
    with precision(BITS):
        return replace(model, Phi=C, R=None if R is None else balls(R)).between(X, Y, b)


def independent(Phi: FloatArray) -> tuple[list[int], Array] | None:
    """The leftmost independent columns and R (r, F) of Φ = CR, exactly; None where Φ has too many different rows."""
    rows = _different(Phi)
    if rows is None:
        return None
    exact = matrix(rows)
    if exact.rank() == 0:
        return [], np.empty((0, Phi.shape[1]), dtype=object)
    chosen = independent_columns(exact)
    return list(chosen), fractions(exact.rref()[0]).reshape(exact.nrows(), -1)[: len(chosen)]


def _different(Phi: FloatArray) -> FloatArray | None:
    """The different rows: guessed by a sum of each with random factors, and then compared."""
    sums = Phi @ np.random.default_rng(0).random(Phi.shape[1])
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    if len(first) > DIFFERENT_ROWS:
        return None
    rows: Any = Phi[first]
    for start in range(0, len(Phi), DIFFERENT_ROWS):
        here = slice(start, start + DIFFERENT_ROWS)
        if not np.array_equal(rows[which[here]], Phi[here]):
            return None
    return rows


CHECKED = 50  # steps between two checks of the residual
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
            z = bicgstab(self._operator, v, rtol=close, atol=0.0, maxiter=RESOLVENT_STEPS[0])[0]
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
        return bicgstab(self._operator, v, rtol=close, atol=0.0, maxiter=RESOLVENT_STEPS[0], M=factors)[0]

    def _repeated(self, v: FloatArray, progress: Progress | None) -> FloatArray:
        c, z = self.c, v.copy()
        for step in range(1, min(RESOLVENT_STEPS[1], int(np.log(CLOSE) / np.log(c)) + 2)):
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
