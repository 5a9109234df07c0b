"""All methods on the same random problems: how many each solves, who rescues whom, and why TD and the chain fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.exhibits._style import LARGE, SERIES, SMALL, grid, look

CAUSES = {
    "determinant": ("det A < 0: an odd number of real β > 1", "#0072B2", ""),
    "pair": ("a complex pair decides", "#D55E00", "///"),
    "negative": ("a real β < −1 decides", "#56B4E9", "..."),
    "real": ("an even number of real β > 1 (TD: of real λ < 0)", "#BBBBBB", "xxx"),
}


def plot_joint(rows: list[dict[str, Any]]) -> Figure:
    """Failure rates with 95% intervals for every size; of the last size, which of one's failures another solves;
    causes of TD's and the chain's failures, every size.
    """
    names = [m["method"] for m in rows[0]["methods"]]
    with look():
        figure = Figure(figsize=(11.0, 3.2 + 0.28 * len(names)), layout="constrained")
        grids = figure.add_gridspec(2, 2, width_ratios=[1, 1.35], height_ratios=[2.6, 1])
        rates, rescue = figure.add_subplot(grids[:, 0]), figure.add_subplot(grids[0, 1])
        _failures(rates, rows, names)
        _rescue(rescue, rows[-1], names)
        causes = figure.add_subplot(grids[1, 1])
        _causes(causes, rows)
        figure.legend(*rates.get_legend_handles_labels(), loc="outside lower left", ncols=len(rows), fontsize=SMALL)
        if causes.get_legend_handles_labels()[0]:
            figure.legend(*causes.get_legend_handles_labels(), loc="outside lower right", fontsize=SMALL)
        figure.suptitle(f"{rows[0]['samples']:,} random problems each, γ = {rows[0]['gamma']:g}", fontsize=LARGE)
        return figure


def _failures(axes: Axes, rows: list[dict[str, Any]], names: list[str]) -> None:
    for k, row in enumerate(rows):
        y = np.arange(len(names)) + 0.7 * (k - (len(rows) - 1) / 2) / max(1, len(rows))
        failed = np.array([1 - m["rate"] for m in row["methods"]])
        ends = np.array([[1 - m["ci95"][1], 1 - m["ci95"][0]] for m in row["methods"]])
        style = SERIES[k % len(SERIES)]
        reach = np.abs(np.stack([failed - ends[:, 0], ends[:, 1] - failed]))
        label = f"S = {row['states']}, F = {row['features']}"
        look_of = {"linestyle": "none", "marker": style["marker"], "color": style["color"], "label": label}
        axes.errorbar(100 * failed, y, xerr=100 * reach, **look_of)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel="fails, in % (95% interval)", xlim=(-1, None))
    grid(axes)


def _rescue(axes: Axes, row: dict[str, Any], names: list[str]) -> None:
    """Methods that never fail have nothing to be rescued from, and no line."""
    failed = row["samples"] - row["undecided"] - np.array([m["converges"] for m in row["methods"]])
    shown = [i for i, k in enumerate(failed.tolist()) if k]
    size = f"S = {row['states']}, F = {row['features']}"
    axes.set_title(f"{size}: of a row's failures (number), solved by the column, in %", fontsize=SMALL)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    if not shown:
        axes.set_yticks([])
        return
    share = np.array(row["rescued"], dtype=float)[shown] / failed[shown, None]
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, line in enumerate(share):
        for j, value in enumerate(line):
            if shown[i] != j:
                shade = "white" if value > 0.6 else "black"
                axes.text(j, i, f"{100 * value:.0f}", ha="center", va="center", fontsize=SMALL - 1, color=shade)
    axes.set_yticks(range(len(shown)), [f"{names[i]} ({failed[i]})" for i in shown])


def _causes(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """A bar a size for TD and for the chain, in % of the problems."""
    labels, y, told = [], 0.0, set()
    apart = len({row["states"] for row in rows}) == len(rows)
    for kind, name in (("td", "TD"), ("chain", "chain")):
        for row in rows:
            left = 0.0
            for cause, (words, color, hatch) in CAUSES.items():
                width = 100 * row["causes"][kind].get(cause, 0) / row["samples"]
                if width:
                    label = None if cause in told else words
                    axes.barh(y, width, left=left, color=color, hatch=hatch, edgecolor="white", label=label)
                    told.add(cause)
                left += width
            labels.append((y, f"{name}, S = {row['states']}" + ("" if apart else f", F = {row['features']}")))
            y += 1
        y += 0.5
    axes.set_yticks([at for at, _ in labels], [text for _, text in labels])
    axes.invert_yaxis()
    axes.set_xlabel("fails, in %, and why: the eigenvalue that decides")
    grid(axes)
