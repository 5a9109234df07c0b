"""One look for all figures, and one way to write them; nothing global is set.

`look` lends its settings to a block; `new_figure` makes a figure without pyplot. Series differ in colour, line style
and marker: Okabe and Ito's colours, which people with colour-blindness tell apart, in an order in which their greys
differ, too. `save` writes PNG and SVG that are the same bytes for the same figure: no dates, no random ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from re import Match
from re import compile as pattern
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Dark to light in grey, at least a tenth apart; each with its own marker and dashes.
SERIES: tuple[dict[str, Any], ...] = (
    {"color": "#000000", "marker": "o", "linestyle": "-"},
    {"color": "#0072B2", "marker": "s", "linestyle": "--"},
    {"color": "#D55E00", "marker": "^", "linestyle": "-."},
    {"color": "#56B4E9", "marker": "D", "linestyle": ":"},
    {"color": "#BBBBBB", "marker": "v", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
)
BAND: dict[str, Any] = {"alpha": 0.22, "linewidth": 0.0}
SMALL, NORMAL, LARGE = 8.0, 9.0, 10.0
LOOK: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": NORMAL,
    "axes.titlesize": LARGE,
    "axes.labelsize": NORMAL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.0,
    "svg.hashsalt": "theory",
    "svg.fonttype": "none",
}
V_PI = r"$v_\pi$"
_PLACE, _DECIMAL = pattern(r' (?:d|x|y|width|height|transform)="[^"]*"'), pattern(r"-?\d+\.\d+")
_NAMED = pattern(r'(?<= id=")[a-z]+[0-9a-f]{10}(?=")')


@contextmanager
def look() -> Iterator[None]:
    """The settings hold within the block, for making figures and for writing them."""
    settings: Any = dict(LOOK)
    with mpl.rc_context(settings):
        yield


def new_figure(
    rows: int = 1, columns: int = 1, *, width: float = 7.2, height: float = 2.9
) -> tuple[Figure, list[Axes]]:
    """A figure of `rows` × `columns` panels, `height` inches each row; call it within `look`."""
    figure = Figure(figsize=(width, height * rows), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).ravel())


def grid(axes: Axes) -> None:
    """Faint lines behind the data."""
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def save(figure: Figure, stem: Path, about: Mapping[str, str]) -> list[Path]:
    """`stem`.png and `stem`.svg with `about` (title, seed, versions, command) in their metadata."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    png, svg = stem.with_suffix(".png"), stem.with_suffix(".svg")
    text = "; ".join(f"{key}: {value}" for key, value in about.items() if key != "Title")
    with look():
        figure.savefig(png, dpi=160, metadata={"Title": about.get("Title", ""), "Description": text, "Software": None})
        write_svg(figure, svg, {"Title": about.get("Title", ""), "Description": text})
    return [png, svg]


def write_svg(figure: Figure, path: Path, metadata: Mapping[str, str]) -> None:
    """An SVG without dates, its places in hundredths of a point: half the bytes, and nobody sees the difference.

    matplotlib names parts after digests of unrounded places; they are numbered instead, in the order of the file.
    """
    out = StringIO()
    figure.savefig(out, format="svg", metadata={**metadata, "Date": None, "Creator": "theory"})
    text = _PLACE.sub(_rounded, out.getvalue())
    for i, name in enumerate(dict.fromkeys(_NAMED.findall(text))):
        text = text.replace(name, f"part{i}")
    path.write_text(text, encoding="utf-8")


def _rounded(place: Match[str]) -> str:
    return _DECIMAL.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), place[0])
