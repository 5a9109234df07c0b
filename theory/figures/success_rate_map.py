"""Random problems over the (S, F/S) plane: how often TD fails, how often the chain, and how often it helps then."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from theory.figures._figure import OFTEN, Caption, Data, FigureSpec, Row, Work
from theory.figures._random_problems import GAMMA, KEPT, Size, amount, counted, flat_rows, rate
from theory.figures._style import look, new_figure
from theory.montecarlo import Cell

EIGHTHS = range(1, 9)
FEW = 30  # a share of fewer problems is hatched
HATCHED: dict[str, Any] = {"fill": False, "hatch": "////", "edgecolor": "#bbbbbb", "linewidth": 0.0}
PANELS = (
    ("td_unstable", "off-policy TD unstable"),
    ("chain_biased", "chained TD biased"),
    ("unbiased_given_td_unstable", "rescued (unbiased if unstable)"),
)


SIZES = {
    "quick": Size((8, 16, 24, 32, 48, 64), 500),
    "full": Size((8, 16, 24, 32, 40, 48, 56, 64, 80, 96), 10_000),
}


def compute(size: Size, seed: int, work: Work) -> Data:
    """Rows for every eighth of S."""
    cells = [Cell(S, S * k // 8, GAMMA) for S in size.states for k in EIGHTHS]
    return counted(cells, size.samples, seed, work)


def plot(result: Data) -> Figure:
    """Both failure rates and the rescue rate over S and F/S."""
    rows: list[Row] = result["rows"]
    states = sorted({r["states"] for r in rows})
    place = {(r["states"], k): r for r in rows for k in EIGHTHS if r["states"] * k // 8 == r["features"]}
    with look():
        figure, axes_ = new_figure(1, 3, height=3.1, width=8.4)
        for axes, (name, title) in zip(axes_, PANELS, strict=True):
            rate = np.array([[_percent(place[S, k]["rates"][name]) for S in states] for k in EIGHTHS])
            top = 100.0 if name.startswith("unbiased") else 30.0
            axes.imshow(rate, origin="lower", aspect="auto", cmap="Greys", vmin=0, vmax=top * 1.15)
            for i, j in np.ndindex(rate.shape):
                value = rate[i, j]
                text = "–" if np.isnan(value) else f"{value:.0f}" if value >= 9.95 or value == 0 else f"{value:.1f}"
                dark = not np.isnan(value) and value > 0.55 * top
                axes.text(j, i, text, ha="center", va="center", fontsize=7.5, color="white" if dark else "black")
                if name.startswith("unbiased") and 0 < place[states[j], EIGHTHS[i]]["td_unstable"] < FEW:
                    axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, **HATCHED))
            axes.set_xticks(range(len(states)), labels=[str(S) for S in states])
            axes.set_yticks(range(8), labels=["1/8", "1/4", "3/8", "1/2", "5/8", "3/4", "7/8", "1"])
            axes.set(title=f"{title}, in %", xlabel="number of states $S$")
            axes.title.set_fontsize(9)
        axes_[0].set_ylabel("features per state $F/S$")
        arms = (abs(end - r["rates"][name]) for r in rows for name, _ in PANELS[:2] for end in r["ci95"][name])
        widest = ceil(1000 * max(arms)) / 10  # "at most" must not be rounded down
        figure.supxlabel(
            f"{rows[0]['samples']:,} problems each, γ = {result['gamma']:g}. 95% intervals of the first two: "
            f"at most ±{widest:.1f}; all are in the CSV.\n"
            f"Rescued, hatched: of fewer than {FEW} problems with unstable TD. –: TD was never unstable.",
            fontsize=8,
        )
        return figure


def caption(result: Data) -> Caption:
    """Where the chain is biased most often."""
    rows = result["rows"]
    worst = max(rows, key=lambda r: r["rates"]["chain_biased"])
    where = f"S = {worst['states']}, F = {worst['features']}"
    few = [r for r in rows if 0 < r["td_unstable"] < FEW]
    least = min((r["td_unstable"] for r in few), default=0)
    hatched = (
        f" {len(few)} of {len(rows)} rescue rates are hatched: they have fewer than {FEW} problems with unstable "
        f"TD, the least on {least}."
        if few
        else ""
    )
    return Caption(
        "Failure rates and the rescue rate (how often the chain is unbiased where TD is unstable) over S and F/S, "
        f"{worst['samples']:,} problems a cell.{hatched} Intervals are in the CSV.",
        "Three tables of percentages over the number of states and the features per state, darker where larger. The "
        f"chain’s bias is most frequent at {where}: {rate(worst, 'chain_biased')}. Along F = S it is never biased.",
        amount(result),
    )


def _percent(rate: float | None) -> float:
    return float("nan") if rate is None else 100 * rate


FIGURE = FigureSpec(
    title="Failure and rescue rates over states and features",
    section=OFTEN,
    sizes=SIZES,
    compute=compute,
    rows=flat_rows,
    plot=plot,
    caption=caption,
    seconds=(8, 250),
    kept=KEPT,
)
