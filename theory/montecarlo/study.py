"""A study: cells, samples, a seed. Runs what the store does not hold yet, and adds up rows.

The sample of a cell is cut into chunks of `chunk` problems; only the last may be shorter. Chunks are independent, so
they run in any order on any executor, and the answer is the sum over all of them in chunk order: it depends neither on
the number of workers nor on interruptions. Asking for more samples later reuses every full chunk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from theory.montecarlo.cells import Cell
from theory.montecarlo.chunks import Task, Work, run_chunk, store_path, unsound, version
from theory.montecarlo.executors import Job, Progress, complete
from theory.montecarlo.rows import row
from theory.problems import InvalidProblem
from theory.problems.ensembles import check_count
from theory.store import Store, StoreError

MAX_SEED = 2**128


@dataclass(frozen=True)
class Study:
    """What is asked, of TD and the chain or of `methods`; equal studies have equal answers."""

    cells: tuple[Cell, ...]
    samples: int
    seed: int = 0
    chunk: int = 1000
    methods: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_count(self.samples, 1, "samples")
        check_count(self.chunk, 1, "chunk")
        check_count(self.seed, 0, "seed")
        if self.seed >= MAX_SEED:
            raise InvalidProblem("must be below 2**128", "seed")
        if not self.cells:
            raise InvalidProblem("there is no combination of states and features to study", "states")

    @property
    def work(self) -> Work:
        """What is done with its tasks."""
        if not self.methods:
            return Work(run_chunk, unsound, lambda cell, _, chunks: row(cell, chunks), version, store_path)
        from theory.montecarlo import joint

        return Work(joint.run_chunk, joint.unsound, joint.joint_row, joint.version, joint.store_path)

    def tasks(self, cell: Cell) -> Iterator[Task]:
        """The chunks of one cell, in order."""
        here = self.work.version()
        for index, start in enumerate(range(0, self.samples, self.chunk)):
            yield Task(cell, self.seed, index, min(self.chunk, self.samples - start), here, self.methods)

    def what(self, cell: Cell) -> str:
        """What the store calls the chunks of a cell."""
        methods = {"methods": self.methods} if self.methods else {}
        return json.dumps({"cell": cell.key, "seed": self.seed, "chunk": self.chunk} | methods, sort_keys=True)

    @property
    def seconds(self) -> float:
        """About how long it takes on one processor."""
        return self.samples * sum(_seconds(cell) + 1e-3 * len(self.methods) for cell in self.cells)


def run_study(
    study: Study, store: Store, executor: Executor | None = None, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """One row a cell, in the order of the cells. Without an executor the work is done here."""
    compute(study, store, executor, progress)
    return [study.work.row(cell, study.methods, _stored(study, store, cell)) for cell in study.cells]


def compute(study: Study, store: Store, executor: Executor | None = None, progress: Progress | None = None) -> None:
    """See to it that the store holds every chunk of the study."""
    # The long ones first, so that no worker is left alone with one at the end.
    cells = sorted(study.cells, key=_seconds, reverse=True)
    jobs = [Job(study.what(cell), task.index, task.size, task) for cell in cells for task in study.tasks(cell)]
    complete(jobs, study.work.run, store, study.work.version(), executor, progress)


def _seconds(cell: Cell) -> float:
    S, F = cell.states, cell.features
    return (6e-6 + 1e-9 * (S * S + S * F * (S + F) / 20 + F**3)) * (1 + len(cell.windows)) + 1e-3 * cell.quantiles


def _stored(study: Study, store: Store, cell: Cell) -> Iterator[tuple[int, dict[str, Any]]]:
    wanted = {(task.index, task.size): task for task in study.tasks(cell)}

    def check(size: int, counts: Any) -> str | None:
        return study.work.unsound(Task(cell, study.seed, 0, size, "", study.methods), counts)

    for place, size, counts in store.rows(study.what(cell), check):
        if wanted.pop((place, size), None) is not None:
            yield size, counts
    for task in wanted.values():
        raise StoreError(f"store: {store.path}: chunk {task.index} of {cell.title} was put there and is not found")
