"""All methods on the same random problems: how many each solves, and who rescues whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from theory.exhibits._style import LARGE, SERIES, SMALL, grid, look, new_figure


def plot_joint(rows: list[dict[str, Any]]) -> Figure:
    """Failure rates with 95% intervals for every size; of the last size, which of one's failures another solves."""
    names = [m["method"] for m in rows[0]["methods"]]
    with look():
        figure, (rates, rescue) = new_figure(1, 2, width=9.6, height=1.6 + 0.32 * len(names))
        for k, row in enumerate(rows):
            y = np.arange(len(names)) + 0.7 * (k - (len(rows) - 1) / 2) / max(1, len(rows))
            failed = np.array([1 - m["rate"] for m in row["methods"]])
            ends = np.array([[1 - m["ci95"][1], 1 - m["ci95"][0]] for m in row["methods"]])
            style = SERIES[k % len(SERIES)]
            reach = np.abs(np.stack([failed - ends[:, 0], ends[:, 1] - failed]))
            label = f"S = {row['states']}, F = {row['features']}"
            look_of = {"linestyle": "none", "marker": style["marker"], "color": style["color"], "label": label}
            rates.errorbar(100 * failed, y, xerr=100 * reach, **look_of)
        rates.set_yticks(range(len(names)), names)
        rates.invert_yaxis()
        rates.set(xlabel="fails, in % (95% interval)", xlim=(-1, None))
        grid(rates)
        figure.legend(*rates.get_legend_handles_labels(), loc="outside lower left", ncols=len(rows), fontsize=SMALL)
        _rescue(rescue, rows[-1], names)
        figure.suptitle(f"{rows[0]['samples']:,} random problems each, γ = {rows[0]['gamma']:g}", fontsize=LARGE)
        return figure


def _rescue(axes: Any, row: dict[str, Any], names: list[str]) -> None:
    counts = np.array(row["rescued"], dtype=float)
    failed = row["samples"] - row["undecided"] - np.array([m["converges"] for m in row["methods"]])
    share = np.divide(counts, failed[:, None], out=np.full_like(counts, np.nan), where=failed[:, None] > 0)
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, line in enumerate(share):
        for j, value in enumerate(line):
            if np.isfinite(value) and i != j:
                shade = "white" if value > 0.6 else "black"
                axes.text(j, i, f"{100 * value:.0f}", ha="center", va="center", fontsize=SMALL, color=shade)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), [f"{name} ({k})" for name, k in zip(names, failed.tolist(), strict=True)])
    size = f"S = {row['states']}, F = {row['features']}"
    axes.set_title(f"{size}: of a row's failures (number),\nsolved by the column, in %", fontsize=SMALL)
