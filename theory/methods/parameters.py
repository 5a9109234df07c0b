r"""For which values of a parameter does a method converge? All of them, exactly.

The matrix of a method is rational in γ, λ, η, τ and the ratio β/α; det(zI − matrix), times `Method.scale`, is a
polynomial in the parameter of at most the degree that `Method.degree` says, so its values at that many points and one
more determine it, and `theory.thresholds.curves` does the rest. n and T are whole numbers: `tails`, `windows`.

What would take too long is covered by proofs, stretch by stretch (`covered`), or bracketed between two values with
opposite certified verdicts, where there are such.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_poly

from theory.budgets import BISECTIONS, CROSSED, PARAMETER_POLYNOMIAL, POWERS
from theory.certified.answers import Answer
from theory.certified.balls import BITS, balls, precision
from theory.exact.matrices import entry_length, rational
from theory.exact.polynomials import interpolate
from theory.methods.covered import covered
from theory.methods.forms import whitening
from theory.methods.method import Method, Parameter, with_value
from theory.methods.outcome import outcome
from theory.methods.tails import Moves, stable_steps
from theory.methods.windows import stable_windows
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.thresholds.curves import nonsingular_values, stable_values
from theory.thresholds.results import CoveredSet, StableSet, WholeSet

GAMMA = Parameter(None, "the discount γ, or the common factor of all of them", high=1, high_open=True)
TOO_LONG = "too many features or too long fractions for the exact crossings"


@dataclass(frozen=True)
class Bracketed:
    """The answer changes between `low` and `high`, certified at both; whether it changes elsewhere is not known."""

    low: Fraction
    high: Fraction
    stable_above: bool

    def __str__(self) -> str:
        side = "from" if self.stable_above else "up to"
        return f"{side} between {float(self.low):.6g} and {float(self.high):.6g}, elsewhere not looked at"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "exact": None,
            "value": float((self.low + self.high) / 2),
            "interval": [str(self.low), str(self.high)],
            "stable": "above" if self.stable_above else "below",
            "intervals": None,
            "unknown": None,
            "reason": f"{TOO_LONG}: certified at both ends; whether the answer changes elsewhere is not known",
        }


Values = StableSet | WholeSet | CoveredSet | Bracketed


def stable_parameters(
    method: Method, name: str, problem: Problem, model: LinearModel
) -> tuple[Values | None, str | None]:
    """The values of the parameter `name` (``gamma``, or one of the method's) at which it converges, or why not known.

    >>> from theory.methods.family import find_method
    >>> from theory.model.linear_model import exact_model
    >>> from theory.problems.catalogue import catalogue_problem
    >>> baird = catalogue_problem("baird")
    >>> print(stable_parameters(find_method("td-lambda"), "lambda", baird, exact_model(baird))[0])
    (1/6, 1]
    """
    limits = GAMMA._replace(high_open=not problem.terminates) if name == "gamma" else method.parameters()[name]
    everywhere = method.everywhere(name, model)
    if everywhere is not None:
        return _all(limits), everywhere
    if model.rank == 0:
        return _all(limits), "every feature is zero: nothing to learn"
    if name == "window":
        return stable_windows(problem, model, Fraction(method.settings["alpha"])), None
    if name == "n":
        return _steps(method, problem, model), None
    found = (method.discounts(problem) if name == "gamma" else None) or _exactly(method, name, limits, model)
    if found is not None:
        return found, None
    stretches = covered(method, name, limits, model)
    if stretches is not None:
        return stretches, None
    return _bracket(method, name, limits, problem, model)


def _exactly(method: Method, name: str, limits: Parameter, model: LinearModel) -> StableSet | None:
    if method.length > POWERS:
        return None
    kind, M, _ = method.question(model)
    degree, power = method.degree(name, model), method.power(name)
    n = M.nrows()
    size = max(n, degree)
    if size > CROSSED or degree * size**4 * entry_length(M) > PARAMETER_POLYNOMIAL:
        return None
    samples = []
    for value in sample_points(limits, degree + 1):
        chosen, here = with_value(method, model, name, value)
        at = chosen.question(here).matrix
        polynomial = fmpq_poly([at.det()]) if kind == "direct" else at.charpoly()
        samples.append((rational(value**power), rational(chosen.scale(here)) * polynomial))
    count = 1 if kind == "direct" else n + 1
    curve = [interpolate([(x, p[j]) for x, p in samples]) for j in range(count)]
    low, high = fmpq(limits.low), None if limits.high is None else fmpq(limits.high)
    if kind == "direct":
        found: StableSet | None = nonsingular_values(curve[0], low, high, limits.low_open, limits.high_open)
    else:
        found = stable_values([curve], kind == "iteration", low, high, limits.low_open, limits.high_open)
    return found if found is None or power == 1 else found.root(power)


def sample_points(limits: Parameter, count: int) -> list[Fraction]:
    """Different values within the range, short ones."""
    if limits.high is None:
        return [Fraction(limits.low + 1 + j) for j in range(count)]
    return [limits.low + Fraction((limits.high - limits.low) * (j + 1), count + 1) for j in range(count)]


def _all(limits: Parameter) -> Values:
    if limits.whole:
        return WholeSet(((limits.low, None),))
    low, high = fmpq(limits.low), None if limits.high is None else fmpq(limits.high)
    return nonsingular_values(fmpq_poly([1]), low, high, limits.low_open, limits.high_open)


def _steps(method: Method, problem: Problem, model: LinearModel) -> WholeSet:
    def decide(n: int) -> Answer:
        return outcome(replace(method, **{"n": n}), problem, model).holds

    try:
        moves = _moves(model)
    except ZeroDivisionError:
        return WholeSet((), ((1, None),), f"balls of {BITS} bits do not see that X is invertible")
    chain = method.question(model).kind == "iteration"
    return stable_steps(moves, model.d.entries(), model.gamma, chain, decide)


def _moves(model: LinearModel) -> Moves:
    with precision(BITS):
        C = whitening(balls(model.X_hat))
        seen = model.by(model.transposed(model.weighted(model.Phi)))
        Phi, X = balls(model.Phi) * C, C.solve(balls(model.X) * C)
        return Moves(balls(model.gamma * model.P), Phi, C.solve(balls(seen)), X)


def _bracket(
    method: Method, name: str, limits: Parameter, problem: Problem, model: LinearModel
) -> tuple[Bracketed | None, str | None]:
    """Between a value far down and one far up, halved some times where the certified verdicts are opposite."""

    def decide(value: Fraction) -> Answer:
        chosen, here = with_value(method, model, name, value)
        return outcome(chosen, problem if name != "gamma" else problem.with_gamma(value), here).holds

    top = Fraction(2**10 if limits.high is None else limits.high)
    ends = [Fraction(1, 2**10), top - Fraction(1, 2**10)]
    answers = [decide(x) for x in ends]
    if {*answers} != {Answer.YES, Answer.NO}:
        said = [a.pick("converges", "does not converge", "is undecided") for a in answers]
        at = f"{said[0]} at {ends[0]}, {said[1]} at {ends[1]}, certified"
        return None, f"{TOO_LONG}: {method.name} over {name} {at}, and nothing is known between"
    for _ in range(BISECTIONS):
        middle = (ends[0] + ends[1]) / 2
        answer = decide(middle)
        if answer is Answer.UNDECIDED:
            break
        ends[0 if answer == answers[0] else 1] = middle
    return Bracketed(ends[0], ends[1], answers[1] is Answer.YES), None
