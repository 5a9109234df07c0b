"""Figure 2 of the paper: expected updates, one head after the other, all at once, and with steps of length α."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.figures.style import grid, look

SHOWN = (1, 5, 10, 20, 30, 40)
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), "-")
TARGET: dict[str, Any] = {"color": "#D55E00", "linewidth": 1.0}


def plot_expected_updates(result: dict[str, Any]) -> Figure:
    """The value at one state over updates: head by head above (dots are the fixed points), all at once below."""
    with look():
        figure = Figure(figsize=(7.2, 5.6), layout="constrained")
        panels = figure.subplot_mosaic([["above", "above"], ["left", "right"]], height_ratios=[0.8, 1.0])
        above, middle, right = panels["above"], panels["left"], panels["right"]
        _sequential(above, result)
        for axes, name, title in (
            (middle, "concurrent", "all heads at once"),
            (right, "normalised", "at once, steps of length α"),
        ):
            _together(axes, result, np.array(result[name]), title)
        low, high = middle.get_ylim()
        right.set_ylim(low, high)
        for axes in (above, middle):
            axes.set_ylabel(f"value at state {result['state']}")
        middle.legend(loc="lower right", ncols=2, handlelength=2.6)
        figure.suptitle(
            f"{result['problem'].partition(':')[0]}, γ = {result['gamma']:g}, expected updates, α = {result['alpha']:g}"
        )
        return figure


def _sequential(axes: Axes, result: dict[str, Any]) -> None:
    T, values = result["window"], np.array(result["sequential"])
    steps = np.arange(1, len(values) + 1)
    axes.axhline(result["target"], **TARGET)
    axes.plot(steps, values, color="black", linewidth=1.1)
    heads = np.arange(result["heads"] + 1)
    axes.plot((heads + 1) * T, result["fixed_points"], linestyle="none", marker="o", markersize=2.6, color="#0072B2")
    axes.annotate("v_π", (0, result["target"]), (-2, 3), textcoords="offset points", color=TARGET["color"])
    axes.annotate(
        "end of window k:\n10(1 − 0.9ᵏ)", (steps[-1] * 0.42, 8), (steps[-1] * 0.45, 3.2), color="#0072B2", fontsize=8
    )
    axes.set(title=f"one head at a time, T = {T}", xlabel="updates", ylim=(-0.5, 11.5))
    grid(axes)


def _together(axes: Axes, result: dict[str, Any], values: Any, title: str) -> None:
    axes.axhline(result["target"], **TARGET)
    for i, k in enumerate(k for k in SHOWN if k <= result["heads"]):
        shade = str(0.72 * (1 - i / (len(SHOWN) - 1)))
        axes.plot(values[:, k], color=shade, linestyle=_DASHES[i], linewidth=1.2, label=f"k = {k}")
    peak = values[:, -1].argmax()
    axes.annotate(
        f"head {result['heads']}: {values[peak, -1]:.0f}", (peak, values[peak, -1]), (8, -2), textcoords="offset points"
    )
    axes.set(title=title, xlabel="updates")
    grid(axes)
