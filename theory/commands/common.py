"""What the commands share: the PROBLEM argument, --json, how numbers are printed, and how waiting is made bearable."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import click
import numpy as np
from click.shell_completion import CompletionItem


class ProblemType(click.ParamType):
    """A problem's name, file or Gymnasium id; completes names and files."""

    name = "problem"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from theory.problems.catalogue import problem_names

        names = [CompletionItem(n) for n in problem_names() if n.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


problem_argument = click.argument("problem", metavar="PROBLEM", type=ProblemType())
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


class ExactNumber(click.ParamType):
    """A number read exactly: 0.99, 99/100, 1e-3."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        from theory.problems.numbers import parse_number

        return parse_number(value, (param.opts[-1] if param is not None else "number"))


class Count(click.IntRange):
    """A whole number, also written as 1e3."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not value.strip().lstrip("+-").isdigit():
            from theory.problems.numbers import parse_number

            number = parse_number(value, (param.opts[-1] if param is not None else "number"))
            if number.denominator != 1:
                self.fail(f"{value!r} is not a whole number", param, ctx)
            value = int(number)
        return super().convert(value, param, ctx)


def print_json(document: Any) -> None:
    """One document on standard output; exact values as ``"p/q"``, what is not finite as null."""
    click.echo(json.dumps(jsonable(document), ensure_ascii=False, indent=1, allow_nan=False))


def jsonable(value: Any) -> Any:
    """Fractions become strings, arrays lists, complex numbers pairs; inf and nan become null.

    >>> jsonable({"theta": [Fraction(9, 10)], "rho": np.float64(0.5), "lambda": 1 + 2j})
    {'theta': ['9/10'], 'rho': 0.5, 'lambda': [1.0, 2.0]}
    """
    if isinstance(value, dict):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(v) for v in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def count(n: int, noun: str) -> str:
    """``1 state``, ``2 states``."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def duration(seconds: float) -> str:
    """``40 s``, ``3 min``, ``5 h``, ``more than a day``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 86400 else "more than a day"


class Waiting:
    """A line on standard error, if someone is watching: what is being done, and how long it will take."""

    def __init__(self, title: str) -> None:
        self._begun = time.monotonic()
        self._shown = sys.stderr.isatty()
        self.say(title)

    def say(self, title: str) -> None:
        """Something else is being done."""
        self._title, self._begun = title, time.monotonic()
        self._line("")

    def __call__(self, share: float) -> None:
        """So much of it, from 0 to 1, is done."""
        passed = time.monotonic() - self._begun
        left = f" · {duration(passed * (1 - share) / share)} left" if share > 0 and passed > 1 else ""
        self._line(f" · {share:.0%}{left}")

    def close(self) -> None:
        """Remove the line."""
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)

    def _line(self, rest: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{self._title}{rest} …", nl=False, err=True)


@contextmanager
def waiting(title: str) -> Iterator[Waiting]:
    """Show what is being done until it is."""
    line = Waiting(title)
    try:
        yield line
    finally:
        line.close()
