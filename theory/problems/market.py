"""Problems in Matrix Market files, .mtx and .mtx.gz.

The file is P_π; what belongs to it stands beside it under the same name, as Matrix Market (.mtx, .mtx.gz) or NumPy
(.npy): ``walk.mtx`` has ``walk.features.…`` (S × F), ``walk.distribution.…`` (S), and may have ``walk.rewards.…`` (S),
``walk.behaviour.…`` (P_μ) and ``walk.behaviour-rewards.…``. The discount is asked for, or is in a comment of the file:
``% gamma = 99/100``; a comment ``% episodic`` says that rows may sum to less than one.

Sizes are read before anything is unpacked, and refused beyond `LARGE_BYTES`.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from theory.problems.files import name_of
from theory.problems.jsontext import StrPath, about, reason, show_path
from theory.problems.npz import LARGE_BYTES, read_array
from theory.problems.numbers import Array, InvalidProblem, parse_number
from theory.problems.problem import Problem

_BESIDE = {
    "features": "Phi",
    "behaviour": "P_mu",
    "distribution": "d_mu",
    "rewards": "r_pi",
    "behaviour-rewards": "r_mu",
}
_GAMMA = re.compile(r"gamma\s*=\s*(\S+)")


def read_market(path: StrPath, gamma: Any = None) -> Problem:
    """The problem of a Matrix Market file and of what stands beside it."""
    path = Path(path)
    if not path.is_file():
        raise InvalidProblem("is a directory" if path.is_dir() else "no such file or directory", show_path(path))
    stem = path.name.removesuffix(".gz").removesuffix(".mtx")
    comments = _comments(path)
    said = next((m[1] for line in comments if (m := _GAMMA.fullmatch(line))), None)
    found = gamma if gamma is not None or said is None else parse_number(said, "gamma")
    if found is None:
        raise InvalidProblem(
            "does not say at which discount: give one, e.g. --gamma 0.99, or a comment % gamma = 99/100",
            show_path(path),
        )
    letters: dict[str, Any] = {"P_pi": _market(path)}
    for word, letter in _BESIDE.items():
        places = [path.with_name(f"{stem}.{word}{ending}") for ending in (".mtx", ".mtx.gz", ".npy")]
        there = next((place for place in places if place.is_file()), None)
        if there is not None:
            value = _npy(there) if there.suffix == ".npy" else _market(there)
            letters[letter] = value if letter.startswith("P") else _dense(value, letter)
        elif word == "features" or (word == "distribution" and "P_mu" not in letters):
            raise InvalidProblem(f"needs {places[0].name} (or .mtx.gz, .npy) beside it", show_path(path))
    with about(path):
        return Problem.from_matrices(found, **letters, name=name_of(stem), episodic="episodic" in comments)


def _market(path: Path) -> Any:
    try:
        rows, columns, entries, *_ = scipy_io.mminfo(path)
        if 8 * max(rows * columns if entries == rows * columns else 0, 2 * entries) > LARGE_BYTES:
            raise InvalidProblem(f"has {entries:,} entries, too many", show_path(path))
        return scipy_io.mmread(path)
    except (EOFError, gzip.BadGzipFile):
        raise InvalidProblem("cannot be read", show_path(path)) from None
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None
    except (ValueError, OverflowError) as error:
        complaint = str(error).splitlines()[0] if str(error) else "is damaged"
        raise InvalidProblem(f"is not a Matrix Market file: {complaint}", show_path(path)) from None


def _npy(path: Path) -> Array:
    try:
        if path.stat().st_size > LARGE_BYTES:
            raise InvalidProblem(f"is larger than {LARGE_BYTES >> 30} GiB", show_path(path))
        return read_array(path.read_bytes(), path.name, longest=LARGE_BYTES // 4)
    except InvalidProblem:
        raise
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None
    except Exception:  # damaged bytes make numpy.lib.format raise almost anything
        raise InvalidProblem("is not a NumPy array, or is damaged", show_path(path)) from None


def _dense(value: Any, letter: str) -> Array:
    """Features as they are; a vector of one row or column as a vector."""
    array: Array = value.toarray() if sparse.issparse(value) else np.asarray(value)
    return array if letter == "Phi" or array.ndim == 1 or 1 not in array.shape else array.ravel()


def _comments(path: Path) -> list[str]:
    """The first lines that begin with %."""
    found: list[str] = []
    try:
        read: Any = gzip.open if path.suffix == ".gz" else open
        with read(path, "rt", encoding="utf-8", errors="replace") as lines:
            for _, line in zip(range(1000), lines, strict=False):
                if not line.startswith("%"):
                    break
                found.append(line.strip("%").strip())
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None
    return found
