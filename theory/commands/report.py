"""``theory report``: everything there is to write, into ``reports/``."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from theory.commands.common import json_option, print_json
from theory.commands.running_work import worker_failed
from theory.text.progress import Line
from theory.text.words import duration

T = TypeVar("T")


@click.command("report")
@click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where all randomness comes from.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="The folder to write to; reports, and reports/quick for the quick profile.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes; as many as processors by default.")
@json_option
def command(profile: str, seed: int, into: Path | None, workers: int | None, as_json: bool) -> int:
    """Verify the paper, measure, inspect the catalogue, and write it all down: report.md and report.html.

    What an earlier run has stored under INTO/data is not computed again; interrupted, it goes on from there. Exit code
    1 if a statement is not verified as expected.
    """
    from theory.figures._style import check_writable
    from theory.montecarlo.executors import processors
    from theory.report.parts import Request
    from theory.report.write import write_report

    into = into or Path("reports/quick" if profile == "quick" else "reports")
    check_writable(into, into / "data")
    request, clock = Request.of(profile, seed), Clock(profile)
    if not as_json:
        click.echo(f"The {profile} report takes about {clock.expected} on two cores, less where parts are stored.")
    try:
        with ExitStack() as stack:
            executor = OnDemand(stack, processors() if workers is None else workers)
            files, good = write_report(request, into, executor, clock)
    except KeyboardInterrupt:
        clock.close()
        click.echo(f"theory: interrupted; what is finished is kept in {into / 'data'}: run it again to go on", err=True)
        click.get_current_context().exit(130)
    except (BrokenExecutor, MemoryError) as error:
        raise click.ClickException(f"{worker_failed(error)}; what is finished is kept: run it again") from error
    finally:
        clock.close()
    if as_json:
        print_json({"profile": profile, "seed": seed, "ok": good, "files": [str(path) for path in files]})
    else:
        for path in files:
            click.echo(f"wrote {path}")
        other = "; the full profile's are in reports/" if into == Path("reports/quick") else ""
        click.echo(f"{profile} profile, in {into}, in {clock.passed}{other}: open {into / 'report.html'}")
    return 0 if good else 1


class OnDemand(Executor):
    """Processes that are started for the first task: where everything is stored there is none."""

    def __init__(self, stack: ExitStack, workers: int) -> None:
        self._stack, self._workers = stack, workers
        self._pool: Executor | None = None

    def submit(self, function: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:
        from theory.montecarlo.executors import local_processes

        if self._pool is None:
            self._pool = self._stack.enter_context(local_processes(self._workers))
        return self._pool.submit(function, *arguments, **named)


class Clock(Line):
    """A line on standard error, if someone is watching: what was last done, and how long the rest will take."""

    def __init__(self, profile: str) -> None:
        from theory.report.parts import COSTS

        super().__init__()
        self._cost = {name: seconds[profile == "full"] for name, seconds in COSTS.items()}
        self._done = dict.fromkeys(self._cost, 0.0)
        self._found = 0.0  # work that was stored already, before a second had passed
        self._begun = time.monotonic()

    @property
    def expected(self) -> str:
        """How long all of it takes on two cores."""
        return duration(sum(self._cost.values()))

    @property
    def passed(self) -> str:
        """How long it took."""
        return duration(time.monotonic() - self._begun)

    def __call__(self, part: str, done: float) -> None:
        self._done[part] = max(self._done[part], done)
        spent, work = time.monotonic() - self._begun, sum(self._cost[p] * x for p, x in self._done.items())
        if spent < 1:
            self._found = work
        total = sum(self._cost.values())
        # Before anything is computed the table's own figures are all there is to go by.
        pace = spent / (work - self._found) if work - self._found > 0.05 * total else 1.0
        self.show(f"{part} {done:.0%}", (total - work) * pace)
