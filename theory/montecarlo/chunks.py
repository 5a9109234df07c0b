"""A chunk: the unit of work, of storage and of recovery. Its result is a small JSON document of counts.

A chunk's result is a function of its task alone. Workers check that they run the same code as the sender of the
task (`version`), because on a cluster that is not a matter of course.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from theory.code_version import code_version
from theory.montecarlo.cells import Cell
from theory.montecarlo.conjecture import bias_bound
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.verdicts import NO, OPEN, YES, batch_verdicts
from theory.problems.ensembles import Batch
from theory.store import default_store

QUADRANTS = ("neither", "td_only", "chain_only", "both")
_COUNTS = (*QUADRANTS, "undecided", "near_boundary")


@dataclass(frozen=True)
class Task:
    """Chunk `index` of a cell: its first `size` problems, asked of TD and the chain, or of other methods."""

    cell: Cell
    seed: int
    index: int
    size: int
    version: str
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """What is done with the chunks of a study."""

    run: Callable[[Task], dict[str, Any]]
    unsound: Callable[[Task, Any], str | None]  # why this cannot be a task's result; None if it can
    row: Callable[[Cell, tuple[str, ...], Iterable[tuple[int, dict[str, Any]]]], dict[str, Any]]
    version: Callable[[], str]  # of all that a chunk's numbers depend on, beside its task
    store_path: Callable[[], Path]


class VersionMismatch(RuntimeError):
    """A worker runs other code than the sender of the task."""


def version() -> str:
    """The version of all that a chunk's numbers depend on, beside its task."""
    return code_version(__name__)


def store_path(directory: Path | str = "reports/data") -> Path:
    """``reports/data/success-rate-<version>.sqlite``."""
    return default_store("success-rate", version(), directory)


def check_version(task: Task, here: str) -> None:
    """Refuse a task of other code."""
    if task.version != here:
        raise VersionMismatch(f"a worker has {here!r}, the study {task.version!r}: install the same on both")


def run_chunk(task: Task) -> dict[str, Any]:
    """Draw and decide; the counts of the chunk."""
    check_version(task, version())
    cell = task.cell
    counts: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))
    by: dict[str, Counter[str]] = {"td": Counter(), "chain": Counter()}
    windows = {T: [0, 0] for T in cell.windows}
    bound, radii = 0.0, []
    for batch in chunk_batches(cell, task.seed, task.index, task.size):
        td, chain = batch_verdicts(batch, cell.gamma, cell.n_steps)
        decided = ~(td.open | chain.open)
        quadrant = (td.verdicts == NO) + 2 * (chain.verdicts == NO)
        counts.update(dict(zip(QUADRANTS, np.bincount(quadrant[decided], minlength=4).tolist(), strict=True)))
        counts["undecided"] += int((~decided).sum())
        counts["near_boundary"] += int((td.near | chain.near).sum())
        by["td"] += td.by
        by["chain"] += chain.by
        bound += float(bias_bound(batch, float(cell.gamma), cell.n_steps).sum())
        if cell.windows:
            from theory.montecarlo.windows import window_verdicts

            found = window_verdicts(batch, cell.gamma, cell.windows, cell.step_size, chain.verdicts, cell.n_steps)
            for T, verdicts in found.items():
                windows[T][0] += int((verdicts == YES).sum())
                windows[T][1] += int((verdicts == OPEN).sum())
        if cell.quantiles:
            radii += _radii(batch, cell)
    return {
        **counts,
        "bound": bound,
        "decided_by": {asked: dict(tests) for asked, tests in by.items()},
        "windows": [windows[T] for T in cell.windows],
        "rho": radii,
    }


def unsound(task: Task, counts: Any) -> str | None:
    """Why this cannot be what `run_chunk` gives for a task; None if it can."""
    cell, size = task.cell, task.size

    def is_tally(numbers: Any) -> bool:
        return isinstance(numbers, dict) and all(map(is_count, numbers.values())) and sum(numbers.values()) == size

    def is_count(value: Any) -> bool:
        return type(value) is int and 0 <= value <= size

    def is_real(value: Any) -> bool:
        return type(value) in (int, float) and isfinite(value) and value >= 0

    if not isinstance(counts, dict) or set(counts) != {*_COUNTS, "bound", "decided_by", "windows", "rho"}:
        return "does not hold the counts of a chunk"
    if not all(is_count(counts[name]) for name in _COUNTS):
        return f"has counts that are no numbers of problems among {size}"
    if sum(counts[name] for name in (*QUADRANTS, "undecided")) != size:
        return f"has counts that do not add up to its {size} problems"
    by, windows, rho = counts["decided_by"], counts["windows"], counts["rho"]
    if not (isinstance(by, dict) and set(by) == {"td", "chain"} and all(map(is_tally, by.values()))):
        return f"has tests that do not add up to its {size} problems"
    if not isinstance(windows, list) or len(windows) != len(cell.windows):
        return f"does not hold {len(cell.windows)} windows"
    if not all(isinstance(w, list) and len(w) == 2 and all(map(is_count, w)) and sum(w) <= size for w in windows):
        return f"has windows that do not add up to at most {size} problems"
    if not (is_real(counts["bound"]) and counts["bound"] <= size * (1 + 1e-9)):
        return "has a bound that is no sum of probabilities"
    if not isinstance(rho, list) or len(rho) != size * cell.quantiles or not all(map(is_real, rho)):
        return f"does not hold a spectral radius for each of its {size} problems"
    return None


def _radii(batch: Batch, cell: Cell) -> list[float]:
    """ρ(γⁿΠPⁿ) of each problem, to ten digits, so that the last bits of a processor do not show."""
    from theory.linear.spectra import chain_radius

    problems = (batch.problem(i, cell.gamma).in_steps_of(cell.n_steps) for i in range(len(batch)))
    return [float(f"{chain_radius(problem):.10g}") for problem in problems]
