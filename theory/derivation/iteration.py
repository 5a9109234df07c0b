r"""Each closed form beside the iteration that should arrive there: Richardson's, in floating point of 256 bits.

    θ_{t+1} = θ_t + α(c − Nθ_t)        error after t steps = (I − αN)ᵗ (θ_0 − N⁻¹c), known in advance (prop-1)

==================  ====================================================================================
θ_π                 N = A; where no step size converges the error must grow as predicted
θ_μ                 N = A_μ
θᵏ, sequential      N = X, head after head, T steps each, begun where the head before ended (alg-1)
θᵏ, concurrent      N = M, all heads at every of kT steps (alg-2); head 0 stands still unless it starts at θ_μ
M⁻¹b†               all heads of that iteration together
==================  ====================================================================================

A sequential head inherits the error of the one before: with Q = (I − αX)ᵀ, T an exponent, and S_T = α Σ_{j<T} (I − αX)ʲ

    e_k = Q(θᵏ⁻¹ − θᵏ) + (Q + S_T γY) e_{k−1}.

Iterations begin at Φᵀ1, the sum of all features, which lies in the row space of Φ as the fixed points do. Predictions
come from powers by repeated squaring, the iteration from single steps; both round, so they may differ by what rounding
can do: `room` = 8·t·n·u·g·s with u = 2⁻²⁵⁰, s the largest number met on the way and g the largest ‖(I − αN)^{2ʲ}‖. Some
seventy digits are left where doubles would have none. A row is right where

    ‖(iterate − closed form) − predicted error‖ ≤ room.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isfinite
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.derivation.drift import head_at, is_singular
from theory.derivation.forms import Forms
from theory.derivation.in_gamma import behaviour_fixed_point_in_gamma
from theory.exact.matrices import identity, matrix, rational
from theory.linear.spectra import StepSizes, chain_step_sizes, head_step_sizes, td_step_sizes
from theory.model.balls import precision
from theory.problems import InvalidProblem
from theory.problems.numbers import FloatArray

BITS, UNIT = 256, 2.0**-250
DIGITS = 10  # an iteration goes on until its error has lost so many
MOST_STEPS = 5_000
DIVERGING_STEPS = 50
POINTS, HEAD_POINTS = 60, 13  # of a path that is drawn, and of each head in it


@dataclass(frozen=True, eq=False)
class Path:
    """‖iterate − closed form‖ along the way, measured and predicted."""

    at: tuple[int, ...]
    measured: FloatArray
    predicted: FloatArray


@dataclass(frozen=True, eq=False)
class Row:
    """One form: its number, the iterate, how far off that should be and is."""

    form: str
    k: int | None
    closed: FloatArray
    iterated: FloatArray
    predicted_error: float
    error: float
    gap: float  # ‖(iterate − closed form) − predicted error‖
    room: float
    alpha: Fraction
    steps: int
    ok: bool
    path: Path
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = [name for name in self.__dataclass_fields__ if name not in ("path", "alpha")]
        return {name: getattr(self, name) for name in names} | {"step_size": self.alpha}


class Powers:
    """(I − αN)ᵗ applied to a vector, by repeated squaring."""

    def __init__(self, N: arb_mat, alpha: arb) -> None:
        self.squares = [arb_mat(identity(N.nrows())) - N * alpha]

    def __call__(self, t: int, vector: arb_mat) -> arb_mat:
        """(I − αN)ᵗ `vector`."""
        for j in range(t.bit_length()):
            if j == len(self.squares):
                self.squares.append((self.squares[-1] * self.squares[-1]).mid())
            if t >> j & 1:
                vector = (self.squares[j] * vector).mid()
        return vector

    @property
    def growth(self) -> float:
        """The largest norm among the squares taken, and 1."""
        return max([1.0, *map(_norm, self.squares)])


@dataclass(frozen=True, eq=False)
class Run:
    """Richardson iteration, to be run and compared."""

    N: arb_mat
    c: arb_mat
    alpha: Fraction
    start: arb_mat
    limit: arb_mat
    steps: int

    def row(self, form: str, k: int | None, features: int | None = None) -> Row:
        """Run it, and compare the last `features` entries, or all, with the closed form `limit`."""
        part = slice(None) if features is None else slice(self.limit.nrows() - features, None)
        powers, first = Powers(self.N, arb(rational(self.alpha))), self.start - self.limit
        at = sorted({round(x) for x in np.linspace(0, self.steps, POINTS)})
        predicted = {t: _norm(_cut(powers(t, first), part)) for t in at}
        measured, largest, theta = {}, _norm(self.limit), self.start
        for t in range(self.steps + 1):
            if t in predicted:
                measured[t] = _norm(_cut(theta - self.limit, part))
                largest = max(largest, _norm(theta))
            if t < self.steps:
                theta = self.after(theta)
        expected = powers(self.steps, first)
        gap = _norm(_cut(theta - self.limit - expected, part))
        room = 8 * (self.steps + 1) * self.limit.nrows() * UNIT * powers.growth * largest
        path = Path(tuple(at), np.array([measured[t] for t in at]), np.array([predicted[t] for t in at]))
        return Row(
            form, k, _floats(_cut(self.limit, part)), _floats(_cut(theta, part)), _norm(_cut(expected, part)),
            measured[self.steps], gap, room, self.alpha, self.steps, isfinite(room) and gap <= room, path,
        )  # fmt: skip

    def after(self, theta: arb_mat) -> arb_mat:
        """One step."""
        return (theta + (self.c - self.N * theta) * arb(rational(self.alpha))).mid()


def compare(forms: Forms, k: int, steps: int | None = None, alpha: Any = None) -> list[Row]:
    """The table: one row a form, at the problem's γ; `alpha` and `steps` by the theory where they are not given."""
    with precision(BITS):
        return list(_rows(forms, k, steps, alpha))


def _rows(forms: Forms, k: int, steps: int | None, alpha: Any) -> list[Row]:
    problem, m = forms.problem, forms.moments
    gamma, F = rational(problem.exact.gamma), problem.n_features
    first = _begin(forms)

    def iterate(N: fmpq_mat, c: fmpq_mat, a: Fraction, limit: fmpq_mat, t: int) -> Run:
        begin = arb_mat(first.tolist() * (limit.nrows() // F))
        return Run(arb_mat(N), arb_mat(c), a, begin, arb_mat(limit), t)

    rows = []
    singular, sizes = is_singular(forms, gamma), td_step_sizes(problem)
    if not singular and sizes.limit == 0:
        a = Fraction(head_step_sizes(problem).best) if alpha is None else Fraction(alpha)
        t = min(DIVERGING_STEPS, steps or DIVERGING_STEPS)
        note = "off-policy TD converges for no step size here; its error grows as predicted"
        rows.append(replace(iterate(m.A, m.b, a, forms.target.at(gamma), t).row("θ_π", None), note=note))
    elif not singular:
        a, t = _step(sizes, steps, alpha, "off-policy TD's")
        rows.append(iterate(m.A, m.b, a, forms.target.at(gamma), t).row("θ_π", None))
    if m.P_mu is not None and m.r_mu is not None:
        a, t = _step(chain_step_sizes(problem), steps, alpha, "the chain's")
        theta_mu = behaviour_fixed_point_in_gamma(problem).at(gamma)
        rows.append(iterate(m.behaviour.A, m.behaviour.b, a, theta_mu, t).row("θ_μ", None))
    if k == 0:
        return rows
    moving = isinstance(forms.start, str) and forms.start == "behaviour"
    a, t = _step(chain_step_sizes(problem) if moving else head_step_sizes(problem), steps, alpha, "a head's")
    heads = [head_at(forms, i) if singular else forms.theta_at(i, gamma) for i in range(k + 1)]
    rows.append(_sequential(forms, gamma, a, t, heads))
    if moving:
        M, b = m.joint(k)
        stacked = _stack(heads)
        rows.append(iterate(M, b, a, stacked, k * t).row("M⁻¹b†", k))
    else:  # M without its first block: head 0 stands still at θ⁰
        M = fmpq_mat(k * F, k * F)
        for i in range(k * F):
            for j in range(F):
                M[i, i // F * F + j] = m.X[i % F, j]
                if i >= F:
                    M[i, (i // F - 1) * F + j] = -gamma * m.Y[i % F, j]
        b, stacked = _stack([m.b + gamma * m.Y * heads[0]] + [m.b] * (k - 1)), _stack(heads[1:])
    rows.append(iterate(M, b, a, stacked, k * t).row("θᵏ, concurrent", k, F))
    return rows


def _sequential(forms: Forms, gamma: fmpq, alpha: Fraction, steps: int, heads: list[fmpq_mat]) -> Row:
    """Head after head, the first from Φᵀ1 towards θ⁰, which is known."""
    m, k, F = forms.moments, len(heads) - 1, forms.problem.n_features
    X, gammaY, b = arb_mat(m.X), arb_mat(gamma * m.Y), arb_mat(m.b)
    exact = [arb_mat(head) for head in heads]
    a = arb(rational(alpha))
    powers, S_T = Powers(X, a), _window_sum(X, a, steps)
    target, theta, error, room = exact[0], _begin(forms), arb_mat(F, 1), 0.0
    largest = max(_norm(target), _norm(theta))
    at: list[int] = []
    measured: list[float] = []
    predicted: list[float] = []
    marks = sorted({round(x) for x in np.linspace(0, steps, HEAD_POINTS)})
    sums = {t: _window_sum(X, a, t) for t in marks}
    for i in range(1, k + 1):
        run = Run(X, b + gammaY * target, alpha, theta, exact[i], steps)
        begun = theta - exact[1] if i == 1 else exact[i - 1] - exact[i] + error
        for t in range(steps + 1):
            if t in sums:
                at.append((i - 1) * steps + t)
                measured.append(_norm(theta - exact[i]))
                predicted.append(_norm(powers(t, begun) + sums[t] * (gammaY * error)))
            theta = run.after(theta) if t < steps else theta
        target = theta
        error = (powers(steps, begun) + S_T * (gammaY * error)).mid()
        largest = max(largest, _norm(theta), _norm(exact[i]))
        spread = powers.growth * (1 + _norm(S_T * gammaY))
        room = spread * (room + 8 * (steps + 1) * F * UNIT * powers.growth * largest)
    gap = _norm(theta - exact[k] - error)
    path = Path(tuple(at), np.array(measured), np.array(predicted))
    return Row(
        "θᵏ, sequential", k, _floats(exact[k]), _floats(theta), _norm(error), _norm(theta - exact[k]), gap, room, alpha,
        steps, isfinite(room) and gap <= room, path,
    )  # fmt: skip


def _begin(forms: Forms) -> arb_mat:
    """Φᵀ1, a column."""
    Phi = matrix(forms.problem.exact.Phi)
    return arb_mat([[sum(column, fmpq(0))] for column in Phi.transpose().tolist()])


def _window_sum(X: arb_mat, alpha: arb, t: int) -> arb_mat:
    """α Σ_{j<t} (I − αX)ʲ, by doubling."""
    one = arb_mat(identity(X.nrows()))
    step, total, power = one - X * alpha, one * 0, one
    for bit in bin(t)[2:] if t else "":
        total, power = (total + power * total).mid(), (power * power).mid()
        if bit == "1":
            total, power = total + power, (power * step).mid()
    return total * alpha


def _step(sizes: StepSizes, steps: int | None, alpha: Any, whose: str) -> tuple[Fraction, int]:
    """The step size that converges fastest, unless another is wanted and admitted; and how many steps that takes."""
    if alpha is not None and not 0 < alpha < sizes.limit:
        raise InvalidProblem(f"{whose} step sizes are those below {sizes.limit:.6g}, got {float(alpha):g}", "step_size")
    chosen = Fraction(alpha if alpha is not None else sizes.best if isfinite(sizes.best) else 1.0)
    if steps is not None:
        return chosen, steps
    wanted = DIGITS * sizes.steps_per_digit if alpha is None else MOST_STEPS
    return chosen, max(1, min(MOST_STEPS, ceil(wanted) if isfinite(wanted) else MOST_STEPS))


def _stack(heads: list[fmpq_mat]) -> fmpq_mat:
    entries = [x for head in heads for x in head.entries()]
    return fmpq_mat(len(entries), 1, entries)


def _cut(vector: arb_mat, part: slice) -> arb_mat:
    entries = vector.entries()[part]
    return arb_mat(len(entries), 1, entries)


def _norm(m: arb_mat) -> float:
    """The Frobenius norm, as a double."""
    return float(sum((x * x for x in m.mid().entries()), arb(0)).mid().sqrt())


def _floats(vector: arb_mat) -> FloatArray:
    return np.array([float(x.mid()) for x in vector.entries()])
