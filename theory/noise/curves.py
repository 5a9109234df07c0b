r"""The exact error of a learner along a run: at some moves, over the last half, and how it varies from seed to seed.

With the moments as one vector Y(t) = L^t Y(0) (`theory.noise.moments`) the squared error of a seed at move t,
q = ‖v_t − v_π‖² as a mean over states, has

    E[q] = f₂·L₂^t Y₂(0),      E[q²] = f₄·L₄^t Y₄(0),      sd(q) = √(E[q²] − E[q]²),

and an RMSE over n seeds is √(mean of q), whose square has the mean E[q] and the standard error sd(q)/√n. Second moments
that are too many for a matrix are stepped move by move. In floats; overflow is ∞.

Learners with traces are at λ = 0 learners that close: the trace is the last feature vector.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from theory.learners.affine import rationals
from theory.learners.corrected import ChainedExpectedSarsa, ChainedQ, ChainedRetrace
from theory.learners.rule import Rule
from theory.learners.sequential import SequentialChain
from theory.learners.td import OffPolicyTD
from theory.learners.traces import TDLambda
from theory.noise.errors import ErrorChain, error_chain
from theory.noise.moments import Moments
from theory.noise.runs import curve, last_half
from theory.noise.windows import WindowMoments, last_trained
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

SURE = 1.96  # standard errors of a band
MANY_HEADS = 4  # of a sequential chain: as one chain of states its moments are too many soon
LONGEST = 1.2e11  # multiplications of a run that is stepped: a minute or two
ANY = np.ones(1)  # a chain at its own setting does not ask for step sizes


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
    if isinstance(rule, SequentialChain) and rule.hot and rule.after != "ring" and rule.K >= MANY_HEADS:
        if start is not None:
            raise InvalidProblem(f"from a given start only chains of fewer than {MANY_HEADS} heads", "heads")
        return window_curve(rule, problem, marks, scale, weighting)
    chain = error_chain(_exactly(rule, problem), problem).measured(weighting, problem)
    if start is not None:
        chain, scale = _from(chain, start), 0.0
    moments = Moments(chain)
    square, late = _second(moments, marks, scale)
    try:
        fourth = curve(moments, marks, ANY, None, scale, 4)[0]
    except InvalidProblem as error:
        return ExactCurve(marks, square, late, None, error.complaint)
    return ExactCurve(marks, square, late, _deviation(square, fourth), None)


def without_trace(rule: Rule) -> Rule:
    """The learner whose every update is the same; the rule itself where its trace remembers, or is of another kind.

    >>> without_trace(TDLambda(0.9, 0.1, 0)).name
    'off-policy-td'
    """
    if type(rule) is TDLambda and rule.lambda_ == 0:  # ETD, which is one, has a second trace
        return OffPolicyTD(rule.gamma, rule.alpha)
    if type(rule) in (ChainedQ, ChainedRetrace) and getattr(rule, "lambda_", None) == 0:
        assert isinstance(rule, ChainedExpectedSarsa)
        return ChainedExpectedSarsa(rule.gamma, rule.alpha, rule.K, rule.k)
    return rule


def _exactly(rule: Rule, problem: Problem) -> Rule:
    """With the rationals that its doubles denote where the problem is exact: states are exchanged exactly, or not."""
    if not problem.is_exact:
        return rule
    numbers = {name: Fraction(x) for name, x in vars(rule).items() if isinstance(x, float)}
    return replace(rule, **numbers | {"gamma": problem.exact.gamma})  # type: ignore[type-var]


def _from(chain: ErrorChain, start: FloatArray) -> ErrorChain:
    """Every parameter vector begins at `start`: a centre that is moved, and no spread."""
    begin = np.tile(start, chain.spread.shape[1] // len(start))
    if chain.is_exact:
        begin = rationals(np.array([Fraction(x) for x in begin.tolist()]))
    return replace(chain, centre=chain.centre - chain.spread @ begin, spread=0 * chain.spread)


def window_curve(
    rule: SequentialChain, problem: Problem, marks: Array, scale: float, weighting: str = "uniform"
) -> ExactCurve:
    """The same of a sequential chain, window by window: how many heads there are does not matter."""
    steps, k = int(marks[-1]), rule.K if rule.k is None else rule.k
    seen, moments = last_trained(k, rule.K, rule.window, steps, rule.after), WindowMoments(problem, weighting)

    def errors(order: int) -> FloatArray:
        alpha = np.array([float(rule.alpha)])
        curves, start = moments.curves(alpha, rule.window, steps, scale, order)
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


def _second(moments: Moments, marks: Array, scale: float) -> tuple[FloatArray, float]:
    """E[q] at the marks, and its mean over the moves of the last half."""
    steps, chain = int(marks[-1]), moments.chain
    try:
        square = curve(moments, marks, ANY, None, scale)[0]
    except InvalidProblem as error:
        if steps * len(chain.node) * (chain.size + 1) ** 3 > LONGEST:
            raise InvalidProblem(f"{error.complaint}, and {steps:,} moves too long to step them", "learner") from None
        stepped = np.maximum(moments.stepped(steps, scale), 0.0)
        return stepped[marks], float(stepped[steps // 2 + 1 :].mean() if steps else stepped[0])
    late = float(last_half(moments, ANY, None, steps, scale)[0]) if steps else float(square[-1])
    return square, late
