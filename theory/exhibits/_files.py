"""Exhibits into files, the same bytes for the same data: the CSV (and JSON), PNG and SVG; or one picture alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from theory.code_version import provenance
from theory.exhibits._exhibit import Data, Exhibit
from theory.exhibits._style import look, save, write_svg
from theory.problems import InvalidProblem
from theory.text.tables import csv_text, rounded


def write_exhibit(exhibit: Exhibit[Any], result: Data, profile: str, seed: int, into: Path) -> list[Path]:
    """The data first, so that they are there before the picture; every file says which command and seed made it.

    All of them show the rounded result, the picture, too: its pixels then depend on no digit that is not written.
    """
    about, data = provenance(seed, exhibit.command(profile, seed, result)), rounded(result)
    table, whole = (into / f"{exhibit.name}.{kind}" for kind in ("csv", "json"))
    table.write_text(csv_text(exhibit.rows(data), about), encoding="utf-8")
    if exhibit.whole:
        document = {"about": about, **data}
        whole.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    pictures = save(exhibit.plot(data), into / exhibit.name, {"Title": exhibit.title, **about})
    return [*pictures, table, *([whole] if exhibit.whole else [])]


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


def save_one(figure: Figure, path: Path, about: Mapping[str, str]) -> None:
    """The one file `path`, .png or .svg; `about` goes into its metadata, dates and random ids do not."""
    text = "; ".join(f"{key}: {value}" for key, value in about.items())
    with look():
        if path.suffix == ".svg":
            write_svg(figure, path, {"Description": text})
        else:
            figure.savefig(path, dpi=160, metadata={"Description": text, "Software": None})
