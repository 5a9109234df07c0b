"""``theory compare``: every method on one problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import ExactNumber, check_picture, given_option, json_option, print_json, problem_argument
from theory.text.progress import waiting

if TYPE_CHECKING:
    from theory.experiments.comparison import Comparison, Row
    from theory.experiments.stability_map import StabilityMap
    from theory.methods.outcome import Error
    from theory.problems import Problem


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
@click.option("--estimated", is_flag=True, help="Of transitions between named states: on the estimated problem.")
@click.option("--certify", is_flag=True, help="Certify the map at every point of its grid.")
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
    estimated: bool,
    as_json: bool,
) -> None:
    """Which method solves the problem, where does it land, how fast?

    Each verdict is certified and has its reason; "for" lists all values of a method's own parameter at which it
    converges, and all γ, exactly, or where that is too long stretches with a proof each and what stays unknown. A
    fixed point's error to v_π is a root mean square over the states, weighted by d_μ or each counted once, beside the
    least that the features allow. The rate is the factor per iteration, in floats: at the best step size, of a target
    network per window. The cost is in multiply-adds per transition, with F dense features. "α < (noise)" is the largest
    step size at which sampled updates stay bounded in mean square.

    Of recorded transitions (.csv, .parquet, .npz) each answer comes with how sure it is, by a bootstrap over
    trajectories, or with about how many more transitions would settle it.
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
        if plot is not None:
            raise click.UsageError("--plot needs a problem: --estimated compares on the one that the data suggest")
        _recorded(problem, gamma, None if names is None else names.split(","), given, as_json)
        return
    with waiting("reading the problem") as progress:
        where = find_problem(problem, gamma)
        if where.is_large and plot is not None:
            raise click.UsageError(f"--plot needs a dense P, and {where.name} has {where.n_states:,} states")
        drawn = None if plot is None else _map(where, over, given, certify, plot, progress)
        found = compare(where, None if names is None else names.split(","), given, progress)
    if as_json:
        print_json(found.to_dict() | ({} if drawn is None else {"plot": str(plot), "map": drawn.to_dict()}))
        return
    _screen(found)
    if plot is not None:
        click.echo(f"\nwrote {plot}")


def _recorded(path: str, gamma: Any, names: list[str] | None, given: dict[str, Any], as_json: bool) -> None:
    """Transitions: each method's answer with its confidence."""
    from theory.data.inspect import open_data

    data = open_data(path, gamma)
    with waiting("bootstrap"):
        found = data.compare(names, given)
    if as_json:
        print_json(found.to_dict())
        return
    from rich.console import Console
    from rich.markup import escape

    from theory.problems.numbers import show_number
    from theory.text.tables import print_table

    console = Console(highlight=False)
    console.print(f"[bold]{escape(data.title)}[/bold]\n", soft_wrap=True)
    said = {True: ("yes", "green"), False: ("no", "red"), None: ("undecided", "yellow")}
    rows = []
    for row in found.rows:
        settings = ", ".join(f"{name}={show_number(value)}" for name, value in row.method.settings.items())
        answer, colour = said[row.converges]
        low, high = row.interval or (None, None)
        rows.append((
            row.method.name + (f" [dim]{settings}[/dim]" if settings else ""),
            f"[{colour}]{answer}[/{colour}]",
            "–" if row.value is None else f"{row.measure} ≈ {row.value:.4g}",
            "–" if low is None or high is None else f"{low:.4g} … {high:.4g}",
            escape(row.reason),
        ))  # fmt: skip
    headings = ("method", "converges", "estimate", f"{100 * data.level:g}% interval", "reason")
    print_table(console, headings, rows, left=headings)


def _map(problem: Problem, over: str, given: dict[str, Any], certify: bool, path: Path, progress: Any) -> StabilityMap:
    """Drawn before the table: a picture that cannot be made is an error, not half an answer."""
    from theory.exhibits._style import look
    from theory.exhibits.live.stability_map import plot_map
    from theory.experiments.stability_map import stability_map

    found = stability_map(problem, over, given, certify, progress)
    with look():
        plot_map(found).savefig(path, dpi=160)
    return found


def _screen(found: Comparison) -> None:
    from rich.console import Console
    from rich.markup import escape

    from theory.noise.affordable import LEARNERS
    from theory.problems.numbers import show_number
    from theory.text.tables import print_table

    console = Console(highlight=False)
    problem = found.problem
    console.print(
        f"[bold]{escape(problem.name)}[/bold]  {problem.summary}\n"
        f"least error of any θ: {_error(found.best_error, 'd_mu')} weighted by d_μ, "
        f"{_error(found.best_error, 'uniform')} uniform\n",
        soft_wrap=True,
    )
    rows = []
    for row in found.rows:
        settings = ", ".join(f"{name}={show_number(value)}" for name, value in row.method.settings.items())
        said, colour = row.outcome.holds.pick(("yes", "green"), ("no", "red"), ("undecided", "yellow"))
        rows.append((
            row.method.name + (f" [dim]{settings}[/dim]" if settings else ""),
            f"[{colour}]{said}[/{colour}]",
            _values(row),
            escape(str(row.discounts.values)) if row.discounts.values is not None else "?",
            _error(row.rest.error, "d_mu"),
            _error(row.rest.error, "uniform"),
            "–" if row.rate is None else f"{row.rate:.6g}",
            str(found.mean_square(row)) if row.method.name in LEARNERS else "–",
            row.method.cost,
            escape(row.outcome.reason) + f" [dim]({row.outcome.how})[/dim]",
        ))  # fmt: skip
    headings = (
        "method",
        "converges",
        "for",
        "for γ in",
        "error d_μ",
        "uniform",
        "rate",
        "α < (noise)",
        "cost",
        "reason",
    )
    print_table(console, headings, rows, left=("method", "converges", "for", "for γ in", "cost", "reason"))
    console.print(
        "\n[dim]α < (noise): the largest step size at which sampled updates are bounded in mean square, proved; "
        "? where it takes longer: theory noise[/dim]"
    )
    if any(k.values is None for row in found.rows for k in (row.threshold, row.discounts) if row.method.own):
        reasons = {k.reason for row in found.rows for k in (row.threshold, row.discounts) if k.values is None}
        console.print(f"\n[dim]? : {'; '.join(sorted(r for r in reasons if r and r != 'it has no parameter'))}[/dim]")
    if any(row.rest.error is None and "singular" in (row.rest.note or "") for row in found.rows):
        console.print("\n[dim]– for an error: the method's system is singular, with no fixed point or many[/dim]")
    if not found.exact:
        console.print("\n[dim]fixed points and errors in floats: the problem is large[/dim]", soft_wrap=True)


def _values(row: Row) -> str:
    """All values of the method's own parameter at which it converges."""
    from rich.markup import escape

    from theory.thresholds.results import WholeSet

    if row.method.own is None:
        return "–"
    letter = {"lambda": "λ", "eta": "η", "tau": "τ", "ratio": "β/α", "window": "T"}.get(row.method.own, row.method.own)
    values = row.threshold.values
    if values is None:
        return f"{letter}: ?"
    if str(values) == "none":
        return f"no {letter}"
    return escape(f"{letter}: {values}" if isinstance(values, WholeSet) else f"{letter} in {values}")


def _error(error: Error | None, which: str) -> str:
    return "–" if error is None else f"{getattr(error, which):.6g}"
