"""Recorded transitions as PROBLEM: the options of the commands that read them, the line of progress, Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from theory.text.progress import Waiting

if TYPE_CHECKING:
    from theory.data.inspect import Data

NAMES = ("ratio_column", "features_from", "on_policy", "scheduler")


def data_options(command: Any) -> Any:
    """What recorded transitions do not say of themselves, and who reads them."""
    for option in (
        click.option("--scheduler", metavar="ADDRESS", help="Of transitions: a Dask scheduler whose workers read."),
        click.option("--on-policy", is_flag=True, help="Of transitions: all ratios π/μ are 1."),
        click.option("--features-from", metavar="STEM", help="Of transitions: columns STEM_0, … (obs) are features."),
        click.option("--ratio-column", metavar="NAME", help="Of transitions: the column of ratios π/μ."),
    ):
        command = option(command)
    return command


def refuse_data_options(given: dict[str, Any]) -> None:
    """What is not recorded has none of these options."""
    for name in NAMES:
        if given.get(name):
            option = "--" + name.replace("_", "-")
            raise click.UsageError(f"{option} is of recorded transitions: .csv, .parquet, .npz, a folder of them")


@contextmanager
def reading(path: str, gamma: Any, given: dict[str, Any]) -> Iterator[tuple[Data, Callable[[str], None]]]:
    """The transitions, a line that says how far they are read, and what to say of work after that."""
    from theory.data.inspect import open_data
    from theory.problems.data import Options
    from theory.problems.numbers import InvalidProblem

    if given["on_policy"] and given["ratio_column"]:
        raise InvalidProblem("is given beside --on-policy", "--ratio-column")
    ratio = 1 if given["on_policy"] else given["ratio_column"]
    line = Waiting("reading the transitions", piped=True)
    begun = time.monotonic()

    def progress(rows: int, share: float) -> None:
        passed = time.monotonic() - begun
        pace = f" · {rows / passed:,.0f} rows/s" if passed > 0.5 else ""
        left = passed * (1 - share) / share if share > 0 and passed > 1 else None
        line.show(f"reading the transitions · {rows:,} rows · {share:.0%}{pace}", left)

    try:
        options = Options(given["features_from"], ratio)
        data = open_data(path, gamma, options=options, scheduler=given["scheduler"], progress=progress)
        yield data, line.say
    finally:
        line.close()


def leave(data: Data) -> None:
    """Exit with 130 where the reading was interrupted; what was read has been printed."""
    about = data.estimate.about
    if not about.complete:
        click.echo(f"theory: interrupted after {about.rows:,} transitions: what is printed is of those", err=True)
        raise click.exceptions.Exit(130)
