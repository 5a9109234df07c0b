"""Every method on one problem: who solves it, where does it land, how fast?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from theory.certified.answers import NO, UNDECIDED, Answer
from theory.exact.matrices import rational
from theory.experiments.inspection import Progress, Quiet, default_step_size
from theory.methods.family import find_method, methods
from theory.methods.method import Method
from theory.methods.outcome import (
    LARGEST,
    Error,
    Outcome,
    Rest,
    best_error,
    best_float_error,
    outcome,
    rate,
    rest,
    true_values,
)
from theory.methods.parameter_certificates import parameter_certificate
from theory.methods.parameters import Values, stable_parameters
from theory.model.linear_model import LinearModel, exact_model, float_model
from theory.noise.affordable import LEARNERS, NONE, Affordable, affordable_limit
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array
from theory.thresholds.certificates import AlongCertificate

SOME_MOMENTS = 300  # second moments whose largest step size takes about half a second
UNRESOLVED = (
    "undecided: the features depend on each other, or nearly so, or are beyond 10^±60: "
    "that X ≻ 0 is not proved in doubles; leave out or rescale columns"
)
LARGE = f"more than {LARGEST} states: only verdicts"


@dataclass(frozen=True, eq=False)
class Row:
    """One method's answers."""

    method: Method
    outcome: Outcome
    rest: Rest
    rate: float | None
    rate_reason: str | None
    threshold: Known  # of its own parameter
    discounts: Known  # the γ for which it converges


class Known(NamedTuple):
    """All values of a parameter for which a method converges, or why they are not known."""

    values: Values | None
    reason: str | None

    def to_dict(self) -> dict[str, Any] | None:
        """For JSON."""
        return None if self.values is None else self.values.to_dict()


@dataclass(frozen=True, eq=False)
class Comparison:
    """All methods' answers, and the least error that the features allow."""

    problem: Problem
    exact: bool  # are rest points exact?
    best_error: Error
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        """A line a method."""
        words = (row.outcome.holds.pick("converges", "does not converge", "is undecided") for row in self.rows)
        pairs = zip(self.rows, words, strict=True)
        return "\n".join(f"{row.method.name} {said}: {row.outcome.reason}" for row, said in pairs)

    def certificate(self, name: str, parameter: str | None = None) -> AlongCertificate | None:
        """For which values of a parameter, its own if none is named, a method converges: a document to ``recheck()``.

        None where there is none: the parameter is a whole number, or the polynomials are too long.
        """
        method = next((row.method for row in self.rows if name in (row.method.name, *row.method.aliases)), None)
        if method is None:
            raise InvalidProblem(f"is not among the methods compared: {name!r}", "certificate")
        asked = method.own if parameter is None else parameter
        return None if asked is None else parameter_certificate(method, asked, exact_model(self.problem))

    def mean_square(self, row: Row) -> Affordable:
        """The method's largest step size in mean square, where that costs a moment; none where it diverges."""
        method = row.method
        if method.name in LEARNERS and row.outcome.holds == NO and method.name != "chain":
            return NONE
        return affordable_limit(method.name, self.problem, SOME_MOMENTS, Fraction(method.settings.get("ratio", 1)))

    def to_dict(self) -> dict[str, Any]:
        """The document of ``theory compare --json``."""
        return {
            "problem": self.problem.name,
            "gamma": str(Fraction(self.problem.given.gamma)),
            "best_error": _errors(self.best_error),
            "methods": [
                _document(row) | {"max_step_size_mean_square": self.mean_square(row).to_dict()} for row in self.rows
            ],
        }


def compare(
    problem: Problem,
    names: Sequence[str] | None = None,
    given: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    sets: bool = True,
) -> Comparison:
    """The methods of these names (as `find_method` reads them; None is all) on a problem.

    `given` are values of parameters by name. The step size α of target networks defaults to the largest power of two
    not above 1/λ_max(X). Without `sets` the values of parameters at which a method converges are left out.

    >>> from theory.problems.catalogue import catalogue_problem
    >>> [row.outcome.holds for row in compare(catalogue_problem("baird"), ["td", "chain", "gtd2"]).rows]
    [no, yes, yes]
    """
    tell = Quiet() if progress is None else progress
    values = {"alpha": _step_size(problem), **(given or {})}
    chosen = [find_method(name, values) for name in (methods() if names is None else names)]
    for name in methods():  # a value that no method may have is refused, also where no chosen one has it
        find_method(name, values)
    model: LinearModel | None
    why_not_all: str | None
    if problem.is_large:
        model, v_pi, best, why_not_all = _large(problem, names is not None, tell)
        floats = model
    else:
        small = problem.n_states <= LARGEST
        why_not_all = LARGE if not small else None if sets else "not asked for"
        floats = _floats(problem)
        model = exact_model(problem) if small or floats is None else floats
        v_pi = true_values(model)
        best = best_error(model, v_pi)
    rows = []
    for method in chosen:
        tell.say(method.name)
        own, discounts = Known(None, why_not_all if method.own else "it has no parameter"), Known(None, why_not_all)
        if model is None:
            nothing = Outcome(UNDECIDED, UNRESOLVED, "undecided")
            rows.append(Row(method, nothing, Rest(None, None, None, UNRESOLVED), None, UNRESOLVED, own, discounts))
            continue
        found = outcome(method, problem, model if model.exact or problem.is_large else None)
        speed, why_not = rate(method, floats)
        if why_not_all is None and method.own is not None:
            own = Known(*stable_parameters(method, method.own, problem, model))
        if why_not_all is None:
            discounts = Known(*stable_parameters(method, "gamma", problem, model))
        rows.append(Row(method, found, _listed(rest(method, model, v_pi), problem), speed, why_not, own, discounts))
    return Comparison(problem, model is not None and model.exact, best, tuple(rows))


def _large(problem: Any, named: bool, tell: Progress) -> tuple[LinearModel | None, Array, Error, str]:
    """The model of a large problem, its values and the least error; what takes long is done where it is asked for."""
    from theory.certified.enclosed_model import enclosed_model
    from theory.certified.enclosed_moments import enclosed
    from theory.certified.enclosed_values import resolvent
    from theory.certified.over_states import Transitions, given

    tell.say(f"{problem.n_states:,} states, about {problem.memory / 1e9:.1f} GB: moments")
    found = enclosed(problem)
    tell.say("values of the target")
    P = Transitions(problem.successors) if found is None else found.P
    solved = resolvent(P, problem.gamma, given(problem.r_pi), tell)
    v = np.full(problem.n_states, np.nan) if solved is None else solved.values[:, 0]
    best = best_float_error(problem.Phi if found is None else found.Phi.values, problem.d_mu, v)
    model = None if found is None else enclosed_model(problem, found, named, tell)
    return model, v, best, "not looked for on a large problem"


def _listed(point: Rest, problem: Problem) -> Rest:
    """Without the values of a large problem, which are Φθ."""
    if not problem.is_large or point.theta is None:
        return point
    return replace(point, values=None, note=f"{point.note}; values of a large problem are Φθ and not listed")


def _step_size(problem: Problem) -> Fraction:
    """The largest power of two not above 1/λ_max(X)."""
    if not problem.is_large:
        return default_step_size(problem)
    from theory.experiments import large_inspection

    return large_inspection.default_step(problem)


def _floats(problem: Problem) -> LinearModel | None:
    """None where the moments cannot be written as doubles."""
    try:
        return float_model(problem)
    except InvalidProblem:
        return None


def _document(row: Row) -> dict[str, Any]:
    method, found, own = row.method, row.outcome, row.threshold.to_dict()
    return {
        "name": method.name,
        "aliases": list(method.aliases),
        "parameters": {name: x if isinstance(x, int) else str(x) for name, x in method.settings.items()},
        "converges": found.holds.json,
        "certified": found.holds != Answer.UNDECIDED,
        "reason": found.reason,
        "method": found.how,
        "threshold": None if own is None else {"parameter": method.own, **own},
        "threshold_reason": row.threshold.reason,
        "gammas": row.discounts.to_dict(),
        "gammas_reason": row.discounts.reason,
        "fixed_point": {
            "theta": _plain(row.rest.theta),
            "values": _plain(row.rest.values),
            "error": _errors(row.rest.error),
            "note": row.rest.note,
        },
        "cost": {"multiply_adds": method.cost, "memory": method.memory},
        "rate": row.rate,
        "rate_reason": row.rate_reason,
    }


def _errors(error: Error | None) -> dict[str, float | None]:
    return {"uniform": None, "d_mu": None} if error is None else {"uniform": error.uniform, "d_mu": error.d_mu}


def _plain(array: Array | None) -> list[str] | list[float] | None:
    """Exact numbers in FLINT's own text: Python refuses to print integers of more than 4300 digits."""
    if array is None or array.dtype != object:
        return None if array is None else array.tolist()
    return [str(rational(x)) for x in array]
