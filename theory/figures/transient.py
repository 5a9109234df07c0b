r"""Beyond the paper: how far head k of a concurrent chain rises under expected updates before it converges.

On Baird-Reward from zero; R is that of extra-transient: peaks grow as Rᵏ where R > 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from theory.figures._figure import BEYOND, EVERY, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import SERIES, SLOPE, grid, look, new_figure
from theory.linear.transients import transfer_radius, transient
from theory.problems.catalogue import catalogue_problem


@dataclass(frozen=True)
class Settings:
    """Pairs of γ and α, and the number of heads."""

    pairs: tuple[tuple[str, float], ...] = (("9/10", 0.1), ("9/10", 0.02), ("17/20", 0.1), ("1/2", 0.1))
    heads: int = 128


def compute(c: Settings, seed: int = 0, work: Work | None = None) -> Data:
    """Peak errors of heads 0..K on Baird-Reward from zero, as powers of ten, and R."""
    curves = []
    for gamma, alpha in c.pairs:
        problem = catalogue_problem(f"baird-reward:gamma={gamma}")
        found = transient(problem, alpha, c.heads)
        R, _ = transfer_radius(problem, alpha)
        curves.append(
            {
                "gamma": problem.gamma,
                "alpha": alpha,
                "R": R,
                "settled": found.settled,
                "log10_peak": found.log10_peak.tolist(),
                "peak_step": found.peak_step.tolist(),
            }
        )
    return {"problem": "baird-reward", "curves": curves}


def rows(result: Data) -> list[Row]:
    """For CSV."""
    return [
        {"gamma": c["gamma"], "alpha": c["alpha"], "R": c["R"], "k": k, "log10_peak": p, "peak_step": t}
        for c in result["curves"]
        for k, (p, t) in enumerate(zip(c["log10_peak"], c["peak_step"], strict=True))
    ]


def plot(result: Data) -> Figure:
    """The highest error of head k on its way, for several γ and α; dotted, the slope Rᵏ where R > 1."""
    with look():
        figure, (axes,) = new_figure(height=3.8)
        for i, c in enumerate(result["curves"]):
            k, peak = np.arange(len(c["log10_peak"])), np.array(c["log10_peak"])
            label = f"γ = {c['gamma']:g}, α = {c['alpha']:g}: $R$ = {c['R']:.3f}"
            axes.plot(k, peak, label=label, markevery=(8 * i % 16, 16), **SERIES[i])
            if c["R"] > 1:
                late = k[len(k) // 2 :]
                slope = peak[-1] + (late - k[-1]) * np.log10(c["R"]) + 0.12
                axes.plot(late, slope, color=SERIES[i]["color"], **SLOPE)
        axes.plot([], [], color="#666666", **SLOPE, label="slope $R^k$")
        top = int(np.ceil(max(max(c["log10_peak"]) for c in result["curves"])))
        axes.set_yticks(range(top + 1), labels=[f"$10^{{{n}}}$" for n in range(top + 1)])
        axes.set(
            title=f"{result['problem']}: how far head $k$ rises before it converges (expected updates from 0)",
            xlabel="head $k$",
            ylabel="largest error over states and time",
        )
        axes.legend(loc="upper left")
        grid(axes)
        return figure


def caption(result: Data) -> Caption:
    """R and the last head's peak."""
    parts = "; ".join(
        f"γ = {c['gamma']:g}, α = {c['alpha']:g}: R = {c['R']:.3f}, peak 10^{c['log10_peak'][-1]:.1f}"
        for c in result["curves"]
    )
    last = len(result["curves"][0]["log10_peak"]) - 1
    return Caption(
        "Beyond the paper: how far head k of a concurrent chain rises before it converges, under expected updates on "
        "Baird-Reward; the slope is R of `extra-transient`.",
        f"Peak error against the head on a logarithmic axis; at head {last}: {parts}.",
        f"{last} heads, no sampling",
    )


FIGURE = FigureSpec(
    title="Transients",
    section=BEYOND,
    sizes={EVERY: Settings()},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(2, 2),
)
