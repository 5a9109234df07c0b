"""``theory learn --tune --sensitivity``: what hangs on the step size, one curve a learner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from theory.experiments.learning import Learned
from theory.figures._curves import LOWEST, MORE, curve, logarithmic
from theory.figures._style import V_PI, look, new_figure


def plot_sensitivity(results: Sequence[Learned]) -> Figure:
    """RMSE on the tuning seeds against α, all other parameters at their best for it; a ring marks the chosen one."""
    with look():
        figure, (axes,) = new_figure(height=4.0)
        tuned = [(r.run, r.run.tuning) for r in results if r.run.tuning is not None and r.run.tuning.sensitivity]
        for i, (run, tuning) in enumerate(tuned):
            alpha, rmse, low, high = (np.array(x) for x in zip(*tuning.sensitivity, strict=True))
            curve(axes, alpha, rmse, low, high, run.learner, i)
            chosen, colour = run.setting["alpha"], MORE[i % len(MORE)]["color"]
            axes.plot(
                [chosen], [max(tuning.rmse, LOWEST)], "o", markersize=9, fillstyle="none", color=colour, clip_on=False
            )
        axes.set_xscale("log", base=2)
        logarithmic(axes, [row[1] for _, tuning in tuned for row in tuning.sensitivity])
        first = results[0]
        axes.set(
            title=f"{first.problem}, γ = {first.gamma:g}: tuning seeds, other parameters at their best",
            xlabel=r"step size $\alpha$",
            ylabel=f"RMSE against {V_PI}, cut at $10^{{-3}}$",
        )
        axes.legend(loc="best")
        return figure
