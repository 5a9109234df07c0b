r"""The exact error of a learner along a run: at some moves, over the last half, and how it varies from seed to seed.

With the moments flattened to one vector Y(t) = L^t Y(0) (`theory.noise.symmetric`) the squared error of a seed at
move t, q = ‖v_t − v_π‖² as a mean over states, has

    E[q] = f₂·L₂^t Y₂(0),      E[q²] = f₄·L₄^t Y₄(0),      sd(q) = √(E[q²] − E[q]²),

and an RMSE over n seeds is √(mean of q), whose square has the mean E[q] and the standard error sd(q)/√n. From mark to
mark L^t is found by squaring, and the sum over a stretch by S_{a+b} = S_a + S_b L^a; fourth moments are taken up to
exchange of states (`theory.noise.symmetry`). Second moments that are too many for a matrix are stepped move by move.
In floats; overflow is ∞.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from theory.learners.rule import Rule
from theory.learners.sequential import SequentialChain
from theory.noise.errors import ErrorChain, error_chain
from theory.noise.moments import error_curve, last_half
from theory.noise.settings import setting_moments
from theory.noise.symmetric import form_of_moments, moment_matrix, start_moments
from theory.noise.untraced import without_trace
from theory.noise.windows import WindowMoments, last_trained
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

SURE = 1.96  # standard errors of a band
MANY_HEADS = 4  # of a sequential chain: as one chain of states its moments are too many soon
LONGEST = 1.2e11  # multiplications of a run that is stepped: a minute or two


@dataclass(frozen=True, eq=False)
class ExactCurve:
    """Expectations at the marks; `deviation` is None where fourth moments are too many, with the reason."""

    marks: Array  # (m,), moves
    square: FloatArray  # (m,), E[q]
    last_half: float  # the mean of E[q] over the last half of the moves
    deviation: FloatArray | None  # (m,), sd(q) of one seed
    reason: str | None

    @property
    def rmse(self) -> FloatArray:
        """(m,), the root of E[q]."""
        return np.sqrt(self.square)

    def band(self, seeds: int) -> tuple[FloatArray, FloatArray] | None:
        """Where an RMSE over so many seeds lies but for one time in twenty, if its square is nearly normal."""
        if self.deviation is None:
            return None
        reach = SURE * self.deviation / np.sqrt(seeds)
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.maximum(self.square - reach, 0)), np.sqrt(self.square + reach)

    def document(self, seeds: int) -> dict[str, Any]:
        """For JSON."""
        low, high = self.band(seeds) or (np.full(len(self.marks), np.nan),) * 2
        columns = (self.marks.tolist(), self.rmse.tolist(), low.tolist(), high.tolist())
        return {
            "last_half": float(np.sqrt(self.last_half)),
            "final": float(self.rmse[-1]),
            "curve": [list(row) for row in zip(*columns, strict=True)],
            "band": None if self.deviation is None else f"{SURE} standard errors of the mean square over {seeds} seeds",
            "reason": self.reason,
        }


def exact_curve(
    rule: Rule,
    problem: Problem,
    marks: Array,
    scale: float,
    weighting: str = "uniform",
    start: FloatArray | None = None,
) -> ExactCurve:
    """The expectations of a run whose last mark is its last move, from N(0, scale²) or from parameters `start`."""
    rule = without_trace(rule)
    if start is not None:
        return _from_start(rule, problem, marks, weighting, start)
    if isinstance(rule, SequentialChain) and rule.hot and rule.after != "ring" and rule.K >= MANY_HEADS:
        return window_curve(rule, problem, marks, scale, weighting)
    square, late = _second(error_chain(rule, problem, exact=False), marks, scale, weighting)
    try:
        fourth = _fourth(rule, problem, marks, scale, weighting)
    except InvalidProblem as error:
        return ExactCurve(marks, square, late, None, error.complaint)
    return ExactCurve(marks, square, late, _deviation(square, fourth), None)


def _from_start(rule: Rule, problem: Problem, marks: Array, weighting: str, start: FloatArray) -> ExactCurve:
    """Every parameter vector begins at `start`: a centre that is moved, and no spread."""
    if getattr(rule, "K", 0) >= MANY_HEADS and isinstance(rule, SequentialChain):
        raise InvalidProblem(f"from a given start only chains of fewer than {MANY_HEADS} heads", "heads")
    chain = error_chain(rule, problem, exact=False)
    begin = np.tile(start, chain.spread.shape[1] // len(start))
    chain = replace(chain, centre=chain.centre - chain.spread @ begin)
    square, late = _second(chain, marks, 0.0, weighting)
    try:
        powers = _Powers(moment_matrix(chain, 4))
    except InvalidProblem as error:
        return ExactCurve(marks, square, late, None, error.complaint)
    with np.errstate(over="ignore", invalid="ignore"):
        fourth = _along(powers, form_of_moments(chain.form(weighting), 4), start_moments(chain, 4, 0.0), marks)
    return ExactCurve(marks, square, late, _deviation(square, fourth), None)


def window_curve(
    rule: SequentialChain, problem: Problem, marks: Array, scale: float, weighting: str = "uniform"
) -> ExactCurve:
    """The same of a sequential chain, window by window: how many heads there are does not matter."""
    steps, k = int(marks[-1]), rule.K if rule.k is None else rule.k
    seen, moments = last_trained(k, rule.K, rule.window, steps, rule.after), WindowMoments(problem)

    def errors(order: int) -> FloatArray:
        alpha = np.array([float(rule.alpha)])
        curves, start = moments.curves(alpha, rule.window, steps, scale, weighting, order)
        return np.concatenate([[start], curves[0]])[seen]

    square = errors(2)
    late = float((square[steps // 2 + 1 :] if steps else square).mean())
    try:
        return ExactCurve(marks, square[marks], late, _deviation(square[marks], errors(4)[marks]), None)
    except InvalidProblem as error:
        return ExactCurve(marks, square[marks], late, None, error.complaint)


def _deviation(square: FloatArray, fourth: FloatArray) -> FloatArray:
    """√(E[q²] − E[q]²), ∞ where either is."""
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.where(np.isfinite(fourth), np.maximum(fourth - square**2, 0), np.inf)
    return np.sqrt(variance)


def _second(chain: ErrorChain, marks: Array, scale: float, weighting: str) -> tuple[FloatArray, float]:
    """E[q] at the marks, and its mean over the moves of the last half."""
    steps = int(marks[-1])
    try:
        L = moment_matrix(chain, 2)
    except InvalidProblem as error:
        if steps * len(chain.maps) * (chain.size + 1) ** 3 > LONGEST:
            raise InvalidProblem(f"{error.complaint}, and {steps:,} moves too long to step them", "learner") from None
        curve = error_curve(chain, steps, scale, weighting)
        return np.maximum(curve[marks], 0.0), float(last_half(curve)) if steps else float(curve[0])
    f, powers = form_of_moments(chain.form(weighting), 2), _Powers(L)
    begin = steps // 2 + 1  # moves t > steps/2
    Y, n = start_moments(chain, 2, scale), steps - begin + 1
    with np.errstate(over="ignore", invalid="ignore"):
        found = _along(powers, f, Y, marks)
        late = float(f @ powers.summed(powers.times(Y, begin), n)) / n if n > 0 else float(found[-1])
    return found, late if np.isfinite(late) else np.inf


def _fourth(rule: Rule, problem: Problem, marks: Array, scale: float, weighting: str) -> FloatArray:
    """E[q²] at the marks; up to exchange of states where the problem is exact."""
    gamma = {"gamma": problem.exact.gamma if problem.is_exact else problem.gamma}
    numbers = {name: Fraction(x) for name, x in vars(rule).items() if isinstance(x, float)} if problem.is_exact else {}
    moments = setting_moments(replace(rule, **(numbers | gamma)), problem)  # type: ignore[type-var]
    alpha, beta = (None if x is None else np.array([float(x)]) for x in map(vars(rule).get, ("alpha", "beta")))
    assert alpha is not None
    L = moments.matrices(alpha, beta, order=4)[0]
    with np.errstate(over="ignore", invalid="ignore"):
        return _along(_Powers(L), moments.form(weighting, 4), moments.start(scale, 4), marks)


def _along(powers: _Powers, f: FloatArray, Y: FloatArray, marks: Array) -> FloatArray:
    """f·L^t Y at the marks; not finite is ∞."""
    found, at = np.empty(len(marks)), 0
    for i, mark in enumerate(marks.tolist()):
        Y, at = powers.times(Y, mark - at), mark
        found[i] = f @ Y
    return np.where(np.isfinite(found), np.maximum(found, 0.0), np.inf)


class _Powers:
    """L^(2^k) and I + L + … + L^(2^k − 1), as they are needed."""

    def __init__(self, L: FloatArray) -> None:
        self.powers, self.sums = [L], [np.eye(len(L))]

    def _grow(self, k: int) -> None:
        while len(self.powers) <= k:
            P = self.powers[-1]
            self.sums.append(self.sums[-1] + self.sums[-1] @ P)
            self.powers.append(P @ P)

    def times(self, Y: FloatArray, t: int) -> FloatArray:
        """L^t Y."""
        for k, bit in enumerate(bin(t)[:1:-1]):
            if bit == "1":
                self._grow(k)
                Y = self.powers[k] @ Y
        return Y

    def summed(self, Y: FloatArray, n: int) -> FloatArray:
        """(I + L + … + L^(n − 1)) Y."""
        total = 0 * Y
        for k, bit in enumerate(bin(n)[:1:-1]):
            if bit == "1":
                self._grow(k)
                total = total + self.sums[k] @ Y
                Y = self.powers[k] @ Y
        return total
