r"""What noise does to a learner on a problem: its largest step sizes, and its error and its tail at one of them.

What is too long to compute, or does not exist, has a reason instead of a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, TypeVar

from theory.learners.rule import Rule
from theory.noise.errors import ErrorChain, error_chain
from theory.noise.mean_square import SquareMap, StepSizeLimit, largest_step_size, mean_maps, square_maps
from theory.noise.moments import square_error, stationary_moments
from theory.noise.paths import PathGrowth, path_growth
from theory.noise.tails import fourth_radius, tail
from theory.noise.traces import TraceVariance, trace_variance
from theory.problems import InvalidProblem, Problem

T = TypeVar("T")


@dataclass(frozen=True)
class At:
    """One step size: ρ₂ and ρ₄ in floats, the side of ρ₂ exactly; None where unknown or infinite."""

    step_size: Fraction
    stable: bool  # ρ₂ < 1, exactly
    rho2: float
    rho4: float | None
    tail: str | None
    stationary_rmse: float | None


@dataclass(frozen=True)
class LearnerNoise:
    """A line of the table; `reasons` say why something is missing."""

    learner: str
    closes: bool
    mean: StepSizeLimit | None = None
    mean_square: StepSizeLimit | None = None
    at: At | None = None
    trace: TraceVariance | None = None
    paths: PathGrowth | None = None
    reasons: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """For JSON."""
        found: dict[str, Any] = {
            "learner": self.learner,
            "closes": self.closes,
            "reason": "; ".join(self.reasons) or None,
            "max_step_size": {"mean": _number(self.mean), "mean_square": _number(self.mean_square)},
            "at": None if self.at is None else vars(self.at),
        }
        if self.trace is not None:
            found["trace_variance"] = self.trace.document()
        if self.paths is not None:
            found["paths"] = self.paths.document()
        return found


def learner_noise(
    rule: Rule, problem: Problem, step_size: Fraction | None = None, ratio: Fraction = Fraction(1)
) -> LearnerNoise:
    """A rule at any step sizes, with β = ratio·α; by default at the largest power of two up to half the limit."""
    reasons: list[str] = []
    obstacle = rule.obstacle()
    if obstacle is not None:
        emphatic = bool(getattr(rule, "emphatic", False))
        trace = _tried(lambda: trace_variance(problem), reasons) if emphatic else None
        return LearnerNoise(rule.name, False, trace=trace, reasons=(obstacle, *reasons))
    maps = _tried(lambda: square_maps(rule, problem, ratio), reasons)
    if maps is None:
        return LearnerNoise(rule.name, True, reasons=tuple(reasons))
    mean = _tried(lambda: largest_step_size(mean_maps(rule, problem, ratio)), reasons)
    limit = _tried(lambda: largest_step_size(maps), reasons)
    alpha = step_size
    if alpha is None and limit is not None and limit.value is not None:
        alpha = Fraction(1)
        while limit.value < 2 * alpha:
            alpha /= 2
    at = None if alpha is None else _at(rule, problem, maps, alpha, ratio, reasons)
    return LearnerNoise(rule.name, True, mean, limit, at, reasons=tuple(reasons))


def with_paths(
    line: LearnerNoise,
    rule: Rule,
    problem: Problem,
    step_size: Fraction | None,
    ratio: Fraction,
    paths: int,
    moves: int,
) -> LearnerNoise:
    """The line with an estimate of how its paths grow, at its step size or at the one given."""
    alpha = step_size if line.at is None else line.at.step_size
    if "alpha" in rule.columns and alpha is None:
        return replace(line, reasons=(*line.reasons, "paths need a step size"))
    reasons: list[str] = []
    sized = rule if alpha is None else _sized(rule, alpha, ratio)
    found = _tried(lambda: path_growth(sized, problem, paths=paths, moves=moves), reasons)
    return replace(line, paths=found, reasons=(*line.reasons, *reasons))


def _sized(rule: Rule, alpha: Fraction, ratio: Fraction) -> Rule:
    """The rule at α and β = ratio·α, in floats."""
    sizes = {"alpha": alpha} | ({"beta": ratio * alpha} if "beta" in rule.columns else {})
    numbers = {name: float(x) for name, x in (vars(rule) | sizes).items() if isinstance(x, Fraction)}
    return replace(rule, **numbers)  # type: ignore[type-var]


def _at(
    rule: Rule, problem: Problem, maps: list[SquareMap], alpha: Fraction, ratio: Fraction, reasons: list[str]
) -> At:
    chain: ErrorChain = error_chain(_sized(rule, alpha, ratio), problem, exact=False)
    stable = all(one.stable(alpha) for one in maps)
    rho4 = _tried(lambda: fourth_radius(chain), reasons)
    square = _tried(lambda: square_error(chain, stationary_moments(chain)), reasons) if stable else None
    # Rounding may leave a square that is zero a little below it.
    error = None if square is None else sqrt(max(float(square), 0.0))
    return At(alpha, stable, max(one.radius(alpha) for one in maps), rho4, tail(stable, rho4), error)


def _tried(compute: Callable[[], T], reasons: list[str]) -> T | None:
    """The result, or None and a reason."""
    try:
        return compute()
    except InvalidProblem as error:
        if error.complaint not in reasons:
            reasons.append(error.complaint)
        return None


def _number(limit: StepSizeLimit | None) -> dict[str, Any] | None:
    """0 where no step size is stable; both null where all are."""
    if limit is None:
        return None
    if limit.value is None:
        return {"exact": None, "value": None} if limit.unbounded else {"exact": "0", "value": 0.0}
    return {"exact": str(limit.value), "value": float(limit.value)}
