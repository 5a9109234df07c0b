"""The explorer's panels: arrays in, one small chart out, as the text of an ``<svg>`` element.

Each panel says with shape or line style what it says with colour; stable and unbiased are blue discs and solid,
unstable and biased vermilion squares and hatched or dashed. The colours are Okabe and Ito's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from theory.explorer.svg import GREY, INK, Axis, Chart, linear, log_or_linear
from theory.problems.numbers import Array, FloatArray
from theory.views.colours import BAD, CHAIN_LINE, GOOD, QUADRANT_NAMES, QUADRANTS, TD_LINE

WIDTH, HEIGHT = 400, 340  # small, so that letters stay readable on a phone; a desk's page magnifies it
TINT = "#D55E0018"  # over the bad side of a line
_STYLES = ((INK, ""), (BAD, "9 3 2 3"), (GOOD, "6 4"), ("#E69F00", "2 3"), ("#56B4E9", "10 3 2 3 2 3"))


def plot_ruler(
    stable: Sequence[tuple[float, float]], unbiased: float, gamma: float, marks: Mapping[str, float], alt: str
) -> str:
    """γ from 0 to 1: where TD is stable, where the chain is unbiased, the exact ends, and where we are.

    In boxes rather than SVG: it stretches with the page and its letters do not shrink on a phone. `data-drag` and
    `data-x` tell the page's script what a click on it means.
    """
    rows = []
    for name, stretches in (("TD is stable", stable), ("The chain is unbiased", [(0.0, unbiased)])):
        bars = "".join(_bar(low, high, GOOD) for low, high in stretches)
        hatch = f"repeating-linear-gradient(135deg,{BAD} 0 1.5px,transparent 1.5px 7px)"
        rows.append(
            f'<div style="font-size:.8rem;margin-top:.35rem">{name}</div><div style="position:relative;height:.9rem;'
            f'outline:1px solid {BAD};background:{hatch}">{bars}</div>'
        )
    taken: list[float] = []
    texts = []
    for text, x in sorted(marks.items(), key=lambda item: item[1]):
        if all(abs(x - other) > 0.1 for other in taken):
            texts.append(_above(x, text))
            taken.append(x)
    here = (
        f'<div style="position:absolute;top:1.2rem;bottom:0;left:{100 * gamma:.3f}%;width:3px;margin-left:-1.5px;'
        'background:currentColor"></div>'
    )
    ticks = "".join(f"<span>{tick:g}</span>" for tick in (0, 0.25, 0.5, 0.75, 1))
    scale = f'<div style="display:flex;justify-content:space-between;font-size:.75rem">{ticks}</div>'
    return (
        f'<div role="img" aria-label="{escape(alt)}"><div data-drag="ruler" data-x="0 1" style="position:relative;'
        f'padding-top:1.1rem">{"".join(texts)}{"".join(rows)}{here}</div>{scale}</div>'
    )


def plot_spectrum(values: Array, paths: Array, *, circle: bool, alt: str) -> str:
    """Eigenvalues now and their way as γ goes from 0 to 1; the boundary is bold, the bad side tinted."""
    title = "γΠP: the chain is unbiased inside the circle" if circle else "A: TD is stable right of the axis"
    x, y = _plane(values, paths, (WIDTH - 76) / (HEIGHT - 85) if circle else None)
    chart = Chart(title, x, y, width=WIDTH, height=HEIGHT)
    if circle:
        turn = np.linspace(0, 2 * np.pi, 181)
        chart.line(np.cos(turn), np.sin(turn), weight=2.0)
    else:
        chart.box(x.low, 0, y.low, y.high, TINT)
        chart.line([0, 0], [y.low, y.high], weight=2.0)
    for path in paths.T:
        chart.line(path.real, path.imag, GREY, weight=1.1)
    chart.dots(paths[-1].real, paths[-1].imag, GREY, shape="x", label="γ → 1", size=3.5)
    bad = np.abs(values) >= 1 if circle else values.real <= 0
    chart.dots(values.real[~bad], values.imag[~bad], GOOD, label="now, good side")
    chart.dots(values.real[bad], values.imag[bad], BAD, shape="s", label="now, bad side")
    if circle:  # all but the disc
        (cx, cy), (rx, _), (right, bottom) = chart.pixel(0, 0), chart.pixel(1, 0), chart.pixel(x.high, y.low)
        r = f"{rx - cx:.1f}"
        disc = f"M{rx:.1f} {cy:.1f}A{r} {r} 0 1 0 {2 * cx - rx:.1f} {cy:.1f}A{r} {r} 0 1 0 {rx:.1f} {cy:.1f}Z"
        chart.raw(f'<path d="M0 0H{right:.1f}V{bottom:.1f}H0Z{disc}" fill="{TINT}" fill-rule="evenodd"/>')
    return chart.svg(alt)


def plot_bias(bias: FloatArray, predicted: FloatArray, k: int, label: str, alt: str) -> str:
    """max |vᵏ − v_TD| against k with the predicted rate beside it, and the chosen k marked."""
    heads = np.arange(len(bias))
    y = log_or_linear("max |vᵏ − v_TD|", bias)
    chart = Chart("Bias of the k-th head, and its predicted rate", linear("head k", heads), y, width=WIDTH)
    chart.line(heads, bias, GOOD, label="bias", weight=1.2)
    chart.dots(heads, bias, GOOD, size=3.0)
    chart.line(heads, predicted, BAD, dash="6 4", label=label)
    chart.across(x=k, color=GREY, dash="2 3")
    return chart.svg(alt)


def plot_windows(windows: FloatArray, radii: FloatArray, limit: float, window: int, radius: float, alt: str) -> str:
    """ρ(G_T) from TD (T = 1) to the chain (T = ∞, dashed)."""
    y = log_or_linear("ρ(G_T)", radii, [1.0, limit, radius])
    x = Axis("T, updates per target network", 1, float(windows[-1]), log=True)
    chart = Chart("From TD to the chain: stable below 1", x, y, width=WIDTH)
    chart.box(1, float(windows[-1]), 1, y.high, TINT)
    chart.line([1, windows[-1]], [1, 1], weight=2.0)
    chart.line([1, windows[-1]], [limit, limit], BAD, dash="6 4", label="T = ∞, the chain")
    chart.line(windows, radii, GOOD, label="ρ(G_T)", weight=2.0)
    good = radius < 1
    chart.dots(window, radius, GOOD if good else BAD, shape="o" if good else "s", size=6, label="now")
    return chart.svg(alt)


def plot_transient(log10_error: FloatArray, alt: str) -> str:
    """Errors of all heads of the concurrent chain over time: the first blue, the last orange."""
    steps, heads = np.arange(len(log10_error)), log10_error.shape[1]
    shown = np.where(log10_error > log10_error.max() - 12, log10_error, np.nan)
    span = linear("largest error over states", shown)
    y = Axis(span.label, min(span.low, span.high - 1.2), span.high, powers=True)  # at least one power to label
    chart = Chart("Errors of all heads at once", linear("updates", steps), y, width=WIDTH)
    for k in range(heads):
        share = k / max(1, heads - 1)
        color = f"rgb({30 + 190 * share:.0f},{120 + 30 * share:.0f},{200 - 180 * share:.0f})"
        label = "head 0" if k == 0 else f"head {k}" if k == heads - 1 else ""
        chart.line(steps, shown[:, k], color, label=label, weight=2.2 if label else 1.0)
    return chart.svg(alt)


def plot_trajectories(curves: Mapping[str, tuple[Array, FloatArray]], title: str, alt: str) -> str:
    """Error over updates of several learners, each with its own line style; (steps, error) each."""
    errors = [np.where(error < 1e30, error, np.nan) for _, error in curves.values()]
    x, y = linear("updates", *(steps for steps, _ in curves.values())), log_or_linear("RMSE", *errors)
    chart = Chart(title, x, y, width=WIDTH)
    for name, (steps, _), error, (color, dash) in zip(curves, curves.values(), errors, _STYLES, strict=False):
        chart.line(steps, error, color, dash=dash, label=name)
    return chart.svg(alt)


def plot_noise(curves: Mapping[str, tuple[FloatArray, FloatArray]], here: float, title: str, alt: str) -> str:
    """Exact error against the step size, learner by learner; the slider's is the grey line."""
    errors = [np.where((error > 1e-12) & (error < 1e6), error, np.nan) for _, error in curves.values()]
    sizes = np.concatenate([alpha for alpha, _ in curves.values()])
    x = Axis("step size α", float(sizes.min()), float(sizes.max()), log=True)
    chart = Chart(title, x, log_or_linear("exact RMSE", *errors), width=WIDTH)
    chart.across(x=here, color=GREY, dash="2 3")
    for name, (alpha, _), error, (color, dash) in zip(curves, curves.values(), errors, _STYLES, strict=False):
        chart.line(alpha, error, color, dash=dash, label=name)
    return chart.svg(alt)


def plot_heads(error: FloatArray, bias: FloatArray, alt: str) -> str:
    """Exact error of each head, and the bias of their limits."""
    k = np.arange(len(error))
    shown, limits = (np.where(np.isfinite(e) & (e < 1e12), e, np.nan) for e in (error, bias))
    chart = Chart("Head by head", linear("head k", k), log_or_linear("distance from v_π", shown, limits), width=WIDTH)
    chart.line(k, shown, GOOD, label="exact RMSE", weight=1.2)
    chart.dots(k, shown, GOOD, size=3.0)
    chart.line(k, limits, BAD, dash="6 4", label="bias of the limits")
    return chart.svg(alt)


_WALLS = {"td": (TD_LINE, "", "TD's exact line"), "chain": (CHAIN_LINE, "5 3", "the chain's")}


def plot_phase(
    gammas: FloatArray,
    values: FloatArray,
    quadrant: Array,
    here: tuple[float, float],
    name: str,
    alt: str,
    *,
    entry: tuple[int, int] = (0, 0),
    lines: Sequence[tuple[str, FloatArray, FloatArray]] = (),
) -> str:
    """The (γ, feature entry) plane by quadrant, with the current point and the boundaries where they are known.

    Its `data-` attributes tell the page's script which numbers a click on the plane means.
    """
    dg, dv = (gammas[1] - gammas[0]) / 2, (values[1] - values[0]) / 2
    x, y = Axis("γ", gammas[0] - dg, gammas[-1] + dg), Axis(name, values[0] - dv, values[-1] + dv)
    chart = Chart("Phase diagram; the cross is this problem", x, y, width=WIDTH, height=HEIGHT)
    for color, label in zip(QUADRANTS, QUADRANT_NAMES, strict=True):
        chart.swatch(color, label)
    for value, row in zip(values, quadrant, strict=True):
        # Runs of one quadrant are one rectangle; a hair of overlap hides the seams.
        ends = np.flatnonzero(np.diff(row)) + 1
        for a, b in zip([0, *ends], [*ends, len(row)], strict=True):
            right, low, high = gammas[b - 1] + 1.4 * dg, max(value - 1.2 * dv, y.low), min(value + 1.2 * dv, y.high)
            chart.box(gammas[a] - dg, min(right, x.high), low, high, QUADRANTS[row[a]])
    for side, (color, dash, label) in _WALLS.items():
        for i, (xs, ys) in enumerate((xs, ys) for of, xs, ys in lines if of == side):
            chart.line(xs, ys, color, dash=dash, label="" if i else label, weight=2)
    px, py = chart.pixel(*here)
    right, bottom = chart.pixel(x.high, y.low)
    cross = f"M{px - 9:.1f} {py:.1f}H{px + 9:.1f}M{px:.1f} {py - 9:.1f}V{py + 9:.1f}"
    chart.raw(
        f'<path d="{cross}" stroke="#ffffff" stroke-width="6"/><path d="{cross}" stroke="#000000" stroke-width="2.5"/>'
        f'<rect width="{right:.1f}" height="{bottom:.1f}" fill="transparent" data-drag="plane" '
        f'data-x="{x.low:.6g} {x.high:.6g}" data-y="{y.low:.6g} {y.high:.6g}" data-state="{entry[0]}" '
        f'data-feature="{entry[1]}"/>'
    )
    # The cross may stand on the edge, and is then drawn beyond it.
    return chart.svg(alt).replace("<svg width=", '<svg overflow="visible" width=', 1)


def _bar(low: float, high: float, color: str) -> str:
    return (
        f'<div style="position:absolute;top:0;bottom:0;left:{100 * low:.3f}%;width:{100 * (high - low):.3f}%;'
        f'background:{color}"></div>'
    )


def _above(x: float, text: str) -> str:
    side = f"right:{100 * (1 - x):.3f}%" if x > 0.5 else f"left:{100 * x:.3f}%"
    return f'<div style="position:absolute;top:0;{side};font-size:.8rem;white-space:nowrap">{escape(text)}</div>'


def _plane(values: Array, paths: Array, aspect: float | None) -> tuple[Axis, Axis]:
    """Axes that hold everything; with an aspect (width over height), a unit is as wide as high."""
    re, im = np.append(paths.real, values.real), np.append(paths.imag, values.imag)
    if aspect is None:
        half = max(float(np.abs(im).max(initial=0.0)), 0.2 * float(np.abs(re).max(initial=0.0)), 1e-12) * 1.15
        span = max(float(re.max(initial=0.0)), 0.0) - min(float(re.min(initial=0.0)), 0.0)
        return linear("Re λ", re, [-0.12 * span]), Axis("Im λ", -half, half)
    half = 1.15 * max(1.0, float(np.abs(im).max(initial=0.0)), float(np.abs(re).max(initial=0.0)) / aspect)
    return Axis("Re λ", -half * aspect, half * aspect), Axis("Im λ", -half, half)
