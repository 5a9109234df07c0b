r"""Table 1's cells by their expectations: the best of the grid, what tuning chose, and what the paper prints.

Selection by a few sampled seeds favours heavy tails: most samples lie far below the expectation. Marks, with p the
paper's number and q the least expected RMSE of the grid (both above 150 count as divergent):

    agrees        divergent in both, or |p − q| ≤ max(1/10, p/20)
    a draw        neither, and tuning chose a setting whose tail is heavy or infinite, or the learner's moments do not
                  close and its trace has an infinite variance: such a mean of 100 seeds is ruled by single seeds
    impossible    a pair of numbers that no setting of the stated protocol can give (`impossible`)
    worse         p above q, tails are light: a worse setting of the grid, or another reading, gives such numbers
    unexplained   p below q, although tuning went where the tail is light and sampled means lie near expectations

Impossible is what is proved, nothing else: that tails are light where our tuning went does not exclude that another
tuning went elsewhere.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from math import inf, isfinite
from pathlib import Path
from typing import Any

from theory.code_version import code_version
from theory.experiments.table1.cells import none, verdict
from theory.experiments.table1.exact import MOST_HEADS, ExactLearner, Setting, exact_learner
from theory.experiments.table1.impossible import impossible_pairs
from theory.experiments.table1.paper import LEARNERS, PRINTED
from theory.experiments.table1.units import COLUMNS, Scale, column_problem
from theory.learners.families import find_learner
from theory.montecarlo.executors import Job, Progress, complete
from theory.noise.tails import tail
from theory.noise.traces import trace_variance
from theory.problems import InvalidProblem
from theory.store import Store
from theory.store import default_store as store_named

_ERROR = "square_standard_error"  # of the mean square over the test seeds
EXPECTED_MARKS = {
    "agrees": "divergent in both, or within max(0.1, 5%) of the least expected RMSE of the grid",
    "a draw": "not that, and where tuning went the tail is heavy or infinite",
    "impossible": "one of a pair that no setting of the stated protocol can give",
    "worse": "above the least expectation, tails are light: another setting or reading gives such numbers",
    "unexplained": "below every expectation, although tuning went where the tail is light",
    "not in the paper": "a learner that it does not have",
}
EXPECTED_SIGNS = {
    "agrees": "✓", "a draw": "~", "impossible": "✗", "worse": "+", "unexplained": "?", "not in the paper": "·",
}  # fmt: skip


@dataclass(frozen=True)
class ExpectedUnit:
    """A learner on a column: the best of the grid, or what one setting of it is worth."""

    learner: str
    column: int
    scale: Scale
    setting: tuple[tuple[str, float], ...] | None = None

    @property
    def key(self) -> str:
        """Canonical text."""
        what = {"expected": self.learner, "column": COLUMNS[self.column], "setting": self.setting}
        return json.dumps(what | {"scale": asdict(self.scale)}, sort_keys=True)


def version() -> str:
    """The version of all that a unit's numbers depend on."""
    return code_version(__name__)


def default_store(directory: Path | str = "reports/data") -> Path:
    """``reports/data/table1-exact-<version>.sqlite``."""
    return store_named("table1-exact", version(), directory)


def expected_table(
    scale: Scale,
    store: Store,
    simulated: Iterable[dict[str, Any]] = (),
    learners: Sequence[str] = LEARNERS,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """All cells; `simulated` are cells of `run_table1` or of `read_cells`, where there are some."""
    known = {(c["learner"], c["problem"], Fraction(c["gamma_exact"])): c for c in simulated}
    asked = []
    for learner in learners:
        for column, (name, gamma) in enumerate(COLUMNS):
            cell = known.get((learner, name, Fraction(gamma)))
            chosen = None
            if cell is not None and closes(learner):
                chosen = ExpectedUnit(learner, column, scale, tuple(on_grid(cell["config"], scale).items()))
            asked.append((ExpectedUnit(learner, column, scale), chosen, cell))
    units = [unit for best, chosen, _ in asked for unit in (best, chosen) if unit is not None]
    # The concurrent chain takes longest: it comes first, so that no process is left alone with it at the end.
    order = sorted(dict.fromkeys(units), key=lambda u: u.learner != "chained-concurrent")
    complete([Job(unit.key, 0, 1, unit) for unit in order], run_expected, store, version(), executor, progress)
    found = {unit: next(result for _, _, result in store.rows(unit.key, _unsound)) for unit in order}
    cells = [_cell(best, found[best], None if chosen is None else found[chosen], cell) for best, chosen, cell in asked]
    return {
        "protocol": {
            "steps": scale.steps,
            "step_sizes": len(scale.protocol.step_sizes),
            "heads": [k for k in scale.protocol.heads if k <= MOST_HEADS],
            "test_seeds": scale.test_seeds,
            "simulated": bool(known),
        },
        "marks": EXPECTED_MARKS,
        "cells": cells,
    }


def _unsound(size: int, result: Any) -> str | None:
    kinds = [{"trace"}, {"setting", "rmse", "reason"}, {"setting", "rmse", "rho2", "rho4", "tail", _ERROR}]
    return None if isinstance(result, dict) and set(result) in kinds else "does not hold an expectation"


def run_expected(unit: ExpectedUnit) -> dict[str, Any]:
    """The trace's variance of a learner that does not close, else setting, expected RMSE, ρ₂, ρ₄ and tail."""
    if not closes(unit.learner):
        trace = trace_variance(column_problem(unit.column))
        below = None if trace.threshold is None else str(trace.threshold)
        return {"trace": {"finite": trace.finite, "gamma_threshold": below, "tail_index": none(trace.index)}}
    exact, scale = _exact(unit.learner, unit.column), unit.scale
    if unit.setting is None:
        setting, rmse = exact.best(scale)
    else:
        setting = dict(unit.setting)
        try:
            rmse = exact.rmse(setting, scale)
        except InvalidProblem as error:
            return {"setting": setting, "rmse": None, "reason": error.complaint}
    rho2, rho4 = exact.radius(setting, 2), exact.radius(setting, 4)
    deviation = exact.deviation(setting, scale)
    known = deviation is not None and isfinite(deviation) and isfinite(rmse)
    return {
        "setting": setting,
        "rmse": none(rmse),
        "rho2": rho2,
        "rho4": rho4,
        "tail": tail(rho2 < 1, rho4),
        _ERROR: deviation / scale.test_seeds**0.5 if deviation is not None and known else None,
    }


@cache
def _exact(learner: str, column: int) -> ExactLearner:
    """Kept: of its settings only numbers change, not which moments are the same."""
    return exact_learner(learner, column_problem(column))


def closes(learner: str) -> bool:
    """Do its moments obey a finite recursion?"""
    rule = find_learner(learner)
    return rule.of(0.5, {name: 1 for name in rule.columns if name != "k"}).obstacle() is None


def _cell(
    unit: ExpectedUnit, best: dict[str, Any], chosen: dict[str, Any] | None, simulated: dict[str, Any] | None
) -> dict[str, Any]:
    name, gamma = COLUMNS[unit.column]
    paper = PRINTED[unit.learner][unit.column] if unit.learner in PRINTED else None
    kept = ("rmse", "diverged", "config", "seeds")
    found: dict[str, Any] = {
        "learner": unit.learner,
        "problem": name,
        "gamma": float(Fraction(gamma)),
        "gamma_exact": gamma,
        "paper": None if paper is None else none(paper),
        "paper_diverged": paper is not None and not isfinite(paper),
        "simulated": None if simulated is None else {key: simulated[key] for key in kept},
        "best": None if "trace" in best else best,
        "at_simulated": chosen,
        "trace": best.get("trace"),
    }
    return found | {"mark": expected_mark(found, paper)}


def expected_mark(found: dict[str, Any], paper: float | None) -> str:
    """By the rules above, of a cell with its best setting and the one that tuning chose."""
    if paper is None:
        return "not in the paper"
    if found["best"] is None:
        simulated = found["simulated"]
        same = simulated is not None and simulated["diverged"] == found["paper_diverged"]
        return "a draw" if not found["trace"]["finite"] else "agrees" if same else "worse"
    best = found["best"]["rmse"]
    q = verdict(inf if best is None else best)
    if (not isfinite(q) and not isfinite(paper)) or abs(paper - q) <= max(0.1, paper / 20):
        return "agrees"
    if _excluded(found["learner"], found["problem"], found["gamma"]):
        return "impossible"
    chosen = found["at_simulated"]
    tail = found["best"]["tail"] if chosen is None or "reason" in chosen else chosen["tail"]
    if tail in ("heavy", "infinite"):
        return "a draw"
    return "worse" if paper > q else "unexplained"


def _excluded(learner: str, problem: str, gamma: float) -> bool:
    """Is the paper's number one of a pair that no setting can give?"""
    if problem not in ("baird", "baird-reward"):
        return False
    return any(p["learner"] == learner and p["gamma"] == gamma and not p["possible"] for p in impossible_pairs())


def on_grid(config: Setting, scale: Scale) -> dict[str, float]:
    """The setting as it is in the grid: files keep six digits."""
    nearest = {
        name: min(scale.protocol.step_sizes, key=lambda x: abs(x - value)) if name in ("alpha", "beta") else value
        for name, value in config.items()
        if name in ("alpha", "beta", "window", "k")
    }
    return {name: float(value) for name, value in nearest.items()}


def read_cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a table1.csv as far as they are needed here."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidProblem(f"cannot be read: {error}", str(path)) from None
    found = []
    for number, row in enumerate(csv.DictReader(lines), start=2):
        try:
            settings = {name: float(row[name]) for name in ("alpha", "beta", "window", "k") if row[name]}
            found.append(
                {
                    "learner": row["learner"],
                    "problem": row["problem"],
                    "gamma_exact": str(Fraction(row["gamma"])),
                    "rmse": float(row["rmse"]) if row["rmse"] else None,
                    "diverged": row["diverged"] == "True",
                    "config": settings,
                    "seeds": int(row["seeds"]),
                }
            )
        except (KeyError, ValueError, TypeError) as error:
            raise InvalidProblem(f"is no table of cells: {error}", f"{path}, line {number}") from None
    return found
