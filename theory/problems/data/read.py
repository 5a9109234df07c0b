"""Tables from files and frames: CSV, Parquet, NumPy's .npz, dictionaries, pandas, Polars."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.data.table import Table, table
from theory.problems.errors import InvalidProblem
from theory.problems.jsontext import quoted, read_bytes, reason, show_path
from theory.problems.npz import archive_names, unpack

SUFFIXES = (".csv", ".parquet")
MAX_BYTES = 4 * 2**30


def read_table(source: Any) -> Table:
    """The transitions in a file, a mapping from columns to values, or a data frame."""
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        readers = {".npz": npz_columns, ".parquet": _parquet}
        return table(readers.get(path.suffix.lower(), _csv)(path), path.name)
    return table(_columns(source))


def _columns(source: Any) -> dict[str, Any]:
    """The columns of a mapping or a frame; an index that has a name is one of them."""
    names = source.keys() if isinstance(source, Mapping) else getattr(source, "column_names", None)
    names = getattr(source, "columns", None) if names is None else names
    if names is None or isinstance(names, str) or not hasattr(names, "__iter__"):
        raise InvalidProblem("give a file, a mapping from columns to values, or a data frame", "data")
    keys = [str(name) for name in names]
    twice = [key for i, key in enumerate(keys) if key in keys[:i]]
    if twice:
        raise InvalidProblem(f"has two columns {twice[0]!r}", "data")
    found = {}
    for key, name in zip(keys, names, strict=True):
        try:
            found[key] = np.asarray(source[name])
        except ValueError:
            raise InvalidProblem("rows are of different lengths", "data", key) from None
    index = getattr(source, "index", None)
    for name in getattr(index, "names", None) or ():
        if isinstance(name, str) and name not in found:
            found[name] = np.asarray(index.get_level_values(name))  # type: ignore[union-attr]
    return found


def is_data(spec: str | os.PathLike[str]) -> bool:
    """Does this name a file of transitions? An .npz does if it has the rewards of moves."""
    path = Path(spec)
    if path.suffix.lower() != ".npz":
        return path.suffix.lower() in SUFFIXES
    return "reward.npy" in archive_names(path)


def npz_columns(path: Path) -> dict[str, Any]:
    """The arrays of an .npz by name; what it unpacks to is asked first, and nothing in it is run."""
    try:
        with open(path, "rb") as file:
            return unpack(file, MAX_BYTES, MAX_BYTES // 4, kinds="biufUS")
    except InvalidProblem as error:
        raise InvalidProblem(str(error), path.name) from None
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None


def _csv(path: Path) -> dict[str, Any]:
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidProblem("is not UTF-8", path.name) from None
    if "\0" in text:
        raise InvalidProblem("is not text: it has NUL characters", path.name)
    lines = text.splitlines()
    header = next((line for line in lines if line.strip()), "")
    between = next((mark for mark in ",;\t" if mark in header), ",")
    try:
        rows = [row for row in csv.reader(lines, delimiter=between) if row]
    except csv.Error as error:
        raise InvalidProblem(f"is not CSV: {error}", path.name) from None
    if not rows:
        raise InvalidProblem("is empty", path.name)
    return _cells(rows, path.name)


def _cells(rows: list[list[str]], name: str) -> dict[str, Any]:
    header = [cell.strip() for cell in rows[0]]
    if all(_is_number(cell) for cell in header):
        raise InvalidProblem(f"begins with the numbers {quoted(', '.join(header))}: the first line names columns", name)
    twice = [cell for i, cell in enumerate(header) if cell in header[:i]]
    if twice:
        raise InvalidProblem(f"has two columns {twice[0]!r}", name)
    for i, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise InvalidProblem(f"row {i} has {len(row)} cells, the header has {len(header)}", name)
    cells = zip(*rows[1:], strict=True) if len(rows) > 1 else ((),) * len(header)
    return {key: np.array([x.strip() for x in column]) for key, column in zip(header, cells, strict=True)}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _parquet(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidProblem("Parquet needs pyarrow, which is not installed", path.name) from None
    try:
        found = parquet.ParquetFile(path).read()
    except Exception as error:
        raise InvalidProblem(f"cannot be read: {error}".splitlines()[0], path.name) from None
    return {name: _array(found.column(name).to_pylist()) for name in found.column_names}


def _array(cells: list[Any]) -> Any:
    """An array of the cells; of lists too, which may be of different lengths."""
    if not any(isinstance(cell, list) for cell in cells):
        return np.asarray(cells)
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column
