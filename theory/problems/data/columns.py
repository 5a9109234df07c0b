r"""The columns of a table of transitions, one by one: what each is called, and what its cells are.

Other columns are left alone and said to be; one whose name is almost one of ours is refused, since a ratio that is not
read changes every answer, and so are two columns that mean the same. A complaint names row and column, rows counted
from 1 below the header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.jsontext import quoted
from theory.problems.numbers import Array, FloatArray

NAMES = {
    "rho": "ratio",
    "ρ": "ratio",
    "π": "pi",
    "μ": "mu",
    "phi_next": "next_phi",
    "s": "state",
    "a": "action",
    "r": "reward",
    "next_s": "next_state",
    "terminated": "done",
}
COLUMNS = (
    *("phi", "next_phi", "state", "next_state", "reward", "ratio", "pi", "mu"),
    *("done", "truncated", "episode", "action"),
)
FLAGS = {
    **dict.fromkeys(("true", "1", "1.0", "t", "yes"), True),
    **dict.fromkeys(("false", "0", "0.0", "f", "no", ""), False),
}
_FEATURE = re.compile(r"(next_)?phi_\d+")
_WHOLE = re.compile(r"(-?\d+)\.0*")


def by_meaning(columns: Mapping[str, Any], name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The columns under our names for them, and the names of those that mean nothing here."""
    given: dict[str, Any] = {}
    spelt: dict[str, str] = {}
    for key, values in columns.items():
        ours = NAMES.get(str(key), str(key)).replace("φ", "phi")
        if ours in given:
            raise InvalidProblem(f"columns {spelt[ours]!r} and {str(key)!r} mean the same: leave one out", name)
        given[ours], spelt[ours] = values, str(key)
    known = {*COLUMNS, *NAMES.values()}
    ignored = [key for key in given if key not in known and not _FEATURE.fullmatch(key)]
    for key in ignored:
        near = get_close_matches(key.lower(), sorted({*known, *NAMES} - set(given)), n=1, cutoff=0.75)
        if near and len(key) > 2:
            raise InvalidProblem(f"column {quoted(key)} is none that is read; did you mean {near[0]!r}?", name)
    return given, tuple(key or "a column without a name" for key in ignored)


def features(given: Mapping[str, Any], stem: str, n: int, name: str, unused: Array | None = None) -> FloatArray | None:
    """(n, F) from the columns stem_0, stem_1, … or the matrix `stem`; None where there is neither."""
    numbered = sorted(int(key[len(stem) + 1 :]) for key in given if re.fullmatch(rf"{stem}_\d+", key))
    if stem in given:
        if numbered:
            raise InvalidProblem(f"there is a column {stem} and a column {stem}_{numbered[0]}: leave one out", name)
        return _matrix(_rows(given[stem], stem, name), stem, n, name, unused)
    if not numbered:
        return None
    for i in range(numbered[0], numbered[0] + len(numbered)):
        if f"{stem}_{i}" not in given:
            raise InvalidProblem(f"columns {stem}_{numbered[0]}, … leave out {stem}_{i}", name)
    return np.column_stack([numbers(given[f"{stem}_{i}"], f"{stem}_{i}", n, name, unused) for i in numbered])


def first_feature(given: Mapping[str, Any], stem: str) -> int | None:
    """Where the numbers of stem_0, stem_1, … begin."""
    return min((int(key[len(stem) + 1 :]) for key in given if re.fullmatch(rf"{stem}_\d+", key)), default=None)


def numbers(
    values: Any, column: str, n: int | None, name: str, unused: Array | None = None, largest: float = np.inf
) -> FloatArray:
    """A column of finite numbers; what is not one is named, unless its row does not use it."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidProblem(f"is of shape {array.shape}, not a column", name, column)
    if n is not None:
        check_length(array, n, column, name)
    if array.dtype.kind in "biuf":
        floats = array.astype(np.float64)
    else:
        floats = np.array([_number(x) for x in array.tolist()], dtype=np.float64)
    bad = ~np.isfinite(floats)
    if unused is not None:
        bad &= ~unused
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidProblem(f"row {row + 1}: {quoted(str(array[row]))} is not a finite number", name, column)
    found = np.where(np.isfinite(floats), floats, 0.0)
    if len(found) and np.abs(found).max() > largest:
        row = int(np.argmax(np.abs(found)))
        raise InvalidProblem(f"row {row + 1}: {found[row]:.2g} is beyond {largest:g}: divide all of them", name, column)
    return found


def names(values: Any, column: str, n: int, name: str, unused: Array | None = None) -> Array:
    """A column of names, '' where its row does not use it; 2 and 2.0 are one name, since a gap makes floats of ints."""
    cells = np.asarray(values)
    if cells.ndim != 1:
        raise InvalidProblem(f"is of shape {cells.shape}, not a column", name, column)
    check_length(cells, n, column, name)
    found = [_name(x) for x in cells.tolist()]
    for row, text in enumerate(found):
        if unused is not None and unused[row]:
            found[row] = ""
        elif text == "":
            raise InvalidProblem(f"row {row + 1}: is empty", name, column)
    return np.asarray(found)


def flags(given: Mapping[str, Any], column: str, n: int, name: str) -> Array:
    """A column of yes and no; all no where there is none."""
    if column not in given:
        return np.zeros(n, dtype=bool)
    cells = np.asarray(given[column])
    if cells.ndim != 1:
        raise InvalidProblem(f"is of shape {cells.shape}, not a column", name, column)
    check_length(cells, n, column, name)
    found = np.zeros(n, dtype=bool)
    for row, value in enumerate(cells.tolist()):
        text = str(value).strip().lower()
        if text not in FLAGS:
            raise InvalidProblem(f"row {row + 1}: {quoted(str(value))} is neither 0 nor 1", name, column)
        found[row] = FLAGS[text]
    return found


def check_length(values: Array, n: int, column: str, name: str) -> None:
    """Has it as many rows as there are rewards?"""
    if len(values) != n:
        raise InvalidProblem(f"has {len(values)} rows, reward has {n}", name, column)


def _rows(values: Any, column: str, name: str) -> Array:
    """A matrix, also from a column whose cells are lists, as frames and Parquet have them."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype != object or not len(array) or not hasattr(array[0], "__len__"):
        return array[:, None] if array.ndim == 1 else array
    if isinstance(array[0], str | Mapping):
        return array[:, None]
    width = len(array[0])
    for row, cell in enumerate(array):
        if not hasattr(cell, "__len__") or len(cell) != width:
            raise InvalidProblem(f"row {row + 1}: has not {width} features as row 1 has", name, column)
    return np.asarray([list(cell) for cell in array])


def _matrix(values: Array, column: str, n: int, name: str, unused: Array | None) -> FloatArray:
    if values.ndim != 2 or len(values) != n or values.shape[1] == 0:
        raise InvalidProblem(f"is of shape {values.shape}, not {n} rows of features", name, column)
    if values.dtype.kind == "f" and np.isfinite(values).all():
        return values.astype(np.float64)
    parts = (numbers(values[:, i], f"{column}[{i}]", n, name, unused) for i in range(values.shape[1]))
    return np.column_stack(list(parts))


def _number(text: Any) -> float:
    try:
        return float("nan") if isinstance(text, str) and "_" in text else float(text)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _name(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value).strip()
    whole = _WHOLE.fullmatch(text)
    return "" if text in ("<NA>", "NaT") else whole[1] if whole else text
