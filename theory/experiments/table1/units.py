"""One unit of table 1: a learner on a problem, tuned and tested once under one reading of the protocol.

A unit's result is a function of the unit alone. Moves come from (seed, repetition, column) and are the same for all
learners of a column; tuning seeds are the first of them, test seeds the others. Starts likewise. A worker keeps the
moves it drew last, since units of one column follow each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from theory.code_version import code_version
from theory.experiments.bootstrap import bootstrap_band, root_mean
from theory.experiments.table1.paper import READINGS
from theory.learners.driver import run_bulk
from theory.learners.protocol import Protocol
from theory.learners.streams import draw_transitions
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import Transitions

COLUMNS: tuple[tuple[str, str], ...] = tuple(
    (problem, gamma) for gamma in ("9/10", "99/100") for problem in ("baird", "baird-reward", "threestate")
)


def column_problem(column: int) -> Problem:
    """The problem of a column at its γ."""
    name, gamma = COLUMNS[column]
    return catalogue_problem(f"{name}:gamma={gamma}")


@dataclass(frozen=True)
class Scale:
    """How much of the protocol is run."""

    steps: int = 100_000
    tuning_seeds: int = 10
    test_seeds: int = 100
    protocol: Protocol = field(default_factory=Protocol)


@dataclass(frozen=True)
class Unit:
    """A learner on a column (problem, γ), in one repetition, under one reading."""

    learner: str
    column: int
    repetition: int
    seed: int
    scale: Scale
    reading: str = "default"

    @property
    def problem(self) -> Problem:
        return column_problem(self.column)

    @property
    def key(self) -> str:
        """Canonical text of all but the repetition."""
        what = {"table": 1, "learner": self.learner, "column": COLUMNS[self.column], "reading": self.reading}
        return json.dumps(what | {"seed": self.seed, "scale": asdict(self.scale)}, sort_keys=True)

    def unsound(self, size: int, result: Any) -> str | None:
        """Why this cannot be a result of `run_unit`; None if it can."""
        names = {"ci95", "passed", "curve", "setting", "tuning_rmse", "mean_square"}
        if not isinstance(result, dict) or set(result) != names:
            return "does not hold the result of a learner"
        if not isinstance(result["setting"], dict) or not _are_numbers(result["setting"].values()):
            return "does not hold a setting"
        squares = result["mean_square"]
        if size != 1 or not isinstance(squares, list) or len(squares) != self.scale.test_seeds:
            return f"does not hold an error for each of {self.scale.test_seeds} test seeds"
        single = [result["tuning_rmse"]]
        ends, passed, curve = result["ci95"], result["passed"], result["curve"]
        rows = [squares, single, ends, passed, *(curve if isinstance(curve, list) else [None])]
        if not all(isinstance(row, list) and _are_numbers(row) for row in rows):
            return "holds what is no number where there must be one"
        if len(ends) != 2 or any(len(row) != 4 for row in curve):
            return "does not hold an interval, or a curve with a band"
        return None


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(type(value) in (int, float) for value in values)


def version() -> str:
    """The version of all that a unit's numbers depend on."""
    return code_version(__name__)


def run_unit(unit: Unit) -> dict[str, Any]:
    """Tune, test, and keep what the table and the figures need; ∞ marks runs that were lost."""
    tuning, testing = _moves(unit.seed, unit.repetition, unit.column, unit.scale)
    _, starts, resampling = (np.random.default_rng(s) for s in _children(unit.seed, unit.repetition, unit.column))
    change = READINGS[unit.learner].get(unit.reading, {})
    protocol = replace(unit.scale.protocol, **change.get("protocol", {}))
    options = change.get("options", {})
    marks = np.unique(np.linspace(0, unit.scale.steps, 101).astype(np.int64))
    problem = unit.problem
    first, second = starts.spawn(2)
    begin = protocol.starts(first, unit.learner, problem, tuning.seeds)
    tuned = run_bulk(unit.learner, problem, protocol.settings(unit.learner), tuning, begin, options=options)
    setting = tuned.setting(tuned.best())
    begin = protocol.starts(second, unit.learner, problem, testing.seeds)
    tested = run_bulk(unit.learner, problem, setting, testing, begin, options=options, marks=marks)
    squares, curve = tested.mean_square[0], tested.curve[0]
    low, high = bootstrap_band(resampling, curve)
    ends = bootstrap_band(resampling, squares)
    rows = (marks, root_mean(curve), low, high)
    passed = tested.passed[0]
    return {
        "setting": {name: column[0].item() for name, column in setting.items()},
        "tuning_rmse": float(tuned.rmse[tuned.best()]),
        "mean_square": squares.tolist(),
        "ci95": [float(end) for end in ends],
        "passed": passed[passed >= 0].tolist(),
        "curve": [list(row) for row in zip(*(x.tolist() for x in rows), strict=True)],
    }


def _children(seed: int, repetition: int, column: int) -> list[np.random.SeedSequence]:
    """Moves, starts and resampling; the same for every learner and reading."""
    return np.random.SeedSequence(seed, spawn_key=(repetition, column)).spawn(3)


_held: dict[tuple[int, int, int, Scale], tuple[Transitions, Transitions]] = {}


def _moves(seed: int, repetition: int, column: int, scale: Scale) -> tuple[Transitions, Transitions]:
    key = (seed, repetition, column, scale)
    if key not in _held:
        _held.clear()  # before drawing, or the moves of two columns would be in memory at once
        rng = np.random.default_rng(_children(seed, repetition, column)[0])
        both = draw_transitions(rng, column_problem(column), scale.steps, scale.tuning_seeds + scale.test_seeds)
        _held[key] = both[: scale.tuning_seeds], both[scale.tuning_seeds :]
    return _held[key]
