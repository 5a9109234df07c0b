r"""What the test seeds of each cell say beside their mean, and which choices stood at the edge of their grid.

All learners of a column see the same moves from the same starts, so they are compared seed by seed: with the learner
whose number is the least there, over all repetitions joined. Interquartile mean and tolerance interval are of the
repetition that gave the cell's number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.experiments.over_seeds import interquartile_mean, paired_difference, tolerance_interval
from theory.experiments.table1.cells import none
from theory.experiments.table1.units import COLUMNS, Unit
from theory.experiments.tuning import at_edge
from theory.learners.protocol import Protocol

Results = dict[Unit, dict[str, Any]]


def about_seeds(cells: list[dict[str, Any]], results: Results, protocol: Protocol, seed: int) -> None:
    """Give every cell its ``over_seeds``, ``at_edge`` and ``paired``."""
    for column, (problem, gamma) in enumerate(COLUMNS):
        here = [c for c in cells if (c["problem"], c["gamma_exact"]) == (problem, gamma)]
        best = min(here, key=lambda c: np.inf if c["rmse"] is None else c["rmse"])
        each = {c["learner"]: _each(results, c["learner"], column) for c in here}
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(column,)))
        for c in here:
            mine = np.sqrt(np.array(c.pop("squares")))
            tolerance = tolerance_interval(mine)
            c["over_seeds"] = {
                "interquartile_mean": none(interquartile_mean(mine)),
                "tolerance": None if tolerance is None else _json(tolerance.document()),
            }
            c["at_edge"] = list(at_edge(c["config"], protocol.ranges(c["learner"])))
            pair = None
            if c is not best:
                pair = paired_difference(rng, each[c["learner"]], each[best["learner"]], best["learner"])
            c["paired"] = None if pair is None else _json(pair._asdict())


def seed_rows(results: Results) -> list[dict[str, Any]]:
    """The raw results: a row a learner, column, repetition and test seed."""
    return [
        {
            "learner": unit.learner,
            "problem": COLUMNS[unit.column][0],
            "gamma": COLUMNS[unit.column][1],
            "repetition": unit.repetition,
            "seed": i,
            "last_half": float(np.sqrt(square)),
            **{name: results[unit]["setting"].get(name) for name in ("alpha", "beta", "window", "k")},
        }
        for unit in results
        for i, square in enumerate(results[unit]["mean_square"])
    ]


def _each(results: Results, learner: str, column: int) -> Any:
    """Every test seed's RMSE, the repetitions one after the other."""
    found = [r["mean_square"] for unit, r in results.items() if (unit.learner, unit.column) == (learner, column)]
    return np.sqrt(np.concatenate([np.array(x) for x in found]))


def _json(document: dict[str, Any]) -> dict[str, Any]:
    return {key: none(x) if isinstance(x, float) else x for key, x in document.items()}
