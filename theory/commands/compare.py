"""``theory compare``: every method on one problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import (
    ExactNumber,
    check_picture,
    data_options,
    given_option,
    json_option,
    print_json,
    problem_argument,
    refuse_data_options,
    wide_option,
)
from theory.text.progress import waiting

if TYPE_CHECKING:
    from theory.experiments.stability_map import StabilityMap
    from theory.problems import Problem
    from theory.views.page import Page


@click.command("compare")
@problem_argument
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--step-size", type=ExactNumber(), help="Step size α of hard and soft target networks.")
@click.option("--window", type=ExactNumber(), help="Updates T per hard target network.  [default: 100]")
@click.option("--tau", type=ExactNumber(), help="Share τ of soft targets and of the damped chain.  [default: 1/8]")
@click.option(
    "--methods",
    "names",
    metavar="a,b,…",
    help="Only these, by name or alias; parameters stand behind colons: td-lambda:0.5,tdrc:ratio=2:kappa=1/2.",
)
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw a stability map: .png, .svg, .pdf.")
@click.option(
    "--over",
    default="soft-target:alpha,tau",
    show_default=True,
    metavar="METHOD:x,y",
    help="Of which method, over which two of its parameters or gamma: pfqi:alpha,window, td-lambda:lambda,gamma.",
)
@click.option("--action-values", is_flag=True, help="Of pairs (s, a), each action with a copy of the features.")
@click.option("--estimated", is_flag=True, help="Of transitions between named states: on the estimated problem.")
@click.option("--certify", is_flag=True, help="Certify the map at every point of its grid.")
@click.option("--best", is_flag=True, help="Only what is recommended.")
@click.option("--theta", is_flag=True, help="Also every fixed point.")
@click.option("--matrix", is_flag=True, help="Also the matrices that decide.")
@click.option("--errors", is_flag=True, help="Also the errors of fixed points that a method does not arrive at.")
@data_options
@wide_option
@json_option
def command(
    problem: str,
    gamma: Any,
    step_size: Any,
    window: Any,
    tau: Any,
    names: str | None,
    plot: Path | None,
    over: str,
    certify: bool,
    action_values: bool,
    estimated: bool,
    best: bool,
    theta: bool,
    matrix: bool,
    errors: bool,
    wide: bool,
    as_json: bool,
    **of_data: Any,
) -> None:
    """Which method should be used, which solve the problem, where do they land, how fast?

    Rows are sorted: convergent methods first, then by error, rate and noise; → marks what is recommended. Each verdict
    is certified and has its reason; "for" lists all values of a method's own parameter at which it converges, and all
    γ, exactly, or where that is too long stretches with a proof each and what stays unknown. A fixed point's error to
    v_π is a root mean square over the states, weighted by d_μ or each counted once, beside the least that the features
    allow. The rate is the factor per iteration, in floats: at the best step size, of a target network per window. The
    cost is in multiply-adds per transition, with F dense features. "α < (noise)" is the largest step size at which
    sampled updates stay bounded in mean square.

    Of recorded transitions (.csv, .parquet, .npz, a folder or a glob of them) each answer comes with how sure it is, by
    a bootstrap over trajectories, or with about how many more transitions would settle it.
    """
    from theory.experiments.comparison import compare
    from theory.problems.sources import find_problem, is_data_set

    if plot is not None:
        check_picture(plot)
    elif certify or given_option("over"):
        raise click.UsageError("--over and --certify are of the map that --plot draws")
    settings = {"alpha": step_size, "window": window, "tau": tau}
    given = {name: value for name, value in settings.items() if value is not None}
    if is_data_set(problem) and not estimated:
        needy = {"--plot": plot, "--best": best, "--theta": theta, "--matrix": matrix, "--errors": errors}
        needy["--action-values"] = action_values
        for option, value in needy.items():
            if value:
                raise click.UsageError(
                    f"{option} needs a problem: --estimated compares on the one that the data suggest"
                )
        _recorded(problem, gamma, None if names is None else names.split(","), given, of_data, as_json, wide)
        return
    recorded = estimated and is_data_set(problem)
    if not recorded:
        refuse_data_options(of_data)
    with waiting("reading the problem") as progress:
        if recorded:
            from theory.commands.recorded import estimated as estimated_problem

            where = estimated_problem(problem, gamma, of_data)
        else:
            where = find_problem(problem, gamma)
        if action_values:
            where = where.action_values()
        if where.is_large and plot is not None:
            raise click.UsageError(f"--plot needs a dense P, and {where.name} has {where.n_states:,} states")
        drawn = None if plot is None else _map(where, over, given, certify, plot, progress)
        found = compare(where, None if names is None else names.split(","), given, progress)
    if as_json:
        print_json(found.to_dict() | ({} if drawn is None else {"plot": str(plot), "map": drawn}))
        return
    found.page(best, theta, matrix, errors).print(wide)
    if plot is not None:
        click.echo(f"\nwrote {plot}")


def _recorded(
    path: str,
    gamma: Any,
    names: list[str] | None,
    given: dict[str, Any],
    of_data: dict[str, Any],
    as_json: bool,
    wide: bool,
) -> None:
    """Transitions: each method's answer with its confidence."""
    from theory.commands.recorded import leave, reading

    with reading(path, gamma, of_data) as (data, _):
        found = data.compare(names, given)
    if as_json:
        print_json(found.to_dict())
    else:
        _data_page(found).print(wide)
    leave(data)


def _data_page(found: Any) -> Page:
    from theory.views.page import Column, Page, answered, prose, strong, table

    data, rows = found.data, []
    for row in found.rows:
        low, high = row.interval or (None, None)
        rows.append((
            row.method.label,
            answered({True: "yes", False: "no", None: "undecided"}[row.converges], row.converges),
            "–" if row.value is None else f"{row.measure} ≈ {row.value:.4g}",
            "–" if low is None or high is None else f"{low:.4g} … {high:.4g}",
            row.reason,
        ))  # fmt: skip
    headings = ("method<", "converges<", "estimate<", f"{100 * data.level:g}% interval<")
    columns = (*headings, Column("reason", left=True, below=True))
    return Page((prose(strong(data.title)), prose(), table(columns, rows)))


def _map(problem: Problem, over: str, given: dict[str, Any], certify: bool, path: Path, progress: Any) -> StabilityMap:
    """Drawn before the table: a picture that cannot be made is an error, not half an answer."""
    from theory.experiments.stability_map import stability_map
    from theory.figures._style import look
    from theory.figures.live.stability_map import plot_map

    found = stability_map(problem, over, given, certify, progress)
    with look():
        plot_map(found).savefig(path, dpi=160)
    return found
