r"""What noise does to a learner on a problem: its largest step sizes, and its error and its tail at one of them.

Of exact problems the step sizes are algebraic numbers where their determinants are short. Of problems in floats, taken
as the rationals that the doubles denote, and of long ones they are brackets: two step sizes with opposite certificates.
The side of ρ₂ at one step size has a certificate that independent code checks (`theory.noise.cone`). What is too long
to compute, or does not exist, has a reason instead of a number.

A chain's heads all have the same maps and see only the head before: in the order of heads all is block triangular, so
limits, ρ₂ and ρ₄ are those of head 0 and of one head after it, however many there are (mixed moments of heads by
Cauchy–Schwarz and Hölder). The long-run error is the last head's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, TypeVar

import numpy as np

from theory.learners.concurrent import ConcurrentChain
from theory.learners.rule import Rule
from theory.noise.cone import MeanSquareCertificate, StepBracket, certify, mean_bracket, step_bracket
from theory.noise.curves import without_trace
from theory.noise.errors import ErrorChain, step_maps
from theory.noise.heads import HeadMoments
from theory.noise.limits import StepSizeLimit
from theory.noise.mean_square import SquareMap, exact_chain, largest_step_size
from theory.noise.moments import Moments
from theory.noise.paths import PathGrowth, path_growth
from theory.noise.tails import tail
from theory.noise.traces import TraceVariance, trace_variance
from theory.problems import InvalidProblem, Problem

T = TypeVar("T")


@dataclass(frozen=True)
class At:
    """One step size: ρ₂ and ρ₄ in floats, the side of ρ₂ exactly; None where unknown or infinite."""

    step_size: Fraction
    stable: bool | None  # ρ₂ < 1, exactly; None where nothing proves it
    rho2: float
    rho4: float | None
    tail: str | None
    stationary_rmse: float | None
    certificates: tuple[MeanSquareCertificate, ...] = ()  # of every block, or of one that fails

    def document(self) -> dict[str, Any]:
        """For JSON; `rechecked` where the independent checker has accepted every certificate."""
        plain = {name: value for name, value in vars(self).items() if name != "certificates"}
        if not self.certificates:
            return plain | {"rechecked": None, "certificates": []}
        accepted = all(c.recheck() for c in self.certificates)
        return plain | {"rechecked": accepted, "certificates": [c.document for c in self.certificates]}


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
            "max_step_size": {
                name: None if limit is None else limit.to_dict()
                for name, limit in (("mean", self.mean), ("mean_square", self.mean_square))
            },
            "at": None if self.at is None else self.at.document(),
        }
        if self.trace is not None:
            found["trace_variance"] = self.trace.document()
        if self.paths is not None:
            found["paths"] = self.paths.document()
        return found


def learner_noise(
    rule: Rule,
    problem: Problem,
    step_size: Fraction | None = None,
    ratio: Fraction = Fraction(1),
    say: Callable[[str], None] = lambda stage: None,
) -> LearnerNoise:
    """A rule at any step sizes, with β = ratio·α; by default at the largest power of two up to half the limit.

    `say` is called with what is done next.
    """
    reasons: list[str] = []
    name, rule = rule.name, without_trace(rule)
    obstacle = rule.obstacle()
    if obstacle is not None:
        emphatic = bool(getattr(rule, "emphatic", False))
        trace = _tried(lambda: trace_variance(problem), reasons) if emphatic else None
        return LearnerNoise(name, False, trace=trace, reasons=(obstacle, *reasons))
    say("maps of its moves")
    chain = _tried(lambda: exact_chain(_one_head(rule), problem, ratio), reasons)
    if chain is None:
        return LearnerNoise(name, True, reasons=tuple(reasons))
    say("step sizes in the mean")
    mean = _limit(lambda: chain.averaged, mean_bracket, problem, reasons)
    say("step sizes in mean square")
    blocks = [Moments(one) for one in chain.blocks]
    limit = _limit(lambda: chain, lambda _: _square_bracket(blocks), problem, reasons)
    alpha = step_size
    if alpha is None and limit is not None and (end := limit.bracket[0] if limit.bracket else limit.exact) is not None:
        alpha = Fraction(1)
        while end < 2 * alpha:
            alpha /= 2
    at = None if alpha is None else _at(rule, problem, blocks, alpha, ratio, reasons, say)
    return LearnerNoise(name, True, mean, limit, at, reasons=tuple(reasons))


def _one_head(rule: Rule) -> Rule:
    """A chain with one head after head 0: the others have its maps."""
    if getattr(rule, "K", 0) <= 1:
        return rule
    return replace(rule, K=1, k=None)  # type: ignore[type-var]


def _limit(
    chain: Callable[[], ErrorChain],
    bracket: Callable[[ErrorChain], tuple[Fraction, Fraction] | str],
    problem: Problem,
    reasons: list[str],
) -> StepSizeLimit | None:
    """Algebraic where that is quick, else a bracket; where there is none, algebraic however long, or a reason."""
    found, tried = _tried(chain, reasons), list[str]()
    if found is None:
        return None
    maps = _tried(lambda: [SquareMap(one) for one in found.blocks], tried) if problem.is_exact else None
    if maps is not None and all(one.is_quick for one in maps):
        return largest_step_size(maps)
    between = bracket(found)
    if not isinstance(between, str):
        return StepSizeLimit(bracket=between)
    limit = None if maps is None else _tried(lambda: largest_step_size(maps), tried)
    if limit is None:
        reasons.append("; ".join([*tried, between]))
    return limit


def _square_bracket(blocks: list[Moments]) -> tuple[Fraction, Fraction] | str:
    try:
        found = step_bracket(blocks)
    except InvalidProblem as error:
        return error.complaint
    return (found.low, found.high) if isinstance(found, StepBracket) else found


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
    rule: Rule,
    problem: Problem,
    blocks: list[Moments],
    alpha: Fraction,
    ratio: Fraction,
    reasons: list[str],
    say: Callable[[str], None],
) -> At:
    say(f"certificates at α = {alpha}")
    found = [_tried(lambda one=one: certify(one, alpha), reasons) for one in blocks]  # type: ignore[misc]
    failing = next((c for c in found if c is not None and not c.stable), None)
    proved = tuple(c for c in found if c is not None)
    stable = False if failing is not None else True if len(proved) == len(found) else None
    if stable is None and problem.is_exact:
        sides = _tried(lambda: [SquareMap(one.chain) for one in blocks], reasons)
        stable = None if sides is None else all(one.stable(alpha) for one in sides)
    if stable is None:
        reasons.append(f"the side of ρ₂ at α = {alpha} is not proved")
    rho2 = max(one.perron(float(alpha))[0] for one in blocks)
    say(f"fourth moments at α = {alpha}")
    rho4 = _tried(lambda: max(float(one.radius(float(alpha), order=4)[0]) for one in blocks), reasons)
    say(f"the long run at α = {alpha}")
    square = _tried(lambda: _long_run(rule, problem, alpha, ratio), reasons) if stable else None
    error = None if square is None else sqrt(square)
    shown = tail(stable, rho4) if stable is not None else None
    if shown is None and stable and rho4 is not None:
        reasons.append(f"ρ₄ at α = {alpha} is too close to 1 to say in floats on which side it is")
    return At(alpha, stable, rho2, rho4, shown, error, (failing,) if failing is not None else proved)


def _long_run(rule: Rule, problem: Problem, alpha: Fraction, ratio: Fraction) -> float:
    """E‖v − v_π‖² of what predicts; exactly 0 where nothing drives an error that is 0."""
    if isinstance(rule, ConcurrentChain) and rule.order == "jacobi" and rule.head > 1:
        return float(HeadMoments(problem).stationary(np.array([float(alpha)]), rule.head)[0, rule.head])
    chain = step_maps(rule, problem, exact=True)
    if not chain.is_driven:
        return 0.0
    moments = Moments(chain.in_floats.at(float(alpha), float(ratio * alpha)))
    try:
        (L,) = moments.matrices(1.0)
    except InvalidProblem:
        return moments.settled_by_iteration()
    return moments.settled(L)


def _tried(compute: Callable[[], T], reasons: list[str]) -> T | None:
    """The result, or None and a reason."""
    try:
        return compute()
    except InvalidProblem as error:
        if error.complaint not in reasons:
            reasons.append(error.complaint)
        return None
