"""A chunk: the unit of work, of storage and of recovery. Its result is a small JSON document of counts.

A chunk's result is a function of its task alone. Workers check that they run the same code as whoever sent the
task (`version`), because on a cluster that is not a matter of course.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import theory
from theory.montecarlo.cells import Cell
from theory.montecarlo.conjecture import bias_bound
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.moments import batch_moments
from theory.montecarlo.orthonormal import orthonormalised
from theory.montecarlo.squaring import NO, OPEN, YES
from theory.montecarlo.verdicts import batch_verdicts
from theory.montecarlo.windows import window_verdicts
from theory.problems.ensembles import Batch

QUADRANTS = ("neither", "td_only", "chain_only", "both")
# What a chunk's numbers depend on, beside its task: a change there makes another version. Not `theory.exact`, whose
# verdicts are theorems, however they are found.
_MODULES = (
    "cells", "draws", "normals", "moments", "dense", "kernel", "series", "disc", "deflation", "squaring",
    "orthonormal", "eigenvalues", "one_by_one", "verdicts", "windows", "conjecture", "chunks",
)  # fmt: skip
_SOURCES = (*(f"montecarlo/{name}.py" for name in _MODULES), "problems/ensembles.py", "problems/features.py")


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


@cache
def version() -> str:
    """The version of the code, of NumPy (whose generators draw), and a digest of the sources that matter."""
    root = Path(theory.__file__).parent
    digest = hashlib.sha256()
    for source in _SOURCES:
        digest.update((root / source).read_bytes())
    return f"theory {theory.__version__}, numpy {np.__version__}, sources {digest.hexdigest()[:12]}"


def run_chunk(task: Task) -> dict[str, Any]:
    """Draw and decide; the counts of the chunk."""
    if task.version != version():
        raise VersionMismatch(f"a worker has {version()!r}, the study {task.version!r}: install the same on both")
    cell = task.cell
    counts: Counter[str] = Counter(dict.fromkeys((*QUADRANTS, "undecided", "near_boundary"), 0))
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


def _radii(batch: Batch, cell: Cell) -> list[float]:
    """ρ(γⁿΠPⁿ) of each problem, to ten digits, so that the last bits of a processor do not show."""
    if cell.features == cell.states:
        gamma = float(cell.gamma)
        if orthonormalised(batch, batch_moments(batch, gamma), gamma).regular.all():
            return [gamma**cell.n_steps] * len(batch)  # Π = I
    from theory.linear.n_step import n_step_radius

    return [float(f"{n_step_radius(batch.problem(i, cell.gamma), cell.n_steps):.10g}") for i in range(len(batch))]
