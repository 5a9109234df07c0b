"""Raw columns of some rows of one file, as numbers, flags, names, keys or features; complaints name file and row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from theory.problems.logs import Columns
from theory.problems.numbers import Array, FloatArray, InvalidProblem, quoted

YES, NO = ("true", "1", "1.0", "t", "yes"), ("false", "0", "0.0", "f", "no", "")


@dataclass(frozen=True, eq=False)
class Cells:
    """Raw columns of some rows of one file."""

    columns: Columns
    name: str
    first: int  # rows of the file before these
    n: int

    def refuse(self, bad: Array, complaint: Callable[[int], str], column: str) -> None:
        """An error about the first row that is bad."""
        if bad.any():
            row = int(np.argmax(bad))
            raise InvalidProblem(f"row {self.first + row + 1:,}: {complaint(row)}", self.name, column)

    def raw(self, column: str) -> Array:
        """As it was recorded."""
        return np.asarray(self.columns[column])

    def _column(self, column: str) -> Array:
        cells = self.raw(column)
        if cells.ndim != 1:
            raise InvalidProblem(f"is of shape {cells.shape}, not a column", self.name, column)
        return cells

    def numbers(self, column: str, unused: Any = False, largest: float = np.inf) -> FloatArray:
        """A column of finite numbers; what is not one is an error, unless its row does not use it."""
        cells = self._column(column)
        floats = as_floats(cells)
        if not np.isfinite(floats).all():
            bad = ~np.isfinite(floats)
            said = lambda row: f"{quoted(str(cells[row]))} is not a finite number"  # noqa: E731
            self.refuse(bad & ~np.array(unused), said, column)
            floats = np.where(bad, 0.0, floats)
        if largest < np.inf and max(floats.max(initial=0.0), -floats.min(initial=0.0)) > largest:
            size = np.abs(floats)
            said = lambda row: f"{floats[row]:.2g} is beyond {largest:g}: divide all of them"  # noqa: E731
            self.refuse((size > largest) & (size == size.max()), said, column)
        return floats

    def flags(self, names: tuple[str, ...] | None) -> Array:
        """A column of yes and no; all no where there is none."""
        if names is None:
            return np.zeros(self.n, dtype=bool)
        (column,) = names
        cells = self._column(column)
        if cells.dtype.kind == "b":
            return cells
        if cells.dtype.kind in "iuf":
            yes, no = cells == 1, cells == 0
        else:
            texts, numbers = np.array([str(value).strip().lower() for value in cells.tolist()]), as_floats(cells)
            yes, no = np.isin(texts, YES) | (numbers == 1), np.isin(texts, NO) | (numbers == 0)
        self.refuse(~(yes | no), lambda row: f"{quoted(str(cells[row]))} is neither 0 nor 1", column)
        return yes

    def names(self, column: str, unused: Any = False) -> Array:
        """A column of names, '' where its row does not use it; 2 and 2.0 are one name: gaps make floats of integers."""
        cells = self._column(column)
        if cells.dtype.kind in "biuUS":
            few, where = np.unique(cells, return_inverse=True)
            found = np.array([_name(x) for x in few.tolist()])[where]
        else:
            listed = cells.tolist()
            parts = np.array([isinstance(x, list | tuple | dict | np.ndarray) for x in listed])
            self.refuse(parts, lambda row: f"{quoted(str(listed[row]))} is no name", column)
            found = np.array([_name(x) for x in listed])
        self.refuse((found == "") & ~np.array(unused), lambda row: "is empty", column)
        return np.where(unused, "", found)

    def keys(self, column: str) -> Array:
        """A number of 64 bits for each name; equal names have equal numbers wherever they are."""
        cells = self._column(column)
        if cells.dtype.kind == "f":
            wide = cells.astype(np.float64)
            whole = np.isfinite(wide) & (wide == np.rint(wide)) & (np.abs(wide) < 2**53)
            cells = wide.astype(np.int64) if whole.all() else cells
        if cells.dtype.kind in "iu":
            return mixed(cells.astype(np.int64).view(np.uint64))
        names, where = np.unique(self.names(column), return_inverse=True)
        return np.array([_key(name) for name in names.tolist()], dtype=np.uint64)[where]

    def observations(self, names: tuple[str, ...]) -> Array:
        """(n, …), as functions take them."""
        if len(names) == 1:
            return _stacked(self.raw(*names), self, names[0])
        return np.column_stack([self.raw(name) for name in names])

    def matrix(self, names: tuple[str, ...], unused: Any = False, flat: bool = False) -> FloatArray:
        """(F, n), from columns or from one that is a matrix; `flat`: or has more axes."""
        if len(names) == 1:
            (column,) = names
            matrix = _stacked(self.raw(column), self, column)
            if matrix.ndim > 2 and not flat:
                complaint = f"is of shape {matrix.shape}, not {self.n} rows of features"
                raise InvalidProblem(complaint, self.name, column)
            if matrix.ndim > 1:
                matrix = matrix.reshape(len(matrix), -1)
                columns = {f"{column}[{i}]": matrix[:, i] for i in range(matrix.shape[1])}
                return replace_columns(self, columns)._rows(tuple(columns), unused)
        return self._rows(names, unused)

    def _rows(self, names: tuple[str, ...], unused: Any) -> FloatArray:
        found = np.empty((len(names), self.n))
        for row, name in zip(found, names, strict=True):
            cells = self._column(name)
            row[:] = cells if cells.dtype.kind in "biuf" else as_floats(cells)
        if not np.isfinite(found).all():
            for row, name in zip(found, names, strict=True):
                row[:] = self.numbers(name, unused)
        return found


def replace_columns(cells: Cells, columns: Columns) -> Cells:
    """Other columns of the same rows."""
    return Cells({**cells.columns, **columns}, cells.name, cells.first, cells.n)


def _stacked(array: Array, cells: Cells, column: str) -> Array:
    """A matrix, also from a column whose cells are lists, as frames and Parquet have them."""
    if array.ndim == 1 and array.dtype == object and len(array) and np.ndim(array[0]) and not isinstance(array[0], str):
        width = len(array[0])
        other = np.array([not hasattr(cell, "__len__") or len(cell) != width for cell in array])
        cells.refuse(other, lambda row: f"has not {width} features as row {cells.first + 1:,} has", column)
        array = np.asarray([list(cell) for cell in array])
    if len(array) != cells.n or 0 in array.shape:
        raise InvalidProblem(f"is of shape {array.shape}, not {cells.n} rows of features", cells.name, column)
    return array


def as_floats(cells: Array) -> FloatArray:
    """Cells as numbers, NaN where they are none."""
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64, copy=False)
    if cells.dtype.kind == "U" and cells.size and not (np.ascontiguousarray(cells).view(np.uint32) == ord("_")).any():
        try:
            return cells.astype(np.float64)
        except ValueError:
            pass
    if cells.dtype.kind in "mM":
        return np.full(cells.shape, np.nan)
    return np.array([number(x) for x in cells.tolist()], dtype=np.float64)


def number(text: Any) -> float:
    """A cell as a number, NaN where it is none."""
    try:
        return float("nan") if isinstance(text, str) and "_" in text else float(text)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _name(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value).strip()
    whole = re.fullmatch(r"(-?\d+)\.0*", text)
    return "" if text in ("<NA>", "NaT") else whole[1] if whole else text


def _key(name: str) -> int:
    if re.fullmatch(r"-?(0|[1-9]\d{0,17})", name):
        return int(mixed(np.array([int(name)], dtype=np.int64).view(np.uint64))[0])
    return int.from_bytes(blake2b(name.encode(errors="replace"), digest_size=8).digest(), "little")


def mixed(x: Array) -> Array:
    """The finaliser of SplitMix64, one to one: neighbouring numbers become as if drawn at random."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
