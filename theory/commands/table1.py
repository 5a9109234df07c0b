"""``theory table1``: the paper's table, cell by cell, beside its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import json_option, print_json, wide_option

if TYPE_CHECKING:
    from theory.views.page import Block, Page

_COMMITTED = Path("reports/table1.csv")
_FILE, _FOLDER = click.Path(dir_okay=False, path_type=Path), click.Path(file_okay=False, path_type=Path)


@click.command("table1")
@click.option("--exact", is_flag=True, help="Expected errors of the whole grid, without sampling.")
@click.option("--profile", help="quick: coarser grid, fewer seeds (the default); full: all (with --exact the default).")
@click.option("--repetitions", default=1, show_default=True, help="Independent repetitions of the whole protocol.")
@click.option("--seed", default=0, show_default=True, help="Where all randomness comes from.")
@click.option("--readings", is_flag=True, help="Try other readings for the cells that are not reproduced.")
@click.option("--workers", type=int, default=None, help="Processes; as many as processors by default.")
@click.option("--store", "path", type=_FILE, help="Finished units; by default under reports/data/.")
@click.option("--into", type=_FOLDER, help="Also write table1.md and table1.csv there.")
@click.option("--raw", type=_FILE, help="Write what each test seed gave: .csv or .parquet.")
@click.option("--learner", "learners", metavar="A,B,…", help="With --exact: only these rows.")
@click.option("--simulated", type=_FILE, help="With --exact: sampled cells; reports/table1.csv where it is there.")
@wide_option
@json_option
def command(
    exact: bool,
    profile: str | None,
    repetitions: int,
    seed: int,
    readings: bool,
    workers: int | None,
    path: Path | None,
    into: Path | None,
    raw: Path | None,
    learners: str | None,
    simulated: Path | None,
    wide: bool,
    as_json: bool,
) -> None:
    """Tune the paper's learners and TDRC on three problems at two discounts, test them on new seeds, compare.

    The same command gives the same numbers on any number of workers. Interrupted, it keeps finished units (a learner on
    a problem in one repetition); run it again to go on.

    With --exact nothing is sampled: for each cell the least expected RMSE of the paper's grid, and beside it the
    sampled cell of a table1.csv with what its setting is worth in expectation (minutes, in units that are kept).
    """
    if exact:
        sampling = {
            "--readings": readings,
            "--into": into,
            "--raw": raw,
            "--repetitions": repetitions != 1,
            "--seed": seed != 0,
        }
        for name, given in sampling.items():
            if given:
                raise click.UsageError(f"{name}: nothing is sampled with --exact")
        _exact(profile or "full", learners, simulated, workers, path, as_json, wide)
        return
    for name, value in {"--learner": learners, "--simulated": simulated}.items():
        if value is not None:
            raise click.UsageError(f"{name}: only with --exact")
    from theory.code_version import provenance
    from theory.commands.running_work import executor_for, running_work
    from theory.experiments.table1 import Table1, default_store, run_table1
    from theory.experiments.table1.impossible import impossible_pairs
    from theory.experiments.table1.text import explanations, table1_command, table1_csv, table1_markdown
    from theory.experiments.table1.units import version
    from theory.text.tables import can_write, write_rows

    if raw is not None and (why_not := can_write(raw)):
        raise click.UsageError(f"--raw: {why_not}")
    asked = Table1(profile or "quick", repetitions, seed, readings)
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
        _page(result, files).print(wide)


def _exact(
    profile: str,
    learners: str | None,
    simulated: Path | None,
    workers: int | None,
    path: Path | None,
    as_json: bool,
    wide: bool,
) -> None:
    from theory.commands.running_work import executor_for, running_work
    from theory.experiments.table1 import Table1
    from theory.experiments.table1.expected import default_store, expected_table, read_cells, version
    from theory.experiments.table1.paper import LEARNERS
    from theory.experiments.table1.text import explanations

    scale = Table1(profile).scale
    asked = tuple(dict.fromkeys(learners.split(","))) if learners else LEARNERS
    for name in asked:
        if name not in LEARNERS:
            raise click.UsageError(f"--learner: {name!r} has no row; there are {', '.join(LEARNERS)}")
    source = simulated or (_COMMITTED if profile == "full" and _COMMITTED.is_file() else None)
    cells = [] if source is None else read_cells(source)
    with running_work(path or default_store(), version(), executor_for(workers)) as (store, executor, progress):
        result = expected_table(scale, store, cells, asked, executor, progress)
    result["simulated_from"] = None if source is None else str(source)
    if as_json:
        print_json(result | {"notes": explanations(None, result)})
    else:
        _exact_page(result).print(wide)


def _grid(rows: list[list[str]], title: str) -> list[Block]:
    """The paper's number below ours: six columns fit into 80 characters."""
    from theory.views.page import prose, table

    headings = [f"{name}\nγ = {gamma}" for gamma in (".9", ".99") for name in ("Baird", "B-Reward", "Three")]
    shown = []
    for name, *cells in rows:
        pairs = (f"{ours} {sign}\n{paper}" for ours, paper, sign in (cell.split() for cell in cells))
        shown.append((name.removesuffix(" chained TD"), *pairs))
    return [prose(title), prose(), table(("<", *headings), shown), prose()]


def _paragraphs(texts: list[str]) -> list[Block]:
    from theory.views.page import prose

    return [block for text in texts for block in (prose(), prose(text.replace("**", "")))]


def _exact_page(result: dict[str, Any]) -> Page:
    from theory.experiments.table1.text import (
        DETAIL_HEADINGS,
        expected_grid,
        expected_legend,
        expected_rows,
        expected_summary,
        explanations,
    )
    from theory.views.page import Column, Page, prose, table

    left = ("learner", "problem", "setting", "at setting", "tail", "mark")
    kept = ("learner", "problem", "γ", "paper", "mark")
    columns = [
        Column(name, left=name in left, below=name in ("setting", "at setting"), drop=0 if name in kept else 1 + i)
        for i, name in enumerate(DETAIL_HEADINGS)
    ]
    source = result["simulated_from"]
    where = f"Sampled cells from {source}."
    if source is None:
        where = "No sampled cells are at hand (--simulated table1.csv): marks are by the best setting's tail."
    return Page(
        (
            *_grid(expected_grid(result), "RMSE, least expectation with its mark (paper)"),
            prose(expected_summary(result)),
            prose(expected_legend(result)),
            prose(),
            table(columns, expected_rows(result)),
            prose(),
            prose(where),
            *_paragraphs(explanations(None, result)),
        )
    )


def _page(result: dict[str, Any], files: list[str]) -> Page:
    from theory.experiments.table1.paper import TITLES
    from theory.experiments.table1.text import explanations, grid_rows, legend, number, summary
    from theory.views.page import Page, dim, prose

    missed: list[Block] = []
    for cell in (c for c in result["cells"] if c["mark"] == "not reproduced"):
        spread = cell["repetitions"]["spread"]
        text = (
            f"✗ {TITLES[cell['learner']]}, {cell['problem']} {cell['gamma']:g}: {number(cell['rmse'])}, spread "
            f"{number(spread[0])}–{number(spread[1])}, median over seeds {number(cell['median_over_seeds'])}; "
            f"paper {number(cell['paper'])}"
        )
        missed += [
            prose(text, hang=2),
            *(prose(dim(f"    {r['reading']}: {number(r['rmse'])}"), hang=6) for r in cell["readings"]),
        ]
    return Page(
        (
            *_grid(grid_rows(result), "RMSE, ours with its mark (paper)"),
            prose(summary(result)),
            prose(legend(result)),
            *missed,
            *_paragraphs(explanations(result)),
            *(prose(f"wrote {name}") for name in files),
        )
    )
