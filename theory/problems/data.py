r"""Data sets: transitions that somebody recorded, from files and frames, and the problem that they suggest.

Files are CSV, Parquet or NumPy's .npz; frames those of pandas and Polars, or a mapping from columns to values.
The problem that transitions between named states suggest:

    d(s) = share of the moves that leave s        P_π(s'|s) = Σρ over moves s → s' / Σρ over moves from s
    r_π(s) = Σρr / Σρ over moves from s           φ(s): the features recorded with s, which must always be the same

Where episodes end there is one more state, *end*, which has no features and stays where it is.

**A table of transitions**: a row a move, as somebody recorded them.

=====================  =========================================================================================
column                 meaning
=====================  =========================================================================================
phi_0, phi_1, …        features φ of the state; or `state` alone, a name, and then each state is its own feature
next_phi_0, …          features φ' of the next state; or `next_state`
reward                 r
ratio                  ρ = π(a|s)/μ(a|s); or `pi` and `mu`, the two probabilities; without, the data are on-policy
done                   optional: 1 where the episode ends with the move; φ' counts as 0 then
truncated              optional: 1 where a trajectory was cut off after the move; φ' counts
episode                optional: rows with the same value are one trajectory
action                 optional, only for messages
=====================  =========================================================================================

In arrays (.npz, or a dictionary) `phi` and `next_phi` may be matrices, in frames and Parquet columns of lists. Other
columns are left alone and said to be; one whose name is almost one of ours is refused, since a ratio that is not read
changes every answer, and so are two columns that mean the same. A complaint names row and column, rows counted from 1
below the header.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.jsontext import about, read_bytes, reason, show_path
from theory.problems.npz import archive_names, unpack
from theory.problems.numbers import Array, FloatArray, InvalidProblem, quoted
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
    with about(path):
        path.open("rb").close()
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidProblem("Parquet needs pyarrow, which is not installed", path.name) from None
    try:
        return _columns(parquet.ParquetFile(path).read())
    except Exception as error:
        raise InvalidProblem(f"cannot be read: {error}".splitlines()[0], path.name) from None


LARGEST = 1e30  # of a feature, a reward, a ratio: squares of their products are far from overflow
SMALLEST = 1e-30  # of the largest feature: so are products of squares from underflow
MOST = 2**28  # entries of a matrix of features, 2 GiB
FEW = 4  # standard errors that the ratios' mean may be from 1

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
COLUMNS = ["phi", "next_phi", "state", "next_state", "reward", "ratio", "pi", "mu"]
COLUMNS += ["done", "truncated", "episode", "action"]
YES, NO = ("true", "1", "1.0", "t", "yes"), ("false", "0", "0.0", "f", "no", "")


@dataclass(frozen=True, eq=False)
class Table:
    """n transitions, validated."""

    name: str
    phi: FloatArray  # (n, F)
    phi_next: FloatArray  # (n, F), 0 after an end
    reward: FloatArray  # (n,)
    ratio: FloatArray  # (n,)
    done: Array  # (n,), bool
    episode: Array  # (n,), numbers 0, 1, …: which trajectory a row belongs to
    told_apart: bool  # did the data tell trajectories apart, or are they blocks of consecutive rows?
    state: Array | None = None  # (n,), names
    next_state: Array | None = None
    on_policy: bool = False  # neither ratios nor probabilities are given
    ignored: tuple[str, ...] = ()  # columns that mean nothing here

    def __len__(self) -> int:
        return len(self.reward)

    @property
    def n_features(self) -> int:
        """F."""
        return self.phi.shape[1]

    @property
    def n_episodes(self) -> int:
        """Trajectories, or blocks of rows."""
        return int(self.episode.max()) + 1


def table(columns: Mapping[str, Any], name: str = "data") -> Table:
    """The table in these columns, or one line about what is wrong with them."""
    found = _Columns(columns, name)
    reward = found.numbers("reward", found.given["reward"], largest=LARGEST)
    done, cut = found.flags("done"), found.flags("truncated")
    state, next_state = found.names("state"), found.names("next_state", done)
    phi, phi_next = _features(found, state, next_state, done)
    ratio = _ratio(found)
    episode, told_apart = _episodes(found.names("episode"), done | cut)
    return Table(
        name,
        phi,
        np.where(done[:, None], 0.0, phi_next),
        reward,
        ratio,
        done,
        episode,
        told_apart,
        state,
        next_state,
        not {"ratio", "pi", "mu"} & set(found.given),
        found.ignored,
    )


class _Columns:
    """The columns under our names for them, each read as what its cells should be."""

    def __init__(self, columns: Mapping[str, Any], name: str) -> None:
        self.name = name
        self.given: dict[str, Any] = {}
        spelt: dict[str, str] = {}
        for key, values in columns.items():
            ours = NAMES.get(str(key), str(key)).replace("φ", "phi")
            if ours in self.given:
                raise InvalidProblem(f"columns {spelt[ours]!r} and {str(key)!r} mean the same: leave one out", name)
            self.given[ours], spelt[ours] = values, str(key)
        ignored = [key for key in self.given if key not in COLUMNS and not re.fullmatch(r"(next_)?phi_\d+", key)]
        for key in ignored:
            near = get_close_matches(key.lower(), sorted({*COLUMNS, *NAMES} - set(self.given)), n=1, cutoff=0.75)
            if near and len(key) > 2:
                raise InvalidProblem(f"column {quoted(key)} is none that is read; did you mean {near[0]!r}?", name)
        self.ignored = tuple(key or "a column without a name" for key in ignored)
        if "reward" not in self.given:
            raise InvalidProblem(f"there is no column reward; there are {', '.join(self.given) or 'none'}", name)
        self.n = len(np.atleast_1d(self.given["reward"]))
        if self.n == 0:
            raise InvalidProblem("there are no rows", name)

    def refuse(self, bad: Array, complaint: Callable[[int], str], column: str) -> None:
        """An error about the first row that is bad."""
        if bad.any():
            row = int(np.argmax(bad))
            raise InvalidProblem(f"row {row + 1}: {complaint(row)}", self.name, column)

    def numbers(self, column: str, values: Any, unused: Any = False, largest: float = np.inf) -> FloatArray:
        """A column of finite numbers; what is not one is an error, unless its row does not use it."""
        cells = self._cells(column, values)
        floats = cells if cells.dtype.kind in "biuf" else np.array([number(x) for x in cells.tolist()])
        floats = floats.astype(np.float64)
        bad = ~np.isfinite(floats)
        self.refuse(bad & ~np.array(unused), lambda row: f"{quoted(str(cells[row]))} is not a finite number", column)
        found = np.where(bad, 0.0, floats)
        size = np.abs(found)
        beyond = (size > largest) & (size == size.max())
        self.refuse(beyond, lambda row: f"{found[row]:.2g} is beyond {largest:g}: divide all of them", column)
        return found

    def probabilities(self, column: str) -> FloatArray:
        """A column of numbers in [0, 1]."""
        found = self.numbers(column, self.given[column])
        wrong = (found < 0) | (found > 1)
        self.refuse(wrong, lambda row: f"{found[row]:g} is no probability of an action taken", column)
        return found

    def names(self, column: str, unused: Any = False) -> Array | None:
        """A column of names, '' where its row does not use it; 2 and 2.0 are one name: gaps make floats of integers."""
        if column not in self.given:
            return None
        found = np.array([_name(x) for x in self._cells(column, self.given[column]).tolist()])
        self.refuse((found == "") & ~np.array(unused), lambda row: "is empty", column)
        return np.where(unused, "", found)

    def flags(self, column: str) -> Array:
        """A column of yes and no; all no where there is none."""
        cells = self._cells(column, self.given.get(column, np.zeros(self.n))).tolist()
        texts = [str(value).strip().lower() for value in cells]
        wrong = np.array([text not in YES + NO for text in texts])
        self.refuse(wrong, lambda row: f"{quoted(str(cells[row]))} is neither 0 nor 1", column)
        return np.array([text in YES for text in texts])

    def features(self, stem: str, unused: Any = False) -> tuple[FloatArray | None, int | None]:
        """(n, F) from the matrix `stem`, or from the columns stem_0, stem_1, … and which is the first; or None."""
        numbered = sorted(int(key[len(stem) + 1 :]) for key in self.given if re.fullmatch(rf"{stem}_\d+", key))
        first = numbered[0] if numbered else None
        if stem in self.given:
            if numbered:
                raise InvalidProblem(f"there is a column {stem} and a column {stem}_{first}: leave one out", self.name)
            matrix = self._matrix(stem)
            columns: dict[str, Any] = {f"{stem}[{i}]": matrix[:, i] for i in range(matrix.shape[1])}
        elif first is None:
            return None, None
        else:
            columns = {f"{stem}_{i}": self.given.get(f"{stem}_{i}") for i in range(first, first + len(numbered))}
            for key, values in columns.items():
                if values is None:
                    raise InvalidProblem(f"columns {stem}_{first}, … leave out {key}", self.name)
        return np.column_stack([self.numbers(key, values, unused) for key, values in columns.items()]), first

    def _cells(self, column: str, values: Any) -> Array:
        cells = np.asarray(values)
        if cells.ndim != 1:
            raise InvalidProblem(f"is of shape {cells.shape}, not a column", self.name, column)
        if len(cells) != self.n:
            raise InvalidProblem(f"has {len(cells)} rows, reward has {self.n}", self.name, column)
        return cells

    def _matrix(self, column: str) -> Array:
        """A matrix, also from a column whose cells are lists, as frames and Parquet have them."""
        array = np.asarray(self.given[column])
        if array.ndim == 1 and len(array) and hasattr(array[0], "__len__") and not isinstance(array[0], str | Mapping):
            width = len(array[0])
            other = np.array([not hasattr(cell, "__len__") or len(cell) != width for cell in array])
            self.refuse(other, lambda row: f"has not {width} features as row 1 has", column)
            array = np.asarray([list(cell) for cell in array])
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2 or len(array) != self.n or array.shape[1] == 0:
            raise InvalidProblem(f"is of shape {array.shape}, not {self.n} rows of features", self.name, column)
        return array


def _features(
    found: _Columns, state: Array | None, next_state: Array | None, done: Array
) -> tuple[FloatArray, FloatArray]:
    """φ and φ', given or one for each state."""
    name = found.name
    (phi, first), (phi_next, second) = found.features("phi"), found.features("next_phi", done)
    if phi is None:
        if state is None or next_state is None:
            missing = "state" if state is None else "next_state"
            raise InvalidProblem(f"there is neither phi_0, phi_1, … nor {missing}", name)
        phi, phi_next = _one_hot(state, next_state, name)
    elif phi_next is None:
        raise InvalidProblem("there are columns phi and no columns next_phi", name)
    if phi.shape != phi_next.shape:
        raise InvalidProblem(f"phi has {phi.shape[1]} columns, next_phi has {phi_next.shape[1]}", name)
    if None not in (first, second) and first != second:
        raise InvalidProblem(f"columns begin with phi_{first} and with next_phi_{second}: which belong together?", name)
    largest = max(float(np.abs(phi).max()), float(np.abs(phi_next[~done]).max(initial=0.0)))
    if largest == 0:
        raise InvalidProblem("all features are 0: there is nothing to learn", name)
    if largest > LARGEST:
        raise InvalidProblem(f"features of up to {largest:.2g} are more than {LARGEST:g}: divide them", name)
    if largest < SMALLEST:
        raise InvalidProblem(f"features of at most {largest:.2g} are less than {SMALLEST:g}: multiply them", name)
    return phi, phi_next


def _ratio(found: _Columns) -> FloatArray:
    """ρ, which is not negative and averages about 1, since E_μ[ρ] = 1."""
    given, n = found.given, found.n
    if "ratio" in given:
        column, ratio = "ratio", found.numbers("ratio", given["ratio"], largest=LARGEST)
    elif "pi" in given or "mu" in given:
        for key, other in (("pi", "mu"), ("mu", "pi")):
            if key not in given:
                raise InvalidProblem(f"there is a column {other} and no column {key}", found.name)
        pi, mu = found.probabilities("pi"), found.probabilities("mu")
        found.refuse(mu == 0, lambda row: "0 is no probability of an action taken", "mu")
        with np.errstate(over="ignore"):
            column, ratio = "pi/mu", found.numbers("pi/mu", pi / mu, largest=LARGEST)
    else:
        return np.ones(n)
    found.refuse(ratio < 0, lambda row: f"{ratio[row]:g} is negative", column)
    mean, error = float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(n)) if n > 1 else np.inf
    if n >= 30 and abs(mean - 1) > FEW * error + 1e-9:
        row = int(np.argmax(ratio))
        raise InvalidProblem(
            f"ratios average {mean:.3g} ± {error:.1g}, far from 1 (largest {ratio[row]:.3g}, row {row + 1}): "
            "are these π/μ of the actions taken, with all actions of π seen?",
            found.name,
            column,
        )
    return ratio


def _episodes(names: Array | None, ends: Array) -> tuple[Array, bool]:
    """Which trajectory each row is in: as told, or ended where rows say so; else blocks of about √n rows."""
    if names is not None:
        return np.unique(names, return_inverse=True)[1], True
    if ends.any():
        return np.concatenate([[0], np.cumsum(ends[:-1])]).astype(int), True
    return np.arange(len(ends)) // max(1, int(np.sqrt(len(ends)))), False


def _one_hot(state: Array, next_state: Array, name: str) -> tuple[FloatArray, FloatArray]:
    """A feature a state; a next state without a name, after an end, has none."""
    known = np.unique(np.concatenate([state, next_state[next_state != ""]]))
    if len(state) * len(known) > MOST:
        raise InvalidProblem(f"{len(known):,} states in {len(state):,} rows are too many features: give phi", name)
    return (state[:, None] == known).astype(np.float64), (next_state[:, None] == known).astype(np.float64)


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
