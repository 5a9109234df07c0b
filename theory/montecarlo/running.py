"""Tasks through a function, here or on an executor: results in the order in which they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import TypeVar

from theory.montecarlo.interrupts import uninterrupted

T = TypeVar("T")
R = TypeVar("R")

_IN_FLIGHT = 64  # tasks given to the executor at once: enough for its queues, few enough to forget


def results(tasks: Iterator[T], work: Callable[[T], R], executor: Executor | None = None) -> Iterator[tuple[T, R]]:
    """Each task with its result. Whoever stops asking cancels what has not begun.

    >>> sorted(results(iter([3, 1]), str))
    [(1, '1'), (3, '3')]
    """
    if executor is None:
        yield from ((task, work(task)) for task in tasks)
        return
    running: dict[Future[R], T] = {}
    ended: SimpleQueue[Future[R]] = SimpleQueue()  # `concurrent.futures.wait` holds locks when Ctrl-C comes
    try:
        while True:
            for task in tasks:
                with uninterrupted():
                    future = executor.submit(work, task)
                    running[future] = task
                    future.add_done_callback(ended.put)
                if len(running) >= _IN_FLIGHT:
                    break
            if not running:
                return
            future = ended.get()
            with uninterrupted():
                task, result = running.pop(future), future.result()
            yield task, result
    finally:
        with uninterrupted():
            for future in running:
                future.cancel()
