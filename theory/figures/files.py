"""Figures into files, the same bytes for the same figure: PNG, SVG and the CSV behind them, or one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from theory.experiments.tables import csv_text
from theory.figures.style import look, save, write_svg


def write_figure(
    figure: Figure, stem: Path, title: str, about: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> list[Path]:
    """`stem`.csv first, so that the data are there before the picture; then `stem`.png and `stem`.svg."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    table = stem.with_suffix(".csv")
    table.write_text(csv_text(rows, about), encoding="utf-8")
    return [*save(figure, stem, {"Title": title, **about}), table]


def save_one(figure: Figure, path: Path, about: Mapping[str, str]) -> None:
    """The one file `path`, .png or .svg; `about` goes into its metadata, dates and random ids do not."""
    text = "; ".join(f"{key}: {value}" for key, value in about.items())
    with look():
        if path.suffix == ".svg":
            write_svg(figure, path, {"Description": text})
        else:
            figure.savefig(path, dpi=160, metadata={"Description": text, "Software": None})
