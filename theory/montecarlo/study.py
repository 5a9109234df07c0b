"""A study: cells, samples, a seed. Runs what the store does not hold yet, and adds up rows.

The sample of a cell is cut into chunks of `chunk` problems; only the last may be shorter. Chunks are independent, so
they run in any order on any executor, and the answer is the sum over all of them in chunk order: it depends neither on
the number of workers nor on interruptions. Asking for more samples later reuses every full chunk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from theory.montecarlo.cells import Cell
from theory.montecarlo.chunks import Task, run_chunk, unsound, version
from theory.montecarlo.executors import results
from theory.montecarlo.rows import row
from theory.problems import InvalidProblem
from theory.problems.ensembles import check_count
from theory.store import Store, StoreError, default_store
from theory.text.progress import announce

Progress = Callable[[int, int, int], None]  # problems done, of all, of which found in the store

MAX_SEED = 2**128


@dataclass(frozen=True)
class Study:
    """What is asked; equal studies have equal answers."""

    cells: tuple[Cell, ...]
    samples: int
    seed: int = 0
    chunk: int = 1000

    def __post_init__(self) -> None:
        check_count(self.samples, 1, "samples")
        check_count(self.chunk, 1, "chunk")
        check_count(self.seed, 0, "seed")
        if self.seed >= MAX_SEED:
            raise InvalidProblem("must be below 2**128", "seed")
        if not self.cells:
            raise InvalidProblem("there is no combination of states and features to study", "states")

    def tasks(self, cell: Cell) -> Iterator[Task]:
        """The chunks of one cell, in order."""
        for index, start in enumerate(range(0, self.samples, self.chunk)):
            yield Task(cell, self.seed, index, min(self.chunk, self.samples - start), version())

    def what(self, cell: Cell) -> str:
        """What the store calls the chunks of a cell."""
        return json.dumps({"cell": cell.key, "seed": self.seed, "chunk": self.chunk}, sort_keys=True)


def run_study(
    study: Study, store: Store, executor: Executor | None = None, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """One row a cell, in the order of the cells. Without an executor the work is done here."""
    compute(study, store, executor, progress)
    return [row(cell, _stored(study, store, cell)) for cell in study.cells]


def compute(study: Study, store: Store, executor: Executor | None = None, progress: Progress | None = None) -> None:
    """See to it that the store holds every chunk of the study."""
    store.claim(version())
    total = study.samples * len(study.cells)
    known = {cell: store.known(study.what(cell)) for cell in study.cells}
    done = found = sum(t.size for cell in study.cells for t in study.tasks(cell) if (t.index, t.size) in known[cell])
    report = progress or (lambda *_: None)
    if executor is not None and done < total:
        announce(progress, "compiling, once")
        for _ in results(iter([_first(study)]), run_chunk, executor):
            pass
    report(done, total, found)
    # The long ones first, so that no worker is left alone with one at the end.
    cells = sorted(study.cells, key=_work, reverse=True)
    missing = (t for cell in cells for t in study.tasks(cell) if (t.index, t.size) not in known[cell])
    for task, counts in results(missing, run_chunk, executor):
        store.put(study.what(task.cell), task.index, task.size, counts)
        done += task.size
        report(done, total, found)


def _first(study: Study) -> Task:
    """A task for which all compiled code that the study needs is made and kept: not counted."""
    windows = (1.0,) if any(cell.windows for cell in study.cells) else ()
    return Task(Cell(2, 1, windows=windows), 0, 0, 1, version())


def study_store(directory: Path | str = "reports/data") -> Path:
    """``reports/data/success-rate-<version>.sqlite``."""
    return default_store("success-rate", version(), directory)


def _work(cell: Cell) -> float:
    S, F = cell.states, cell.features
    return (S * S + S * F * (S + F) / 20 + F**3) * (1 + len(cell.windows))


def _stored(study: Study, store: Store, cell: Cell) -> Iterator[tuple[int, dict[str, Any]]]:
    wanted = study.tasks(cell)
    task = next(wanted, None)
    for place, size, counts in store.rows(study.what(cell), partial(unsound, cell)):
        if task is not None and (place, size) == (task.index, task.size):
            yield size, counts
            task = next(wanted, None)
    if task is not None:
        raise StoreError(f"store: {store.path}: chunk {task.index} of {cell.title} was put there and is not found")
