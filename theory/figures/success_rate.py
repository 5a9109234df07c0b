"""The paper's figure 1: how often TD and the chain solve random problems with F = S, and beside it F = S − 1."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.figure import Figure

from theory.figures._figure import OFTEN, Caption, Data, FigureSpec, Row, Work
from theory.figures._random_problems import (
    GAMMA,
    KEPT,
    Series,
    Size,
    amount,
    counted,
    flat_rows,
    largest,
    rate,
    rates,
    series,
)
from theory.figures._style import grid, look, new_figure
from theory.montecarlo import Cell

SIZES = {
    "quick": Size((2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100), 1000),
    "full": Size((2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100), 40_000),
}


def compute(size: Size, seed: int, work: Work) -> Data:
    """Rows for F = S and F = S − 1."""
    cells = [Cell(S, F, GAMMA) for S in size.states for F in (S, S - 1) if F >= 1]
    return counted(cells, size.samples, seed, work)


def plot(result: Data) -> Figure:
    """How often each method solves the problem, against S."""
    with look():
        figure, (left, right) = new_figure(1, 2)
        for axes, missing, title in ((left, 0, "$F = S$ (the paper's figure 1)"), (right, 1, "$F = S - 1$")):
            rows = [r for r in result["rows"] if r["features"] == r["states"] - missing]
            x = [r["states"] for r in rows]
            series(axes, x, *_solved(rows, "chain_biased"), "chained TD unbiased", 1)
            series(axes, x, *_solved(rows, "td_unstable"), "off-policy TD stable", 0)
            axes.set_xscale("log")
            axes.set_xticks([2, 5, 10, 20, 50, 100], labels=["2", "5", "10", "20", "50", "100"])
            axes.minorticks_off()
            axes.set(title=title, xlabel="number of states $S$", ylim=(60, 102))
            grid(axes)
        left.set_ylabel(f"problems solved, in % (γ = {result['gamma']:g})")
        left.legend(loc="lower left")
        return figure


def caption(result: Data) -> Caption:
    """The rates at the most states."""
    square, short = (largest(result["rows"], missing) for missing in (0, 1))
    S = square["states"]
    return Caption(
        f"Random problems solved against the number of states S, with as many features as states (left, the paper’s "
        f"figure 1) and with one fewer (right); γ = {result['gamma']:g}, {square['samples']:,} problems a point, bands "
        "are 95% Wilson intervals. Left the chain’s success is algebra (Π = I), right it is a measurement.",
        f"Two panels of curves over the number of states. Left, F = S: chained TD solves every problem, off-policy TD "
        f"fails on {rate(square, 'td_unstable')} at S = {S}. Right, F = S − 1: chained TD is biased on "
        f"{rate(short, 'chain_biased')} and off-policy TD unstable on {rate(short, 'td_unstable')} at S = {S}.",
        amount(result),
    )


def _solved(rows: Iterable[Row], name: str) -> Series:
    value, low, high = rates(rows, name)
    return [100 - x for x in value], [100 - x for x in high], [100 - x for x in low]


FIGURE = FigureSpec(
    title="How often off-policy TD and chained TD solve random problems",
    section=OFTEN,
    sizes=SIZES,
    compute=compute,
    rows=flat_rows,
    plot=plot,
    caption=caption,
    seconds=(12, 700),
    kept=KEPT,
    whole=True,
)
