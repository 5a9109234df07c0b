r"""A table of transitions: a row a move, as somebody recorded them.

=====================  =========================================================================================
column                 meaning
=====================  =========================================================================================
phi_0, phi_1, …        features φ of the state; or `state` alone, a name, and then each state is its own feature
next_phi_0, …          features φ' of the next state; or `next_state`
reward                 r
ratio                  ρ = π(a|s)/μ(a|s); or `pi` and `mu`, the two probabilities; without, the data are on-policy
done                   optional: 1 where the episode ends with the move; φ' counts as 0 then
episode                optional: rows with the same value are one trajectory
action                 optional, only for messages
=====================  =========================================================================================

Other columns are left alone and said to be; one whose name is almost one of these is refused, since a ratio that is not
read changes every answer. In arrays (.npz, or a dictionary) `phi` and `next_phi` may be matrices. A complaint names row
and column, rows counted from 1 below the header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.numbers import Array, FloatArray

NAMES = {"rho": "ratio", "phi_next": "next_phi", "s": "state", "a": "action", "r": "reward", "next_s": "next_state"}
COLUMNS = ("phi", "next_phi", "state", "next_state", "reward", "ratio", "pi", "mu", "done", "episode", "action")
_FEATURE = re.compile(r"(next_)?phi_\d+")
LARGEST = 1e100  # of a feature: its square times ratios is far from overflow
FEW = 4  # standard errors that the ratios' mean may be from 1


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
    given = {NAMES.get(str(key), str(key)): values for key, values in columns.items()}
    state, next_state = given.get("state"), given.get("next_state")
    phi, phi_next = _features(given, "phi"), _features(given, "next_phi")
    if "reward" not in given:
        raise InvalidProblem(f"there is no column reward; there are {', '.join(given) or 'none'}", name)
    reward = _numbers(given["reward"], "reward", name)
    n = len(reward)
    if n == 0:
        raise InvalidProblem("there are no rows", name)
    done = _flags(given.get("done"), n, name)
    if phi is None:
        if state is None or next_state is None:
            missing = "state" if state is None else "next_state"
            raise InvalidProblem(f"there is neither phi_0, phi_1, … nor {missing}", name)
        phi, phi_next = _one_hot(_names(state, "state", n, name), _names(next_state, "next_state", n, name))
    elif phi_next is None:
        raise InvalidProblem("there are columns phi and no columns next_phi", name)
    matrix, matrix_next = _matrix(phi, "phi", n, name), _matrix(phi_next, "next_phi", n, name, done)
    if matrix.shape != matrix_next.shape:
        raise InvalidProblem(f"phi has {matrix.shape[1]} columns, next_phi has {matrix_next.shape[1]}", name)
    largest = float(np.abs(np.concatenate([matrix, matrix_next])).max(initial=0.0))
    if largest == 0:
        raise InvalidProblem("all features are 0: there is nothing to learn", name)
    if largest > LARGEST:
        raise InvalidProblem(f"features of up to {largest:.2g} are more than {LARGEST:g}: divide them", name)
    ratio = _ratio(given, n, name)
    episode, told_apart = _episodes(given.get("episode"), done, n, name)
    return Table(
        name,
        matrix,
        np.where(done[:, None], 0.0, matrix_next),
        reward,
        ratio,
        done,
        episode,
        told_apart,
        None if state is None else _names(state, "state", n, name),
        None if next_state is None else _names(next_state, "next_state", n, name),
        not {"ratio", "pi", "mu"} & set(given),
        _ignored(given, name),
    )


def _ignored(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The columns that are not read; a misspelt name is refused, for what it would have changed."""
    read = {*COLUMNS, *NAMES.values()}
    found = [key for key in given if key not in read and not _FEATURE.fullmatch(key)]
    for key in found:
        near = get_close_matches(key.lower(), sorted({*read, *NAMES} - set(given)), n=1, cutoff=0.75)
        if near and len(key) > 2:
            raise InvalidProblem(f"there is no column {key!r} to read; did you mean {near[0]!r}?", name)
    return tuple(found)


def _features(given: Mapping[str, Any], stem: str) -> Any:
    """The columns stem_0, stem_1, … side by side, or the matrix `stem`; None where there is neither."""
    if stem in given:
        values = np.asarray(given[stem])
        return values[:, None] if values.ndim == 1 else values
    numbered = {
        key: int(key[len(stem) + 1 :]) for key in given if key.startswith(stem + "_") and key[len(stem) + 1 :].isdigit()
    }
    if not numbered:
        return None
    first = min(numbered.values())
    for i in range(first, first + len(numbered)):
        if i not in numbered.values():
            raise InvalidProblem(f"columns {stem}_{first}, … leave out {stem}_{i}")
    return [given[key] for key in sorted(numbered, key=numbered.__getitem__)]


def _matrix(values: Any, column: str, n: int, name: str, unused: Array | None = None) -> FloatArray:
    if isinstance(values, list):
        parts = [_numbers(v, f"{column}_{i}", name, unused) for i, v in enumerate(values)]
        for i, part in enumerate(parts):
            _check_length(part, n, f"{column}_{i}", name)
        return np.column_stack(parts)
    if values.ndim != 2 or len(values) != n:
        raise InvalidProblem(f"is of shape {values.shape}, not {n} rows of features", name, column)
    return np.column_stack([_numbers(values[:, i], f"{column}[{i}]", name, unused) for i in range(values.shape[1])])


def _numbers(values: Any, column: str, name: str, unused: Array | None = None) -> FloatArray:
    """A column of finite numbers; what is not one is named, unless its row does not use it."""
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        floats = array.astype(np.float64)
    else:
        floats = np.array([_number(x) for x in array.ravel().tolist()], dtype=np.float64).reshape(array.shape)
    if floats.ndim != 1:
        raise InvalidProblem(f"is of shape {floats.shape}, not a column", name, column)
    bad = ~np.isfinite(floats)
    if unused is not None and len(unused) == len(bad):
        bad &= ~unused
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidProblem(f"row {row + 1}: {str(array[row])!r} is not a finite number", name, column)
    return np.where(np.isfinite(floats), floats, 0.0)


def _number(text: Any) -> float:
    try:
        return float("nan") if isinstance(text, str) and "_" in text else float(text)
    except (TypeError, ValueError):
        return float("nan")


def _names(values: Any, column: str, n: int, name: str) -> Array:
    array = np.asarray([str(x) for x in np.asarray(values).tolist()])
    _check_length(array, n, column, name)
    return array


def _flags(values: Any, n: int, name: str) -> Array:
    if values is None:
        return np.zeros(n, dtype=bool)
    words = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False, "": False}
    found = []
    for row, value in enumerate(np.asarray(values).tolist()):
        text = str(value).strip().lower()
        if text not in words:
            raise InvalidProblem(f"row {row + 1}: {value!r} is neither 0 nor 1", name, "done")
        found.append(words[text])
    flags = np.array(found, dtype=bool)
    _check_length(flags, n, "done", name)
    return flags


def _ratio(given: Mapping[str, Any], n: int, name: str) -> FloatArray:
    """ρ, which is not negative and averages about 1, since E_μ[ρ] = 1."""
    if "ratio" in given:
        column, ratio = "ratio", _numbers(given["ratio"], "ratio", name)
        _check_length(ratio, n, column, name)
    elif "pi" in given or "mu" in given:
        for column, other in (("pi", "mu"), ("mu", "pi")):
            if column not in given:
                raise InvalidProblem(f"there is a column {other} and no column {column}", name)
        pi, mu = (_numbers(given[column], column, name) for column in ("pi", "mu"))
        for column, values in (("pi", pi), ("mu", mu)):
            _check_length(values, n, column, name)
            wrong = (values < 0) | (values > 1) | ((values == 0) if column == "mu" else False)
            if wrong.any():
                row = int(np.argmax(wrong))
                raise InvalidProblem(
                    f"row {row + 1}: {values[row]:g} is no probability of an action taken", name, column
                )
        column, ratio = "pi/mu", pi / mu
    else:
        return np.ones(n)
    if (ratio < 0).any():
        row = int(np.argmax(ratio < 0))
        raise InvalidProblem(f"row {row + 1}: {ratio[row]:g} is negative", name, column)
    mean, error = float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(n)) if n > 1 else np.inf
    if n >= 30 and abs(mean - 1) > FEW * error + 1e-9:
        row = int(np.argmax(ratio))
        raise InvalidProblem(
            f"ratios average {mean:.3g} ± {error:.1g}, far from 1 (largest {ratio[row]:.3g}, row {row + 1}): "
            "are these π/μ of the actions taken, with all actions of π seen?",
            name,
            column,
        )
    return ratio


def _episodes(values: Any, done: Array, n: int, name: str) -> tuple[Array, bool]:
    """Which trajectory each row is in: as told, or ended by `done`; else blocks of about √n rows."""
    if values is not None:
        names = _names(values, "episode", n, name)
        return np.unique(names, return_inverse=True)[1], True
    if done.any():
        return np.concatenate([[0], np.cumsum(done[:-1])]).astype(int), True
    return np.arange(n) // max(1, int(np.sqrt(n))), False


def _one_hot(state: Array, next_state: Array) -> tuple[FloatArray, FloatArray]:
    known = np.unique(np.concatenate([state, next_state]))
    return (state[:, None] == known).astype(np.float64), (next_state[:, None] == known).astype(np.float64)


def _check_length(values: Array, n: int, column: str, name: str) -> None:
    if len(values) != n:
        raise InvalidProblem(f"has {len(values)} rows, reward has {n}", name, column)
