r"""The exact error of a learner along a run: at some moves, over the last half, and how it varies from seed to seed.

With the moments flattened to one vector Y(t) = L^t Y(0) (`theory.noise.symmetric`) the squared error of a seed at
move t, q = ‖v_t − v_π‖² as a mean over states, has

    E[q] = f₂·L₂^t Y₂(0),      E[q²] = f₄·L₄^t Y₄(0),      sd(q) = √(E[q²] − E[q]²),

and an RMSE over n seeds is √(mean of q), whose square has the mean E[q] and the standard error sd(q)/√n. From mark to
mark L^t is found by squaring, and the sum over a stretch by S_{a+b} = S_a + S_b L^a. In floats; overflow is ∞.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.learners.rule import Rule
from theory.learners.sequential.rule import SequentialChain
from theory.noise.errors import ErrorChain, error_chain
from theory.noise.symmetric import MAX_NUMBERS, form_of_moments, moment_matrix, start_moments
from theory.noise.windows import WindowMoments, last_trained
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

SURE = 1.96  # standard errors of a band
MANY_HEADS = 4  # of a sequential chain: as one chain of states its moments are too many soon
MAX_FOURTH = 1200  # fourth moments: powers of a matrix of that size take seconds


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


def exact_curve(rule: Rule, problem: Problem, marks: Array, scale: float, weighting: str = "uniform") -> ExactCurve:
    """The expectations of a run whose last mark is its last move."""
    if isinstance(rule, SequentialChain) and rule.hot and rule.after != "ring" and rule.K >= MANY_HEADS:
        return window_curve(rule, problem, marks, scale, weighting)
    chain = error_chain(rule, problem, exact=False)
    with np.errstate(over="ignore", invalid="ignore"):
        square, late = _expectations(chain, 2, marks, scale, weighting, last_half=True)
        try:
            fourth, _ = _expectations(chain, 4, marks, scale, weighting, last_half=False)
        except InvalidProblem as error:
            return ExactCurve(marks, square, late, None, error.complaint)
        variance = np.where(np.isfinite(fourth), np.maximum(fourth - square**2, 0), np.inf)
    return ExactCurve(marks, square, late, np.sqrt(variance), None)


def window_curve(
    rule: SequentialChain, problem: Problem, marks: Array, scale: float, weighting: str = "uniform"
) -> ExactCurve:
    """The same of a sequential chain, window by window: how many heads there are does not matter."""
    steps, k = int(marks[-1]), rule.K if rule.k is None else rule.k
    curves, start = WindowMoments(problem).curves(np.array([float(rule.alpha)]), rule.window, steps, scale, weighting)
    errors = np.concatenate([[start], curves[0]])[last_trained(k, rule.K, rule.window, steps, rule.after)]
    late = errors[steps // 2 + 1 :] if steps else errors
    return ExactCurve(marks, errors[marks], float(late.mean()), None, "fourth moments of many heads are not computed")


def _expectations(
    chain: ErrorChain, order: int, marks: Array, scale: float, weighting: str, last_half: bool
) -> tuple[FloatArray, float]:
    """E[q^(order/2)] at the marks, and its mean over the moves of the last half."""
    L = moment_matrix(chain, order, most=MAX_NUMBERS if order == 2 else MAX_FOURTH)
    Y = start_moments(chain, order, scale)
    f = form_of_moments(chain.form(weighting), order)
    found, at, powers = np.empty(len(marks)), 0, _Powers(L)
    steps = int(marks[-1])
    begin = steps // 2 + 1  # moves t > steps/2
    late, half = np.nan, None
    for i, mark in enumerate(marks.tolist()):
        if last_half and at < begin <= mark:
            half = powers.times(Y, begin - at)
        Y, at = powers.times(Y, mark - at), mark
        found[i] = f @ Y
    if last_half:
        n = steps - begin + 1
        late = float(found[-1]) if half is None else float(f @ powers.summed(half, n)) / n
    found[~np.isfinite(found)] = np.inf
    return np.maximum(found, 0.0), late if np.isfinite(late) else np.inf


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
