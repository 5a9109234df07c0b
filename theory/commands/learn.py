"""``theory learn``: a learner on a problem, and how its error falls."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import (
    ExactNumber,
    Named,
    json_option,
    learner_names,
    print_json,
    problem_argument,
    wide_option,
)
from theory.commands.learner_words import as_float, asked_learners
from theory.text.progress import waiting

if TYPE_CHECKING:
    from theory.experiments.learning import Learned
    from theory.problems import Problem

_FILE = click.Path(dir_okay=False, path_type=Path)


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
    "--error",
    type=click.Choice(("uniform", "d_mu", "pbe")),
    default="uniform",
    show_default=True,
    help="RMSE, √VE or √PBE.",
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
@wide_option
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
    wide: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Run learners and show their error, with a confidence band over seeds.

    All learners see the same moves for the same --seed. Settings and variants may stand behind a learner's name, as in
    gtd2:alpha=1/32,beta=1/256,reading=2009; `theory list` shows which each has. --set gives a variant to all that have
    it.
    """
    from theory.experiments.learned_page import learned_page
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
        learned_page(results).print(wide)
        for path in files.written:
            click.echo(f"wrote {path}")


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
        from theory.figures._style import save_one
        from theory.figures.live.learned import plot_learned
        from theory.figures.live.sensitivity import plot_sensitivity
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
