r"""Table 1 without sampling: the expected error of every setting of the paper's grid, for the learners that close.

For each cell the least expected RMSE over the grid, √ of the mean of E‖v − v_π‖² over the last half of 100,000 moves,
in floats (relative error about 10⁻¹¹), with its setting; and at that setting, and at the one that tuning on sampled
seeds chose, ρ₂, ρ₄ and the tail:

    light      ρ₄ < 1            sampled means of squares have a finite variance for however long a run
    heavy      ρ₂ < 1 ≤ ρ₄       the expectation is finite, its estimates have a variance that grows without bound
    infinite   ρ₂ ≥ 1            the expectation itself grows without bound: a sampled mean is ruled by its largest seed

ETD does not close: its trace multiplies. Where E[F²] is unbounded its cells are draws, too.

The concurrent chain is computed up to head 32. A step size whose bias alone is above the best is not stepped; nor is
one whose run gets to the long run (ρ₂²⁵⁰⁰⁰ below 10⁻¹³ and the means settled before the last half) with a mean square
there more than 5% above the best, or whose ρ₂²⁵⁰⁰⁰ is above 10¹³. The best is stepped move by move in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, log, sqrt
from typing import Any
from typing import Protocol as Shape

import numpy as np

from theory.experiments.table1.units import Scale
from theory.learners.concurrent import ConcurrentChain
from theory.learners.families import find_learner
from theory.noise.heads import Bias, HeadMoments
from theory.noise.moments import setting_moments
from theory.noise.runs import last_half, spread
from theory.noise.windows import WindowMoments, window_spread
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray

MOST_HEADS = 32
MARGIN = 1.05  # a long-run square that far above the best is not stepped
NOTHING = 1e-9  # an expected RMSE below is shown as 0, and none is better
Setting = Mapping[str, float]


class ExactLearner(Shape):
    """What a learner's expected errors come from, on one problem."""

    def best(self, scale: Scale) -> tuple[dict[str, float], float]:
        """The best setting of the grid and its expected RMSE."""

    def rmse(self, setting: Setting, scale: Scale) -> float:
        """The expected RMSE of one setting."""

    def radius(self, setting: Setting, order: int) -> float:
        """ρ₂ or ρ₄."""

    def deviation(self, setting: Setting, scale: Scale) -> float | None:
        """The standard deviation of a seed's mean square; None where it is not computed."""


class OneRule:
    """Learners with one setting a run: all of the grid at once."""

    def __init__(self, learner: str, problem: Problem) -> None:
        rule = find_learner(learner)
        sizes: dict[str, Any] = {name: 1 for name in ("alpha", "beta") if name in rule.columns}
        self.learner = learner
        self.moments = setting_moments(rule.of(problem.exact.gamma, sizes), problem)

    def best(self, scale: Scale) -> tuple[dict[str, float], float]:
        settings = {n: x for n, x in scale.protocol.settings(self.learner).items() if n in ("alpha", "beta")}
        errors = last_half(self.moments, settings["alpha"], settings.get("beta"), scale.steps, scale.protocol.scale)
        at = int(errors.argmin())
        return {name: float(column[at]) for name, column in settings.items()}, sqrt(errors[at])

    def rmse(self, setting: Setting, scale: Scale) -> float:
        alpha, beta = _sizes(setting)
        return sqrt(last_half(self.moments, alpha, beta, scale.steps, scale.protocol.scale)[0])

    def radius(self, setting: Setting, order: int) -> float:
        return float(self.moments.radius(*_sizes(setting), order)[0])

    def deviation(self, setting: Setting, scale: Scale) -> float | None:
        found = spread(self.moments, setting["alpha"], setting.get("beta"), scale.steps, scale.protocol.scale)
        return found.deviation


class Windows:
    """The sequential chain."""

    def __init__(self, problem: Problem) -> None:
        self.moments = WindowMoments(problem)

    def best(self, scale: Scale) -> tuple[dict[str, float], float]:
        protocol, least, found = scale.protocol, inf, {}
        alpha = np.array(protocol.step_sizes)
        for window in protocol.windows:
            errors = self.moments.last_half(
                alpha, window, protocol.heads, protocol.last_head, scale.steps, protocol.scale
            )
            at, k = np.unravel_index(errors.argmin(), errors.shape)
            if errors[at, k] < least:
                least = float(errors[at, k])
                found = {"alpha": float(alpha[at]), "window": window, "k": protocol.heads[k]}
        return found, sqrt(least)

    def rmse(self, setting: Setting, scale: Scale) -> float:
        protocol, (alpha, _), (window, k) = scale.protocol, _sizes(setting), (int(setting[n]) for n in ("window", "k"))
        found = self.moments.last_half(alpha, window, [k], protocol.last_head, scale.steps, protocol.scale)
        return sqrt(found[0, 0])

    def radius(self, setting: Setting, order: int) -> float:
        return float(self.moments.radius(_sizes(setting)[0], int(setting["window"]), order)[0])

    def deviation(self, setting: Setting, scale: Scale) -> float | None:
        protocol, window, k = scale.protocol, int(setting["window"]), int(setting["k"])
        found = window_spread(
            self.moments, setting["alpha"], window, k, protocol.last_head, scale.steps, protocol.scale
        )
        return found.deviation


class Heads:
    """The concurrent chain, up to head 32."""

    def __init__(self, problem: Problem) -> None:
        self.moments = HeadMoments(problem)
        self.first = setting_moments(ConcurrentChain(problem.exact.gamma, 1, K=1), problem)  # heads 0 and 1

    def best(self, scale: Scale) -> tuple[dict[str, float], float]:
        heads = [k for k in scale.protocol.heads if k <= MOST_HEADS]
        steps, drawn = scale.steps, scale.protocol.scale
        sizes = np.array(scale.protocol.step_sizes)
        single = last_half(self.first, sizes, None, steps, drawn)
        least, found = float(single.min()), {"alpha": float(sizes[single.argmin()]), "k": 1.0}
        if least < NOTHING**2:
            return found, sqrt(least)
        # What is likely best comes first, so that its error rules out most of the others.
        order = sorted(self._candidates(scale, heads), key=lambda one: one[1].min())
        for alpha, guess, bias, settled in order:
            if bias.bound.min() >= least or (settled and guess.min() >= MARGIN * least):
                continue
            errors = self.moments.last_half(alpha, heads, steps, drawn, enough=least, bias=bias)
            if errors.min() < least:
                least, found = float(errors.min()), {"alpha": alpha, "k": float(heads[int(errors.argmin())])}
        return found, sqrt(least)

    def _candidates(self, scale: Scale, heads: list[int]) -> Iterator[tuple[float, FloatArray, Bias, bool]]:
        """Step sizes with their long-run errors, what they cannot be below, and whether runs get to the long run."""
        for a in map(float, scale.protocol.step_sizes):
            stationary = self.moments.stationary(np.array([a]), max(heads))[0, heads]
            bias = self.moments.bias(a, heads, scale.steps)
            rate = log(self.moments.radius(a)) * scale.steps / 4
            sure = rate > 30 or (bias.settled and rate < -30)
            yield a, stationary if sure else np.maximum(bias.bound, stationary), bias, sure

    def rmse(self, setting: Setting, scale: Scale) -> float:
        k = int(setting["k"])
        if k == 1:
            return sqrt(last_half(self.first, _sizes(setting)[0], None, scale.steps, scale.protocol.scale)[0])
        if k > MOST_HEADS:
            raise InvalidProblem(f"head {k} is beyond the {MOST_HEADS} that are computed", "k")
        return sqrt(self.moments.last_half(setting["alpha"], [k], scale.steps, scale.protocol.scale)[0])

    def radius(self, setting: Setting, order: int) -> float:
        return self.moments.radius(setting["alpha"], order)

    def deviation(self, setting: Setting, scale: Scale) -> float | None:
        """Of head 1 alone: fourth moments of more heads are too many."""
        if int(setting["k"]) > 1:
            return None
        return spread(self.first, setting["alpha"], None, scale.steps, scale.protocol.scale).deviation


def exact_learner(learner: str, problem: Problem) -> ExactLearner:
    """By name; learners that do not close are refused."""
    if learner == "chained-sequential":
        return Windows(problem)
    if learner == "chained-concurrent":
        return Heads(problem)
    return OneRule(learner, problem)


def _sizes(setting: Setting) -> tuple[FloatArray, FloatArray | None]:
    return np.array([setting["alpha"]]), np.array([setting["beta"]]) if "beta" in setting else None
