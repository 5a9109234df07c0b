"""Tables from files and frames: CSV, Parquet, NumPy's .npz, dictionaries, pandas, Polars."""

from __future__ import annotations

import csv
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.data.table import Table, table
from theory.problems.errors import InvalidProblem

SUFFIXES = (".csv", ".parquet")


def read_table(source: Any) -> Table:
    """The transitions in a file, a mapping from columns to values, or a data frame."""
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.suffix == ".npz":
            return table(npz_columns(path), path.name)
        return table(_parquet(path) if path.suffix == ".parquet" else _csv(path), path.name)
    names = source.keys() if hasattr(source, "keys") else getattr(source, "columns", None)
    if names is None:
        raise InvalidProblem("give a file, a mapping from columns to values, or a data frame", "data")
    return table({str(name): np.asarray(source[name]) for name in names})


def is_data(spec: str | os.PathLike[str]) -> bool:
    """Does this name a file of transitions? An .npz does if it has the rewards of moves."""
    path = Path(spec)
    if path.suffix != ".npz":
        return path.suffix in SUFFIXES
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return "reward" in arrays.files
    except (OSError, ValueError, EOFError):
        return False


def npz_columns(path: Path) -> dict[str, Any]:
    """The arrays of an .npz by name."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except (OSError, ValueError, EOFError) as error:
        raise InvalidProblem(f"cannot be read: {error}".splitlines()[0], path.name) from None


def _csv(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidProblem(error.strerror or "cannot be read", str(path)) from None
    except UnicodeDecodeError:
        raise InvalidProblem("is not UTF-8", path.name) from None
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows:
        raise InvalidProblem("is empty", path.name)
    header = [cell.strip() for cell in rows[0]]
    twice = [cell for i, cell in enumerate(header) if cell in header[:i]]
    if twice:
        raise InvalidProblem(f"has two columns {twice[0]!r}", path.name)
    for i, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise InvalidProblem(f"row {i} has {len(row)} cells, the header has {len(header)}", path.name)
    cells = zip(*rows[1:], strict=True) if len(rows) > 1 else ((),) * len(header)
    return {name: np.array([x.strip() for x in column]) for name, column in zip(header, cells, strict=True)}


def _parquet(path: Path) -> dict[str, Any]:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidProblem("Parquet needs pyarrow, which is not installed", path.name) from None
    try:
        found = parquet.read_table(path)
    except Exception as error:
        raise InvalidProblem(f"cannot be read: {error}".splitlines()[0], path.name) from None
    return {name: np.asarray(found.column(name).to_pylist()) for name in found.column_names}
