"""Runs of ``theory learn``: one panel, one curve a learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from theory.experiments.learning import Learned
from theory.figures._curves import curve, logarithmic
from theory.figures._style import V_PI, look, new_figure

EXACT: dict[str, Any] = {"color": "black", "linestyle": (0, (4, 2)), "linewidth": 1, "zorder": 5}


def plot_learned(results: Sequence[Learned]) -> Figure:
    """One panel, one curve a learner."""
    with look():
        figure, (axes,) = new_figure(height=4.0)
        for i, r in enumerate(results):
            curve(axes, r.marks, r.rmse, r.low, r.high, f"{r.run.learner}", i)
            if r.exact is not None:
                axes.plot(r.marks, r.exact.rmse, **EXACT)
                band = r.exact.band(r.run.seeds)
                if band is not None:
                    axes.fill_between(r.marks, *band, facecolor="none", edgecolor="black", linewidth=0.4, alpha=0.5)
        logarithmic(axes, [x for r in results for x in r.rmse.tolist()])
        axes.set(
            title=f"{results[0].problem}, γ = {results[0].gamma:g}",
            xlabel="moves $t$",
            ylabel=f"RMSE against {V_PI}, cut at $10^{{-3}}$",
        )
        if any(r.exact is not None for r in results):
            axes.plot([], [], label="exact expectation and band", **EXACT)
        axes.legend(loc="best")
        return figure
