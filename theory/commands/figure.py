"""``theory figure``: one figure, from its data, as PNG, SVG and CSV."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from theory.commands.common import json_option, print_json


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    profile: str
    seed: int
    into: Path
    workers: int | None
    store: Path | None


_FILE, _FOLDER = click.Path(dir_okay=False, path_type=Path), click.Path(file_okay=False, path_type=Path)


@click.command("figure")
@click.argument("name", metavar="NAME")
@click.option("--profile", default="quick", show_default=True, help="quick, or full as in the paper.")
@click.option("--seed", default=0, show_default=True, help="Where all randomness comes from.")
@click.option("--into", type=_FOLDER, default=Path("reports"), show_default=True, help="Where to write.")
@click.option("--workers", type=int, default=None, help="Processes, where there is a store; all by default.")
@click.option("--store", type=_FILE, help="Finished work; by default under reports/data/.")
@json_option
def command(
    name: str, profile: str, seed: int, into: Path, workers: int | None, store: Path | None, as_json: bool
) -> None:
    """Draw a figure: PNG, SVG and the CSV behind it.

    NAME is success-rate (the paper's figure 1), expected-updates (2), learning-curves (3 and the appendix's),
    n-step-chains (4), transient, bias-variance or best-window.
    """
    if name not in FIGURES:
        from difflib import get_close_matches

        near = get_close_matches(name, FIGURES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FIGURES)}"
        raise click.UsageError(f"no figure named {name!r}; {hint}")
    if profile not in ("quick", "full"):
        raise click.UsageError(f"--profile: quick or full, got {profile!r}")
    if seed < 0:
        raise click.UsageError(f"--seed: must be 0 or more, got {seed}")
    files = FIGURES[name](Asked(profile, seed, into, workers, store))
    if as_json:
        print_json({"figure": name, "files": [str(path) for path in files]})
    else:
        for path in files:
            click.echo(f"wrote {path}")


def _success_rate(asked: Asked) -> list[Path]:
    from theory.commands.running_work import executor_for, running_work
    from theory.figures.success_rate import draw
    from theory.montecarlo.chunks import version
    from theory.montecarlo.store import default_store

    given: dict[str, Any] = {
        "profile": asked.profile,
        "seed": asked.seed,
        "command": f"theory figure success-rate --profile {asked.profile} --seed {asked.seed}",
    }
    path, executor = asked.store or default_store(), executor_for(asked.workers)
    with running_work(path, version(), executor, "problems", rate=True) as (store, processes, progress):
        return draw(asked.into, store=store, executor=processes, progress=progress, **given)


def _expected_updates(asked: Asked) -> list[Path]:
    from theory.experiments.paper_figures import expected_update_rows, expected_updates
    from theory.figures.expected_updates import plot_expected_updates
    from theory.figures.files import write_figure

    result = expected_updates()
    rows, title = expected_update_rows(result), "Expected updates on Baird-Reward"
    return write_figure(plot_expected_updates(result), asked.into / "expected-updates", title, result["about"], rows)


def _learning_curves(asked: Asked) -> list[Path]:
    from theory.commands.running_work import executor_for, running_work
    from theory.experiments.table1 import Table1, default_store, run_table1
    from theory.experiments.table1_units import version
    from theory.experiments.tables import provenance
    from theory.figures.files import write_figure
    from theory.figures.learning import curve_rows, plot_curves

    request = Table1(asked.profile, seed=asked.seed)
    path, executor = asked.store or default_store(), executor_for(asked.workers)
    with running_work(path, version(), executor) as (store, processes, progress):
        result = run_table1(request, store, processes, progress)
    about = provenance(asked.seed, f"theory figure learning-curves --profile {asked.profile} --seed {asked.seed}")
    rows = curve_rows(result)
    one = [("baird-reward", 0.99)]
    few = [row for row in rows if (row["problem"], row["gamma"]) in one]
    return [
        *write_figure(plot_curves(result, one), asked.into / "learning-curves", "Learning curves", about, few),
        *write_figure(plot_curves(result), asked.into / "learning-curves-all", "Learning curves", about, rows),
    ]


def _n_step_chains(asked: Asked) -> list[Path]:
    from theory.experiments.paper_figures import n_step_chains, n_step_rows
    from theory.figures.files import write_figure
    from theory.figures.learning import plot_chains

    result = n_step_chains(asked.profile, asked.seed)
    title = "Chains of 1-step and of 8-step estimators"
    return write_figure(
        plot_chains(result), asked.into / "n-step-chains", title, result["about"], n_step_rows(result)
    )  # fmt: skip


def _transient(asked: Asked) -> list[Path]:
    from theory.experiments.family_figures import transient_rows, transients
    from theory.figures.families import plot_transients
    from theory.figures.files import write_figure

    result = transients()
    return write_figure(
        plot_transients(result), asked.into / "transient", "Transients", result["about"], transient_rows(result)
    )


def _bias_variance(asked: Asked) -> list[Path]:
    from theory.experiments.family_figures import bias_variance, bias_variance_rows
    from theory.figures.families import plot_bias_variance
    from theory.figures.files import write_figure

    result = bias_variance(asked.profile, asked.seed)
    rows = bias_variance_rows(result)
    return write_figure(
        plot_bias_variance(result), asked.into / "bias-variance", "Bias and variance", result["about"], rows
    )


def _best_window(asked: Asked) -> list[Path]:
    from theory.experiments.family_figures import best_window, best_window_rows
    from theory.figures.families import plot_best_window
    from theory.figures.files import write_figure

    result = best_window(asked.profile, asked.seed)
    return write_figure(
        plot_best_window(result), asked.into / "best-window", "Best window", result["about"], best_window_rows(result)
    )


FIGURES: dict[str, Callable[[Asked], list[Any]]] = {
    "success-rate": _success_rate,
    "expected-updates": _expected_updates,
    "learning-curves": _learning_curves,
    "n-step-chains": _n_step_chains,
    "transient": _transient,
    "bias-variance": _bias_variance,
    "best-window": _best_window,
}
