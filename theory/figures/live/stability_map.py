"""A method's stability over two parameters: how far inside or outside, with the border drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from scipy.ndimage import distance_transform_edt

from theory.experiments.stability_map import StabilityMap
from theory.figures._style import LARGE, SMALL, look, new_figure
from theory.problems.numbers import Array, FloatArray
from theory.views.colours import BAD, GOOD

LETTERS = {"alpha": "step size α", "tau": "τ", "lambda": "λ", "gamma": "γ", "eta": "ridge η", "kappa": "ridge κ",
           "ratio": "β/α", "window": "T", "n": "n", "horizon": "H"}  # fmt: skip
DECADES = 3.0  # of the margin that colours tell apart
PALE = 0.15  # colour of what is nearly on the border
LEAST = 40  # points of a side that has room for its name
SIDES = LinearSegmentedColormap.from_list("sides", [BAD, "#ffffff", GOOD])


def plot_map(found: StabilityMap) -> Figure:
    """Blue is stable, vermilion is not, paler towards the border, which is black; dots are certified points."""
    with look():
        figure, (axes,) = new_figure(width=6.0, height=4.4)
        xs, ys = (np.array([float(v) for v in values]) for values in (found.xs, found.ys))
        depth = 1 + np.maximum(-1, np.log10(np.abs(found.margin) + 1e-300) / DECADES)
        shown = np.sign(found.margin) * (PALE + (1 - PALE) * depth)
        mesh = axes.pcolormesh(xs, ys, shown, cmap=SIDES, vmin=-1, vmax=1, shading="nearest", rasterized=True)
        if np.nanmin(found.margin) < 0 < np.nanmax(found.margin):
            axes.contour(xs, ys, found.margin, levels=[0.0], colors="black", linewidths=1.2)
        for inside, word in ((found.margin > 0, "stable"), (found.margin < 0, "unstable")):
            _name_side(axes, xs, ys, inside, word)
        if found.certified is not None:
            for answer, marker, label in ((1, "o", "converges"), (0, "x", "does not"), (-1, "s", "undecided")):
                i, j = np.nonzero(found.certified == answer)
                if len(i):
                    style: Any = {"linestyle": "none", "marker": marker, "markerfacecolor": "none", "markersize": 3.5}
                    axes.plot(xs[j], ys[i], color="black", markeredgewidth=0.7, label=label, **style)
            figure.legend(loc="outside lower center", ncols=3, fontsize=SMALL, title="certified")
        axes.set(xlabel=LETTERS.get(found.x, found.x), ylabel=LETTERS.get(found.y, found.y))
        axes.set(xscale=_scale(xs), yscale=_scale(ys))
        fixed = {k: v for k, v in found.method.settings.items() if k not in (found.x, found.y)}
        rest = "".join(f", {LETTERS.get(k, k)} = {v}" for k, v in fixed.items())
        gamma = "" if "gamma" in (found.x, found.y) else f", γ = {found.problem.given.gamma}"
        axes.set_title(f"{found.problem.name}: {found.method.name}{gamma}{rest}".replace("$", r"\$"), fontsize=LARGE)
        bar = figure.colorbar(mesh, ax=axes, ticks=[-1, 0, 1])
        bar.ax.set_yticklabels(["unstable", "border", "stable"], fontsize=SMALL)
        return figure


def _name_side(axes: Axes, xs: FloatArray, ys: FloatArray, inside: Array, word: str) -> None:
    """The word where the side is widest: at the point farthest from the other side and from the edges."""
    if inside.sum() < LEAST:
        return
    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    i, j = np.unravel_index(int(depth.argmax()), depth.shape)
    ground = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1.5}
    axes.text(xs[j], ys[i], word, ha="center", va="center", fontsize=LARGE, bbox=ground)


def _scale(values: FloatArray) -> str:
    return "log" if values.min() > 0 and values.max() / values.min() > 100 else "linear"
