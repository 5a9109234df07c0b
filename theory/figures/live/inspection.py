"""One problem in four panels: spectra, bias against k, ρ(G_T) against T, transients against t."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from theory.experiments.inspection_plot import PlotData
from theory.figures._style import LARGE, SERIES, SMALL, grid, look, new_figure
from theory.model.points import START

GUIDE: dict[str, Any] = {"color": "#777777", "linewidth": 1.0}
BOX: dict[str, Any] = {"frameon": True, "framealpha": 1.0, "edgecolor": "none", "facecolor": "white", "borderpad": 0.2}
DEEP = 8  # powers of ten below the first error
SHADE: dict[str, Any] = {"facecolor": "#eeeeee", "edgecolor": "none", "zorder": 0}


def plot_inspection(data: PlotData) -> Figure:
    """The four panels."""
    with look():
        figure, (spectra, bias, windows, transients) = new_figure(2, 2, width=8.4, height=3.3)
        title = f"{_plain(data.name)}, γ = {data.gamma}, step size α = {data.step_size}"
        figure.suptitle(title, fontsize=LARGE)
        _spectra(spectra, data)
        _bias(bias, data)
        _windows(windows, data)
        _transients(transients, data)
        return figure


def _spectra(axes: Axes, data: PlotData) -> None:
    axes.add_patch(Circle((0, 0), 1, fill=False, linestyle="--", **GUIDE))
    axes.axvline(0, **GUIDE)
    axes.axhline(0, color="#cccccc", linewidth=0.6)
    scaled = f"A/{data.td_unit:.3g}" if np.isfinite(data.td_unit) else "A, scaled"
    _points(axes, data.chain_eigenvalues, 1, "γΠP: unbiased inside the circle")
    _points(axes, data.td_eigenvalues, 2, f"{scaled}: stable right of the line")
    reach = 1.15 * max(1.0, *np.abs(data.chain_eigenvalues).tolist(), 1.0)
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach * 1.45), aspect="equal")
    axes.set(title="spectrum", xlabel="real part", ylabel="imaginary part")
    axes.legend(loc="upper center", handletextpad=0.2, **BOX)


def _points(axes: Axes, values: np.ndarray, series: int, label: str) -> None:
    style = SERIES[series]
    axes.plot(
        values.real,
        values.imag,
        linestyle="none",
        marker=style["marker"],
        color=style["color"],
        markersize=6,
        markerfacecolor="none" if series == 2 else style["color"],
        markeredgewidth=1.4,
        label=label,
    )


def _bias(axes: Axes, data: PlotData) -> None:
    k = np.arange(len(data.worst_bias))
    _curve(
        axes, k, data.worst_bias, 0, r"worst start, $\|B^k\|$", dots=True
    )  # B may be nilpotent: one point is no line
    if data.bias is not None:
        _curve(axes, k, data.bias, 1, f"from {START}")
    if data.rho > 0:
        axes.plot(
            k,
            k * np.log10(data.rho),
            color=SERIES[2]["color"],
            linestyle=":",
            label=rf"$\rho^k$, $\rho$ = {data.rho:.4g}",
        )
    axes.set_xlim(-1, len(k))
    _powers_of_ten(axes)
    axes.set(title="bias of the chain", xlabel="head $k$", ylabel=r"$\|v^k - v_{TD}\|_D\;/\;\|v^0 - v_{TD}\|_D$")
    axes.legend(loc="best", **BOX)
    grid(axes)


def _windows(axes: Axes, data: PlotData) -> None:
    T, radii = data.windows, data.window_radii
    shown = np.where(radii < 1e200, radii, np.nan)  # a logarithmic axis ends before double precision does
    axes.plot(T, shown, color=SERIES[0]["color"])
    axes.axhline(1, **GUIDE)
    far = T[-1] * (T[-1] ** 0.12)
    top = float(np.nanmax(np.append(shown, data.rho)))
    ends = ((1, shown[0], 2, "TD, $T = 1$"), (far, data.rho, 1, r"chain, $T = \infty$"))
    for x, y, series, label in ends:
        if np.isfinite(y):
            style = SERIES[series]
            name = rf"{label}: $\rho$ = {y:.4g}"
            axes.plot([x], [y], style["marker"], color=style["color"], markersize=7, label=name, zorder=5)
    axes.plot([T[-1], far], [shown[-1], data.rho], color=SERIES[0]["color"], linestyle=":")
    axes.set_xscale("log")
    low = float(np.nanmin(np.append(shown, data.rho)))
    if top > 20:
        axes.set_yscale("log")
        axes.set_ylim(max(low, 1e-3) / 1.5, top * 1.5)
    else:
        low, top = min(low, 0.9), max(top, 1.05)
        axes.set_ylim(max(0.0, low - 0.12 * (top - low)), top + 0.35 * (top - low))
    bottom = axes.get_ylim()[0]
    axes.add_patch(Rectangle((0.5, bottom), far * 10, 1 - bottom, **SHADE))
    axes.set_xlim(0.75, far * 1.5)
    axes.annotate("stable", (0.98, 1), (0, -3), xycoords=("axes fraction", "data"), textcoords="offset points",
                  ha="right", va="top", fontsize=SMALL, color="#555555")  # fmt: skip
    axes.set(title="target networks", xlabel="updates per target network $T$", ylabel=r"spectral radius $\rho(G_T)$")
    axes.legend(loc="upper left", handletextpad=0.2)


def _transients(axes: Axes, data: PlotData) -> None:
    axes.set(title="heads of the concurrent chain", xlabel="updates $t$", ylabel="largest error over states")
    if len(data.transients) == 0:
        note = axes.text(0.5, 0.5, fill(data.transient_note, 40), ha="center", va="center", transform=axes.transAxes)
        note.set_in_layout(False)
        axes.set(xticks=[], yticks=[])
        return
    t = np.arange(len(data.transients))
    for i, head in enumerate(data.heads):
        _curve(axes, t, data.transients[:, i], i, f"head {head}")
    _powers_of_ten(axes, floor=float(data.transients[0].max()) - DEEP)
    axes.legend(loc="best", ncols=2, title=f"from {START}", title_fontsize=SMALL, **BOX)
    grid(axes)


def _curve(axes: Axes, x: np.ndarray, y: np.ndarray, series: int, label: str, *, dots: bool = False) -> None:
    style = SERIES[series]
    y = np.where(np.isfinite(y), y, np.nan)
    axes.plot(x, y, color=style["color"], linestyle=style["linestyle"], marker="." if dots else None, label=label)


def _powers_of_ten(axes: Axes, floor: float = -np.inf) -> None:
    """The axis is log₁₀ already, because the numbers may be beyond doubles; nothing below `floor` is shown."""
    low, high = axes.get_ylim()
    low = max(low, min(floor, high - 1))
    if high - low < 1:
        low, high = (low + high) / 2 - 0.5, (low + high) / 2 + 0.5
    step = next(n * 10**e for e in range(9) for n in (1, 2, 5) if n * 10**e * 7 >= high - low)
    ticks = [n * step for n in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
    axes.set_yticks(ticks, labels=[f"$10^{{{n}}}$" for n in ticks])
    axes.set_ylim(low, high)


def _plain(name: str) -> str:
    """A user's name as text: a dollar would begin a formula."""
    return (name if len(name) <= 60 else name[:57] + "…").replace("$", r"\$")
