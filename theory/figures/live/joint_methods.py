"""All methods on the same random problems: how many each solves, who rescues whom, and why TD and the chain fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.figures._random_problems import rates, series
from theory.figures._style import LARGE, SERIES, SMALL, grid, look, new_figure

CAUSES = {
    "determinant": ("det A < 0: an odd number of real β > 1", "#0072B2", ""),
    "pair": ("a complex pair decides", "#D55E00", "///"),
    "negative": ("a real β < −1 decides", "#56B4E9", "..."),
    "real": ("an even number of real β > 1 (TD: of real λ < 0)", "#BBBBBB", "xxx"),
}


def plot_rates(rows: list[dict[str, Any]]) -> Figure:
    """How often TD is unstable and the chain biased, with 95% intervals: a panel for each S − F, the rest in one."""
    alone = len({row["states"] for row in rows}) == 1
    gaps = [rows] if alone else [[r for r in rows if r["states"] - r["features"] == gap] for gap in _gaps(rows)]
    groups = [(group, _group_title(group, alone)) for group in gaps if len(group) > 1]
    rest = [row for row in rows if not any(row in group for group, _ in groups)]
    groups += [(rest, "other sizes")] if rest else []
    with look():
        across = min(3, len(groups))
        figure, panels = new_figure(-(-len(groups) // across), across, width=3.4 * across + 0.6)
        for axes, (group, title) in zip(panels, groups, strict=False):
            axis = "features" if alone else "states"
            x = list(range(len(rest))) if group is rest else [row[axis] for row in group]
            series(axes, x, *rates(group, "td_unstable"), "off-policy TD unstable", 0)
            series(axes, x, *rates(group, "chain_biased"), "chained TD biased", 1)
            axes.set(title=title, xlabel="features $F$" if alone else "states $S$")
            if group is rest:
                axes.set_xticks(x, [f"{row['states']}, {row['features']}" for row in rest])
                axes.set_xlabel("$S, F$")
            grid(axes)
        top = max(100 * row["ci95"][name][1] for row in rows for name in ("td_unstable", "chain_biased"))
        for axes in panels[: len(groups)]:
            axes.set_ylim(-0.02 * top, 1.25 * top)
        for unused in panels[len(groups) :]:
            unused.set_axis_off()
        panels[0].set_ylabel(f"fails, in % (γ = {rows[0]['gamma']:g})")
        panels[0].legend(loc="upper left")
        return figure


def _gaps(rows: list[dict[str, Any]]) -> list[int]:
    return sorted({row["states"] - row["features"] for row in rows})


def _group_title(group: list[dict[str, Any]], alone: bool) -> str:
    states, gap = group[0]["states"], group[0]["states"] - group[0]["features"]
    return f"$S = {states}$" if alone else f"$F = S - {gap}$" if gap else "$F = S$"


def plot_joint(rows: list[dict[str, Any]]) -> Figure:
    """Failure rates with 95% intervals for every size; of the last size, which of one's failures another solves;
    causes of TD's and the chain's failures, every size.
    """
    names = [m["method"] for m in rows[0]["methods"]]
    high = max(2.6, 0.3 * len(names) + 0.09 * len(names) * len(rows))
    table = 0.25 * len(names) + 0.6
    bars = 0.22 * 2 * len(rows) + 0.6
    with look():
        figure = Figure(figsize=(8.0, high + table + bars + 2.8), layout="constrained")
        rates, rescue, causes = figure.subplots(3, 1, height_ratios=[high, table, bars])
        _failures(rates, rows, names)
        _rescue(rescue, rows[-1], names)
        _causes(causes, rows)
        rates.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=SMALL)
        if causes.get_legend_handles_labels()[0]:
            figure.legend(*causes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=SMALL)
        figure.suptitle(f"{rows[0]['samples']:,} random problems each, γ = {rows[0]['gamma']:g}", fontsize=LARGE)
        return figure


def _style(k: int) -> dict[str, Any]:
    """A colour and a mark for each size: beyond five the mark is hollow, beyond ten it is another."""
    marks = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
    colour = SERIES[k % len(SERIES)]["color"]
    hollow = {"markerfacecolor": "white"} if k // len(SERIES) % 2 else {}
    return {"linestyle": "none", "marker": marks[k % len(marks)], "color": colour, **hollow}


def _failures(axes: Axes, rows: list[dict[str, Any]], names: list[str]) -> None:
    for k, row in enumerate(rows):
        y = np.arange(len(names)) + 0.8 * (k - (len(rows) - 1) / 2) / max(1, len(rows))
        failed = np.array([1 - m["rate"] for m in row["methods"]])
        ends = np.array([[1 - m["ci95"][1], 1 - m["ci95"][0]] for m in row["methods"]])
        reach = np.abs(np.stack([failed - ends[:, 0], ends[:, 1] - failed]))
        label = f"S = {row['states']}, F = {row['features']}"
        axes.errorbar(100 * failed, y, xerr=100 * reach, label=label, **_style(k))
    for between in range(len(names) - 1):
        axes.axhline(between + 0.5, color="#dddddd", linewidth=0.6)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set(xlabel="fails, in % (95% interval)", xlim=(-1, None))
    axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


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
