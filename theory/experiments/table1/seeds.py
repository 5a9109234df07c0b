r"""What the test seeds of each cell say beside their mean, and which choices stood at the edge of their grid.

All learners of a column see the same moves from the same starts, so they are compared seed by seed: with the learner
whose number is the least there, over all repetitions joined. Interquartile mean and tolerance interval are of the
repetition that gave the cell's number.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from theory.experiments.over_seeds import interquartile_mean, paired_difference, tolerance_interval
from theory.experiments.table1.cells import none
from theory.experiments.table1.paper import LEARNERS, TITLES
from theory.experiments.table1.units import COLUMNS, Unit
from theory.experiments.tuning import at_edge
from theory.learners.families import find_learner
from theory.learners.protocol import Protocol
from theory.text.tables import markdown_table

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
            c["at_edge"] = list(at_edge(c["config"], ranges(protocol, c["learner"])))
            pair = None
            if c is not best:
                pair = paired_difference(rng, each[c["learner"]], each[best["learner"]], best["learner"])
            c["paired"] = None if pair is None else _json(pair._asdict())


def ranges(protocol: Protocol, learner: str) -> dict[str, tuple[float, ...]]:
    """The values that were tried of each of a learner's parameters."""
    columns = protocol.settings(learner)
    return {name: tuple(np.unique(columns[name]).tolist()) for name in find_learner(learner).columns}


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


def seeds_section(result: dict[str, Any]) -> str:
    """A table for the page: cell by cell, what its seeds say."""
    at = {(c["learner"], c["problem"], c["gamma_exact"]): c for c in result["cells"]}
    cells = [at[learner, *column] for column in COLUMNS for learner in LEARNERS]
    heading = [
        "problem", "γ", "learner", "tuning → test", "interquartile mean", "range of nearly all", "minus the best, 95%",
        "better on", "at the grid's edge",
    ]  # fmt: skip
    return markdown_table(heading, [_row(c) for c in cells])


def seeds_words(result: dict[str, Any]) -> str:
    """How to read it."""
    held = [t["share"] for c in result["cells"] if (t := c["over_seeds"]["tolerance"]) is not None]
    share = f"at least {min(held):.0%} of all seeds, drawn or not, with 95% confidence" if held else "nothing"
    return (
        "Of a seed's RMSE over the last half. The interquartile mean leaves out the least and greatest quarter. The "
        f"range of nearly all is a tolerance interval: it holds {share}. Learners of a column see the same moves, so "
        "they are compared seed by seed with the one whose number is the least there; the interval is a bootstrap over "
        "seeds. A setting at the edge of its grid may have better ones beyond."
    )


def _row(c: dict[str, Any]) -> list[str]:
    tolerance, pair = c["over_seeds"]["tolerance"], c["paired"]
    apart, wins = "the best", ""
    if pair is not None:
        known = pair["mean"] is not None
        apart = f"{pair['mean']:.3g} ({_short(pair['low'])} … {_short(pair['high'])})" if known else "seeds were lost"
        wins = f"{pair['lower']} of {pair['seeds']}"
    return [
        c["problem"], f"{c['gamma']:g}", TITLES[c["learner"]], f"{_short(c['tuning_rmse'])} → {_short(c['rmse'])}",
        _short(c["over_seeds"]["interquartile_mean"]),
        "–" if tolerance is None else f"{_short(tolerance['low'])} – {_short(tolerance['high'])}",
        apart, wins, ", ".join(name.rstrip("_") for name in c["at_edge"]),
    ]  # fmt: skip


def _each(results: Results, learner: str, column: int) -> Any:
    """Every test seed's RMSE, the repetitions one after the other."""
    found = [r["mean_square"] for unit, r in results.items() if (unit.learner, unit.column) == (learner, column)]
    return np.sqrt(np.concatenate([np.array(x) for x in found]))


def _json(document: dict[str, Any]) -> dict[str, Any]:
    return {key: none(x) if isinstance(x, float) else x for key, x in document.items()}


def _short(value: float | None) -> str:
    return "div" if value is None or not isfinite(value) else "0" if abs(value) < 5e-4 else f"{value:.3g}"
