"""``theory success-rate``: how often TD is unstable and the chain biased, on random problems."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import ExactNumber, check_picture, json_option, print_json
from theory.problems.ensembles import ENSEMBLES

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from theory.montecarlo.study import Study

MOMENT = 2.0  # seconds
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
@click.option("--plot", default=None, type=click.Path(dir_okay=False, path_type=Path), help="Draw it, with --methods.")
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
    as_json: bool,
    **options: Any,
) -> None:
    """Count on random problems: TD unstable, chain biased, both, neither, with 95% intervals.

    The same command gives the same numbers on any number of workers. Interrupted, it keeps finished chunks; run it
    again to go on. With more --samples it extends what is there.
    """
    from theory.code_version import versions
    from theory.montecarlo.axes import parse_sizes, parse_windows
    from theory.montecarlo.cells import Cell
    from theory.montecarlo.study import Study

    given = {name: value for name in PARAMETERS if (value := options.pop(name)) is not None}
    options |= {"windows": () if windows is None else parse_windows(windows), "parameters": given}
    cells = tuple(Cell(S, F, **options) for S, F in parse_sizes(states, features))
    if methods is None:
        if plot is not None:
            raise click.UsageError("--plot goes with --methods")
        rows = _rows(Study(cells, samples, seed, chunk), workers, cluster, path)
        parameters = {"windows": windows, "parameters": dict(cells[0].parameters), "versions": versions("numpy")}
        asked = {"states": states, "features": features, "samples": samples, "seed": seed, "chunk": chunk}
        config: dict[str, Any] = {**asked, **options, **parameters}
    else:
        from theory.montecarlo.joint import known_methods

        if windows is not None or options["quantiles"] or options["n_steps"] != 1:
            raise click.UsageError("--methods goes without --windows, --quantiles and --n")
        names = known_methods(methods)
        if plot is not None:
            check_picture(plot)
        rows = _rows(Study(cells, samples, seed, chunk, names), workers, cluster, path)
        config = {"methods": names, "samples": samples, "seed": seed}
    if plot is not None:
        from theory.exhibits._style import look
        from theory.exhibits.live.joint_methods import plot_joint

        with look():
            plot_joint(rows).savefig(plot, dpi=160)
    if as_json:
        print_json({"config": config, "rows": rows})
        return
    if methods is None:
        _print(rows)
    for row in rows if methods is not None else ():
        _print_methods(row)
    if plot is not None:
        click.echo(f"\nwrote {plot}")


def _rows(study: Study, workers: int | None, cluster: str | None, path: str | None) -> list[dict[str, Any]]:
    """The study's rows; what takes a moment is computed here, because processes take longer to start."""
    from theory.commands.running_work import executor_for, running_work
    from theory.montecarlo.study import run_study

    here = workers is None and cluster is None and study.seconds < MOMENT
    executor: AbstractContextManager[Executor | None] = nullcontext() if here else executor_for(workers, cluster)
    running = running_work(path or study.work.store_path(), study.work.version(), executor, "problems", rate=True)
    with running as (store, processes, progress):
        return run_study(study, store, processes, progress)


def _print_methods(row: dict[str, Any]) -> None:
    from rich.console import Console

    from theory.text.tables import print_table

    console = Console(highlight=False)
    console.print(f"\nS = {row['states']}, F = {row['features']}: {row['samples']:,} problems, γ = {row['gamma']:g}\n")
    names = [m["method"] for m in row["methods"]]
    cells = (
        (m["method"], _rate(m["rate"], m["ci95"]), *(str(k) if i != j else "–" for j, k in enumerate(rescued)))
        for i, (m, rescued) in enumerate(zip(row["methods"], row["rescued"], strict=True))
    )
    print_table(console, ("method", "converges", *(f"→ {name}" for name in names)), cells, padding=(0, 1, 0, 0))
    console.print("\nconverges: in % with 95% Wilson intervals; → m: problems on which it fails and m converges")
    for entry in row["joint"][:6]:
        console.print(f"{entry['count']:>7,}  solved by {', '.join(entry['solved_by']) or 'none'}", soft_wrap=True)
    for kind, causes in row["causes"].items():
        told = ", ".join(f"{_CAUSES[name].format(_REAL[kind])}: {k}" for name, k in causes.items())
        if told:
            console.print(f"{'TD' if kind == 'td' else 'the chain'} fails by {told}")
    if row["undecided"]:
        console.print(f"{row['undecided']:,} problems are undecided; the intervals allow for them.")


_CAUSES = {
    "determinant": "det A < 0",
    "negative": "a real β < −1",
    "pair": "a complex pair",
    "real": "an even number of {}",
}
_REAL = {"td": "real λ < 0", "chain": "real β > 1"}


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console

    from theory.text.tables import print_table

    names = ("td_unstable", "chain_biased", "both", "unbiased_given_td_unstable")
    cells = (
        (str(row["states"]), str(row["features"]), *(_rate(row["rates"][name], row["ci95"][name]) for name in names))
        for row in rows
    )
    console = Console(highlight=False)
    print_table(console, ("S", "F", "TD unstable", "chain biased", "both", "rescued"), cells, padding=(0, 1, 0, 0))
    console.print(
        f"\n{rows[0]['samples']:,} problems each; rates in % with 95% Wilson intervals.\n"
        "Rescued: the chain is unbiased, given that TD is unstable."
    )
    if undecided := sum(row["undecided"] for row in rows):
        console.print(f"{undecided:,} problems are undecided; the intervals allow for them.")
    curves = [row for row in rows if "windows" in row]
    for row in curves:
        stable = " ".join(f"T={w['window']}: {100 * w['rate']:.2f}" for w in row["windows"])
        console.print(f"S={row['states']} F={row['features']} stable with target network, in %:  {stable}")
    for row in rows:
        if "rho_quantiles" in row:
            shown = "  ".join(f"{float(q):.0%}: {x:.4g}" for q, x in row["rho_quantiles"].items())
            radius = "ρ(γΠP)" if row["n_steps"] == 1 else f"ρ(γⁿΠPⁿ), n = {row['n_steps']}"
            console.print(f"S={row['states']} F={row['features']} quantiles of {radius}:  {shown}")


def _rate(rate: float | None, interval: list[float]) -> str:
    low, high = (100 * x for x in interval)
    return "–" if rate is None else f"{100 * rate:.1f} ({low:.1f}–{high:.1f})"
