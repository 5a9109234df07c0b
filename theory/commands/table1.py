"""``theory table1``: the paper's table, cell by cell, beside its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from theory.commands.common import json_option, print_json

_FILE, _FOLDER = click.Path(dir_okay=False, path_type=Path), click.Path(file_okay=False, path_type=Path)


@click.command("table1")
@click.option("--profile", default="quick", show_default=True, help="quick: coarser grid, fewer seeds; full: all.")
@click.option("--repetitions", default=1, show_default=True, help="Independent repetitions of the whole protocol.")
@click.option("--seed", default=0, show_default=True, help="Where all randomness comes from.")
@click.option("--readings", is_flag=True, help="Try other readings for the cells that are not reproduced.")
@click.option("--workers", type=int, default=None, help="Processes; as many as processors by default.")
@click.option("--store", "path", type=_FILE, help="Finished units; by default under reports/data/.")
@click.option("--into", type=_FOLDER, help="Also write table1.md and table1.csv there.")
@click.option("--raw", type=_FILE, help="Write what each test seed gave: .csv or .parquet.")
@json_option
def command(
    profile: str,
    repetitions: int,
    seed: int,
    readings: bool,
    workers: int | None,
    path: Path | None,
    into: Path | None,
    raw: Path | None,
    as_json: bool,
) -> None:
    """Tune the paper's learners and TDRC on three problems at two discounts, test them on new seeds, compare.

    The same command gives the same numbers on any number of workers. Interrupted, it keeps finished units (a learner on
    a problem in one repetition); run it again to go on.
    """
    from theory.code_version import provenance
    from theory.commands.running_work import executor_for, running_work
    from theory.experiments.table1 import Table1, default_store, run_table1
    from theory.experiments.table1.impossible import impossible_pairs
    from theory.experiments.table1.text import explanations, table1_command, table1_csv, table1_markdown
    from theory.experiments.table1.units import version
    from theory.text.tables import can_write, write_rows

    if raw is not None and (why_not := can_write(raw)):
        raise click.UsageError(f"--raw: {why_not}")
    asked = Table1(profile, repetitions, seed, readings)
    with running_work(path or default_store(), version(), executor_for(workers)) as (store, executor, progress):
        result = run_table1(asked, store, executor, progress)
    files = []
    if raw is not None:
        write_rows(raw, result["raw"], provenance(seed, table1_command(result)))
        files.append(str(raw))
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
        for name, text in (("table1.md", table1_markdown(result)), ("table1.csv", table1_csv(result))):
            (into / name).write_text(text, encoding="utf-8")
            files.append(str(into / name))
    if as_json:
        kept = {name: value for name, value in result.items() if name not in ("curves", "raw")}
        print_json(kept | {"impossible": impossible_pairs(), "notes": explanations(result), "files": files})
    else:
        _print(result, files)


def _print(result: dict[str, Any], files: list[str]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console

    from theory.experiments.table1.paper import TITLES
    from theory.experiments.table1.text import explanations, grid_rows, legend, number, summary
    from theory.text.tables import print_table

    console = Console(highlight=False)
    headings = [f"{name}\nγ = {gamma}" for gamma in (".9", ".99") for name in ("Baird", "B-Reward", "Three")]
    rows = []
    for name, *cells in grid_rows(result):
        # The paper's number below ours: six columns fit into 80 characters.
        shown = (f"{ours} {sign}\n{paper}" for ours, paper, sign in (cell.split() for cell in cells))
        rows.append((name.removesuffix(" chained TD"), *shown))
    title = {"title": "RMSE, ours with its mark (paper)", "title_justify": "left"}
    look = {"box": SIMPLE, "padding": (0, 1, 0, 0), "pad_edge": True, "header_style": None}
    print_table(console, ["", *headings], rows, left=("",), **title, **look)
    console.print(summary(result))
    console.print(legend(result))
    for cell in (c for c in result["cells"] if c["mark"] == "not reproduced"):
        spread = cell["repetitions"]["spread"]
        console.print(
            f"✗ {TITLES[cell['learner']]}, {cell['problem']} {cell['gamma']:g}: {number(cell['rmse'])}, spread "
            f"{number(spread[0])}–{number(spread[1])}, median over seeds {number(cell['median_over_seeds'])}; "
            f"paper {number(cell['paper'])}"
        )
        for r in cell["readings"]:
            console.print(f"    [dim]{r['reading']}: {number(r['rmse'])}[/dim]")
    for paragraph in explanations(result):
        console.print()
        console.print(paragraph.replace("**", ""), markup=False)
    for name in files:
        click.echo(f"wrote {name}")
