"""Exact errors over step sizes: curves of learners over α, and maps over (α, β), with where moments stop to shrink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from theory.figures._curves import MORE
from theory.figures._style import LARGE, V_PI, grid, look
from theory.noise.sweep import SettingMap, Sweep
from theory.problems import Problem
from theory.problems.numbers import show_number

FLOOR, TOP = 1e-3, 1e4  # of the logarithmic axis: errors beyond are not told apart
SECOND, FOURTH = "|", "x"  # markers where ρ₂ = 1 and where ρ₄ = 1


def plot_noise(problem: Problem, sweeps: Sequence[Sweep], maps: Sequence[SettingMap], steps: int) -> Figure:
    """All learners over α, and below them a panel for each map."""
    with look():
        wide = max(1, len(maps))
        figure = Figure(figsize=(max(7.2, 3.6 * wide), 3.7 + (3.5 if maps else 0)), layout="constrained")
        rows: Any = [["curves"] * wide] + ([[f"map {i}" for i in range(wide)]] if maps else [])
        panels = figure.subplot_mosaic(rows)
        name = problem.name.replace("$", r"\$")
        title = (
            f"{name}, γ = {show_number(problem.given.gamma)}: exact RMSE, last half of {steps:,} moves from N(0, 100²)"
        )
        figure.suptitle(title, fontsize=LARGE)
        draw_sweeps(panels["curves"], sweeps)
        draw_maps(figure, [panels[f"map {i}"] for i in range(len(maps))], maps)
        return figure


def draw_sweeps(axes: Axes, sweeps: Sequence[Sweep]) -> None:
    """RMSE against α; on each curve a bar where ρ₂ = 1 and a cross where ρ₄ = 1."""
    for i, one in enumerate(sweeps):
        style = {key: value for key, value in MORE[i % len(MORE)].items() if key != "marker"}
        seen = np.isfinite(one.rmse) & (one.rmse < 10 * TOP)
        axes.plot(one.alpha, np.where(seen, np.maximum(one.rmse, FLOOR), np.nan), label=one.learner, **style)
        for place, marker in ((one.second, SECOND), (one.fourth, FOURTH)):
            if place is not None:
                height = min(max(one.rmse_below(place), FLOOR), TOP)
                axes.plot([place], [height], marker, color=style["color"], markersize=9, markeredgewidth=1.8, zorder=5)
    for marker, label in ((SECOND, r"$\rho_2 = 1$"), (FOURTH, r"$\rho_4 = 1$")):
        axes.plot([], [], marker, color="#555555", markersize=9, markeredgewidth=1.8, label=label)
    axes.set(xscale="log", yscale="log", ylim=(FLOOR / 1.5, TOP), xlabel="step size α")
    axes.set_ylabel(f"RMSE against {V_PI}, cut at $10^{{-3}}$")
    axes.legend(loc="lower left", handlelength=3.2)  # small steps leave large errors: there is room below them
    grid(axes)


def draw_maps(figure: Figure, panels: Sequence[Axes], maps: Sequence[SettingMap]) -> None:
    """RMSE as colour over α and β, a panel a learner, with both ends as lines."""
    mesh = None
    for axes, one in zip(panels, maps, strict=True):
        shown = np.clip(np.where(np.isfinite(one.rmse), one.rmse, TOP), FLOOR, TOP)
        sizes = one.step_sizes
        mesh = axes.pcolormesh(sizes, sizes, shown, norm=LogNorm(FLOOR, TOP), cmap="cividis", rasterized=True)
        if len(one.second):
            axes.plot(*one.second.T, color="white", linewidth=1.8, label=r"$\rho_2 = 1$")
        if len(one.fourth):
            axes.plot(*one.fourth.T, color="#FF9F6B", linewidth=1.6, linestyle="--", label=r"$\rho_4 = 1$")
        ends = (sizes[0], sizes[-1])
        axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=one.learner, xlabel="step size α")
        if len(one.second):
            legend = axes.legend(loc="upper right", frameon=True, facecolor="#333333", edgecolor="none", framealpha=0.9)
            for text in legend.get_texts():
                text.set_color("white")
    if mesh is not None:
        panels[0].set_ylabel("secondary step size β")
        figure.colorbar(mesh, ax=list(panels), label=f"RMSE against {V_PI}", extend="both")
