"""Beyond the paper: transients against K, bias against variance, and the best window against theory."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from theory.figures.style import BAND, SERIES, grid, look, new_figure

TOP = 1e10  # errors above are off the scale
FLOOR = 1e-3  # smaller biases and deviations are drawn at it
KINDS: dict[str, tuple[Any, Any]] = {"bias": ("-", "full"), "standard deviation": (":", "none")}


def plot_transients(result: dict[str, Any]) -> Figure:
    """The highest error of head k on its way, for several γ and α; dotted, the slope Rᵏ where R > 1."""
    with look():
        figure, (axes,) = new_figure(height=3.8)
        for i, c in enumerate(result["curves"]):
            k, peak = np.arange(len(c["log10_peak"])), np.array(c["log10_peak"])
            label = f"γ = {c['gamma']:g}, α = {c['alpha']:g}: R = {c['R']:.3f}"
            axes.plot(k, peak, label=label, markevery=(8 * i % 16, 16), **SERIES[i])
            if c["R"] > 1:
                late = k[len(k) // 2 :]
                axes.plot(
                    late, peak[-1] + (late - k[-1]) * np.log10(c["R"]) + 0.12, color=SERIES[i]["color"], linewidth=0.9,
                    linestyle=(0, (1, 1.5)),
                )  # fmt: skip
        axes.plot([], [], color="#666666", linewidth=0.9, linestyle=(0, (1, 1.5)), label="slope Rᵏ")
        top = int(np.ceil(max(max(c["log10_peak"]) for c in result["curves"])))
        axes.set_yticks(range(top + 1), labels=[f"$10^{{{n}}}$" for n in range(top + 1)])
        axes.set(
            title=f"{result['problem']}: how high head k climbs before it settles (expected updates from 0)",
            xlabel="head k",
            ylabel="largest error over states and time",
        )
        axes.legend(loc="upper left")
        grid(axes)
        return figure


def plot_bias_variance(result: dict[str, Any]) -> Figure:
    """Bias and standard deviation over the length of the chain, n and T, each with its best step size."""
    with look():
        figure, (left, right) = new_figure(1, 2, height=4.0)
        chains = [s for s in result["series"] if s["family"] == "chain"]
        for i, s in enumerate(chains):
            _split(left, s["points"], i, f"n = {s['n']}")
        (network,) = (s for s in result["series"] if s["family"] != "chain")
        _split(right, network["points"], 0, "target network")
        left.set(title="chains of n-step estimators", xlabel="head k", ylabel="error over seeds, cut at 10⁻³")
        right.set(title="target networks", xlabel="window T")
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", ylim=(FLOOR / 1.5, 3e3))
            ticks = sorted({p["value"] for s in (chains if axes is left else [network]) for p in s["points"]})
            ticks = ticks[:: 1 if len(ticks) < 8 else 2]
            axes.set_xticks(ticks, labels=[f"{t:g}" for t in ticks])
            axes.minorticks_off()
            grid(axes)
        handles, labels = left.get_legend_handles_labels()
        kinds = [Line2D([], [], color="#666666", marker="o", linestyle=s, fillstyle=f) for s, f in KINDS.values()]
        figure.legend([*handles, *kinds], [*labels, *KINDS], loc="outside lower center", ncols=3)
        figure.suptitle(
            f"{result['problem']}, {result['steps']:,} moves, {result['seeds']} seeds, best α for each point",
            fontsize=10,
        )
        return figure


def plot_best_window(result: dict[str, Any]) -> Figure:
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
            axes.axvline(panel["best_rate"], color="#D55E00", linestyle=":", label="least ρ(G_T)^(1/T)")
            axes.set(xscale="log", yscale="log", ylim=(low_end, TOP), xlabel="window T")
            axes.set_title(f"{panel['problem'].partition(':')[0]}\nα = {panel['alpha']:g}")
            axes.set_xticks([1, 16, 256, 4096], labels=["1", "16", "256", "4096"])
            axes.minorticks_off()
            grid(axes)
        for axes in axes_[1:]:
            axes.tick_params(labelleft=False)
        axes_[0].set_ylabel(f"RMSE after {result['steps']:,} moves")
        handles, labels = axes_[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        return figure


def _split(axes: Any, points: list[dict[str, Any]], i: int, label: str) -> None:
    x = [p["value"] for p in points]
    style = SERIES[i]
    bias = [max(p["bias"], FLOOR) if p["bias"] > 0 else np.nan for p in points]  # 0: not told from noise
    deviation = [max(p["deviation"], FLOOR) for p in points]
    for values, (line, fill), name in zip((bias, deviation), KINDS.values(), (label, None), strict=True):
        axes.plot(x, values, color=style["color"], marker=style["marker"], linestyle=line, fillstyle=fill, label=name)


def _clip(value: float) -> float:
    """Errors that are off the scale end just above it; 0 stands for what is flushed to it, 1e−100."""
    return float(np.clip(value, 1e-100, TOP * 10)) if np.isfinite(value) else TOP * 10
