r"""The one way into the kernels: a learner, columns of settings, shared transitions, starts.

Settings are columns of equal length, one row per setting, named as the rule's fields (`Rule.columns`); what is left out
has the rule's own default, `k` the last head. `grid` makes them from ranges. Chains are run once for all k. What is not
swept is an option (`Rule.options`).

Memory is bounded by one block of settings and one seed; only the results grow, (settings, seeds) each and, where
asked for, (settings, seeds, checkpoints).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theory.learners.bulk.data import value_space
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.job import Job
from theory.learners.bulk.record import Record
from theory.learners.bulk.result import BulkResult
from theory.learners.checks import count
from theory.learners.families import find_learner
from theory.learners.rule import Rule
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array
from theory.problems.sampling import Transitions


def run_bulk(
    learner: str,
    problem: Problem,
    settings: Mapping[str, Any],
    transitions: Transitions,
    initials: Initials,
    *,
    options: Mapping[str, Any] | None = None,
    error: str = "uniform",
    marks: Any = (),
    curve: bool | None = None,
    predictions: bool = False,
) -> BulkResult:
    """Run every setting on every seed; `marks` are checkpoints in moves, 0 being the start.

    `error` is what is measured (`theory.learners.bulk.data`). `curve` (default: whenever there are marks) records
    squared errors at the checkpoints, `predictions` the seed-averaged errors, which reading 6 needs.
    """
    rule = find_learner(learner)
    columns, first = check_settings(rule, settings, initials.theta.shape[1] - 1, problem.gamma, options or {})
    space = value_space(problem, action_values=rule.action_values, error=error)
    _check_starts(rule, initials, transitions, space.features.shape[1])
    # A pair is complete with the action after it, so action values learn from one move less.
    steps = transitions.steps - (1 if space.action_values else 0)
    if steps < 1:
        raise InvalidProblem("action values need at least two moves", "steps")
    checkpoints = np.asarray(marks, dtype=np.int64).reshape(-1)
    if np.any(np.diff(checkpoints) < 0) or np.any((checkpoints < 0) | (checkpoints > steps)):
        raise InvalidProblem(f"checkpoints must rise from 0 to at most {steps}", "marks")
    size = len(next(iter(columns.values())))
    with_curve = bool(len(checkpoints)) if curve is None else curve
    record = Record(size, transitions.seeds, space.states, steps, checkpoints, with_curve, predictions)
    arithmetic = {name: (options or {}).get(name, choice.default) for name, choice in rule.arithmetic.items()}
    job = Job(first, columns, space, transitions, initials, record, arithmetic)
    rule.run(job)
    return record.result(learner, columns, job.dtype)


def check_settings(
    rule: type[Rule], settings: Mapping[str, Any], K: int, gamma: Any = 0, options: Mapping[str, Any] | None = None
) -> tuple[dict[str, Array], Rule]:
    """Columns of equal length with values that can be meant, and the rule with the first of them."""
    rule.check_options(options or {})
    for name in settings:
        if name not in rule.columns:
            raise InvalidProblem(f"{rule.name} has no setting {name!r}; it has {', '.join(rule.columns)}", "settings")
    defaults = {name: K if name == "k" else rule.default(name) for name in rule.columns}
    given = {name: settings.get(name, defaults[name]) for name in rule.columns}
    missing = [name for name, column in given.items() if column is None]
    if missing:
        raise InvalidProblem(f"{rule.name} needs {', '.join(missing)}", "settings")
    columns: dict[str, Array] = {name: np.atleast_1d(np.asarray(column)) for name, column in given.items()}
    size = max(len(column) for column in columns.values())
    for name, column in columns.items():
        if column.ndim != 1 or len(column) not in (1, size) or size == 0:
            raise InvalidProblem(f"has shape {column.shape}, other columns have {size} rows", "settings", name)
        columns[name] = np.broadcast_to(column, size).copy()
    # What a value may be does not depend on the other columns, so rows that show every value once are enough.
    shown = np.unique(np.concatenate([np.unique(column, return_index=True)[1] for column in columns.values()]))
    each = [
        _rule(rule, gamma, {name: column[i].item() for name, column in columns.items()}, K, options, i)
        for i in (0, *shown.tolist())
    ]
    return columns, each[0]


def _rule(
    rule: type[Rule], gamma: Any, setting: dict[str, Any], K: int, options: Mapping[str, Any] | None, i: int
) -> Rule:
    """The rule with setting number i, which knows what it can be; its complaint gets the setting's place."""
    try:
        return rule.of(gamma, setting, K, options)
    except InvalidProblem as complaint:
        for name in setting:
            if complaint.place and complaint.place[0] == name.rstrip("_"):
                raise InvalidProblem(complaint.complaint, "settings", name, i) from None
        raise


def _check_starts(rule: type[Rule], initials: Initials, transitions: Transitions, features: int) -> None:
    seeds, heads, F = initials.theta.shape
    count(transitions.seeds, 1, "seeds")
    if seeds != transitions.seeds:
        raise InvalidProblem(f"has starts for {seeds} seeds, the transitions have {transitions.seeds}", "initials")
    if features != F:
        raise InvalidProblem(f"has {F} parameters a head, {rule.name} has {features}", "initials")
    if heads < rule.n_vectors(heads - 1) or (rule.vectors > 1 and heads != rule.vectors):
        raise InvalidProblem(f"has {heads} heads, {rule.name} has {rule.vectors}", "initials")
    if initials.w is not None and initials.w.shape != (seeds, F):
        raise InvalidProblem(f"auxiliary weights have shape {initials.w.shape}, not {(seeds, F)}", "initials")
