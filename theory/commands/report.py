"""``theory report``: everything there is to write, into ``reports/``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from theory.commands.common import json_option, print_json


@click.command("report")
@click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random problems.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reports"),
    show_default=True,
    help="The folder to write to.",
)
@json_option
def command(profile: str, seed: int, into: Path, as_json: bool) -> int:
    """Verify the paper, count on random problems, inspect the catalogue, and write it all down.

    What an earlier run has stored is not computed again.
    """
    files = []
    for path in _write(profile, seed, into):
        files.append(path)
        if not as_json:
            click.echo(f"wrote {path}", err=False)
    if as_json:
        print_json({"files": [str(path) for path in files]})
    return 0


def _write(profile: str, seed: int, into: Path) -> Iterator[Path]:
    from theory.experiments.inspection import inspect_problem
    from theory.figures.success_rate import draw
    from theory.montecarlo.executors import local_processes, processors
    from theory.problems.catalogue import catalogue
    from theory.propositions.registry import IDS, statement
    from theory.propositions.statement import verify
    from theory.report.catalogue import catalogue_page
    from theory.report.page import report_page

    into.mkdir(parents=True, exist_ok=True)
    click.echo("verifying the paper …", err=True)
    findings = [verify(statement(id), strict=True) for id in IDS]
    click.echo("inspecting the catalogue …", err=True)
    page = catalogue_page((entry, inspect_problem(entry.build())) for entry in catalogue().values())
    yield _text(into / "catalogue.md", page)
    click.echo("counting on random problems …", err=True)
    with local_processes(processors()) as executor:
        figures = draw(into, profile=profile, seed=seed, executor=executor)
    yield from figures
    yield _text(into / "report.md", report_page(findings, figures, profile, seed))


def _text(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
