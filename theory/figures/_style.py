"""One look for all figures, and one way to write them; nothing global is set.

`look` lends its settings to a block; `new_figure` makes a figure without pyplot. Series differ in colour, line style
and marker: Okabe and Ito's colours, which people with colour-blindness tell apart, in an order in which their greys
differ, too. A figure becomes its CSV (and JSON), PNG and SVG, the same bytes for the same data: no dates, no random
ids.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from re import Match
from re import compile as pattern
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.code_version import provenance
from theory.figures._figure import Data, FigureSpec
from theory.problems import InvalidProblem
from theory.problems.numbers import FloatArray
from theory.text.tables import csv_text, rounded

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
SLOPE: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (1, 1.5))}
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


def legend_below(figure: Figure, axes: Axes, **more: Any) -> None:
    """The panel's legend below all panels."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", **more)


def grid(axes: Axes) -> None:
    """Faint lines behind the data."""
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def nulls(values: Iterable[float]) -> list[float | None]:
    """As JSON has them: None for what is not finite."""
    return [float(x) if np.isfinite(x) else None for x in values]


def numbers(values: Iterable[float | None]) -> FloatArray:
    """Back again: infinity for None."""
    return np.array([np.inf if x is None else x for x in values])


def write_figure(spec: FigureSpec[Any], result: Data, profile: str, seed: int, into: Path) -> list[Path]:
    """The data first, so that they are there before the picture; every file says which command and seed made it.

    All of them show the rounded result, the picture, too: its pixels then depend on no digit that is not written.
    """
    about, data = provenance(seed, spec.command(profile, seed, result)), rounded(result)
    table, whole = (into / f"{spec.name}.{kind}" for kind in ("csv", "json"))
    table.write_text(csv_text(spec.rows(data), about), encoding="utf-8")
    if spec.whole:
        document = {"about": about, **data}
        whole.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    figure, pictures = spec.plot(data), [into / f"{spec.name}.{kind}" for kind in ("png", "svg")]
    for picture in pictures:
        save_one(figure, picture, about, Title=spec.title)
    return [*pictures, table, *([whole] if spec.whole else [])]


def check_writable(*folders: Path) -> None:
    """Fail at once, in one line, where a folder cannot be made or written to."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise InvalidProblem(f"cannot write to {error.filename or folder}: {error.strerror}", "into") from None


def save_one(figure: Figure, path: Path, about: Mapping[str, str], **more: str) -> None:
    """The one file `path`, .png or .svg; `about` goes into its metadata, dates and random ids do not."""
    metadata = more | {"Description": "; ".join(f"{key}: {value}" for key, value in about.items())}
    with look():
        if path.suffix == ".svg":
            write_svg(figure, path, metadata)
        else:
            figure.savefig(path, dpi=160, metadata=metadata | {"Software": None})


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
