"""The paper's appendix: learning curves on all six columns of table 1."""

from __future__ import annotations

from theory.experiments.table1 import PROFILES
from theory.figures._curves import KEPT, amount, compute, curve_rows, plot_curves
from theory.figures._figure import CURVES, Caption, Data, FigureSpec


def caption(result: Data) -> Caption:
    """There is no room for numbers."""
    return Caption(
        "The same on all six columns of table 1 (the paper’s appendix).",
        "Six panels of learning curves: Baird, Baird-Reward and Threestate at γ = .9 and at .99, seven learners each. "
        "The numbers they end in are those of table 1.",
        amount(result),
    )


FIGURE = FigureSpec(
    title="Learning curves",
    section=CURVES,
    sizes=PROFILES,
    compute=compute,
    rows=curve_rows,
    plot=plot_curves,
    caption=caption,
    seconds=(20, 150),
    kept=KEPT,
)
