r"""The paper's figure 2: expected updates, one head after the other, all at once, and with steps of length α.

Baird-Reward, γ = .9, α = .1, from zero, seen at state 7 (the paper's caption says state 8, but there are seven). One
head after the other for T = 250 steps each; all heads at once; all at once with steps of length α. Head k's fixed point
there is its k-step expedition, 10(1 − .9ᵏ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.figures._figure import CURVES, EVERY, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import V_PI, grid, look
from theory.model.linear_model import FloatModel, moments
from theory.model.points import expedition_values, target_values
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import FloatArray

SHOWN = (1, 5, 10, 20, 30, 40)
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), "-")
TARGET: dict[str, Any] = {"color": "#D55E00", "linewidth": 1.0}


@dataclass(frozen=True)
class Settings:
    """The paper's."""

    problem: str = "baird-reward:gamma=9/10"
    alpha: float = 0.1
    window: int = 250
    heads: int = 40
    state: int = 6  # counting from 0: state 7
    steps: int = 1000  # of the concurrent chains


def compute(c: Settings, seed: int = 0, work: Work | None = None) -> Data:
    """Values of every head at the state over time; for the sequential chain, of the head in training."""
    problem = catalogue_problem(c.problem)
    model, phi = moments(problem), problem.Phi[c.state]
    zero = np.zeros((c.heads + 1, problem.n_features))
    heads, value = zero.copy(), []
    for k in range(c.heads + 1):  # a head begins where the one before it ended
        heads[k] = heads[max(k - 1, 0)]
        for _ in range(c.window):
            heads[k] = heads[k] + c.alpha * _step(model, heads, k)
            value.append(float(phi @ heads[k]))
    together = {name: _concurrent(model, zero, phi, c, name == "normalised") for name in ("concurrent", "normalised")}
    return {
        "problem": problem.name,
        "gamma": problem.gamma,
        "alpha": c.alpha,
        "window": c.window,
        "heads": c.heads,
        "state": problem.state_labels[c.state],
        "target": float(target_values(problem)[c.state]),
        "fixed_points": [float(v[c.state]) for v in expedition_values(moments(problem), c.heads)],
        "sequential": value,
        **{name: values.tolist() for name, values in together.items()},
    }


def rows(result: Data) -> list[Row]:
    """For CSV: panel, head, step and value; every tenth step of the sequential chain."""
    T = result["window"]
    found = [
        {"chain": "sequential", "k": t // T, "step": t + 1, "value": v}
        for t, v in enumerate(result["sequential"])
        if (t + 1) % 10 == 0
    ]
    for name in ("concurrent", "normalised"):
        for k in range(0, result["heads"] + 1, 5):
            found += [{"chain": name, "k": k, "step": t, "value": row[k]} for t, row in enumerate(result[name])]
    return found


def plot(result: Data) -> Figure:
    """The value at one state over updates: head by head above (dots are the fixed points), all at once below."""
    with look():
        figure = Figure(figsize=(7.2, 5.6), layout="constrained")
        panels = figure.subplot_mosaic([["above", "above"], ["left", "right"]], height_ratios=[0.8, 1.0])
        above, middle, right = panels["above"], panels["left"], panels["right"]
        _sequential(above, result)
        for axes, name, title in (
            (middle, "concurrent", "all heads at once"),
            (right, "normalised", "at once, steps of length α"),
        ):
            _together(axes, result, np.array(result[name]), title)
        low, high = middle.get_ylim()
        right.set_ylim(low, high)
        for axes in (above, middle):
            axes.set_ylabel(f"value at state {result['state']}")
        middle.legend(loc="lower right", ncols=2, handlelength=2.6)
        figure.suptitle(
            f"{result['problem'].partition(':')[0]}, γ = {result['gamma']:g}, expected updates, α = {result['alpha']:g}"
        )
        return figure


def caption(result: Data) -> Caption:
    """Where the value ends, and how high it swings."""
    heads = result["heads"]
    peaks = [max(row[-1] for row in result[name]) for name in ("concurrent", "normalised")]
    return Caption(
        f"The paper’s figure 2: expected updates on Baird-Reward, γ = {result['gamma']:g}, α = {result['alpha']:g}, "
        f"seen at state {result['state']}; one head after the other, all heads at once, and all at once with steps of "
        f"length α. The orange line is v_π = {result['target']:g}.",
        f"Three panels. One head at a time, the value climbs in steps to {result['sequential'][-1]:.2f}. All at once, "
        f"head {heads} swings up to {peaks[0]:.0f} before it settles; with steps of length α up to {peaks[1]:.0f}.",
        f"{heads} heads, no sampling",
    )


def _step(model: FloatModel, heads: FloatArray, k: int) -> FloatArray:
    """b_μ − A_μθ⁰ for head 0, b + γYθᵏ⁻¹ − Xθᵏ for the others."""
    if k == 0:
        return model.behaviour.b - model.behaviour.A @ heads[0]
    return model.b + model.gamma * (model.Y @ heads[k - 1]) - model.X @ heads[k]


def _concurrent(model: FloatModel, heads: FloatArray, phi: FloatArray, c: Settings, normalise: bool) -> FloatArray:
    """(steps + 1, heads + 1)."""
    values = [heads @ phi]
    for _ in range(c.steps):
        steps = np.array([_step(model, heads, k) for k in range(c.heads + 1)])
        if normalise:
            steps = np.array([g / (np.sqrt(g @ g) or 1.0) for g in steps])
        heads = heads + c.alpha * steps
        values.append(heads @ phi)
    return np.array(values)


def _sequential(axes: Axes, result: Data) -> None:
    T, values = result["window"], np.array(result["sequential"])
    steps = np.arange(1, len(values) + 1)
    axes.axhline(result["target"], **TARGET)
    axes.plot(steps, values, color="black", linewidth=1.1)
    heads = np.arange(result["heads"] + 1)
    axes.plot((heads + 1) * T, result["fixed_points"], linestyle="none", marker="o", markersize=2.6, color="#0072B2")
    axes.annotate(V_PI, (0, result["target"]), (-2, 3), textcoords="offset points", color=TARGET["color"])
    said = "end of window $k$:\n$10\\,(1 - 0.9^k)$"
    axes.annotate(said, (steps[-1] * 0.42, 8), (steps[-1] * 0.45, 3.2), color="#0072B2", fontsize=8)
    axes.set(title=f"one head at a time, $T$ = {T}", xlabel="updates", ylim=(-0.5, 11.5))
    grid(axes)


def _together(axes: Axes, result: Data, values: Any, title: str) -> None:
    axes.axhline(result["target"], **TARGET)
    for i, k in enumerate(k for k in SHOWN if k <= result["heads"]):
        shade = str(0.72 * (1 - i / (len(SHOWN) - 1)))
        axes.plot(values[:, k], color=shade, linestyle=_DASHES[i], linewidth=1.2, label=f"$k$ = {k}")
    peak = values[:, -1].argmax()
    axes.annotate(
        f"head {result['heads']}: {values[peak, -1]:.0f}", (peak, values[peak, -1]), (8, -2), textcoords="offset points"
    )
    axes.set(title=title, xlabel="updates")
    grid(axes)


FIGURE = FigureSpec(
    title="Expected updates on Baird-Reward",
    section=CURVES,
    sizes={EVERY: Settings()},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(1, 1),
)
