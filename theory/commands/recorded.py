"""Recorded transitions as PROBLEM: the line of progress while they are read, and Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from theory.text.progress import Waiting

if TYPE_CHECKING:
    from theory.data.inspect import Data
    from theory.problems import Problem
    from theory.problems.data import Options


@contextmanager
def reading(path: str, gamma: Any, given: dict[str, Any]) -> Iterator[tuple[Data, Callable[[str], None]]]:
    """The transitions, a line that says how far they are read, and what to say of work after that."""
    from theory.data.inspect import open_data

    line = Waiting("reading the transitions", piped=True)
    begun = time.monotonic()

    def progress(rows: int, share: float) -> None:
        passed = time.monotonic() - begun
        pace = f" · {rows / passed:,.0f} rows/s" if passed > 0.5 else ""
        left = passed * (1 - share) / share if share > 0 and passed > 1 else None
        line.show(f"reading the transitions · {rows:,} rows · {share:.0%}{pace}", left)

    try:
        data = open_data(path, gamma, options=_options(given), scheduler=given["scheduler"], progress=progress)
        yield data, line.say
    finally:
        line.close()


def estimated(path: str, gamma: Any, given: dict[str, Any]) -> Problem:
    """The problem that moves between named states suggest."""
    from theory.problems.estimated import estimated_problem

    if given["scheduler"]:
        raise click.UsageError("--scheduler reads transitions; an estimated problem is made here")
    return estimated_problem(path, gamma, _options(given))


def _options(given: dict[str, Any]) -> Options:
    from theory.problems.data import Options
    from theory.problems.numbers import InvalidProblem

    if given["on_policy"] and given["ratio_column"]:
        raise InvalidProblem("is given beside --on-policy", "--ratio-column")
    return Options(given["features_from"], 1 if given["on_policy"] else given["ratio_column"])


def leave(data: Data) -> None:
    """Exit with 130 where the reading was interrupted; what was read has been printed."""
    about = data.estimate.about
    if not about.complete:
        click.echo(f"theory: interrupted after {about.rows:,} transitions: what is printed is of those", err=True)
        raise click.exceptions.Exit(130)
