r"""Beyond the paper: bias against variance at a fixed number of moves, on Threestate.

For every (n, k) of an n-step chain and every T of target-network TD, the step size with the least error, and that error
split over seeds,

    MSE = bias² + variance,    bias² = ‖mean prediction − v_π‖² − variance/seeds   (freed of its own noise).
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from theory.figures._figure import BEYOND, SIZES, WINDOWS, Caption, Data, FigureSpec, Row, Size, Work
from theory.figures._style import SERIES, grid, look, new_figure
from theory.learners.driver import run_bulk
from theory.learners.protocol import grid as settings_grid
from theory.learners.streams import Initials, draw_initials, draw_transitions
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import Array
from theory.problems.sampling import Transitions

PROBLEM = "threestate:gamma=9/10"
FLOOR = 1e-3  # smaller biases and deviations are drawn at it
TOP = 3e3
MARKS: dict[str, dict[str, Any]] = {
    "bias lost in noise": {"marker": r"$\downarrow$", "markersize": 8},
    "above the scale": {"marker": "x", "markersize": 6},
}
KINDS: dict[str, tuple[Any, Any]] = {"bias": ("-", "full"), "standard deviation": (":", "none")}


def compute(size: Size, seed: int = 0, work: Work | None = None) -> Data:
    """One point for each (n, k) and each T: bias, standard deviation and RMSE over the last half."""
    given = catalogue_problem(PROBLEM)
    streams, starts = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    moves = draw_transitions(streams, given, size.steps, size.seeds)
    heads = [2**i for i in range(7)]
    theta = draw_initials(starts, size.seeds, heads[-1] + 1, given.n_features).theta
    marks = np.linspace(size.steps // 2 + 1, size.steps, 50).astype(np.int64)
    series = []
    for n in (1, 2, 4, 8):
        settings = settings_grid(alpha=size.step_sizes, n=[n], k=heads)
        points = _measured("chained-n-step", given, settings, moves, Initials(theta), marks, "k")
        series.append({"family": "chain", "n": n, "points": points})
    settings = settings_grid(alpha=size.step_sizes, window=WINDOWS)
    # Both heads from one start: a target network is its own network's copy.
    points = _measured("target-network", given, settings, moves, Initials(theta[:, [0, 0]]), marks, "window")
    series.append({"family": "target network", "n": 1, "points": points})
    return {"problem": given.name, "gamma": given.gamma, "steps": size.steps, "seeds": size.seeds, "series": series}


def rows(result: Data) -> list[Row]:
    """For CSV; empty cells where every step size diverged."""
    return [{"family": s["family"], "n": s["n"], **p} for s in result["series"] for p in s["points"]]


def plot(result: Data) -> Figure:
    """Bias and standard deviation over the length of the chain, n and T, each with its best step size."""
    with look():
        figure, (left, right) = new_figure(1, 2, height=4.0)
        chains = [s for s in result["series"] if s["family"] == "chain"]
        for i, s in enumerate(chains):
            _split(left, s["points"], i, f"$n$ = {s['n']}")
        (network,) = (s for s in result["series"] if s["family"] != "chain")
        _split(right, network["points"], 0, "target network")
        left.set(title="chains of $n$-step estimators", xlabel="head $k$", ylabel="error over seeds, cut at $10^{-3}$")
        right.set(title="target networks", xlabel="window $T$")
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", ylim=(FLOOR / 1.5, TOP))
            ticks = sorted({p["value"] for s in (chains if axes is left else [network]) for p in s["points"]})
            ticks = ticks[:: 1 if len(ticks) < 8 else 2]
            axes.set_xticks(ticks, labels=[f"{t:g}" for t in ticks])
            axes.minorticks_off()
            grid(axes)
        handles, labels = left.get_legend_handles_labels()
        kinds = [Line2D([], [], color="#666666", marker="o", linestyle=s, fillstyle=f) for s, f in KINDS.values()]
        seen = [name for name, there in zip(MARKS, _marked(result), strict=True) if there]
        marks = [Line2D([], [], color="#666666", linestyle="none", **MARKS[name]) for name in seen]
        figure.legend([*handles, *kinds, *marks], [*labels, *KINDS, *seen], loc="outside lower center", ncols=4)
        about = f"{result['problem'].partition(':')[0]}, γ = {result['gamma']:g}, {result['steps']:,} moves"
        figure.suptitle(f"{about}, {result['seeds']} seeds, best α for each point", fontsize=10)
        return figure


def caption(result: Data) -> Caption:
    """The best of each family."""
    found = [p for p in rows(result) if p["rmse"] is not None]
    best, network = (
        min((p for p in found if (p["family"] == "chain") == chain), key=lambda p: p["rmse"]) for chain in (True, False)
    )
    noise, lost = _marked(result)
    said = f" An arrow stands for a bias that {result['seeds']} seeds cannot tell from noise." if noise else ""
    said += " A cross at the top stands for an error above the scale, whatever the α." if lost else ""
    return Caption(
        f"Beyond the paper: bias and standard deviation over {result['seeds']} seeds after {result['steps']:,} moves "
        "on Threestate, γ = .9, for n-step chains over the head k and for target networks over T; the best α for each "
        f"point.{said} What is below 10⁻³ is drawn there.",
        f"Two panels. The best chain is n = {best['n']}, k = {best['value']} with RMSE {best['rmse']:.2g}; the best "
        f"target network T = {network['value']} with RMSE {network['rmse']:.2g}.",
        f"{result['seeds']} seeds, {result['steps']:,} moves",
    )


def _marked(result: Data) -> tuple[bool, bool]:
    """Is there a bias lost in noise, and an error above the scale?"""
    points = rows(result)
    return any(p["bias"] == 0 for p in points), any(_lost(p) for p in points)


def _lost(point: Row) -> bool:
    """Does every step size diverge, or end above the scale?"""
    return point["rmse"] is None or point["rmse"] > TOP


def _measured(
    learner: str,
    problem: Problem,
    settings: dict[str, Array],
    moves: Transitions,
    starts: Initials,
    marks: Array,
    column: str,
) -> list[Row]:
    """The best step size for each value of the column, run once more for its predictions, and its error split."""
    tried = run_bulk(learner, problem, settings, moves, starts)
    mean = tried.mean_square.mean(axis=1)
    N, points = moves.seeds, []
    for value in np.unique(settings[column]).tolist():
        rows = np.flatnonzero(settings[column] == value)
        best = int(rows[np.argmin(mean[rows])])
        if not isfinite(mean[best]):
            lost = dict.fromkeys(("alpha", "bias", "deviation", "rmse"))
            points.append({"parameter": column, "value": value, **lost})
            continue
        run = run_bulk(learner, problem, tried.setting(best), moves, starts, marks=marks)
        mse, seen = float(run.curve.mean()), float(np.square(run.mean_error).mean())
        variance = max(mse - seen, 0.0) * N / (N - 1)
        points.append(
            {
                "parameter": column,
                "value": value,
                "alpha": float(settings["alpha"][best]),
                "bias": max(seen - variance / N, 0.0) ** 0.5,
                "deviation": variance**0.5,
                "rmse": mse**0.5,
            }
        )
    return points


def _split(axes: Axes, points: list[Row], i: int, label: str) -> None:
    style, (noise, lost) = SERIES[i], MARKS.values()
    for p in points:
        if _lost(p):
            axes.plot(p["value"], TOP / 1.5, color=style["color"], **lost)
        elif p["bias"] == 0:
            axes.plot(p["value"], FLOOR * 1.15 ** (1 + i), color=style["color"], **noise)
    points = [p for p in points if not _lost(p)]
    x = [p["value"] for p in points]
    bias = [max(p["bias"], FLOOR) if p["bias"] > 0 else np.nan for p in points]
    deviation = [max(p["deviation"], FLOOR) for p in points]
    for values, (line, fill), name in zip((bias, deviation), KINDS.values(), (label, None), strict=True):
        axes.plot(x, values, color=style["color"], marker=style["marker"], linestyle=line, fillstyle=fill, label=name)


FIGURE = FigureSpec(
    title="Bias and variance",
    section=BEYOND,
    sizes=SIZES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(7, 89),
)
