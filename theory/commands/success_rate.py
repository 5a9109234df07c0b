"""``theory success-rate``: how often TD is unstable and the chain biased, on random problems."""

from __future__ import annotations

import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import ExactNumber, check_picture, json_option, print_json, save_picture, wide_option
from theory.problems.ensembles import ENSEMBLES

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from theory.montecarlo.study import Study

MOMENT = 2.0  # seconds
_FILE = click.Path(dir_okay=False, path_type=Path)
PARAMETERS = {name: p for ensemble in ENSEMBLES.values() for name, p in ensemble.parameters.items()}


def ensemble_options(command: Any) -> Any:
    """An option for every parameter of every ensemble."""
    for name, p in reversed(PARAMETERS.items()):
        kind, meaning = int if p.whole else float, p.meaning[0].upper() + p.meaning[1:]
        command = click.option(f"--{name}", type=kind, help=f"{meaning}.  [default: {p.default}]")(command)
    return command


@click.command("success-rate")
@click.option("--states", default="2,5,10,20,50", show_default=True, help="S: a list and ranges, 2..100 or 10..100:10.")
@click.option(
    "--features", default="S,S-1,S/2", show_default=True, help="F ≤ S: numbers, ranges, or S, S-1, S/2, 3S/4."
)
@click.option("--samples", default=1000, show_default=True, help="Problems for each (S, F).")
@click.option("--seed", default=0, show_default=True)
@click.option("--gamma", default="0.99", show_default=True, type=ExactNumber())
@click.option("--ensemble", default="paper", show_default=True, help=f"One of {', '.join(ENSEMBLES)}.")
@click.option(
    "--law", default="normal", show_default=True, help="Features: normal, absolute-normal, binary, aggregation …"
)
@click.option(
    "--sink", default=0.0, show_default=True, help="Probability with which the target goes to one random state."
)
@ensemble_options
@click.option("--n", "n_steps", default=1, show_default=True, help="Steps of the estimator.")
@click.option("--windows", default=None, help="Also with T updates per target network: 1,2,4,inf.")
@click.option("--step-size", default=0.5, show_default=True, help="α λ_max(X), for --windows.")
@click.option(
    "--methods",
    default=None,
    metavar="a,b,…",
    help="Any methods on the same problems, and who rescues whom: td,chain,soft,td-lambda:0.9,n-step:8.",
)
@click.option("--plot", default=None, type=_FILE, help="Draw it: .png, .svg or .pdf.")
@click.option("--csv", "table", default=None, type=_FILE, help="Write the rows: .csv or .parquet.")
@click.option(
    "--certify", is_flag=True, help="Certify verdicts on --methods, too; those on TD and the chain are proofs."
)
@click.option("--quantiles", is_flag=True, help="Quantiles of ρ(γΠP); needs all eigenvalues, slow.")
@click.option("--chunk", default=1000, show_default=True, help="Problems in a unit of work and storage.")
@click.option("--workers", default=None, type=int, help="Processes; as many as processors by default.")
@click.option(
    "--cluster", default=None, metavar="ADDRESS", help="Dask scheduler, tcp://host:port, instead of processes."
)
@click.option("--store", "path", default=None, metavar="FILE", help="Finished chunks; by default under reports/data/.")
@wide_option
@json_option
def command(
    states: str,
    features: str,
    samples: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
    path: str | None,
    chunk: int,
    windows: str | None,
    methods: str | None,
    plot: Path | None,
    table: Path | None,
    wide: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Count on random problems: TD unstable, chain biased, both, neither, with 95% intervals.

    The same command gives the same numbers on any number of workers. Interrupted, it keeps finished chunks; run it
    again to go on. With more --samples it extends what is there.
    """
    from theory.code_version import provenance, versions
    from theory.montecarlo.axes import parse_sizes, parse_windows
    from theory.montecarlo.cells import Cell
    from theory.montecarlo.pages import method_rows, methods_page, rates_page
    from theory.montecarlo.study import Study
    from theory.text.tables import can_write, write_rows

    given = {name: value for name in PARAMETERS if (value := options.pop(name)) is not None}
    options |= {"windows": () if windows is None else parse_windows(windows), "parameters": given}
    cells = tuple(Cell(S, F, **options) for S, F in parse_sizes(states, features))
    if plot is not None:
        check_picture(plot)
    if table is not None and (why_not := can_write(table)):
        raise click.UsageError(f"--csv: {why_not}")
    if methods is None:
        rows = _rows(Study(cells, samples, seed, chunk), workers, cluster, path)
        parameters = {"windows": windows, "parameters": dict(cells[0].parameters), "versions": versions("numpy")}
        asked = {"states": states, "features": features, "samples": samples, "seed": seed, "chunk": chunk}
        config: dict[str, Any] = {**asked, **options, **parameters}
    else:
        from theory.montecarlo.joint import known_methods

        if windows is not None or options["quantiles"] or options["n_steps"] != 1:
            raise click.UsageError("--methods goes without --windows, --quantiles and --n")
        names = known_methods(methods)
        rows = _rows(Study(cells, samples, seed, chunk, names), workers, cluster, path)
        config = {"methods": names, "samples": samples, "seed": seed}
    if plot is not None:
        from theory.figures.live.joint_methods import plot_joint, plot_rates

        save_picture(plot_rates(rows) if methods is None else plot_joint(rows), plot)
    if table is not None:
        from theory.figures._random_problems import flat_rows

        made = flat_rows({"rows": rows}) if methods is None else method_rows(rows)
        write_rows(table, made, provenance(seed, "theory " + shlex.join(sys.argv[1:])))
    if as_json:
        print_json({"config": config, "rows": rows})
        return
    if methods is None:
        rates_page(rows).print(wide)
    for row in rows if methods is not None else ():
        methods_page(row).print(wide)
    for path_written in (plot, table):
        if path_written is not None:
            click.echo(f"\nwrote {path_written}")


def _rows(study: Study, workers: int | None, cluster: str | None, path: str | None) -> list[dict[str, Any]]:
    """The study's rows; what takes a moment is computed here, because processes take longer to start."""
    from theory.commands.running_work import executor_for, running_work
    from theory.montecarlo.study import run_study

    here = workers is None and cluster is None and study.seconds < MOMENT
    executor: AbstractContextManager[Executor | None] = nullcontext() if here else executor_for(workers, cluster)
    running = running_work(path or study.work.store_path(), study.work.version(), executor, "problems", rate=True)
    with running as (store, processes, progress):
        return run_study(study, store, processes, progress)
