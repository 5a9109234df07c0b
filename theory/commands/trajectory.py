"""``theory trajectory``: the expected updates of one method, from a start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from theory.commands.common import (
    Count,
    ExactNumber,
    check_picture,
    json_option,
    print_json,
    problem_argument,
    save_picture,
    set_option,
    wide_option,
)


@click.command("trajectory")
@problem_argument
@click.option("--method", required=True, metavar="NAME", help="As compare names it: td, etd, tdc:ratio=10, fqi.")
@click.option("--steps", type=Count(min=0), default=1000, show_default=True, help="Updates.")
@click.option(
    "--start",
    default="zero",
    show_default=True,
    metavar="zero|behaviour|a,b,…",
    help="θ_0: zero, the behaviour's fixed point θ_μ, or one number a feature.",
)
@click.option("--step-size", type=ExactNumber(), help="α.  [default: the largest power of two up to 1/λ_max(X)]")
@click.option("--sweep", is_flag=True, help="Each update goes over all states alike, in place of the weights d_μ.")
@click.option(
    "--error", default="uniform", show_default=True, type=click.Choice(["uniform", "d_mu", "pbe"]), help="In JSON."
)
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@set_option
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw it: .png, .svg or .pdf.")
@click.option("--csv", "table", type=click.Path(dir_okay=False, path_type=Path), help="Write every update as CSV.")
@wide_option
@json_option
def command(
    problem: str,
    method: str,
    steps: int,
    start: str,
    step_size: Any,
    sweep: bool,
    error: str,
    gamma: Any,
    letters: str | None,
    plot: Path | None,
    table: Path | None,
    wide: bool,
    as_json: bool,
) -> None:
    """The expected updates of a method: its parameters, what they predict and their errors, update by update.

    In floats. What diverges does so until it leaves the range of doubles, and is null in JSON from there on.
    Baird's star as textbooks draw it: theory trajectory baird --gamma 0.99 --method td --step-size 0.01 --start
    1,1,1,1,1,1,10,1.
    """
    from theory.commands.chain import read_start
    from theory.experiments.trajectory import trajectory
    from theory.problems.sources import find_problem

    if plot is not None:
        check_picture(plot)
    where = find_problem(problem, gamma, letters)
    first = start if start in ("zero", "behaviour") else read_start(start, where.n_features)
    found = trajectory(where, method, steps, first, step_size, sweep, error)
    if plot is not None:
        save_picture(found.plot(), plot)
    if table is not None:
        from theory.text.tables import csv_text

        table.write_text(csv_text(found.rows(), {}), encoding="utf-8")
    if as_json:
        print_json(found)
        return
    found.page().print(wide)
    for path in (plot, table):
        if path is not None:
            click.echo(f"wrote {path}")
