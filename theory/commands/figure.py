"""``theory figure``: one figure, from its data, as PNG, SVG and CSV."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import (
    ExactNumber,
    Named,
    ProblemType,
    figure_names,
    json_option,
    print_json,
    set_option,
)

if TYPE_CHECKING:
    from theory.figures import FigureSpec

_FILE, _FOLDER = click.Path(dir_okay=False, path_type=Path), click.Path(file_okay=False, path_type=Path)


class _Listed(click.Command):
    """A command whose help lists the figures, each with the first line of its file."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from theory.figures._figure import first_line, names

        with formatter.section("Figures"):
            formatter.write_dl([(name, first_line(name)) for name in names()])


@click.command("figure", cls=_Listed)
@click.argument("name", metavar="NAME", type=Named(figure_names))
@click.argument("problem", metavar="[PROBLEM]", required=False, type=ProblemType())
@click.option("--over", metavar="gamma,phi[1,1]", help="Of phase: γ and entries of Φ; of a family its letters.")
@click.option("--gamma", type=ExactNumber(), help="Of phase: the discount, where it is not an axis.")
@set_option
@click.option("--profile", default="quick", show_default=True, help="quick, or full as in the paper.")
@click.option("--seed", default=0, show_default=True, help="Where all randomness comes from.")
@click.option("--into", type=_FOLDER, help="Where to write; reports, and reports/quick for quick samples.")
@click.option("--workers", type=int, default=None, help="Processes, where there is a store; all by default.")
@click.option("--store", type=_FILE, help="Finished work; by default under reports/data/.")
@json_option
def command(
    name: str,
    problem: str | None,
    over: str | None,
    gamma: Any,
    letters: str | None,
    profile: str,
    seed: int,
    into: Path | None,
    workers: int | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Draw a figure: PNG, SVG and the CSV behind it.

    NAME is one of those below; those named after it (success-rate-map after success-rate) are drawn with it. With a
    PROBLEM or a family, phase is drawn of that.
    """
    if profile not in ("quick", "full"):
        raise click.UsageError(f"--profile: quick or full, got {profile!r}")
    if seed < 0:
        raise click.UsageError(f"--seed: must be 0 or more, got {seed}")

    from theory.figures import family, figure_spec
    from theory.figures._style import check_writable, write_figure

    figure_spec(name)
    shown = [figure_spec(one) for one in family(name)]
    given = {"problem": problem, "over": over, "letters": letters, "gamma": gamma}
    given = {key: value for key, value in given.items() if value is not None}
    if given:
        shown = [one.made_for(**given) for one in shown]
    # What is committed in reports/ is of the full profile.
    into = into or Path("reports/quick" if profile == "quick" and shown[0].sampled else "reports")
    check_writable(into)
    files = []
    for kept, group in groupby(shown, key=lambda e: e.kept):
        for found, result in _results(list(group), kept, profile, seed, workers, store):
            files += write_figure(found, result, profile, seed, into)
    if as_json:
        print_json({"figure": name, "files": [str(path) for path in files]})
    else:
        for path in files:
            click.echo(f"wrote {path}")


def _results(
    group: list[FigureSpec[Any]], kept: Any, profile: str, seed: int, workers: int | None, given: Path | None
) -> list[tuple[FigureSpec[Any], Any]]:
    """The data of figures that share a store, or have none."""
    if kept is None:
        return [(e, e.result(profile, seed)) for e in group]
    from theory.commands.running_work import executor_for, running_work
    from theory.figures._figure import Work

    path = given or kept.store(Path("reports/data"))
    with running_work(path, kept.version(), executor_for(workers), kept.noun, rate=kept.noun == "problems") as work:
        return [(e, e.result(profile, seed, Work(*work))) for e in group]
