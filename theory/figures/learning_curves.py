"""The paper's figure 3: learning curves on Baird-Reward, γ = .99, of the learners as tuned for table 1."""

from __future__ import annotations

from matplotlib.figure import Figure

from theory.experiments.table1 import PROFILES
from theory.experiments.table1.paper import TITLES
from theory.experiments.table1.text import number
from theory.figures._curves import KEPT, amount, compute, curve_rows, plot_curves
from theory.figures._figure import CURVES, Caption, Data, FigureSpec, Row

COLUMN = ("baird-reward", 0.99)


def rows(result: Data) -> list[Row]:
    """For CSV: of this column."""
    return [row for row in curve_rows(result) if (row["problem"], row["gamma"]) == COLUMN]


def plot(result: Data) -> Figure:
    """One panel."""
    return plot_curves(result, [COLUMN])


def caption(result: Data) -> Caption:
    """What each learner ends in."""
    cells = [c for c in result["cells"] if (c["problem"], c["gamma"]) == COLUMN and c["mark"] != "not in the paper"]
    ends = ", ".join(f"{TITLES[c['learner']]} {number(c['rmse'])}" for c in cells)
    return Caption(
        "The paper’s figure 3: RMSE of the tuned learners on Baird-Reward, γ = .99, over moves, with 95% bootstrap "
        f"bands over {cells[0]['seeds']} test seeds (first repetition).",
        f"One curve a learner on a logarithmic axis. RMSE over the last half of this repetition: {ends}.",
        amount(result),
    )


FIGURE = FigureSpec(
    title="Learning curves",
    section=CURVES,
    sizes=PROFILES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(20, 150),
    kept=KEPT,
)
