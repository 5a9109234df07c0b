r"""A learner's exact error over its step sizes, and where second and fourth moments stop to shrink.

The error is the root of the mean of E[q_t] over the last half of a run from the protocol's start: what a table's cell
would be over infinitely many seeds. ρ₂(α) = 1 ends the step sizes whose mean square shrinks, ρ₄(α) = 1 those whose
*estimates* scatter little: between the two the mean of any number of seeds has an infinite variance in the long run.
Both ends are found in floats here, by grids that close in on them (`theory.noise.mean_square` has the first exactly).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from theory.learners.families import find_learner
from theory.learners.rule import Rule
from theory.noise.moments import Moments, setting_moments
from theory.noise.runs import last_half
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray

STEP_SIZES = 2.0 ** np.arange(-14, 0.1, 0.25)
WIDER = 16.0  # than a map, where lines are sought that leave it
CORNER, STEEPEST = (1 / 8, 2.0), 2.0**24  # β/α
FARTHEST = 250.0  # ρ₂ = 1 from ρ₄ = 1


@dataclass(frozen=True, eq=False)
class Sweep:
    """RMSE over the last half at step sizes α with β = ratio·α; where ρ₂ and ρ₄ pass 1 (None: beyond the grid)."""

    learner: str
    alpha: FloatArray  # (n,)
    rmse: FloatArray  # (n,), ∞ beyond the range of doubles
    second: float | None
    fourth: float | None
    reason: str | None  # why there is no fourth

    def rmse_below(self, alpha: float) -> float:
        """At the largest step size of the grid up to α."""
        return float(self.rmse[max(int(np.searchsorted(self.alpha, alpha, side="right")) - 1, 0)])


@dataclass(frozen=True, eq=False)
class SettingMap:
    """The same over (α, β), and the lines on which ρ₂ and ρ₄ pass 1, from small α to small β."""

    learner: str
    step_sizes: FloatArray  # (n,), of α and of β
    rmse: FloatArray  # (n, n), a row a β
    second: FloatArray  # (points, 2): α and β where ρ₂ = 1
    fourth: FloatArray  # (points, 2)
    reason: str | None  # why there is no fourth


def sweep(
    rule: Rule,
    problem: Problem,
    alpha: FloatArray = STEP_SIZES,
    *,
    ratio: float = 1.0,
    steps: int = 100_000,
    scale: float = 100.0,
) -> Sweep:
    """Of a rule that closes, whatever its own step sizes are."""
    moments = setting_moments(rule, problem)
    beta = (lambda a: ratio * a) if "beta" in rule.columns else (lambda a: None)
    with np.errstate(over="ignore", invalid="ignore"):
        square = last_half(moments, alpha, beta(alpha), steps, scale)
        second, fourth, reason = _ends(moments, alpha, beta, 2)
    return Sweep(rule.name, alpha, np.sqrt(square), second, fourth, reason)


def setting_map(
    rule: Rule,
    problem: Problem,
    step_sizes: FloatArray,
    octaves: float,
    *,
    steps: int = 100_000,
    scale: float = 100.0,
) -> SettingMap:
    """Of a rule with two step sizes, over all pairs of them; the points of its lines so many octaves apart."""
    if "beta" not in rule.columns:
        raise InvalidProblem(f"{rule.name} has one step size, there is no map over two", "learner")
    moments = setting_moments(rule, problem)
    a, b = (x.ravel() for x in np.meshgrid(step_sizes, step_sizes))
    with np.errstate(over="ignore", invalid="ignore"):
        rmse = np.sqrt(last_half(moments, a, b, steps, scale)).reshape(len(step_sizes), -1)
        second, fourth, reason = _border(moments, step_sizes, 2.0**octaves)
    return SettingMap(rule.name, step_sizes, rmse, second, fourth, reason)


def closing_rule(name: str, problem: Problem, K: int = 1, **setting: Any) -> Rule:
    """A learner at α = β = 1, from which all step sizes follow, in the problem's own numbers."""
    found = find_learner(name)
    gamma = problem.exact.gamma if problem.is_exact else problem.gamma
    sizes = {column: Fraction(1) for column in ("alpha", "beta") if column in found.columns}
    rule = found.of(gamma, sizes | setting, K)
    exact = {key: Fraction(x) for key, x in vars(rule).items() if isinstance(x, float)} if problem.is_exact else {}
    return replace(rule, **exact)  # type: ignore[type-var]


def _border(moments: Moments, sizes: FloatArray, apart: float) -> tuple[FloatArray, FloatArray, str | None]:
    """Where ρ₂ and where ρ₄ pass 1 on the map, as lines that go on until they leave it; and why the second is missing.

    An end is sought on rays of fixed β/α, twice as densely near the corner, and below the first that has one on rows of
    fixed β. Rays alone would not do: on those with a small ratio TDC and TDRC have no stable step size at all, and the
    lines come ever nearer to the first that has one.
    """
    least, alpha = float(sizes[0]), np.geomspace(sizes[0] / WIDER, sizes[-1] * WIDER, 2 * len(sizes))
    ends: list[list[tuple[float, float]]] = [[], []]
    reasons: list[str] = []

    def seek(alpha: FloatArray, beta: Callable[[FloatArray], FloatArray]) -> float | None:
        *found, why = _ends(moments, alpha, beta, 1)
        for line, end in zip(ends, found, strict=True):
            if end is not None:
                line.append((end, float(beta(np.array(end)))))
        reasons.extend([] if why is None else [why])
        return found[0]

    ratio, end = CORNER[0], None
    while ratio < STEEPEST and (end is None or end > least):
        end = seek(alpha / np.sqrt(ratio), partial(np.multiply, ratio))
        ratio *= np.sqrt(apart) if ratio < CORNER[1] else apart
    for line in ends:
        line.reverse()
    row = ends[0][-1][1] if ends[0] else 0.0
    while row > least:
        row /= apart
        seek(alpha, partial(np.full_like, fill_value=row))
    second, fourth = (np.array(line).reshape(-1, 2) for line in ends)
    return second, fourth, reasons[0] if reasons else None


def _ends(
    moments: Moments, alpha: FloatArray, beta: Callable[[FloatArray], FloatArray | None], rounds: int
) -> tuple[float | None, float | None, str | None]:
    """Where ρ₂ and ρ₄ pass 1 along (α, β(α)), the latter within 2% (one round) or 1/2% (two); and why it is missing."""
    second = _passes_one(lambda a: moments.radius(a, beta(a)), alpha, 6)
    if second is None:
        return None, None, None
    fourth, top = None, 1.01 * second  # ρ₄ ≥ ρ₂²: what shrinks in fourth moments does in second ones
    try:
        while fourth is None and top > second / FARTHEST:
            near = np.geomspace(top / 4, top, 6)
            fourth, top = _passes_one(lambda a: moments.radius(a, beta(a), 4), near, rounds), near[0]
    except InvalidProblem as error:
        return second, None, error.complaint
    return second, None if fourth is None else min(fourth, second), None


def _passes_one(radius: Callable[[FloatArray], FloatArray], alpha: FloatArray, rounds: int) -> float | None:
    """The end of the stable step sizes that begin at the smallest one; None where that is not stable, or all are."""
    for _ in range(rounds + 1):
        unstable = np.flatnonzero(~(radius(alpha) < 1))
        if len(unstable) == 0 or unstable[0] == 0:
            return None
        low, high = alpha[unstable[0] - 1], alpha[unstable[0]]
        alpha = np.geomspace(low, high, 7)
    return float(np.sqrt(low * high))
