"""The whole table: the paper's seven learners and TDRC, three problems, two discounts; run, and resumed.

The unit of work and of storage is a learner on a problem in one repetition (`units`). Units go into the
Monte Carlo study's store and run on its executors, in any order; the table is assembled from the store in the order of
the cells, so it depends neither on the number of workers nor on interruptions.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from theory.code_version import versions
from theory.experiments.table1.cells import MARKS, cell
from theory.experiments.table1.paper import LEARNERS, PRINTED, READINGS
from theory.experiments.table1.seeds import about_seeds, seed_rows
from theory.experiments.table1.units import COLUMNS, Scale, Unit, run_unit, version
from theory.learners.protocol import Protocol
from theory.learners.rule import count
from theory.montecarlo.executors import Job, Progress, complete
from theory.problems import InvalidProblem
from theory.store import Store, StoreError
from theory.store import default_store as store_named

PROFILES = {
    "quick": Scale(
        tuning_seeds=4,
        test_seeds=20,
        protocol=Protocol(step_sizes=tuple(2.0 ** (-i / 3) for i in range(1, 41, 3)), windows=(25, 100)),
    ),
    "full": Scale(),
}


@dataclass(frozen=True)
class Table1:
    """What is asked; equal requests have equal answers."""

    profile: str = "full"
    repetitions: int = 1
    seed: int = 0
    readings: bool = False  # run other readings for the cells that are not reproduced
    custom: Scale | None = None  # another scale than the profile's

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise InvalidProblem(f"no profile named {self.profile!r}; there are {', '.join(PROFILES)}", "profile")
        count(self.repetitions, 1, "repetitions")
        count(self.seed, 0, "seed")

    @property
    def scale(self) -> Scale:
        return self.custom or PROFILES[self.profile]

    def units(self) -> list[Unit]:
        """All units under the default reading; those of a column and repetition follow each other."""
        return [
            Unit(learner, column, repetition, self.seed, self.scale)
            for repetition in range(self.repetitions)
            for column in range(len(COLUMNS))
            for learner in LEARNERS
        ]


def run_table1(
    asked: Table1, store: Store, executor: Executor | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """The table: cells with everything beside them, raw results, curves, and the request.

    Without an executor the work is done here.

    Other readings are tried, where asked for, in a second round: which cells need them is known only then.
    """
    units = asked.units()
    compute(units, store, executor, progress)
    found = {unit: stored(unit, store) for unit in units}
    cells = [_cell(asked, found, learner, column) for learner in LEARNERS for column in range(len(COLUMNS))]
    about_seeds(cells, found, asked.scale.protocol, asked.seed)
    if asked.readings:
        again = [(c, unit) for c in cells for unit in _other(asked, c)]
        compute([unit for _, unit in again], store, executor, progress)
        for c, unit in again:
            c["readings"].append(_reading(unit, stored(unit, store)))
    scale = asked.scale
    return {
        "profile": asked.profile if asked.custom is None else "custom",
        "repetitions": asked.repetitions,
        "seed": asked.seed,
        "protocol": {
            "steps": scale.steps,
            "tuning_seeds": scale.tuning_seeds,
            "test_seeds": scale.test_seeds,
            "step_sizes": len(scale.protocol.step_sizes),
            "windows": list(scale.protocol.windows),
            "heads": list(scale.protocol.heads),
        },
        "versions": versions("numpy", "numba"),
        "marks": MARKS,
        "cells": cells,
        "raw": seed_rows(found),
        "curves": [_curve(unit, found[unit]) for unit in units if unit.repetition == 0 and unit.learner in PRINTED],
    }


def compute(
    units: list[Unit], store: Store, executor: Executor | None = None, progress: Progress | None = None
) -> None:
    """See to it that the store holds every unit."""
    jobs = [Job(unit.key, unit.repetition, 1, unit) for unit in units]
    complete(jobs, run_unit, store, version(), executor, progress)


def stored(unit: Unit, store: Store) -> dict[str, Any]:
    """The result of a unit that is there."""
    for place, _, result in store.rows(unit.key, unit.unsound):
        if place == unit.repetition:
            found: dict[str, Any] = result
            return found
    problem, gamma = COLUMNS[unit.column]
    raise StoreError(f"store: {store.path}: {unit.learner} on {problem}, γ = {gamma}, was put there and is not found")


def default_store(directory: Path | str = "reports/data") -> Path:
    """``reports/data/table1-<version>.sqlite``."""
    return store_named("table1", version(), directory)


def _cell(asked: Table1, results: dict[Unit, dict[str, Any]], learner: str, column: int) -> dict[str, Any]:
    units = [Unit(learner, column, r, asked.seed, asked.scale) for r in range(asked.repetitions)]
    return cell(learner, column, [results[unit] for unit in units])


def _other(asked: Table1, found: dict[str, Any]) -> list[Unit]:
    """The other readings of a cell that is not reproduced, in the first repetition, and TDRC's as it was published."""
    if found["mark"] not in ("not reproduced", "not in the paper"):
        return []
    column = COLUMNS.index((found["problem"], found["gamma_exact"]))
    return [Unit(found["learner"], column, 0, asked.seed, asked.scale, name) for name in READINGS[found["learner"]]]


def _reading(unit: Unit, result: dict[str, Any]) -> dict[str, Any]:
    found = cell(unit.learner, unit.column, [result])
    kept = ("rmse", "diverged", "median_over_seeds", "trimmed", "diverged_seeds", "config", "mark", "repetitions")
    return {"reading": unit.reading, **{name: found[name] for name in kept}}


def _curve(unit: Unit, result: dict[str, Any]) -> dict[str, Any]:
    problem, gamma = COLUMNS[unit.column]
    return {
        "learner": unit.learner,
        "problem": problem,
        "gamma": float(Fraction(gamma)),
        "config": result["setting"],
        "curve": result["curve"],
    }
