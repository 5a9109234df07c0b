r"""Beyond the paper: the best window of a target network, measured, and under expected updates from the same starts.

After m windows of T expected updates the error is G_Tᵐ e_0 (extra-target-network); what the measured error has above
that is variance.
"""

from __future__ import annotations

from math import isfinite

import numpy as np
from matplotlib.figure import Figure

from theory.experiments.bootstrap import bootstrap_band
from theory.figures._figure import BEYOND, SIZES, WINDOWS, Caption, Data, FigureSpec, Row, Size, Work
from theory.figures._style import BAND, SERIES, grid, legend_below, look, new_figure
from theory.learners.driver import run_bulk
from theory.learners.protocol import grid as settings_grid
from theory.learners.streams import Initials, draw_initials, draw_transitions
from theory.linear.target_networks import window_matrix, window_radii
from theory.model.linear_model import value_model
from theory.model.points import fixed_point, target_values
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import FloatArray

PROBLEMS = (
    ("threestate:gamma=9/10", 0.05),
    ("threestate:gamma=9/10", 0.0125),
    ("baird-reward:gamma=9/10", 0.02),
)
TOP = 1e10  # errors above are off the scale


def compute(size: Size, seed: int = 0, work: Work | None = None) -> Data:
    """RMSE over T at the end of the run: measured with band, under expected updates, and ρ(G_T)^(1/T) per move."""
    panels = []
    for i, (name, alpha) in enumerate(PROBLEMS):
        problem = catalogue_problem(name)
        problem = problem if problem.mdp is not None else problem.realised()
        source = np.random.SeedSequence(seed, spawn_key=(i,)).spawn(3)
        streams, starts, resampling = (np.random.default_rng(s) for s in source)
        moves = draw_transitions(streams, problem, size.steps, size.seeds)
        theta = draw_initials(starts, size.seeds, 1, problem.n_features).theta
        settings = settings_grid(alpha=[alpha], window=WINDOWS)
        run = run_bulk("target-network", problem, settings, moves, Initials(theta[:, [0, 0]]))
        rates = window_radii(problem, alpha, WINDOWS)
        points = []
        for j, T in enumerate(WINDOWS):
            low, high = bootstrap_band(resampling, run.final[j])
            mean = np.sqrt(run.final[j].mean())
            points.append(
                {
                    "window": T,
                    "measured": float(mean),
                    "low": float(low),
                    "high": float(high),
                    "expected": _expected(problem, alpha, T, size.steps // T, theta[:, 0]),
                    "rate": float(rates[j] ** (1 / T)),
                }
            )
        best = min(points, key=lambda p: p["measured"])["window"]
        theory = min(points, key=lambda p: p["rate"])["window"]
        panels.append(
            {
                "problem": problem.name,
                "gamma": problem.gamma,
                "alpha": alpha,
                "points": points,
                "best_measured": best,
                "best_rate": theory,
            }
        )
    return {"steps": size.steps, "seeds": size.seeds, "panels": panels}


def rows(result: Data) -> list[Row]:
    """For CSV."""
    return [{"problem": p["problem"], "alpha": p["alpha"], **row} for p in result["panels"] for row in p["points"]]


def plot(result: Data) -> Figure:
    """Error after a fixed number of moves against T: measured, and under expected updates."""
    panels = result["panels"]
    with look():
        figure, axes_ = new_figure(1, len(panels), height=3.8)
        least = min(_clip(p[name]) for panel in panels for p in panel["points"] for name in ("measured", "expected"))
        low_end = 10.0 ** (10 * np.floor(np.log10(least) / 10))
        for axes, panel in zip(axes_, panels, strict=True):
            points = panel["points"]
            T = [p["window"] for p in points]
            low, high, measured, expected = (
                np.array([_clip(p[name]) for p in points]) for name in ("low", "high", "measured", "expected")
            )
            axes.fill_between(T, low, high, color=SERIES[0]["color"], **BAND)
            axes.plot(T, measured, label="measured", **SERIES[0])
            axes.plot(T, expected, label="expected updates", **SERIES[1])
            axes.axvline(panel["best_rate"], color="#D55E00", linestyle=":", label=r"least $\rho(G_T)^{1/T}$")
            axes.set(xscale="log", yscale="log", ylim=(low_end, TOP), xlabel="window $T$")
            axes.set_title(f"{panel['problem'].partition(':')[0]}, γ = {panel['gamma']:g}\nα = {panel['alpha']:g}")
            axes.set_xticks([1, 16, 256, 4096], labels=["1", "16", "256", "4096"])
            axes.minorticks_off()
            grid(axes)
        for axes in axes_[1:]:
            axes.tick_params(labelleft=False)
        axes_[0].set_ylabel(f"RMSE after {result['steps']:,} moves")
        legend_below(figure, axes_[0], ncols=3)
        return figure


def caption(result: Data) -> Caption:
    """The best windows by both."""
    parts = "; ".join(
        f"{p['problem'].partition(':')[0]}, γ = {p['gamma']:g}, with α = {p['alpha']:g}: best measured "
        f"T = {p['best_measured']}, by theory {p['best_rate']}"
        for p in result["panels"]
    )
    gammas = " and ".join(f"{gamma:g}" for gamma in sorted({p["gamma"] for p in result["panels"]}))
    return Caption(
        f"Beyond the paper: error at γ = {gammas} after {result['steps']:,} moves against the window T of a "
        f"target network, measured ({result['seeds']} seeds) and under expected updates from the same starts; "
        "dotted: the T whose rate per move, the T-th root of ρ(G_T), is least.",
        f"Three panels of error against T, each with a valley. {parts}.",
        f"{result['seeds']} seeds, {result['steps']:,} moves",
    )


def _expected(problem: Problem, alpha: float, T: int, m: int, theta: FloatArray) -> float:
    """RMSE over states and starts (seeds, F) after m windows of expected updates."""
    model, G = window_matrix(problem, alpha, T)
    fixed = fixed_point(value_model(problem))
    bias = fixed.values - target_values(problem)
    # Where the fixed point is v_π itself, what is left is rounding and would hide errors below it.
    bias[np.abs(bias) <= 1e-10 * np.abs(fixed.values)] = 0.0
    c = (theta @ problem.Phi.T - fixed.values) @ model.weighted(model.Phi)
    with np.errstate(over="ignore", invalid="ignore"):
        errors = c @ np.linalg.matrix_power(G, m).T @ model.Phi.T + bias
        mean = float(np.square(errors).mean())
    return mean**0.5 if isfinite(mean) else float("inf")


def _clip(value: float) -> float:
    """Errors that are off the scale end just above it; 0 stands for what is flushed to it, 1e−100."""
    return float(np.clip(value, 1e-100, TOP * 10)) if np.isfinite(value) else TOP * 10


FIGURE = FigureSpec(
    title="Best window",
    section=BEYOND,
    sizes=SIZES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(3, 18),
)
