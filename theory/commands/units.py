"""Work in units on processes, for the commands that share a store: progress, interruption, failure."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from theory.montecarlo.store import Store

T = TypeVar("T")


class Progress:
    """A line on standard error, if someone is watching: how many units are done and how long it will take."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.done = self.total = 0
        self._start = time.monotonic()
        self._shown = sys.stderr.isatty()

    def __call__(self, done: int, total: int, found: int) -> None:
        self.done, self.total = done, total
        if self._shown and total:
            seconds, fresh = time.monotonic() - self._start, done - found
            left = f"{_duration((total - done) * seconds / fresh)} left" if fresh else "starting"
            click.echo(f"\r\x1b[K{done} of {total} {self.noun} · {left}", nl=False, err=True)

    def close(self) -> None:
        """Remove the line."""
        if self._shown and self.total:
            click.echo("\r\x1b[K", nl=False, err=True)


def run_units(
    work: Callable[[Store, Executor | None, Progress], T], path: Path, workers: int | None, noun: str = "units"
) -> T:
    """Open the store, start the processes, run; Ctrl-C keeps what is finished and exits with 130."""
    from concurrent.futures import BrokenExecutor

    from theory.montecarlo.executors import local_processes, processors
    from theory.montecarlo.store import Store

    with Store(path) as store:
        progress = Progress(noun)
        try:
            with local_processes(processors() if workers is None else workers) as executor:
                return work(store, executor, progress)
        except KeyboardInterrupt:
            progress.close()
            kept = f"{progress.done} of {progress.total} {noun} are kept in {store.path}"
            click.echo(f"theory: interrupted; {kept}: run the same command to go on", err=True)
            return _leave(130)
        except (BrokenExecutor, MemoryError) as error:
            kept = f"{progress.done} of {progress.total} {noun} are kept: run the same command to go on"
            raise click.ClickException(f"a worker failed ({str(error) or type(error).__name__}); {kept}") from error
        finally:
            progress.close()


def _leave(code: int) -> Any:
    click.get_current_context().exit(code)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
