"""A chunk: the unit of work, of storage and of recovery. Its result is a small JSON document of counts.

A chunk's result is a function of its task alone. Workers check that they run the same code as whoever sent the
task (`version`), because on a cluster that is not a matter of course.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from theory.code_version import code_version
from theory.montecarlo.cells import Cell
from theory.montecarlo.conjecture import bias_bound
from theory.montecarlo.dense import NO, OPEN, YES
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.moments import batch_moments
from theory.montecarlo.orthonormal import orthonormalised
from theory.montecarlo.verdicts import batch_verdicts
from theory.montecarlo.windows import window_verdicts
from theory.problems.ensembles import Batch

QUADRANTS = ("neither", "td_only", "chain_only", "both")
_COUNTS = (*QUADRANTS, "undecided", "near_boundary")


@dataclass(frozen=True)
class Task:
    """Chunk `index` of a cell: its first `size` problems."""

    cell: Cell
    seed: int
    index: int
    size: int
    version: str


class VersionMismatch(RuntimeError):
    """A worker runs other code than the one who sent the task."""


def version() -> str:
    """The version of all that a chunk's numbers depend on, beside its task."""
    return code_version(__name__)


def run_chunk(task: Task) -> dict[str, Any]:
    """Draw and decide; the counts of the chunk."""
    if task.version != version():
        raise VersionMismatch(f"a worker has {version()!r}, the study {task.version!r}: install the same on both")
    cell = task.cell
    counts: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))
    td_by: Counter[str] = Counter()
    chain_by: Counter[str] = Counter()
    windows = {T: [0, 0] for T in cell.windows}
    bound, radii = 0.0, []
    for batch in chunk_batches(cell, task.seed, task.index, task.size):
        v = batch_verdicts(batch, cell.gamma, cell.n_steps, certify=cell.certify)
        decided = (v.td != OPEN) & (v.chain != OPEN)
        quadrant = (v.td == NO) + 2 * (v.chain == NO)
        counts.update(dict(zip(QUADRANTS, np.bincount(quadrant[decided], minlength=4).tolist(), strict=True)))
        counts["undecided"] += int((~decided).sum())
        counts["near_boundary"] += int(v.near.sum())
        td_by.update(v.td_by)
        chain_by.update(v.chain_by)
        bound += float(bias_bound(batch, float(cell.gamma), cell.n_steps).sum())
        if cell.windows:
            decisions = window_verdicts(
                batch, cell.gamma, cell.windows, cell.step_size, cell.n_steps, certify=cell.certify
            )
            for T, verdicts in decisions.items():
                windows[T][0] += int((verdicts == YES).sum())
                windows[T][1] += int((verdicts == OPEN).sum())
        if cell.quantiles:
            radii += _radii(batch, cell)
    return {
        **counts,
        "bound": bound,
        "decided_by": {"td": dict(td_by), "chain": dict(chain_by)},
        "windows": [windows[T] for T in cell.windows],
        "rho": radii,
    }


def unsound(cell: Cell, size: int, counts: Any) -> str | None:
    """Why this cannot be what `run_chunk` gives for so many problems of a cell; None if it can."""
    if not isinstance(counts, dict) or set(counts) != {*_COUNTS, "bound", "decided_by", "windows", "rho"}:
        return "does not hold the counts of a chunk"
    if not all(_is_count(counts[name], size) for name in _COUNTS):
        return f"has counts that are no numbers of problems among {size}"
    if sum(counts[name] for name in (*QUADRANTS, "undecided")) != size:
        return f"has counts that do not add up to its {size} problems"
    by, windows, rho = counts["decided_by"], counts["windows"], counts["rho"]
    if not (isinstance(by, dict) and set(by) == {"td", "chain"} and all(_is_tally(x, size) for x in by.values())):
        return f"has tests that do not add up to its {size} problems"
    if not isinstance(windows, list) or len(windows) != len(cell.windows):
        return f"does not hold {len(cell.windows)} windows"
    if not all(
        isinstance(w, list) and len(w) == 2 and all(_is_count(n, size) for n in w) and sum(w) <= size for w in windows
    ):
        return f"has windows that do not add up to at most {size} problems"
    if not (_is_real(counts["bound"]) and counts["bound"] <= size * (1 + 1e-9)):
        return "has a bound that is no sum of probabilities"
    if not isinstance(rho, list) or len(rho) != size * cell.quantiles or not all(_is_real(x) for x in rho):
        return f"does not hold a spectral radius for each of its {size} problems"
    return None


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_tally(tests: Any, size: int) -> bool:
    return isinstance(tests, dict) and all(_is_count(n, size) for n in tests.values()) and sum(tests.values()) == size


def _is_real(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value) and value >= 0


def _radii(batch: Batch, cell: Cell) -> list[float]:
    """ρ(γⁿΠPⁿ) of each problem, to ten digits, so that the last bits of a processor do not show."""
    if cell.features == cell.states:
        gamma = float(cell.gamma)
        if orthonormalised(batch, batch_moments(batch, gamma), gamma).regular.all():
            return [gamma**cell.n_steps] * len(batch)  # Π = I
    from theory.linear.spectra import chain_radius

    problems = (batch.problem(i, cell.gamma).in_steps_of(cell.n_steps) for i in range(len(batch)))
    return [float(f"{chain_radius(problem):.10g}") for problem in problems]
