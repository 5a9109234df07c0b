"""``theory learn``: a learner on a problem, and how its error falls."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import ExactNumber, Named, json_option, learner_names, print_json, problem_argument
from theory.commands.learner_words import as_float, asked_learners
from theory.text.progress import waiting
from theory.text.words import count

if TYPE_CHECKING:
    from rich.console import Console

    from theory.experiments.learning import Learned
    from theory.experiments.tuning import Tuning
    from theory.problems import Problem

_FILE = click.Path(dir_okay=False, path_type=Path)
_BARS = "▁▂▃▄▅▆▇█"
MEASURES = {
    "uniform": ("RMSE", "RMSE against v_π: the root of the mean square over states, alike, and seeds"),
    "d_mu": ("√VE", "√VE: the root of the mean square error against v_π, states weighted by d_μ, and seeds alike"),
    "pbe": (
        "√PBE",
        "√PBE: the root of the mean squared projected Bellman error ‖Π(r_π + γP_πv − v)‖² in the norm of d_μ",
    ),
}


@click.command("learn")
@problem_argument
@click.option(
    "--learner",
    metavar="NAME",
    type=Named(learner_names),
    help="td, gtd2:alpha=1/32,beta=1/256 …: `theory list` names them all.",
)
@click.option("--compare", metavar="A,B,…", help="More learners on the same moves; each may have its own settings.")
@click.option("--step-size", "alpha", type=ExactNumber(), help="α; all learners but lstd need it, or --tune.")
@click.option("--beta", type=ExactNumber(), help="Secondary step size of gtd2, tdc, tdrc; α by default.")
@click.option("--heads", type=int, default=256, show_default=True, help="K: a chain has the heads 0..K.")
@click.option("--k", type=int, help="The head that predicts; K by default.")
@click.option("--window", type=int, help="T, moves per head or target network; 100 by default.")
@click.option("--n", type=int, help="Steps of n-step learners; 1 by default.")
@click.option("--lambda", "lambda_", type=ExactNumber(), help="λ; ½ for td-lambda and chained-q, 0 for etd, else 1.")
@click.option("--epsilon", type=ExactNumber(), help="Ridge of lstd; 0 by default.")
@click.option("--tune", is_flag=True, help="What is not given: the best of the paper's grid on 10 seeds of its own.")
@click.option(
    "--error", type=click.Choice(tuple(MEASURES)), default="uniform", show_default=True, help="RMSE, √VE or √PBE."
)
@click.option("--exact", is_flag=True, help="Also the exact expectation of the error, without sampling.")
@click.option("--steps", type=int, default=100_000, show_default=True, help="Moves of each seed.")
@click.option("--seeds", type=int, default=10, show_default=True, help="How many independent runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where all randomness comes from.")
@click.option("--scale", type=ExactNumber(), default=100, show_default=True, help="Parameters start from N(0, scale²).")
@click.option("--start", metavar="THETA", help="Parameters start from these numbers, 1,1/2,… one a feature.")
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--set", "readings", multiple=True, metavar="KEY=VALUE", help="A variant: after=ring, order=in-place …")
@click.option("--realise", is_flag=True, help="Build an MDP for a problem that has none: action j is “go to j”.")
@click.option("--plot", type=_FILE, help="Draw the curves: .png or .svg.")
@click.option("--csv", "table", type=_FILE, help="Write the curves as CSV.")
@click.option("--raw", type=_FILE, help="Write what each seed gave: .csv or .parquet.")
@click.option("--sensitivity", type=_FILE, help="With --tune, draw the error over the step size: .png or .svg.")
@json_option
def command(
    problem: str,
    learner: str | None,
    compare: str | None,
    tune: bool,
    exact: bool,
    start: str | None,
    gamma: Any,
    readings: tuple[str, ...],
    realise: bool,
    plot: Path | None,
    table: Path | None,
    raw: Path | None,
    sensitivity: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Run learners and show their error, with a confidence band over seeds.

    All learners see the same moves for the same --seed. Settings and variants may stand behind a learner's name, as in
    gtd2:alpha=1/32,beta=1/256,reading=2009; `theory list` shows which each has. --set gives a variant to all that have
    it.
    """
    from theory.experiments.learning import compare as run_all
    from theory.experiments.learning import with_exact
    from theory.problems.numbers import parse_number
    from theory.problems.sources import find_problem

    files = _Files(plot, table, raw, sensitivity)
    files.check(tune)
    shared = {name: given.pop(name) for name in ("heads", "steps", "seeds", "seed", "error")}
    shared["scale"] = as_float(given.pop("scale"), "scale")
    if start is not None:
        shared["start"] = tuple(parse_number(x, "--start", i) for i, x in enumerate(start.split(",")))
    asked = asked_learners(learner, compare, given, readings)
    if sensitivity is not None and not any("alpha" in one.rule.columns and "alpha" not in one.setting for one in asked):
        raise click.UsageError("--sensitivity: every step size was given, so none is tried")
    runs = [] if tune else [one.run(shared) for one in asked]
    found = _with_mdp(find_problem(problem, gamma), realise)
    with waiting("learning") as progress:
        shared["progress"] = progress
        for one in asked if tune else ():
            progress.say(f"tuning {one.rule.name}")
            runs.append(one.tuned(found, shared))
        progress.say("learning")
        results = run_all(found, [replace(run, progress=progress) for run in runs])
        for i, result in enumerate(results if exact else ()):
            progress.say(f"exact error of {result.run.learner}")
            results[i] = with_exact(found, result)
    files.write(results, shared["seed"])
    if as_json:
        document = results[0].document()
        print_json(document | ({"compare": [r.document() for r in results[1:]]} if len(results) > 1 else {}))
    else:
        _print(results, files)


def _with_mdp(problem: Problem, realise: bool) -> Problem:
    if problem.mdp is not None:
        return problem
    if not realise:
        raise click.UsageError(f"{problem.name} has no MDP behind it to sample from; --realise builds one")
    return problem.realised()


@dataclass(frozen=True)
class _Files:
    """What is to be written where."""

    plot: Path | None
    table: Path | None
    raw: Path | None
    sensitivity: Path | None

    def check(self, tune: bool) -> None:
        """Before anything is run."""
        from theory.text.tables import can_write

        for option, path in (("--plot", self.plot), ("--sensitivity", self.sensitivity)):
            if path is not None and path.suffix not in (".png", ".svg"):
                raise click.UsageError(f"{option}: the file's name must end in .png or .svg, got {path.name}")
        if self.raw is not None and (why_not := can_write(self.raw)):
            raise click.UsageError(f"--raw: {why_not}")
        for path in self.written:
            if not path.parent.is_dir():
                raise click.UsageError(f"{path}: there is no folder {path.parent}")
        if self.sensitivity is not None and not tune:
            raise click.UsageError("--sensitivity: the step sizes are those that --tune tries; give both")

    def write(self, results: list[Learned], seed: int) -> None:
        from theory.code_version import provenance
        from theory.exhibits._files import save_one
        from theory.exhibits.live.learned import plot_learned
        from theory.exhibits.live.sensitivity import plot_sensitivity
        from theory.text.tables import csv_text, write_rows

        if not self.written:
            return
        about = provenance(seed, "theory " + shlex.join(sys.argv[1:]))
        if self.table is not None:
            self.table.write_text(csv_text([row for r in results for row in r.rows()], about), encoding="utf-8")
        if self.raw is not None:
            write_rows(self.raw, [row for r in results for row in r.seed_rows()], about)
        if self.plot is not None:
            save_one(plot_learned(results), self.plot, about)
        if self.sensitivity is not None:
            save_one(plot_sensitivity(results), self.sensitivity, about)

    @property
    def written(self) -> list[Path]:
        return [path for path in (self.plot, self.table, self.raw, self.sensitivity) if path is not None]


def _print(results: list[Learned], files: _Files) -> None:
    from rich.console import Console
    from rich.markup import escape

    from theory.experiments.bootstrap import BAND
    from theory.text.tables import print_table

    first = results[0]
    console = Console(highlight=False)
    run = first.run
    console.print(
        f"[bold]{escape(first.problem)}[/bold], γ = {first.gamma:g}, {run.steps:,} moves, seeds: {run.seeds}\n"
    )
    rows = []
    for r in results:
        band = f"{_number(r.low[-1], short=True)}–{_number(r.high[-1], short=True)}" if r.run.seeds > 1 else "–"
        numbers = (_number(r.last_half), _number(r.final), band, f"{r.diverged_seeds}/{r.run.seeds}")
        rows.append((r.run.learner, *numbers, _spark(r)))
    headings = ("learner", "last half", "at end", "band there", "> 150", "curve")
    print_table(console, headings, rows, left=("learner", "curve"), padding=(0, 1, 0, 0))
    console.print()
    if run.seeds > 1:
        _print_seeds(console, results)
    hidden = ("steps", "seeds", "seed", "scale")
    for r in results:
        setting = ", ".join(f"{k} = {_short(v)}" for k, v in r.run.config.items() if k not in hidden)
        console.print(f"[dim]{r.run.learner}: {setting}[/dim]", soft_wrap=True)
        if r.run.tuning is not None:
            console.print(f"[dim]  {_tuned(r, r.run.tuning)}[/dim]", soft_wrap=True)
            if r.run.tuning.at_edge:
                console.print(f"[yellow]  {_beyond(r.run.tuning)}[/yellow]", soft_wrap=True)
        if r.exact is not None:
            console.print(f"{r.run.learner}: {_expected(r)}", soft_wrap=True)
        elif r.inexact is not None:
            console.print(f"[dim]{r.run.learner}: no exact error: {escape(r.inexact)}[/dim]", soft_wrap=True)
        if r.untrained is not None:
            console.print(f"[yellow]{r.run.learner}: {r.untrained}[/yellow]", soft_wrap=True)
    console.print(f"\n{MEASURES[run.error][1]}; the curve is logarithmic.")
    mark = "the paper's mark of divergence" + ("" if run.error == "uniform" else " of the RMSE")
    console.print(f"> 150: seeds above 150 over the last half, {mark}; starts may lie there, too.")
    if run.seeds > 1:
        console.print(f"Band: {BAND}.")
    for path in files.written:
        click.echo(f"wrote {path}")


def _print_seeds(console: Console, results: list[Learned]) -> None:
    """A seed's error over the last half: the middle, the range of nearly all, each learner against the first."""
    from theory.experiments.over_seeds import SHARE
    from theory.text.tables import print_table

    rows, first = [], results[0]
    for r in results:
        tolerance, pair = r.tolerance, r.paired
        assert tolerance is not None  # there are two seeds at least
        range_ = f"{_number(tolerance.low, short=True)}–{_number(tolerance.high, short=True)}"
        apart = ("", "", "")
        if pair is not None:
            interval = f"{_number(pair.low, short=True)} … {_number(pair.high, short=True)}"
            lost = not isfinite(pair.mean)
            apart = ("–" if lost else f"{pair.mean:+.3g}", "–" if lost else interval, f"{pair.lower}/{pair.seeds}")
        rows.append((r.run.learner, _number(r.middle), range_, *apart)[: 6 if len(results) > 1 else 3])
    share = first.tolerance.share if first.tolerance is not None else SHARE
    against = ("minus the first", "95%", "lower on") if len(results) > 1 else ()
    print_table(console, ("a seed's", "IQM", f"{share:.0%} within", *against), rows, left=("a seed's",))
    measure = MEASURES[first.run.error][0]
    text = f"A seed's {measure} over the last half. At least {share:.0%} of all seeds lie within, with 95% confidence."
    if against:
        text += f" The difference to {first.run.learner} is on the same moves, its interval a bootstrap over seeds."
    console.print(f"[dim]{text}[/dim]\n")


def _tuned(result: Learned, tuning: Tuning) -> str:
    """How the setting looked where it was chosen, and how it did on new seeds."""
    how = f"the best of {tuning.settings:,} settings on {tuning.seeds} tuning seeds"
    return f"{how}: {_number(tuning.rmse)} there, {_number(result.last_half)} on {result.run.seeds} new ones"


def _beyond(tuning: Tuning) -> str:
    from theory.experiments.learning import WORDS

    names = " and ".join(WORDS.get(name, name) for name in tuning.at_edge)
    return f"{names} at the edge of the grid: better ones may lie beyond"


def _expected(result: Learned) -> str:
    """The exact errors beside what was measured, in a sentence."""
    exact = result.exact
    assert exact is not None
    last, final = _number(exact.last_half**0.5), _number(float(exact.rmse[-1]))
    text = f"exact expectation {last} over the last half, {final} at the end"
    band = exact.band(result.run.seeds)
    if band is None:
        return f"{text} (no band: {exact.reason})"
    low, high = (float(x[-1]) for x in band)
    seeds = count(result.run.seeds, "seed")
    if not low > 0:
        return f"{text}; {seeds} say little of it: its spread over them is larger than itself"
    return f"{text}; about 95% of all samples of {seeds} end in {_number(low)}–{_number(high)}"


def _spark(result: Learned) -> str:
    """The curve in 12 characters, on a logarithmic scale of four powers of ten below its top."""
    import numpy as np

    at = np.linspace(0, len(result.rmse) - 1, 12).round().astype(int)
    values = result.rmse[at]
    top = np.log10(max(values[np.isfinite(values)].max(initial=1e-12), 1e-12))
    with np.errstate(divide="ignore"):
        level = np.clip((np.log10(values) - top + 4) / 4 * 7, 0, 7)
    return "".join("∞" if not isfinite(v) else _BARS[round(x)] for v, x in zip(values, level, strict=True))


def _number(value: float, short: bool = False) -> str:
    """Three digits; `short` has two where there is an exponent as well, so that a table fits into 80 columns."""
    text = f"{value:.3g}" if isfinite(value) else "div"
    return f"{value:.2g}" if short and "e" in text else text


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
