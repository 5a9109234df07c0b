"""Long work on a store, for the commands that have one: progress, and one line where it is interrupted or fails."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import click

from theory.commands.common import duration

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from theory.store import Store

_GO_ON = "run the same command to go on"


class Progress:
    """One line on standard error, if someone is watching: how far, how fast where `rate` says so, how long still.

    Work may come in rounds, each of which begins by telling what it found; counts are of all rounds so far.
    """

    def __init__(self, noun: str, rate: bool = False) -> None:
        self.noun, self.rate = noun, rate
        self.done = self.total = 0
        self._earlier = (0, 0)
        self._begun = time.monotonic()
        self._shown = sys.stderr.isatty()

    def __call__(self, done: int, total: int, found: int) -> None:
        if done == found:  # a round begins, whose pace is its own
            self._earlier, self._begun = (self.done, self.total), time.monotonic()
        self.done, self.total = self._earlier[0] + done, self._earlier[1] + total
        if self._shown and self.total:
            click.echo(f"\r\x1b[K{self.count()} · {self._pace(total - done, done - found)}", nl=False, err=True)

    def count(self) -> str:
        """``1,200 of 3,000 problems``."""
        return f"{self.done:,} of {self.total:,} {self.noun}"

    def close(self) -> None:
        """Remove the line."""
        if self._shown and self.total:
            click.echo("\r\x1b[K", nl=False, err=True)
        self._shown = False

    def _pace(self, missing: int, fresh: int) -> str:
        seconds = time.monotonic() - self._begun
        if not fresh or seconds <= 0:
            return "starting"
        left = f"{duration(missing * seconds / fresh)} left"
        return f"{fresh / seconds:,.0f}/s · {left}" if self.rate else left


@contextmanager
def running_work(
    path: Path | str, version: str, executor: AbstractContextManager[Executor], noun: str = "units", rate: bool = False
) -> Iterator[tuple[Store, Executor, Progress]]:
    """The store at `path`, claimed for `version`; what computes; and the progress to tell.

    Ctrl-C keeps what is finished and exits with 130; what fails is one line that says how much is kept.
    """
    from concurrent.futures import BrokenExecutor

    from theory.montecarlo.chunks import VersionMismatch
    from theory.store import Store, StoreError

    with Store(path, version) as store:
        progress = Progress(noun, rate)
        try:
            with executor as processes:
                yield store, processes, progress
        except KeyboardInterrupt:
            progress.close()
            # Before the first round nothing has been counted.
            kept = f"{progress.count()} are kept" if progress.total else "what is finished is kept"
            click.echo(f"theory: interrupted; {kept} in {store.path}: {_GO_ON}", err=True)
            raise click.exceptions.Exit(130) from None
        except (BrokenExecutor, VersionMismatch, MemoryError, StoreError) as error:
            failed = str(error) if isinstance(error, StoreError) else worker_failed(error)
            kept = f"; {progress.count()} are kept: {_GO_ON}" if progress.total else ""
            raise click.ClickException(failed + kept) from error
        finally:
            progress.close()


def worker_failed(error: BaseException) -> str:
    """Some errors have no text but their name."""
    return f"a worker failed ({str(error) or type(error).__name__})"


def executor_for(workers: int | None, cluster: str | None = None) -> AbstractContextManager[Executor]:
    """Processes on this machine, as many as processors by default, or the workers of a Dask scheduler."""
    from theory.montecarlo.executors import dask_cluster, local_processes, processors

    if cluster is None:
        return local_processes(processors() if workers is None else workers)
    if workers is not None:
        raise click.UsageError("--workers is for this machine, and --cluster has its own: give one of them")
    return dask_cluster(cluster)
