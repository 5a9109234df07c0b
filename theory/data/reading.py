"""One pass over a recording: units of rows here, one after the other, or on the workers of a Dask scheduler.

A unit is a range of rows, whichever files they are in. Units are merged in their order, so that the numbers are the
same however many workers there are, and a unit whose worker died is computed again. Ctrl-C ends the reading: what was
added until then is a recording of so many rows, and says so.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from theory.data.moments import LOOK, UNIT, Moments, block_rows, blocks
from theory.data.several_steps import NSteps, Traces
from theory.montecarlo.executors import dask_cluster, uninterrupted
from theory.problems.data import Batch, Recorded
from theory.problems.numbers import InvalidProblem
from theory.problems.recordings import BATCH

IN_FLIGHT = 32  # units given to a cluster before the first of them is merged
Step = tuple[str, Any, float]  # "n" or "lambda", its value, γ
Progress = Callable[[int, float], None]  # rows so far, and the share of all that they are


class Pass(NamedTuple):
    """What was found, and whether all of it was read."""

    moments: Moments
    complete: bool


@dataclass(frozen=True)
class Unit:
    """The rows from `start` to `stop`, and what is asked of them; can be sent to another machine."""

    recorded: Recorded
    steps: tuple[Step, ...]
    start: int = 0
    stop: int | None = None
    batch: int = BATCH

    def moments(self) -> Moments:
        """Of these rows, at most UNIT of them."""
        return next(self.units())

    def units(self, progress: Progress | None = None, stopped: Callable[[], bool] = lambda: False) -> Iterator[Moments]:
        """Of every UNIT of these rows; the last one, or the one in which it was stopped, may have fewer."""
        share = [0.0]
        look = max(0, self.start - (LOOK if self.steps else 0))
        tell = None if progress is None else lambda done: share.__setitem__(0, done)
        batches = self.recorded.batches(look, self.stop, self.batch, tell)
        head = next(batches, None)
        if head is None:
            raise InvalidProblem("there are no rows", self.recorded.name)
        F, at = len(head.phi), look
        size, how = block_rows(F), how_told_apart(self.recorded)
        before: deque[tuple[int, Batch]] = deque(maxlen=LOOK // size)
        found: Moments | None = None
        for block in blocks(self._of_width(F, chain([head], batches)), size):
            if at >= self.start:
                if found is None or found.rows == UNIT:
                    if found is not None:
                        yield found
                    found = Moments(F, how, at, self._steps(F))
                    for first, rows in before:
                        found.look(rows, first)
                found.add(block)
            at += len(block)
            if self.steps:
                before.append((at - len(block), block))
            if progress is not None:
                progress(at, share[0])
            if stopped():
                break
        if found is not None:
            yield found

    def _steps(self, F: int) -> list[NSteps | Traces]:
        found = new_steps(self.steps, F)
        for step in found:
            if isinstance(step, Traces) and "done" not in self.recorded.roles:
                step.why_not = "no column says where episodes end"
        return found

    def _of_width(self, F: int, batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            if len(batch.phi) != F:
                raise InvalidProblem(
                    f"some rows have {F} features, later ones {len(batch.phi)}", self.recorded.name, "phi"
                )
            yield batch


def how_told_apart(recorded: Recorded) -> str:
    """By the column episode, by the ends of episodes, or not at all: then blocks of rows stand in for trajectories."""
    return "episode" if "episode" in recorded.roles else "ends" if recorded.told_apart else "blocks"


def new_steps(asked: Sequence[Step], F: int) -> list[NSteps | Traces]:
    """Nothing added yet."""
    return [NSteps(F, int(x), gamma) if what == "n" else Traces(F, float(x), gamma) for what, x, gamma in asked]


def read(
    recorded: Recorded,
    steps: tuple[Step, ...] = (),
    scheduler: str | None = None,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> Pass:
    """The moments of all rows."""
    with stopping() as stopped:
        total: Moments | None = None
        units = _remote(recorded, steps, scheduler, batch, progress, stopped) if scheduler else None
        for found in units or Unit(recorded, steps, batch=batch).units(progress, stopped):
            if total is None:
                total = Moments(found.n_features, found.how, 0, new_steps(steps, found.n_features))
            total.merge(found)
        if total is None:
            raise KeyboardInterrupt
        return Pass(total, not stopped())


def _remote(
    recorded: Recorded,
    steps: tuple[Step, ...],
    scheduler: str,
    batch: int,
    progress: Progress | None,
    stopped: Callable[[], bool],
) -> Iterator[Moments]:
    """The units of the whole recording, computed by the workers of a cluster."""
    if not recorded.source.paths:
        raise InvalidProblem("only files are read by other machines: write it to Parquet first", recorded.name)
    with dask_cluster(scheduler) as executor:
        source = recorded.source
        if source.rows is None:  # CSV does not say
            parts = [executor.submit(_count, recorded, i) for i in range(len(source))]
            counts = [_result(part, stopped) for part in parts]
            if None in counts:
                return
            recorded = replace(recorded, source=replace(source, counts=tuple(counts)))
        rows = recorded.source.rows
        if not rows:
            raise InvalidProblem("there are no rows", recorded.name)
        starts = iter(range(0, rows, UNIT))
        running: deque[Any] = deque()
        done = 0
        while True:
            for start in starts:
                with uninterrupted():
                    running.append(executor.submit(_moments, Unit(recorded, steps, start, start + UNIT, batch)))
                if len(running) >= IN_FLIGHT:
                    break
            if not running:
                return
            found = _result(running[0], stopped)
            if found is None:
                for future in running:
                    future.cancel()
                return
            running.popleft()
            done += found.rows
            if progress is not None:
                progress(done, done / rows)
            yield found


def _moments(unit: Unit) -> Moments:
    return unit.moments()


def _count(recorded: Recorded, i: int) -> int:
    """The rows of a part that does not say how many it has."""
    part = recorded.source.part(i)
    name = part.columns[:1]
    return sum(len(columns[name[0]]) for columns, _ in part.read(name, 0, BATCH))


def _result(future: Any, stopped: Callable[[], bool]) -> Any:
    """What it gives; None if Ctrl-C came first."""
    while not future.done():
        if stopped():
            return None
        time.sleep(0.02)
    return future.result()


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Was Ctrl-C pressed? It waits for the end of a block of rows; pressed again, it ends everything."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return
    pressed: list[int] = []

    def press(number: int, frame: Any) -> None:
        if pressed:
            before(number, frame)
        pressed.append(number)

    signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
