"""Where tasks are run: processes on this machine, a Dask cluster, or whatever has ``submit``.

One BLAS thread a process: the matrices are small, and threads that wait for each other would cost many times what
they bring. The libraries read their limits when they are loaded, so the processes are started afresh ("spawn") with
the limits in their environment.

Ctrl-C comes at any time: `KeyboardInterrupt` may be raised between any two steps, also while a future's lock is held,
and code that needs that lock later, to cancel the future, would wait forever. And a process that is still importing
dies of it, with a traceback. So it waits (`uninterrupted`) while futures are handled.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from theory.problems import InvalidProblem
from theory.store import Store

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, int, int], None]  # done, of all, of which found in the store

_IN_FLIGHT = 64  # tasks given to the executor at once: enough for its queues, few enough to forget
_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys(_LIMITS, "1")


def results(tasks: Iterator[T], work: Callable[[T], R], executor: Executor | None = None) -> Iterator[tuple[T, R]]:
    """Each task with its result. Closing the iterator cancels what has not begun.

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


class Job(NamedTuple):
    """A task, whose result is a function of it alone, and where the result is kept."""

    what: str
    place: int
    size: int
    task: Any


def complete(
    jobs: Sequence[Job],
    work: Callable[[Any], Any],
    store: Store,
    version: str,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> None:
    """See to it that the store holds the result of every job; without an executor the work is done here."""
    store.claim(version)
    known = {what: store.known(what) for what in dict.fromkeys(job.what for job in jobs)}
    missing = {job.task: job for job in jobs if (job.place, job.size) not in known[job.what]}
    report, total = progress or (lambda *_: None), sum(job.size for job in jobs)
    done = found = total - sum(job.size for job in missing.values())
    report(done, total, found)
    for task, result in results(iter(missing), work, executor):
        what, place, size, _ = missing[task]
        store.put(what, place, size, result)
        done += size
        report(done, total, found)


@contextmanager
def local_processes(workers: int) -> Iterator[Executor]:
    """A pool of `workers` processes with one BLAS thread each."""
    if workers < 1:
        raise InvalidProblem(f"must be at least 1, got {workers}", "workers")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _settle)
    try:
        with _environment(ONE_THREAD):
            # Processes start with the first tasks; start all of them while the environment holds.
            with uninterrupted():
                started = [pool.submit(os.getpid) for _ in range(workers)]
            for future in started:
                future.result()
        yield pool
    except BaseException:
        # Interrupted or broken: what runs is lost anyway, and not waited for.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def dask_cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at `address`, e.g. ``tcp://host:8786``.

    A task whose worker dies is run again elsewhere. Workers must have the same version of this package installed, and
    one BLAS thread for each of their own threads (``dask worker`` sees to it by default).
    """
    try:
        from distributed import Client  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InvalidProblem(
            "dask.distributed is not installed: pip install 'chained-td[cluster]'", "cluster"
        ) from None
    try:
        client: Any = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidProblem(
            f"no Dask scheduler answers at {address}: {' '.join(str(error).split())}", "cluster"
        ) from None
    with client:
        try:
            # Equal tasks give equal results, but two studies must not share futures: hence not pure.
            yield client.get_executor(pure=False, retries=5)
        except CancelledError:
            kept = "what is finished is kept, and the same command goes on from there"
            raise InvalidProblem(f"the Dask scheduler at {address} went away; {kept}", "cluster") from None


def processors() -> int:
    """How many processes can run at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of the block. A process started in it has Ctrl-C blocked until it says otherwise."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # nothing would be raised here
        return
    seen: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append((number, frame)))
    mask = _block()
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if seen:
        before(*seen[0])


def _block() -> set[signal.Signals] | None:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        return None
    return signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # type: ignore[return-value]


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _settle() -> None:
    """In a new worker: leave Ctrl-C, which reaches every process, to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    # Workers hold both ends of their queue, so that they would wait for a killed parent forever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
