"""``theory trajectory --plot``: parameters above, errors below, update by update."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.experiments.trajectory import Trajectory
from theory.figures._style import SERIES, V_PI, grid, look, new_figure
from theory.problems.numbers import FloatArray

NAMES = {"d_mu": r"$\sqrt{\overline{VE}}$", "pbe": r"$\sqrt{\overline{PBE}}$", "uniform": "RMSE, uniform"}
FEW = 10  # parameters that are named


def plot_trajectory(found: Trajectory) -> Figure:
    """Two panels."""
    with look():
        figure, (above, below) = new_figure(2, 1, height=2.6)
        parameters(above, found.theta)
        errors(below, {name: found.errors[name] for name in ("d_mu", "pbe")})
        above.set(
            title=f"{found.problem.name}, γ = {found.problem.gamma:g}: {found.label}", ylabel=r"parameters $\theta_i$"
        )
        below.set(xlabel="sweep" if found.sweep else "expected update", ylabel=f"error against {V_PI}")
        return figure


def parameters(axes: Axes, theta: FloatArray, named: bool = True) -> None:
    """Each parameter over time; equal ones share a line and its name."""
    shown = np.where(np.isfinite(theta), theta, np.nan)
    groups: dict[bytes, list[int]] = {}
    for i, column in enumerate(shown.T):
        groups.setdefault(np.round(column, 9).tobytes(), []).append(i + 1)
    for n, members in enumerate(groups.values()):
        style = SERIES[n % len(SERIES)] | {"marker": ""}
        axes.plot(shown[:, members[0] - 1], label=_named(members), **style)
    if named and len(groups) <= FEW:
        axes.legend(loc="best")
    grid(axes)


def errors(axes: Axes, found: Mapping[str, FloatArray]) -> None:
    """Over time, on a logarithmic axis where they span more than three powers of ten."""
    for n, (name, values) in enumerate(found.items()):
        shown = np.where(np.isfinite(values), values, np.nan)
        axes.plot(shown, label=NAMES[name], **SERIES[n] | {"marker": ""})
        if np.nanmax(shown) > 1000 * max(float(shown[0]), 1e-300):
            axes.set_yscale("log")
    axes.legend(loc="best")
    grid(axes)


def _named(members: list[int]) -> str:
    """θ₁–θ₆ of neighbours."""
    if len(members) == 1:
        return rf"$\theta_{{{members[0]}}}$"
    if members == list(range(members[0], members[-1] + 1)):
        return rf"$\theta_{{{members[0]}}}$–$\theta_{{{members[-1]}}}$"
    return ", ".join(rf"$\theta_{{{i}}}$" for i in members)
