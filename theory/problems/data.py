r"""Data sets: transitions that somebody recorded, from files and frames, and the problem that they suggest.

Files are CSV, Parquet or NumPy's .npz; frames those of pandas and Polars, or a mapping from columns to values.
`theory.problems.data_table` says which columns there are. The problem that transitions between named states suggest:

    d(s) = share of the moves that leave s        P_π(s'|s) = Σρ over moves s → s' / Σρ over moves from s
    r_π(s) = Σρr / Σρ over moves from s           φ(s): the features recorded with s, which must always be the same

Where episodes end there is one more state, *end*, which has no features and stays where it is.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.data_table import Table, number, table
from theory.problems.errors import InvalidProblem
from theory.problems.jsontext import quoted, read_bytes, reason, show_path
from theory.problems.npz import archive_names, unpack
from theory.problems.problem import Problem

MAX_BYTES = 4 * 2**30
END = "end"


def estimated_problem(table: Table, gamma: Any) -> Problem:
    """A `Problem` in floats, to be inspected, explored and saved like any other."""
    if gamma is None:
        raise InvalidProblem("transitions do not say at which discount: give one, e.g. --gamma 0.99", table.name)
    if table.state is None or table.next_state is None:
        raise InvalidProblem("a problem is estimated from named states: columns state and next_state", table.name)
    left, s = np.unique(table.state, return_inverse=True)
    ends = bool(table.done.any())
    if ends and END in left:
        raise InvalidProblem(f"a state is called {END!r}, which is where episodes end", table.name, "state")
    unknown = ~table.done & ~np.isin(table.next_state, left)
    if unknown.any():
        row = int(np.argmax(unknown))
        complaint = f"row {row + 1}: no move leaves {str(table.next_state[row])!r}"
        raise InvalidProblem(complaint, table.name, "next_state")
    t = np.where(table.done, len(left), np.searchsorted(left, table.next_state))
    S, labels = len(left) + ends, (*left.tolist(), *([END] if ends else []))
    weight = np.bincount(s, table.ratio, S)
    never = np.flatnonzero(weight[: len(left)] == 0)
    if len(never):
        raise InvalidProblem(f"all moves from {labels[never[0]]!r} have ratio 0: no action of π was seen", table.name)
    P, r = np.zeros((S, S)), np.bincount(s, table.ratio * table.reward, S)
    np.add.at(P, (s, t), table.ratio)
    visits = np.bincount(s, minlength=S).astype(np.float64)
    if ends:
        P[-1, -1] = weight[-1] = 1.0
        visits[-1] = float(table.done.sum())
    Phi = np.zeros((S, table.n_features))
    Phi[s] = table.phi
    differs = (Phi[s] != table.phi).any(axis=1)
    if differs.any():
        row = int(np.argmax(differs))
        raise InvalidProblem(f"row {row + 1}: other features than in another row of this state", table.name, "phi")
    return Problem.from_matrices(
        gamma,
        Phi=Phi,
        P_pi=P / weight[:, None],
        d_mu=visits / visits.sum(),
        r_pi=r / weight,
        states=labels,
        name=f"{table.name}, estimated",
        discount=np.where(np.arange(S) == S - 1, 0.0, 1.0) if ends else None,
    )


def read_table(source: Any) -> Table:
    """The transitions in a file, a mapping from columns to values, or a data frame."""
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        readers = {".npz": _npz, ".parquet": _parquet}
        return table(readers.get(path.suffix.lower(), _csv)(path), path.name)
    return table(_columns(source))


def is_data(spec: str | os.PathLike[str]) -> bool:
    """Does this name a file of transitions? An .npz does if it has the rewards of moves."""
    ending = Path(spec).suffix.lower()
    return "reward.npy" in archive_names(spec) if ending == ".npz" else ending in (".csv", ".parquet")


def _columns(source: Any) -> dict[str, Any]:
    """The columns of a mapping or a frame; an index that has a name is one of them."""
    names = source.keys() if isinstance(source, Mapping) else getattr(source, "column_names", None)
    names = getattr(source, "columns", None) if names is None else names
    if names is None or isinstance(names, str) or not hasattr(names, "__iter__"):
        raise InvalidProblem("give a file, a mapping from columns to values, or a data frame", "data")
    keys = _different([str(name) for name in names], "data")
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


def _different(keys: list[str], name: str) -> list[str]:
    """These names of columns; an error where one occurs twice."""
    twice = [key for i, key in enumerate(keys) if key in keys[:i]]
    if twice:
        raise InvalidProblem(f"has two columns {twice[0]!r}", name)
    return keys


def _npz(path: Path) -> dict[str, Any]:
    """The arrays of an .npz by name; what it unpacks to is asked first, and nothing in it is run."""
    try:
        with open(path, "rb") as file:
            return unpack(file, MAX_BYTES, MAX_BYTES // 4, kinds="biufUS")
    except InvalidProblem as error:
        raise InvalidProblem(str(error), path.name) from None
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None


def _csv(path: Path) -> dict[str, Any]:
    name = path.name
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidProblem("is not UTF-8", name) from None
    if "\0" in text:
        raise InvalidProblem("is not text: it has NUL characters", name)
    lines = text.splitlines()
    between = next((mark for mark in ",;\t" if mark in next(filter(str.strip, lines), "")), ",")
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=between) if row]
    except csv.Error as error:
        raise InvalidProblem(f"is not CSV: {error}", name) from None
    if not rows:
        raise InvalidProblem("is empty", name)
    header, *cells = rows
    if not any(np.isnan(number(cell)) for cell in header):
        raise InvalidProblem(f"begins with the numbers {quoted(', '.join(header))}: the first line names columns", name)
    _different(header, name)
    for i, row in enumerate(cells, start=1):
        if len(row) != len(header):
            raise InvalidProblem(f"row {i} has {len(row)} cells, the header has {len(header)}", name)
    return {key: np.array([row[i] for row in cells]) for i, key in enumerate(header)}


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
