"""Tasks through a function, here or on an executor: results in the order in which they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TypeVar

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
    try:
        while True:
            for task in tasks:
                running[executor.submit(work, task)] = task
                if len(running) >= _IN_FLIGHT:
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            future.cancel()
