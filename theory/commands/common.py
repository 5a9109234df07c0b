"""What the commands share: the PROBLEM argument, numbers as options, and --json."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem


class ProblemType(click.ParamType):
    """A problem's name, file or Gymnasium id; completes names and files."""

    name = "problem"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from theory.problems.catalogue import problem_names

        names = [CompletionItem(n) for n in problem_names() if n.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


class Named(click.ParamType):
    """One of some names, which the shell completes; `find` imports what knows them."""

    name = "name"

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self.find = find

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self.find() if name.startswith(incomplete)]


def statement_ids() -> Iterable[str]:
    """Of ``theory verify``."""
    from theory.propositions.registry import IDS

    return IDS


def learner_names() -> Iterable[str]:
    """Of ``theory learn``."""
    from theory.learners.families import learners

    return learners()


def figure_names() -> Iterable[str]:
    """Of ``theory figure``."""
    from theory.figures import names

    return names()


problem_argument = click.argument("problem", metavar="PROBLEM", type=ProblemType())
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
wide_option = click.option("--wide", is_flag=True, help="Print whole tables, however wide the terminal is.")
set_option = click.option("--set", "letters", metavar="x=3,p=9/10", help="Numbers for the letters of a family.")


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


OF_DATA = ("ratio_column", "features_from", "on_policy", "scheduler")


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
    for name in OF_DATA:
        if given.get(name):
            option = "--" + name.replace("_", "-")
            raise click.UsageError(f"{option} is of recorded transitions: .csv, .parquet, .npz, a folder of them")


def save_picture(figure: Any, path: Path) -> None:
    """Save a figure in the common style."""
    from theory.figures._style import look

    with look():
        figure.savefig(path)


def print_json(document: Any) -> None:
    """One document on standard output; exact values as ``"p/q"``, what is not finite as null."""
    click.echo(json.dumps(jsonable(document), ensure_ascii=False, indent=1, allow_nan=False))


def jsonable(value: Any) -> Any:
    """Results become their documents, fractions strings, arrays lists, complex numbers pairs; inf and nan null.

    >>> import numpy as np
    >>> jsonable({"theta": [Fraction(9, 10)], "rho": np.float64(0.5), "lambda": 1 + 2j})
    {'theta': ['9/10'], 'rho': 0.5, 'lambda': [1.0, 2.0]}
    """
    import numpy as np

    if hasattr(value, "to_dict"):
        return jsonable(value.to_dict())
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
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def check_picture(path: Path) -> None:
    """What is wrong with the name of a picture is said before anything is computed."""
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise click.BadParameter(f"{path.name!r} must end in .png, .svg or .pdf", param_hint="--plot")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}", param_hint="--plot")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.BadParameter(f"{str(path)!r} cannot be written", param_hint="--plot")


def given_option(name: str) -> bool:
    """Whether it was on the command line; a default is not a question."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE
