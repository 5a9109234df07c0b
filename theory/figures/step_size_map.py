r"""Beyond the paper: the exact RMSE of gradient methods over both step sizes, on Baird's problem.

Over the last half of a run, without sampling (`theory.noise`); inside the white line second moments shrink (ρ₂ < 1),
inside the dashed one fourth moments do (ρ₄ < 1). Between the two the expectation is finite and seeds do not show it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from theory.figures._figure import BEYOND, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import LARGE, look, new_figure, nulls, numbers
from theory.figures.live.noise import draw_maps
from theory.noise.sweep import SettingMap, closing_rule, setting_map
from theory.problems.catalogue import catalogue_problem


@dataclass(frozen=True)
class Settings:
    """The problem, the learners, and octaves between step sizes and between points of the lines."""

    problem: str = "baird:gamma=9/10"
    learners: tuple[str, ...] = ("gtd2", "tdc")
    between: float = 1 / 3
    along: float = 1.0
    steps: int = 100_000


def compute(c: Settings, seed: int = 0, work: Work | None = None) -> Data:
    """RMSE over a grid of α and β, and the lines that end ρ₂ < 1 and ρ₄ < 1."""
    problem = catalogue_problem(c.problem)
    sizes = 2.0 ** np.arange(-40 / 3, -0.3, c.between)
    maps = []
    for name in c.learners:
        one = setting_map(closing_rule(name, problem), problem, sizes, c.along, steps=c.steps)
        best = np.unravel_index(int(np.argmin(one.rmse)), one.rmse.shape)
        maps.append(
            {
                "learner": name,
                "rmse": [nulls(row) for row in one.rmse],
                "second": one.second.tolist(),
                "fourth": one.fourth.tolist(),
                "best": [float(sizes[best[1]]), float(sizes[best[0]]), float(one.rmse[best])],
            }
        )
    about = {"problem": problem.name, "gamma": problem.gamma, "steps": c.steps}
    return {**about, "step_sizes": sizes.tolist(), "maps": maps}


def rows(result: Data) -> list[Row]:
    """For CSV; empty beyond the range of doubles."""
    sizes = result["step_sizes"]
    return [
        {"learner": m["learner"], "alpha": a, "beta": b, "rmse": x}
        for m in result["maps"]
        for b, row in zip(sizes, m["rmse"], strict=True)
        for a, x in zip(sizes, row, strict=True)
    ]


def plot(result: Data) -> Figure:
    """A panel a learner."""
    with look():
        figure, panels = new_figure(1, len(result["maps"]), width=8.4, height=3.7)
        figure.suptitle(
            f"{result['problem']}, γ = {result['gamma']:g}: exact RMSE over the last half of {result['steps']:,} moves",
            fontsize=LARGE,
        )
        draw_maps(figure, panels, [_map(result, m) for m in result["maps"]])
        for axes, m in zip(panels, result["maps"], strict=True):
            a, b, _ = m["best"]
            axes.plot([a], [b], "*", color="white", markersize=9, markeredgecolor="black", label="least")
        return figure


def _map(result: Data, m: Data) -> SettingMap:
    rmse = np.array([numbers(row) for row in m["rmse"]])
    second, fourth = (np.array(m[name]).reshape(-1, 2) for name in ("second", "fourth"))
    return SettingMap(m["learner"], np.array(result["step_sizes"]), rmse, second, fourth, None)


def caption(result: Data) -> Caption:
    """The least error of each learner."""
    parts = "; ".join(
        f"{m['learner']}: {m['best'][2]:.3g} at α = {m['best'][0]:.4g}, β = {m['best'][1]:.4g}" for m in result["maps"]
    )
    return Caption(
        f"Beyond the paper: the exact RMSE of gradient methods on {result['problem']} over a grid of both step"
        " sizes; stars mark the least. Inside the white line the mean square shrinks, inside the dashed one its"
        " estimates scatter little in the long run.",
        f"RMSE as colour over both step sizes; least {parts}.",
        f"{len(result['step_sizes']) ** 2:,} settings a learner, no sampling",
    )


FIGURE = FigureSpec(
    title="Exact errors over two step sizes",
    section=BEYOND,
    sizes={"quick": Settings(between=2 / 3, along=2.0), "full": Settings()},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(16, 33),
)
