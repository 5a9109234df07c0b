"""Learning curves: RMSE over moves with bands, for one run of `theory learn` and for the paper's figures 3 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.experiments.learning import Learned
from theory.experiments.table1_text import TITLES
from theory.figures.style import BAND, SERIES, grid, look, new_figure

# Seven learners need two more than SERIES has: the same colours with other dashes and open markers.
MORE: tuple[dict[str, Any], ...] = (
    *SERIES,
    {"color": "#009E73", "marker": "P", "linestyle": (0, (8, 2))},
    {"color": "#CC79A7", "marker": "X", "linestyle": (0, (3, 1, 1, 1))},
)
GOAL = "#D55E00"
LOWEST, HIGHEST = 1e-3, 1e4  # of a logarithmic axis: beyond it nothing is worth telling apart


def plot_learned(results: Sequence[Learned]) -> Figure:
    """One panel, one curve a learner."""
    with look():
        figure, (axes,) = new_figure(height=4.0)
        for i, r in enumerate(results):
            curve(axes, r.marks, r.rmse, r.low, r.high, f"{r.run.learner}", i)
        logarithmic(axes, [x for r in results for x in r.rmse.tolist()])
        axes.set(
            title=f"{results[0].problem}, γ = {results[0].gamma:g}",
            xlabel="moves t",
            ylabel="RMSE against v_π, cut at 10⁻³",
        )
        axes.legend(loc="best")
        return figure


def plot_curves(result: dict[str, Any], columns: Sequence[tuple[str, float]] | None = None) -> Figure:
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
            axes.set_xlabel("moves t")
        for axes in panels[::wide]:
            axes.set_ylabel("RMSE against v_π, cut at 10⁻³")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, handlelength=3.2)
        return figure


def plot_chains(result: dict[str, Any]) -> Figure:
    """Figure 4: the first eight heads of a chain of 1-step and of 8-step estimators, and where they should settle."""
    with look():
        figure, panels = new_figure(1, 2, height=3.4)
        for axes, chain in zip(panels, result["chains"], strict=True):
            heads = [h for h in chain["heads"] if h["k"] >= 1]
            for i, head in enumerate(heads):
                shade = str(0.75 * (1 - i / (len(heads) - 1)))
                t, rmse, low, high = (np.array(x, dtype=np.float64) for x in zip(*head["curve"], strict=True))
                if head in (heads[0], heads[-1]):  # the others' would only hide each other
                    axes.fill_between(t, low, high, color=shade, **BAND)
                axes.plot(t, rmse, color=shade, linewidth=1.2)
                # From where a head is to where it must settle; its number stands there.
                goal = (t[-1] * 1.12, head["fixed_point"])
                axes.plot([t[-1], goal[0]], [rmse[-1], goal[1]], color=GOAL, linewidth=0.9)
                if chain["n"] > 1 or head in (heads[0], heads[-1]):
                    place: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "va": "center"}
                    axes.annotate(f"k = {head['k']}", goal, (4, 0), **place)
            step = "steps" if chain["n"] > 1 else "step"
            axes.set(title=f"n = {chain['n']} {step}, α = {chain['alpha']:.2g}", xlabel="moves t", ylim=(40, 140))
            axes.set_xlim(0, t[-1] * 1.3)
            axes.set_xticks(np.linspace(0, t[-1], 3))
            grid(axes)
        panels[0].set_ylabel("RMSE against v_π")
        panels[0].plot([], [], color=GOAL, linewidth=0.9, label="to the head's fixed point")
        panels[0].legend(loc="lower left")
        return figure


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


def curve_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The curves for CSV."""
    names = ("problem", "gamma", "learner")
    return [
        {name: c[name] for name in names} | {"step": t, "rmse": r, "low": low, "high": high}
        for c in result["curves"]
        for t, r, low, high in c["curve"]
    ]
