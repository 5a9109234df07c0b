"""A small chart for a page: axes, lines, marks and a legend as one ``<svg>`` element, in a millisecond.

matplotlib takes a few hundred milliseconds for a figure, too slow for one that follows a slider. Ink is CSS's
``currentColor`` on no ground, so one chart serves light and dark pages; nothing has an id, so charts cannot disturb
each other; the text for those who do not see it is required.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from theory.problems.numbers import FloatArray

INK = "currentColor"
_INDEX = re.compile(r"(?<=[vθλG])_(\w+)")
GREY = "#8a8a8a"
_LETTER = 6.1  # average width of a letter at 11 px


@dataclass(frozen=True)
class Axis:
    """A range of numbers with its label; `log` counts in powers of ten."""

    label: str
    low: float
    high: float
    log: bool = False
    powers: bool = False  # the numbers are exponents of ten, for what is beyond doubles

    def place(self, values: Any) -> FloatArray:
        """0 at `low`, 1 at `high`; NaN where there is no place."""
        x = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.log:
                return np.log(x / self.low) / math.log(self.high / self.low)
            return (x - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers, about five."""
        if self.log:
            a, b = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            every = max(1, math.ceil((b - a) / 6))
            if b > a:
                return [10.0**e for e in range(a, b + 1, every)]
        span = self.high - self.low
        unit = 10 ** math.floor(math.log10(span / 5))
        step = next(m * unit for m in (1, 2, 5, 10) if span / (m * unit) <= 6)
        step = max(step, 1.0) if self.powers else step  # whole powers only
        return [i * step for i in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]


def linear(label: str, *arrays: Any, margin: float = 0.06) -> Axis:
    """An axis that shows all finite numbers of `arrays`."""
    values = _finite(arrays)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    pad = margin * (high - low) or max(abs(low), 1e-12) * 0.5
    return Axis(label, low - pad, high + pad)


def log_or_linear(label: str, *arrays: Any) -> Axis:
    """Logarithmic over at most fifteen decades where positive numbers span more than a factor of thirty."""
    values = _finite(arrays)
    positive = values[values > 0]
    if not len(positive) or positive.max() <= 30 * positive.min():
        return linear(label, values)
    high = float(positive.max())
    return Axis(label, max(float(positive.min()), high * 1e-15) / 1.5, high * 1.5, log=True)


@dataclass
class Chart:
    """Axes to draw into; `svg` gives the element."""

    title: str
    x: Axis
    y: Axis
    width: int = 470
    height: int = 320
    frame: bool = True
    _body: list[Any] = field(default_factory=list)
    _legend: list[tuple[str, str]] = field(default_factory=list)
    left: int = 62

    @property
    def _inner(self) -> tuple[float, float]:
        """Width and height of the plotting area."""
        rows = _legend_rows(self._legend, self.width)
        return self.width - self.left - 14, self.height - 28 - (40 if self.frame else 8) - 17 * len(rows)

    def line(self, xs: Any, ys: Any, color: str = INK, *, dash: str = "", label: str = "", weight: float = 1.7) -> None:
        """A line, broken where a number is not finite or far outside."""
        self._later("line", (np.asarray(xs), np.asarray(ys), color, dash, weight))
        self._name(label, f'<path d="M0 -4H22" stroke="{color}" stroke-width="{weight}" {_dash(dash)} fill="none"/>')

    def dots(self, xs: Any, ys: Any, color: str = INK, *, shape: str = "o", label: str = "", size: float = 4.5) -> None:
        """Marks: o a disc, s a square, x a cross."""
        self._later("dots", (np.atleast_1d(xs), np.atleast_1d(ys), color, shape, size))
        self._name(label, _mark(11, -4, color, shape, size))

    def box(self, x0: float, x1: float, y0: float, y1: float, color: str, *, hatched: bool = False) -> None:
        """A filled rectangle, or one with slanted lines."""
        self._later("box", (x0, x1, y0, y1, color, hatched))

    def across(
        self, *, x: float | None = None, y: float | None = None, color: str = INK, dash: str = "", label: str = ""
    ) -> None:
        """A line from edge to edge."""
        xs, ys = ([x, x], [self.y.low, self.y.high]) if x is not None else ([self.x.low, self.x.high], [y, y])
        self.line(xs, ys, color, dash=dash, label=label, weight=1.3)

    def note(self, x: float, y: float, text: str, *, anchor: str = "middle", color: str = INK) -> None:
        """A text at a point."""
        self._later("note", (x, y, text, anchor, color))

    def swatch(self, color: str, label: str) -> None:
        """A legend's entry for an area."""
        self._name(label, f'<rect x="4" y="-10" width="14" height="11" fill="{color}" stroke="{GREY}"/>')

    def raw(self, element: str) -> None:
        """An element in pixels of the plotting area."""
        self._body.append(element)

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is, in pixels of the plotting area; call it after the legend is complete."""
        w, h = self._inner
        return float(self.x.place(x)) * w, (1 - float(self.y.place(y))) * h

    def svg(self, alt: str) -> str:
        """The element; `alt` says what is to be seen."""
        w, h = self._inner
        inner = "".join(part if isinstance(part, str) else self._draw(*part) for part in self._body)
        axes = self._axes(w, h) if self.frame else ""
        title = f'<text x="{self.left}" y="17" font-size="13" font-weight="600">{_set(self.title)}</text>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(alt)}" fill="currentColor" font-family="sans-serif" font-size="11" '
            f'style="width:100%;max-width:{self.width}px;height:auto;display:block">{title}'
            f'<g transform="translate({self.left} 28)">{axes}<svg width="{w:g}" height="{h:g}">{inner}</svg></g>'
            f"{self._legend_svg()}</svg>"
        )

    def _later(self, kind: str, what: tuple[Any, ...]) -> None:
        # Places depend on how much room the legend takes, which is known at the end.
        self._body.append((kind, what))

    def _name(self, label: str, key: str) -> None:
        if label:
            self._legend.append((label, key))

    def _xy(self, xs: Any, ys: Any) -> tuple[FloatArray, FloatArray]:
        w, h = self._inner
        return self.x.place(xs) * w, (1 - self.y.place(ys)) * h

    def _draw(self, kind: str, what: tuple[Any, ...]) -> str:
        if kind == "line":
            xs, ys, color, dash, weight = what
            px, py = self._xy(xs, ys)
            return f'<path d="{_path(px, py)}" fill="none" stroke="{color}" stroke-width="{weight}" {_dash(dash)}/>'
        if kind == "dots":
            xs, ys, color, shape, size = what
            return "".join(
                _mark(a, b, color, shape, size)
                for a, b in zip(*self._xy(xs, ys), strict=True)
                if math.isfinite(a) and math.isfinite(b)
            )
        if kind == "note":
            x, y, text, anchor, color = what
            a, b = self._xy(x, y)
            return f'<text x="{a:.1f}" y="{b + 4:.1f}" text-anchor="{anchor}" fill="{color}">{escape(text)}</text>'
        x0, x1, y0, y1, color, hatched = what
        (a, b), (c, d) = self._xy([x0, x1], [y1, y0])
        if not hatched:
            return f'<rect x="{a:.1f}" y="{c:.1f}" width="{b - a:.1f}" height="{d - c:.1f}" fill="{color}"/>'
        size = d - c
        slants = "".join(f"M{a + i * 7:.1f} {d:.1f}L{a + i * 7 + size:.1f} {c:.1f}" for i in range(int((b - a) / 7)))
        frame = f"M{a:.1f} {c:.1f}H{b:.1f}V{d:.1f}H{a:.1f}Z"
        return f'<path d="{frame}{slants}" fill="none" stroke="{color}" stroke-width="0.9"/>'

    def _axes(self, w: float, h: float) -> str:
        out = [f'<path d="M0 0V{h:g}H{w:g}" fill="none" stroke="currentColor" stroke-width="0.9"/>']
        for axis, horizontal in ((self.x, True), (self.y, False)):
            for tick in axis.ticks():
                at = float(axis.place(tick))
                if not -1e-6 <= at <= 1 + 1e-6:
                    continue
                p = at * w if horizontal else (1 - at) * h
                across = f"M{p:.1f} 0V{h:g}" if horizontal else f"M0 {p:.1f}H{w:g}"
                out.append(f'<path d="{across}" stroke="{GREY}" stroke-opacity="0.25" stroke-width="0.7"/>')
                where = (
                    f'x="{p:.1f}" y="{h + 14:g}" text-anchor="middle"'
                    if horizontal
                    else f'x="-6" y="{p + 4:.1f}" text-anchor="end"'
                )
                out.append(f"<text {where}>{_power(tick) if axis.powers else _tick(tick, axis.log)}</text>")
        out.append(f'<text x="{w / 2:g}" y="{h + 31:g}" text-anchor="middle">{_set(self.x.label)}</text>')
        out.append(
            f'<text transform="translate(-48 {h / 2:g}) rotate(-90)" text-anchor="middle">{_set(self.y.label)}</text>'
        )
        return "".join(out)

    def _legend_svg(self) -> str:
        rows = _legend_rows(self._legend, self.width)
        out = []
        for i, row in enumerate(rows):
            x, y = 10.0, self.height - 17 * (len(rows) - i) + 10
            for label, key in row:
                out.append(f'<g transform="translate({x:.0f} {y})">{key}<text x="27">{_set(label)}</text></g>')
                x += 40 + _LETTER * len(label)
        return "".join(out)


def _legend_rows(entries: Sequence[tuple[str, str]], width: int) -> list[list[tuple[str, str]]]:
    rows: list[list[tuple[str, str]]] = []
    room = 0.0
    for label, key in entries:
        need = 40 + _LETTER * len(label)
        if not rows or need > room:
            rows.append([])
            room = width - 10.0
        rows[-1].append((label, key))
        room -= need
    return rows


def _set(text: str) -> str:
    """Text whose letters have their indices below the line: v_TD, G_T."""
    first, *rest = _INDEX.split(escape(text))
    lowered = [f'<tspan dy="3" font-size="8">{index}</tspan>' for index in rest[::2]]
    return first + "".join(
        f'{index}<tspan dy="-3">{after}</tspan>' for index, after in zip(lowered, rest[1::2], strict=True)
    )


def _mark(x: float, y: float, color: str, shape: str, size: float) -> str:
    if shape == "o":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{color}"/>'
    if shape == "s":
        return (
            f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:g}" height="{2 * size:g}" fill="{color}"/>'
        )
    a = size * 0.8
    cross = f"M{x - a:.1f} {y - a:.1f}L{x + a:.1f} {y + a:.1f}M{x - a:.1f} {y + a:.1f}L{x + a:.1f} {y - a:.1f}"
    return f'<path d="{cross}" stroke="{color}" stroke-width="1.5" fill="none"/>'


def _path(px: FloatArray, py: FloatArray) -> str:
    out, pen = [], "M"
    for x, y in zip(px.tolist(), py.tolist(), strict=True):
        if math.isfinite(x) and math.isfinite(y) and abs(x) < 1e5 and abs(y) < 1e5:
            out.append(f"{pen}{x:.1f} {y:.1f}")
            pen = "L"
        else:
            pen = "M"
    return "".join(out)


def _dash(dash: str) -> str:
    return f'stroke-dasharray="{dash}"' if dash else ""


def _power(exponent: float) -> str:
    return "10" + str(round(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _tick(value: float, log: bool) -> str:
    if log and (value >= 1e4 or value < 1e-2):
        return _power(math.log10(value))
    return f"{value:.6g}".replace("-", "−") if abs(value) > 1e-12 else "0"


def _finite(arrays: Iterable[Any]) -> FloatArray:
    values = np.concatenate([np.asarray(a, dtype=np.float64).ravel() for a in arrays])
    return values[np.isfinite(values)]
