"""Every method on one problem: does it converge, to what, and how fast?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from theory.budgets import EXACT_STATES
from theory.certified.answers import NO, UNDECIDED, Answer
from theory.exact.matrices import fraction, rational
from theory.experiments.advice import Recommended, advice, ranked, recommended
from theory.experiments.inspection import Progress, Quiet, default_step_size, unvisited_notes
from theory.methods.family import find_method, methods
from theory.methods.method import LETTERS as PARAMETERS
from theory.methods.method import Method
from theory.methods.outcome import (
    NOT_APPLICABLE,
    Error,
    MethodFixedPoint,
    Outcome,
    best_error,
    fixed_point_of,
    outcome,
    rate,
    true_values,
)
from theory.methods.parameters import Values, parameter_certificate, stable_parameters
from theory.model.balls import UNRESOLVED
from theory.model.linear_model import LinearModel, exact_model, float_model
from theory.noise.limits import LEARNERS, NONE, StepSizeLimit, quick_limit, reading_note
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array
from theory.text.numbers import value_text
from theory.text.words import count
from theory.thresholds.certificates import AlongCertificate
from theory.thresholds.results import WholeSet
from theory.views.page import Block, Column, Page, Viewable, answered, data_frame, dim, prose, strong, table

SOME_MOMENTS = 300  # second moments whose largest step size takes about half a second
COLUMNS = (
    Column("method", left=True),
    Column("converges", left=True),
    Column("error d_μ"),
    Column("uniform", drop=2),
    Column("rate"),
    Column("α < (noise)", drop=1),
    Column("cost", left=True, drop=3),
    Column("for", left=True, below=True),
    Column("for γ in", left=True, below=True),
    Column("reason", left=True, note=True),
)
THETA = (Column("θ", left=True, below=True),)
NOTES = (
    "→: recommended. Errors are root mean squares against v_π; the rate is the factor per iteration in floats. "
    "α < (noise): the largest step size at which sampled updates are bounded in mean square, proved; ? where it takes "
    "longer: theory noise."
)
READ = ("gtd2", "tdc", "tdrc")  # have readings
LARGE = f"more than {EXACT_STATES} states: only verdicts"


@dataclass(frozen=True, eq=False)
class Row:
    """One method's answers."""

    method: Method
    outcome: Outcome
    fixed_point: MethodFixedPoint
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


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Viewable):
    """All methods' answers, and the least error that the features allow."""

    problem: Problem
    exact: bool  # are fixed points exact?
    best_error: Error
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return f"<Comparison of {count(len(self.rows), 'method')} on {self.problem.name}: {advice(self)}>"

    @cached_property
    def recommended(self) -> list[Recommended]:
        """The methods to use, the best first, with a reason each."""
        return recommended(self)

    def page(self, best: bool = False, theta: bool = False, matrix: bool = False, errors: bool = False) -> Page:
        """The advice and the table, sorted from the best to the worst; `best` keeps what is recommended.

        `theta` adds fixed points, `matrix` the matrices that decide, `errors` those of fixed points not arrived at.
        """
        use = self.recommended
        chosen = [one.row for one in use]
        rows = chosen if best else ranked(self)
        blocks: list[Block] = [
            prose(strong(self.problem.name), f"  {self.problem.summary}"),
            prose(strong(advice(self))),
            prose(
                f"Least error of any θ: {_error(self.best_error, 'd_mu')} weighted by d_μ, "
                f"{_error(self.best_error, 'uniform')} uniform."
            ),
            prose(),
            table(COLUMNS + THETA * theta, (self._cells(row, row in chosen, theta, errors) for row in rows)),
            prose(),
            *(prose(f"{one.row.method.label}: {one.reason}.", hang=2) for one in use),
            *([prose()] if use else []),
            prose(dim(NOTES)),
        ]
        if matrix:
            blocks += [block for row in rows for block in self._matrix(row)]
        blocks += [prose(dim(note)) for note in self._notes(errors)]
        return Page(tuple(blocks))

    def _cells(self, row: Row, use: bool, theta: bool, errors: bool) -> list[str]:
        holds = row.outcome.holds
        error = row.fixed_point.error if errors or holds != NO else None
        cells = [
            ("→ " if use else "  ") + row.method.label,
            answered(holds.pick("yes", "no", "undecided"), holds.json),
            _error(error, "d_mu"),
            _error(error, "uniform"),
            "–" if row.rate is None else f"{row.rate:.4g}",
            self.mean_square(row).short if row.method.name in LEARNERS else "–",
            row.method.cost,
            _values(row),
            str(row.discounts.values) if row.discounts.values is not None else "?",
            f"{row.outcome.reason} ({row.outcome.how})",
        ]
        if theta:
            point = row.fixed_point.theta
            cells.append(row.fixed_point.note or "–" if point is None else f"({', '.join(map(_number, point))})")
        return cells

    def _matrix(self, row: Row) -> list[Block]:
        """What the method's verdict is about."""
        kind, M, _ = row.method.question(exact_model(self.problem))
        said = {"mean": "all Re λ > 0", "iteration": "ρ < 1", "direct": "det ≠ 0"}[kind]
        texts = [[_number(x) for x in line] for line in M.tolist()]
        wide = max((len(x) for line in texts for x in line), default=0)
        return [
            prose(),
            prose(f"{row.method.label} converges if and only if {said} of"),
            *(prose("  " + "  ".join(x.rjust(wide) for x in line), hang=4) for line in texts),
        ]

    def _notes(self, errors: bool) -> list[str]:
        unknown = [k for row in self.rows for k in (row.threshold, row.discounts) if k.values is None]
        reasons = sorted({k.reason for k in unknown if k.reason and k.reason != "it has no parameter"})
        found = [] if self.problem.is_large else unvisited_notes(self.problem)
        found += [f"?: {'; '.join(reasons)}."] if reasons else []
        read = [row.method.name for row in self.rows if row.method.name in READ and self.mean_square(row).value]
        if read:
            found.append(f"α < (noise) of {reading_note(read, 'textbook')}")
        if any(row.fixed_point.error is None and "singular" in (row.fixed_point.note or "") for row in self.rows):
            found.append("– for an error: the method's system is singular, with no fixed point or many.")
        elif not errors and any(row.outcome.holds == NO for row in self.rows):
            found.append("– for an error: the method does not arrive at its fixed point; --errors prints it.")
        if not self.exact:
            found.append("Fixed points and errors are in floats: the problem is large.")
        return found

    def to_pandas(self) -> Any:
        """A frame with a row a method, from the best to the worst."""
        use = {id(one.row) for one in self.recommended}
        return data_frame(
            [
                {
                    "method": row.method.name,
                    "parameters": row.method.parameter_texts,
                    "recommended": id(row) in use,
                    "converges": row.outcome.holds.json,
                    "error_d_mu": None if row.fixed_point.error is None else row.fixed_point.error.d_mu,
                    "error_uniform": None if row.fixed_point.error is None else row.fixed_point.error.uniform,
                    "rate": row.rate,
                    "reason": row.outcome.reason,
                }
                for row in ranked(self)
            ]
        )

    def certificate(self, name: str, parameter: str | None = None) -> AlongCertificate | None:
        """For which values of a parameter, its own if none is named, a method converges: a document to ``recheck()``.

        None where there is none: the parameter is a whole number, or the polynomials are too long.
        """
        method = next((row.method for row in self.rows if name in (row.method.name, *row.method.aliases)), None)
        if method is None:
            raise InvalidProblem(f"is not among the methods compared: {name!r}", "certificate")
        asked = method.threshold_parameter if parameter is None else parameter
        return None if asked is None else parameter_certificate(method, asked, exact_model(self.problem))

    def mean_square(self, row: Row) -> StepSizeLimit:
        """The method's largest step size in mean square, where that costs a moment; none where it diverges."""
        method = row.method
        if method.name in LEARNERS and row.outcome.holds == NO and method.name != "chain":
            return NONE
        return quick_limit(method.name, self.problem, SOME_MOMENTS, Fraction(method.settings.get("ratio", 1)))

    def to_dict(self) -> dict[str, Any]:
        """The document of ``theory compare --json``."""
        return {
            "problem": self.problem.name,
            "gamma": str(Fraction(self.problem.given.gamma)),
            "best_error": _errors(self.best_error),
            "recommended": [one.to_dict() for one in self.recommended],
            "methods": [
                _document(row) | {"max_step_size_mean_square": self.mean_square(row).document} for row in self.rows
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
    values = {"alpha": default_step_size(problem), **(given or {})}
    chosen = [find_method(name, values) for name in (methods() if names is None else names)]
    for name in methods():  # a value that no method may have is refused, also where no chosen one has it
        find_method(name, values)
    model, floats, why_not_all = _models(problem, names is not None, sets, tell)
    v_pi = true_values(model)
    best = best_error(model, v_pi)
    rows = []
    for method in chosen:
        tell.say(method.name)
        own, discounts = (
            Known(None, why_not_all if method.threshold_parameter else "it has no parameter"),
            Known(None, why_not_all),
        )
        if not model.resolved:
            nothing = Outcome(UNDECIDED, UNRESOLVED, "undecided")
            rows.append(
                Row(method, nothing, MethodFixedPoint(None, None, None, UNRESOLVED), None, UNRESOLVED, own, discounts)
            )
            continue
        found = outcome(method, problem, model if model.proves else None)
        if found.how == NOT_APPLICABLE:
            why = found.reason
            nowhere = MethodFixedPoint(None, None, None, why)
            rows.append(Row(method, found, nowhere, None, why, Known(None, why), Known(None, why)))
            continue
        speed, why_not = rate(method, floats)
        if why_not_all is None and method.threshold_parameter is not None:
            own = Known(*stable_parameters(method, method.threshold_parameter, problem, model))
        if why_not_all is None:
            discounts = Known(*stable_parameters(method, "gamma", problem, model))
        rows.append(Row(method, found, fixed_point_of(method, model, v_pi), speed, why_not, own, discounts))
    return Comparison(problem, model.exact, best, tuple(rows))


def _models(
    problem: Problem, named: bool, sets: bool, tell: Progress
) -> tuple[LinearModel, LinearModel | None, str | None]:
    """The models of verdicts and of rates, and why not all values of a parameter are looked for."""
    if problem.is_large:
        from theory.model.enclosed import enclosed

        tell.say(f"{problem.n_states:,} states, about {problem.memory / 1e9:.1f} GB: moments")
        model = enclosed(problem, named, tell)  # what takes long is done where it is asked for
        return model, model, "not looked for on a large problem"
    small, floats = problem.n_states <= EXACT_STATES, _floats(problem)
    why_not_all = LARGE if not small else None if sets else "not asked for"
    return exact_model(problem) if small or floats is None else floats, floats, why_not_all


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
        "parameters": method.parameter_texts,
        "converges": found.holds.json,
        "certified": found.holds != Answer.UNDECIDED,
        "reason": found.reason,
        "method": found.how,
        "threshold": None if own is None else {"parameter": method.threshold_parameter, **own},
        "threshold_reason": row.threshold.reason,
        "gammas": row.discounts.to_dict(),
        "gammas_reason": row.discounts.reason,
        "fixed_point": {
            "theta": _plain(row.fixed_point.theta),
            "values": _plain(row.fixed_point.values),
            "error": _errors(row.fixed_point.error),
            "note": row.fixed_point.note,
        },
        "cost": {"multiply_adds": method.cost, "memory": method.memory},
        "rate": row.rate,
        "rate_reason": row.rate_reason,
    }


def _values(row: Row) -> str:
    """All values of the method's own parameter at which it converges."""
    if row.method.threshold_parameter is None:
        return "–"
    letter, values = (
        PARAMETERS.get(row.method.threshold_parameter, row.method.threshold_parameter),
        row.threshold.values,
    )
    if values is None:
        return f"{letter}: ?"
    if str(values) == "none":
        return f"no {letter}"
    return values.text(letter) if isinstance(values, WholeSet) else f"{letter} in {values}"


def _number(x: Any) -> str:
    return value_text(x if isinstance(x, float) else fraction(rational(x)))


def _error(error: Error | None, which: str) -> str:
    return "–" if error is None else f"{getattr(error, which):.4g}"


def _errors(error: Error | None) -> dict[str, float | None]:
    return {"uniform": None, "d_mu": None} if error is None else {"uniform": error.uniform, "d_mu": error.d_mu}


def _plain(array: Array | None) -> list[str] | list[float] | None:
    """Exact numbers in FLINT's own text: Python refuses to print integers of more than 4300 digits."""
    if array is None or array.dtype != object:
        return None if array is None else array.tolist()
    return [str(rational(x)) for x in array]
