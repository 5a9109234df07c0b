r"""Each closed form beside the iteration that should arrive there: Richardson's, in floating point of 256 bits.

    θ_{t+1} = θ_t + α(c − Nθ_t)        error after t steps = (I − αN)ᵗ (θ_0 − N⁻¹c), known in advance (prop-1)

==================  ====================================================================================
θ_π                 N = A; where no step size converges the error must grow as predicted
θ_μ                 N = A_μ
θᵏ, sequential      N = X, head after head, T steps each, begun where the head before ended (alg-1)
θᵏ, concurrent      N = M, all heads at every of kT steps (alg-2); head 0 stands still unless it starts at θ_μ
M⁻¹b†               all heads of that iteration together
==================  ====================================================================================

A sequential head inherits the error of the one before, which stands beside it in the iteration:

    (θᵏ⁻¹, θᵏ)_{t+1} = (θᵏ⁻¹, θᵏ)_t + α((0, b) − N(θᵏ⁻¹, θᵏ)_t)        N = ⎡ 0   0⎤
                                                                            ⎣−γY  X⎦

Iterations begin at Φᵀ1, the sum of all features, which lies in the row space of Φ as the fixed points do. Predictions
come from powers by repeated squaring, the iteration from single steps; both round, so they may differ by what rounding
can do: `room` = 8·t·n·u·g·s with u = 2⁻²⁵⁰, s the largest number met on the way and g the largest ‖(I − αN)^{2ʲ}‖. Some
seventy digits are left where doubles would have none. A row is right where

    ‖(iterate − closed form) − predicted error‖ ≤ room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, isfinite
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.derivation.forms import Forms
from theory.exact.matrices import block_bidiagonal, identity, joined, matrix, rational, stacked
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
    """Richardson iteration towards one limit after the other: each begins twice over at the last entries before it."""

    N: fmpq_mat
    c: fmpq_mat
    alpha: Fraction
    steps: int  # towards each limit
    start: fmpq_mat
    limits: list[fmpq_mat]

    def row(self, form: str, k: int | None, compared: int, points: int = POINTS, note: str | None = None) -> Row:
        """Run it, and compare the last `compared` entries with those of the closed forms `limits`."""
        N, c, alpha = arb_mat(self.N), arb_mat(self.c), arb(rational(self.alpha))
        powers, room, largest = Powers(N, alpha), 0.0, 0.0
        marks = sorted({round(x) for x in np.linspace(0, self.steps, points)})
        at: list[int] = []
        measured: list[float] = []
        predicted: list[float] = []
        theta = expected = arb_mat(self.start)
        for i, exact in enumerate(self.limits):
            limit = arb_mat(exact)
            if i:
                theta, expected = (stacked(*[_last(x, compared)] * 2) for x in (theta, expected))
            first = expected - limit
            for t in range(self.steps + 1):
                if t in marks:
                    at.append(i * self.steps + t)
                    measured.append(_norm(_last(theta - limit, compared)))
                    predicted.append(_norm(_last(powers(t, first), compared)))
                    largest = max(largest, _norm(theta), _norm(limit))
                if t < self.steps:
                    theta = (theta + (c - N * theta) * alpha).mid()
            expected = (limit + powers(self.steps, first)).mid()
            room = powers.growth * (2 * room + 8 * (self.steps + 1) * limit.nrows() * UNIT * largest)
        gap = _norm(_last(theta - expected, compared))
        return Row(
            form, k, _floats(_last(limit, compared)), _floats(_last(theta, compared)), predicted[-1], measured[-1], gap,
            room, self.alpha, self.steps, isfinite(room) and gap <= room,
            Path(tuple(at), np.array(measured), np.array(predicted)), note,
        )  # fmt: skip


def compare(forms: Forms, k: int, steps: int | None = None, alpha: Any = None) -> list[Row]:
    """The table: one row a form, at the problem's γ; `alpha` and `steps` by the theory where they are not given."""
    with precision(BITS):
        return list(_rows(forms, k, steps, alpha))


def _rows(forms: Forms, k: int, steps: int | None, alpha: Any) -> Iterator[Row]:
    problem, m = forms.problem, forms.moments
    gamma, F = rational(problem.exact.gamma), problem.n_features
    features = matrix(problem.exact.Phi).transpose().tolist()
    begin = fmpq_mat([[sum(row, fmpq(0))] for row in features])  # Φᵀ1

    def run(N: fmpq_mat, c: fmpq_mat, a: Fraction, t: int, limit: fmpq_mat) -> Run:
        return Run(N, c, a, t, stacked(*[begin] * (limit.nrows() // F)), [limit])

    singular, sizes = forms.is_singular(gamma), td_step_sizes(problem)
    if not singular:
        note = None
        if sizes.limit == 0:
            a, t = Fraction(head_step_sizes(problem).best if alpha is None else alpha), DIVERGING_STEPS
            t = min(t, steps or t)
            note = "off-policy TD converges for no step size here; its error grows as predicted"
        else:
            a, t = _step(sizes, steps, alpha, "off-policy TD's")
        yield run(m.A, m.b, a, t, forms.target.at(gamma)).row("θ_π", None, F, note=note)
    if m.P_mu is not None and m.r_mu is not None:
        a, t = _step(chain_step_sizes(problem), steps, alpha, "the chain's")
        yield run(m.behaviour.A, m.behaviour.b, a, t, forms.behaviour_target.at(gamma)).row("θ_μ", None, F)
    if k == 0:
        return
    moving = isinstance(forms.start, str) and forms.start == "behaviour"
    a, t = _step(chain_step_sizes(problem) if moving else head_step_sizes(problem), steps, alpha, "a head's")
    heads = [forms.head_at_gamma(i) if singular else forms.theta_at(i, gamma) for i in range(k + 1)]
    # The head before and the one in training, of which the first stands still.
    N = stacked(fmpq_mat(F, 2 * F), joined(-gamma * m.Y, m.X))
    limits = [stacked(*pair) for pair in pairwise(heads)]
    sequential = Run(N, stacked(fmpq_mat(F, 1), m.b), a, t, stacked(heads[0], begin), limits)
    yield sequential.row("θᵏ, sequential", k, F, HEAD_POINTS)
    if moving:
        M, b = m.joint(k)
        concurrent = run(M, b, a, k * t, stacked(*heads))
        yield concurrent.row("M⁻¹b†", k, (k + 1) * F)
    else:  # M without its first block: head 0 stands still at θ⁰
        M = block_bidiagonal([m.X] * k, -gamma * m.Y)
        b = stacked(m.b + gamma * m.Y * heads[0], *[m.b] * (k - 1))
        concurrent = run(M, b, a, k * t, stacked(*heads[1:]))
    yield concurrent.row("θᵏ, concurrent", k, F)


def _step(sizes: StepSizes, steps: int | None, alpha: Any, whose: str) -> tuple[Fraction, int]:
    """The step size that converges fastest, unless another is wanted and admitted; and how many steps that takes."""
    if alpha is not None and not 0 < alpha < sizes.limit:
        raise InvalidProblem(f"{whose} step sizes are those below {sizes.limit:.6g}, got {float(alpha):g}", "step_size")
    chosen = Fraction(alpha if alpha is not None else sizes.best if isfinite(sizes.best) else 1.0)
    if steps is not None:
        return chosen, steps
    wanted = DIGITS * sizes.steps_per_digit if alpha is None else MOST_STEPS
    return chosen, max(1, min(MOST_STEPS, ceil(wanted) if isfinite(wanted) else MOST_STEPS))


def _last(vector: arb_mat, count: int) -> arb_mat:
    return arb_mat(vector.tolist()[-count:])


def _norm(m: arb_mat) -> float:
    """The Frobenius norm, as a double."""
    return float(sum((x * x for x in m.mid().entries()), arb(0)).mid().sqrt())


def _floats(vector: arb_mat) -> FloatArray:
    return np.array([float(x.mid()) for x in vector.entries()])
