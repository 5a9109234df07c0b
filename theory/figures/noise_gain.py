r"""Beyond the paper: why a chain has a best length. Bias falls like ρ(γΠP)ᵏ, noise grows like κᵏ (extra-noise-gain).

The exact error of head k of the concurrent chain in the long run, without sampling, beside the bias that it would have
if all heads had converged; κ = sup over ω of ρ(γ(iω + X)⁻¹Y).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from theory.figures._figure import BEYOND, EVERY, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import SERIES, SLOPE, V_PI, grid, legend_below, look, new_figure, nulls, numbers
from theory.linear.spectra import chain_radius
from theory.linear.transients import noise_gain
from theory.model.points import chain_values, target_values
from theory.noise.heads import HeadMoments
from theory.problems.catalogue import catalogue_problem

FLOOR = 1e-3


@dataclass(frozen=True)
class Settings:
    """Problems, step sizes, and the number of heads."""

    problems: tuple[str, ...] = ("threestate", "baird-reward")
    discounts: tuple[str, ...] = ("9/10", "99/100")
    step_sizes: tuple[float, ...] = (2.0**-6, 2.0**-10)
    heads: int = 96


def compute(c: Settings, seed: int = 0, work: Work | None = None) -> Data:
    """For each problem the bias of each head, its RMSE at each step size, ρ and κ."""
    panels = []
    for name, gamma in product(c.problems, c.discounts):
        problem = catalogue_problem(f"{name}:gamma={gamma}")
        limits = chain_values(problem, c.heads)
        square = HeadMoments(problem).stationary(np.array(c.step_sizes), c.heads)
        panels.append(
            {
                "problem": name,
                "gamma": problem.gamma,
                "rho": chain_radius(problem),
                "kappa": noise_gain(problem)[0],
                "bias": np.sqrt(np.square(limits - target_values(problem)).mean(axis=1)).tolist(),
                "rmse": [nulls(np.sqrt(row)) for row in square],
            }
        )
    return {"step_sizes": list(c.step_sizes), "panels": panels}


def rows(result: Data) -> list[Row]:
    """For CSV."""
    return [
        {"problem": p["problem"], "gamma": p["gamma"], "k": k, "bias": bias}
        | {f"rmse_alpha_{a:.4g}": row[k] for a, row in zip(result["step_sizes"], p["rmse"], strict=True)}
        for p in result["panels"]
        for k, bias in enumerate(p["bias"])
    ]


def plot(result: Data) -> Figure:
    """A panel a problem: bias, RMSE at two step sizes, and the slope κᵏ."""
    with look():
        figure, panels = new_figure(2, 2, width=8.4, height=2.9)
        for axes, p in zip(panels, result["panels"], strict=True):
            k = np.arange(len(p["bias"]))
            axes.plot(k, np.maximum(p["bias"], FLOOR), color=SERIES[0]["color"], label="bias of the limits")
            for i, (a, row) in enumerate(zip(result["step_sizes"], p["rmse"], strict=True), start=1):
                y = np.array([np.nan if x is None else max(x, FLOOR) for x in row])
                label = f"RMSE, $\\alpha = 2^{{{np.log2(a):.0f}}}$"
                axes.plot(k, y, label=label, markevery=(6 * i, 16), **SERIES[i])
                late = k[len(k) // 2 :]
                slope = y[-1] * p["kappa"] ** (late - k[-1].astype(float)) * 1.6
                axes.plot(late, slope, color="#666666", **SLOPE)
            axes.plot([], [], color="#666666", **SLOPE, label=r"slope $\kappa^k$")
            axes.set_yscale("log")
            axes.set_title(f"{p['problem']}, γ = {p['gamma']:g}: $\\kappa$ = {p['kappa']:.4f}")
            grid(axes)
        for axes in panels[2:]:
            axes.set_xlabel("head $k$")
        for axes in panels[::2]:
            axes.set_ylabel(f"distance from {V_PI}")
        legend_below(figure, panels[0], ncols=4, handlelength=3.2)
        return figure


def caption(result: Data) -> Caption:
    """κ, and the best head at each step size."""
    parts = []
    for p in result["panels"]:
        best = ", ".join(
            f"k = {int(np.argmin(numbers(row)))} at α = {a:.4g}"
            for a, row in zip(result["step_sizes"], p["rmse"], strict=True)
        )
        parts.append(f"{p['problem']}, γ = {p['gamma']:g}: ρ = {p['rho']:.4f}, κ = {p['kappa']:.4f}, best {best}")
    return Caption(
        "Beyond the paper: the exact error of head k of the concurrent chain in the long run beside the bias of the"
        " heads' limits. The bias falls, the noise grows from head to head by κ (`extra-noise-gain`), so every step"
        " size has a best k.",
        f"Errors against the head on logarithmic axes. {'; '.join(parts)}.",
        f"{len(result['panels'][0]['bias']) - 1} heads, no sampling",
    )


FIGURE = FigureSpec(
    title="Bias against noise over k",
    section=BEYOND,
    sizes={EVERY: Settings()},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(4, 4),
)
