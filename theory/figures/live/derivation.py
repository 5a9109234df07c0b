"""Iterations against the closed forms they should arrive at, with the error that was predicted for them."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.derivation.derive import Derivation
from theory.derivation.iteration import Row
from theory.figures._style import LARGE, SERIES, grid, look, new_figure
from theory.problems.numbers import show_number

_TITLES = {
    "θ_π": r"off-policy TD to $\theta_\pi$",
    "θ_μ": r"on-policy TD to $\theta_\mu$",
    "θᵏ, sequential": r"head after head to $\theta^1, …, \theta^{%d}$",
    "θᵏ, concurrent": r"all heads at once, head %d to $\theta^{%d}$",
    "M⁻¹b†": r"all heads at once to $M^{-1}b^\dagger$",
}


NOTHING = 1e-60  # 256 bits round not far below


def plot_derivation(found: Derivation) -> Figure:
    """A panel for each row of the table: predicted as a line, measured as dots on it."""
    columns = 2
    with look():
        figure, panels = new_figure(-(-len(found.rows) // columns), columns, width=8.4, height=2.7)
        name = found.problem.name.replace("$", r"\$")
        title = (
            f"{name}, γ = {show_number(found.problem.given.gamma)}: distance to the closed form under expected updates"
        )
        figure.suptitle(title, fontsize=LARGE)
        for axes, row in zip(panels, found.rows, strict=False):
            _panel(axes, row)
        for axes in panels[len(found.rows) :]:
            axes.set_visible(False)
        return figure


def _panel(axes: Axes, row: Row) -> None:
    title = _TITLES[row.form]
    axes.set_title((title % ((row.k,) * title.count("%d")) if "%d" in title else title) + ("" if row.ok else "  ✗"))
    at = np.array(row.path.at)
    shown = [np.where(x > NOTHING, x, np.nan) for x in (row.path.predicted, row.path.measured)]
    line, dots = SERIES[1], SERIES[2]
    axes.plot(at, shown[0], color=line["color"], label="predicted")
    axes.plot(
        at,
        shown[1],
        linestyle="none",
        marker="o",
        markersize=3.2,
        markerfacecolor="none",
        markeredgecolor=dots["color"],
        markevery=max(1, len(at) // 48),
        label="measured",
    )
    axes.set_yscale("log")
    axes.set(xlabel=f"updates, α = {float(row.alpha):.4g}", ylabel="‖iterate − closed form‖")
    axes.legend(loc="best")
    grid(axes)
