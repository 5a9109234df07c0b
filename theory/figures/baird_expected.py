r"""The textbook's Baird star in expectation: semi-gradient sweeps, TDC, emphatic TD (Sutton and Barto 2018, ch. 11).

Their figures 11.2 (right), 11.5 (right) and 11.6, from θ = (1, 1, 1, 1, 1, 1, 10, 1) at γ = .99.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from theory.experiments.trajectory import trajectory
from theory.figures._figure import BEYOND, EVERY, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import look, new_figure
from theory.figures.live.trajectory import errors, parameters
from theory.problems.catalogue import catalogue_problem

START = (1, 1, 1, 1, 1, 1, 10, 1)
PANELS = (
    ("11.2: semi-gradient sweeps, α = .01", "td", "1/100"),
    ("11.5: TDC, α = .005, β = .05", "tdc:ratio=10", "1/200"),
    ("11.6: emphatic TD, α = .03", "etd", "3/100"),
)
MEASURES = ("d_mu", "pbe")


def compute(steps: int, seed: int = 0, work: Work | None = None) -> Data:
    """Parameters and errors, sweep by sweep."""
    problem, panels = catalogue_problem("baird:gamma=99/100"), []
    for title, method, step_size in PANELS:
        found = trajectory(problem, method, steps, START, step_size, sweep=True)
        panels.append(
            {
                "title": title,
                "method": found.method.name,
                "theta": found.theta.tolist(),
                **{name: found.errors[name].tolist() for name in MEASURES},
            }
        )
    return {"panels": panels}


def rows(result: Data) -> list[Row]:
    """For CSV, every tenth sweep."""
    return [
        {"method": panel["method"], "sweep": t, "ve": panel["d_mu"][t], "pbe": panel["pbe"][t]}
        | {f"theta_{i}": x for i, x in enumerate(theta, 1)}
        for panel in result["panels"]
        for t, theta in enumerate(panel["theta"])
        if t % 10 == 0
    ]


def plot(result: Data) -> Figure:
    """Parameters above, errors below."""
    with look():
        figure, axes = new_figure(2, 3, height=2.4)
        for panel, above, below in zip(result["panels"], axes[:3], axes[3:], strict=True):
            parameters(above, np.array(panel["theta"]), named=above is axes[0])
            errors(below, {name: np.array(panel[name]) for name in MEASURES})
            above.set_title(panel["title"], fontsize=8)
            below.set_xlabel("sweeps")
        axes[0].set_ylabel(r"parameters $\theta_i$")
        axes[3].set_ylabel(r"$\sqrt{\overline{VE}}$ and $\sqrt{\overline{PBE}}$")
        return figure


def caption(result: Data) -> Caption:
    """What the three do."""
    ends = "; ".join(
        f"{p['method']} ends at √VE = {p['d_mu'][-1]:.3g}, √PBE = {p['pbe'][-1]:.3g}" for p in result["panels"]
    )
    return Caption(
        "Baird's star in expectation, as the textbook draws it (its figures 11.2 right, 11.5 right and 11.6): "
        "semi-gradient sweeps diverge, TDC's √PBE falls to 0 while √VE does not, emphatic TD converges. The "
        "emphasis has its long-run mean from the first sweep on; the textbook's grows from 1, and its curve is later.",
        f"Parameters and errors against sweeps: {ends}.",
        f"{len(result['panels'][0]['d_mu']) - 1:,} sweeps, no sampling",
    )


FIGURE = FigureSpec(
    title="Baird's star in expectation",
    section=BEYOND,
    sizes={EVERY: 1000},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(1, 1),
)
