"""Long work on a store, for the commands that have one: progress, and one line where it is interrupted or fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import click

from theory.text.progress import Counting

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from theory.store import Store

_GO_ON = "run the same command to go on"


@contextmanager
def running_work(
    path: Path | str,
    version: str,
    executor: AbstractContextManager[Executor | None],
    noun: str = "units",
    rate: bool = False,
) -> Iterator[tuple[Store, Executor | None, Counting]]:
    """The store at `path`, claimed for `version`; what computes; and the progress to tell.

    Ctrl-C keeps what is finished and exits with 130; what fails is one line that says how much is kept.
    """
    from concurrent.futures import BrokenExecutor

    from theory.montecarlo.chunks import VersionMismatch
    from theory.store import Store, StoreError

    with Store(path, version) as store:
        progress = Counting(noun, rate)
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
