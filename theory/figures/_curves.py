"""Lines with bands on logarithmic axes, and the learning curves of table 1: RMSE over moves, a panel a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.experiments.table1 import Table1, default_store, run_table1
from theory.experiments.table1.paper import TITLES
from theory.experiments.table1.units import Scale, version
from theory.figures._figure import Data, Kept, Row, Work
from theory.figures._style import BAND, SERIES, V_PI, grid, legend_below, look, new_figure

# Seven learners need two more than SERIES has: the same colours with other dashes and open markers.
MORE: tuple[dict[str, Any], ...] = (
    *SERIES,
    {"color": "#009E73", "marker": "P", "linestyle": (0, (8, 2))},
    {"color": "#CC79A7", "marker": "X", "linestyle": (0, (3, 1, 1, 1))},
)
LOWEST, HIGHEST = 1e-3, 1e4  # of a logarithmic axis: beyond it nothing is worth telling apart
KEPT = Kept(default_store, version)


def compute(scale: Scale, seed: int, work: Work) -> Data:
    """Curves and cells of one repetition of table 1, from the store or run now."""
    with work.open_store() as store:
        found = run_table1(Table1(seed=seed, custom=scale), store, work.executor, work.progress)
    return {name: found[name] for name in ("protocol", "cells", "curves")}


def plot_curves(result: Data, columns: Sequence[tuple[str, float]] | None = None) -> Figure:
    """All learners of table 1 on each of its problems, or on the `columns` (problem, γ) asked for."""
    wanted = list(columns or dict.fromkeys((c["problem"], c["gamma"]) for c in result["curves"]))
    problems = list(dict.fromkeys(problem for problem, _ in wanted))
    wanted.sort(key=lambda column: (problems.index(column[0]), column[1]))  # a row a problem, a column a discount
    wide = len(wanted) // len(problems)
    with look():
        figure, panels = new_figure(-(-len(wanted) // wide), wide, height=2.5 if wide > 1 else 4.2)
        for axes, (problem, gamma) in zip(panels, wanted, strict=True):
            here = [c for c in result["curves"] if (c["problem"], c["gamma"]) == (problem, gamma)]
            for i, c in enumerate(here):
                t, rmse, low, high = (np.array(x, dtype=np.float64) for x in zip(*c["curve"], strict=True))
                curve(axes, t, rmse, low, high, TITLES[c["learner"]], i)
            logarithmic(axes, [row[1] for c in here for row in c["curve"]])
            axes.set(title=f"{problem}, γ = {gamma:g}")
            axes.set_xticks(np.linspace(0, here[0]["curve"][-1][0], 3))
        for axes in panels[-wide:]:
            axes.set_xlabel("moves $t$")
        for axes in panels[::wide]:
            axes.set_ylabel(f"RMSE against {V_PI}, cut at $10^{{-3}}$")
        legend_below(figure, panels[0], ncols=3, handlelength=3.2)
        return figure


def curve_rows(result: Data) -> list[Row]:
    """For CSV."""
    names = ("problem", "gamma", "learner")
    return [
        {name: c[name] for name in names} | {"step": t, "rmse": r, "low": low, "high": high}
        for c in result["curves"]
        for t, r, low, high in c["curve"]
    ]


def amount(result: Data) -> str:
    """Seeds and moves."""
    p = result["protocol"]
    return f"{p['tuning_seeds']} + {p['test_seeds']} seeds, {p['step_sizes']} step sizes, {p['steps']:,} moves"


def curve(axes: Axes, t: Any, rmse: Any, low: Any, high: Any, label: str, i: int) -> None:
    """A line with its band; what is beyond the axis, or lost, is not drawn."""
    style = MORE[i % len(MORE)]
    seen = np.isfinite(rmse) & (rmse <= HIGHEST * 10)
    y = np.where(seen, np.maximum(rmse, LOWEST), np.nan)
    if np.isfinite(low).any():
        top = np.where(np.isfinite(high), np.minimum(high, HIGHEST * 10), HIGHEST * 10)
        bottom = np.where(np.isfinite(low), np.maximum(low, LOWEST), HIGHEST * 10)
        axes.fill_between(t, bottom, top, where=seen.tolist(), color=style["color"], **BAND)
    axes.plot(t, y, label=label, markevery=(3 + 2 * i, 20), **style)


def logarithmic(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis that holds the values within [LOWEST, HIGHEST]."""
    good = [min(max(v, LOWEST), HIGHEST) for v in values if v is not None and np.isfinite(v)]
    axes.set_yscale("log")
    axes.set_ylim(min(good, default=1.0) / 1.5, max(good, default=1.0) * 2)
    grid(axes)
