"""The conjecture that bias is unlikely when S ≫ F: proved for normal features, false for absolute ones with a sink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from theory.figures._figure import OFTEN, Caption, Data, FigureSpec, Work
from theory.figures._random_problems import GAMMA, KEPT, amount, counted, flat_rows, rate, rates, series
from theory.figures._style import SERIES, grid, look, new_figure
from theory.montecarlo import Cell

BOUND: dict[str, Any] = {"linewidth": 1.1, "linestyle": (0, (1, 1.5))}
NONE_SEEN: dict[str, Any] = {"linestyle": "none", "marker": r"$\downarrow$", "markersize": 8}


@dataclass(frozen=True)
class Size:
    """Numbers of states and of features, where S ≥ 2F, and problems each."""

    states: tuple[int, ...]
    features: tuple[int, ...]
    samples: int


SIZES = {
    "quick": Size((4, 6, 8, 12, 16, 32, 64, 128, 256), (1, 2, 4), 1000),
    "full": Size((4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512), (1, 2, 4), 10_000),
}


def compute(size: Size, seed: int, work: Work) -> Data:
    """Rows for both laws; the absolute one with a sink."""
    wide = [(S, F) for F in size.features for S in size.states if S >= 2 * F]
    holds = [Cell(S, F, GAMMA) for S, F in wide]
    fails = [Cell(S, F, GAMMA, law="absolute-normal", sink=1.0) for S, F in wide]
    return counted((*holds, *fails), size.samples, seed, work)


def plot(result: Data) -> Figure:
    """The bias rate for S ≫ F with the proved bound, and a law for which the conjecture fails."""
    with look():
        figure, (left, right) = new_figure(1, 2, height=3.2)
        features = sorted({r["features"] for r in result["rows"]})
        for axes, law, title in (
            (left, "normal", "normal features: provably rare"),
            (right, "absolute-normal", "absolute normal features, sink: not rare"),
        ):
            for i, F in enumerate(features):
                rows = [r for r in result["rows"] if r["law"] == law and r["features"] == F]
                x = [r["states"] for r in rows]
                value, low, high = rates(rows, "chain_biased")
                # None seen has no place on a logarithmic axis: an open arrow at the interval's upper end instead.
                seen = np.array(value) > 0
                y, bottom, top = (np.where(seen, values, np.nan).tolist() for values in (value, low, high))
                series(axes, x, y, bottom, top, f"$F$ = {F}, measured", i)
                # A band needs two points; a single one shows its interval so.
                axes.vlines(x, bottom, top, colors=SERIES[i]["color"], linewidth=0.9)
                none = [(S, end) for S, end, hit in zip(x, high, seen, strict=True) if not hit]
                # Shifted a little for each F, as they would lie upon each other.
                places = [S * 1.12 ** (i - 1) for S, _ in none]
                axes.plot(places, [end for _, end in none], color=SERIES[i]["color"], **NONE_SEEN)
                if law == "normal":
                    axes.plot(x, [100 * r["bias_bound"] for r in rows], color=SERIES[i]["color"], **BOUND)
            axes.set(xscale="log", yscale="log", title=title, xlabel="number of states $S$", ylim=(0.02, 160))
            axes.set_xticks([4, 16, 64, 256], labels=["4", "16", "64", "256"])
            axes.set_yticks([0.1, 1, 10, 100], labels=["0.1", "1", "10", "100"])
            axes.minorticks_off()
            grid(axes)
        right.plot([], [], color="#666666", label="proved bound, left", **BOUND)
        right.plot([], [], color="#666666", label="none seen: 95% limit", **NONE_SEEN)
        left.set_ylabel(f"chain biased, in % (γ = {result['gamma']:g})")
        right.legend(loc="lower left")
        return figure


def caption(result: Data) -> Caption:
    """Both laws at the most states and features."""
    rows = [r for r in result["rows"] if r["features"] == max(x["features"] for x in result["rows"])]
    ends = {law: max((r for r in rows if r["law"] == law), key=lambda r: r["states"]) for law in
            ("normal", "absolute-normal")}  # fmt: skip
    F, S = ends["normal"]["features"], ends["normal"]["states"]
    return Caption(
        "The conjecture that bias is unlikely when S ≫ F. Left: normal features, for which the rate is provably small "
        "(dotted: the bound). Right: absolute normal features with a sink, for which it is not.",
        f"Two panels of curves on logarithmic axes. At S = {S}, F = {F} the chain is biased on "
        f"{rate(ends['normal'], 'chain_biased')} with normal features and on "
        f"{rate(ends['absolute-normal'], 'chain_biased')} with absolute normal ones.",
        amount(result),
    )


FIGURE = FigureSpec(
    title="The bias rate when S is much larger than F",
    section=OFTEN,
    sizes=SIZES,
    compute=compute,
    rows=flat_rows,
    plot=plot,
    caption=caption,
    seconds=(5, 150),
    kept=KEPT,
)
