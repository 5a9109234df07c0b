"""``theory report``: everything there is to write, into ``reports/``."""

from __future__ import annotations

from pathlib import Path

import click

from theory.commands.common import json_option, print_json


@click.command("report")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reports"),
    show_default=True,
    help="The folder to write to.",
)
@json_option
def command(into: Path, as_json: bool) -> None:
    """Inspect the whole catalogue and write it as a page."""
    from theory.experiments.inspection import inspect_problem
    from theory.problems.catalogue import catalogue
    from theory.report.catalogue import catalogue_page

    entries = catalogue().values()
    page = catalogue_page((entry, inspect_problem(entry.build())) for entry in entries)
    into.mkdir(parents=True, exist_ok=True)
    path = into / "catalogue.md"
    path.write_text(page, encoding="utf-8")
    if as_json:
        print_json({"files": [str(path)]})
    else:
        click.echo(f"wrote {path}")
