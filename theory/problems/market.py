"""Problems in Matrix Market files, .mtx and .mtx.gz.

The file is P_π; what belongs to it stands beside it under the same name, as Matrix Market (.mtx, .mtx.gz) or NumPy
(.npy): ``walk.mtx`` has ``walk.features.…`` (S × F), ``walk.distribution.…`` (S), and may have ``walk.rewards.…`` (S),
``walk.behaviour.…`` (P_μ) and ``walk.behaviour-rewards.…``. The discount is asked for, or is in a comment of the file:
``% gamma = 99/100``; a comment ``% episodic`` says that rows may sum to less than one.

SciPy's reader takes a comma for the end of a number, ignores what follows it, adds up what stands at one place, and
believes every size. So the text is looked at first: a line an entry, as many as are announced, none at one place twice;
and the sizes of all files are compared before any array is made.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from theory.problems.files import name_of
from theory.problems.jsontext import StrPath, about, quoted, reason, show_path
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
_HEADER = 1 << 20  # bytes of comments
_LINE = 128  # bytes of an entry, at most
_NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_BLANKS = rb"[ \t]*\r?$"
_WRONG = {  # the first line that is none of an entry, and not empty
    "coordinate": re.compile(
        rb"^(?![ \t]*[0-9]+[ \t]+[0-9]+[ \t]+" + _NUMBER + _BLANKS + rb")[ \t]*[^ \t\r\n].*$", re.M
    ),
    "array": re.compile(rb"^(?![ \t]*" + _NUMBER + _BLANKS + rb")[ \t]*[^ \t\r\n].*$", re.M),
}
_LINES = re.compile(rb"^[ \t]*[^ \t\r\n]", re.M)


class _Market(NamedTuple):
    """A file as it was read: its comments, its sizes, its text."""

    comments: list[str]
    form: str  # coordinate or array
    shape: tuple[int, int]
    entries: int
    symmetric: bool
    text: bytes


def read_market(path: StrPath, gamma: Any = None) -> Problem:
    """The problem of a Matrix Market file and of what stands beside it."""
    path = Path(path)
    if not path.is_file():
        raise InvalidProblem("is a directory" if path.is_dir() else "no such file or directory", show_path(path))
    stem = path.name.removesuffix(".gz").removesuffix(".mtx")
    moves = _read(path)
    said = [m[1] for line in moves.comments if (m := _GAMMA.fullmatch(line))]
    if len(said) > 1:
        raise InvalidProblem("says twice at which discount", show_path(path))
    found = gamma if gamma is not None or not said else parse_number(said[0], "gamma")
    if found is None:
        raise InvalidProblem(
            "does not say at which discount: give one, e.g. --gamma 0.99, or a comment % gamma = 99/100",
            show_path(path),
        )
    parts: dict[str, _Market | Array] = {"P_pi": moves}
    names = {"P_pi": path}
    for word, letter in _BESIDE.items():
        places = [path.with_name(f"{stem}.{word}{ending}") for ending in (".mtx", ".mtx.gz", ".npy")]
        there = next((place for place in places if place.is_file()), None)
        if there is not None:
            names[letter], parts[letter] = there, _npy(there) if there.suffix == ".npy" else _read(there)
        elif word == "features" or (word == "distribution" and "P_mu" not in parts):
            raise InvalidProblem(f"needs {places[0].name} (or .mtx.gz, .npy) beside it", show_path(path))
    _compare_sizes(parts, names)
    letters: dict[str, Any] = {}
    for letter, part in parts.items():
        value = _matrix(part, names[letter]) if isinstance(part, _Market) else part
        letters[letter] = value if letter.startswith("P_") else _dense(value, letter)
    with about(path):
        return Problem.from_matrices(found, **letters, name=name_of(stem), episodic="episodic" in moves.comments)


def _compare_sizes(parts: dict[str, _Market | Array], names: dict[str, Path]) -> None:
    """Do all files speak of the same states? And are there entries for as many?"""
    states = parts["P_pi"].shape[0]
    for letter, part in parts.items():
        shape = part.shape
        if letter not in ("P_pi", "P_mu", "Phi"):
            shape = tuple(n for n in shape if n != 1) or (1,)
        if shape[0] != states or (letter.startswith("P_") and shape != (states, states)):
            size = " × ".join(map(str, part.shape))
            raise InvalidProblem(f"is {size}, and there are {states:,} states", show_path(names[letter]))
        full = letter in ("d_mu", "P_mu")  # every state is visited, and left
        if full and isinstance(part, _Market) and part.entries * (2 if part.symmetric else 1) < states:
            raise InvalidProblem(f"has {part.entries:,} entries for {states:,} states", show_path(names[letter]))


def _read(path: Path) -> _Market:
    """A strict look at the text."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as file:
            return _parts(file)
    except InvalidProblem as error:
        raise InvalidProblem(error.complaint, show_path(path)) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InvalidProblem("is damaged, or not compressed by gzip", show_path(path)) from None
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None


def _parts(file: IO[bytes]) -> _Market:
    banner = file.readline(_HEADER).decode("ascii", "replace").lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise InvalidProblem("is not a Matrix Market file: it begins with %%MatrixMarket matrix …")
    _, _, form, field, symmetry = banner
    if form not in _WRONG or field not in ("real", "double", "integer") or symmetry not in ("general", "symmetric"):
        raise InvalidProblem(f"holds {' '.join(banner[2:])}: write it as coordinate or array, real, general")
    comments, left = [], _HEADER
    while (line := file.readline(left)).startswith(b"%") or (line and not line.strip()):
        comments.append(line.decode("utf-8", "replace").strip().strip("%").strip())
        left -= len(line)
        if left <= 0:
            raise InvalidProblem(f"has more than {_HEADER >> 20} MiB of comments")
    sizes = line.split()
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(x.isdigit() and len(x) < 19 for x in sizes):
        raise InvalidProblem(
            f"is not a Matrix Market file: {quoted(line.decode('ascii', 'replace').strip())} is no size"
        )
    rows, columns, *count = map(int, sizes)
    square = rows * (rows + 1) // 2 if symmetry == "symmetric" else rows * columns
    entries = count[0] if count else square
    if 16 * entries > LARGE_BYTES or not rows or not columns:
        raise InvalidProblem(f"has {entries:,} entries, {'too many' if entries else 'none'}")
    body = file.read(_LINE * (entries + 1))
    if file.read(1):
        raise InvalidProblem(f"has more text than its {entries:,} entries need")
    wrong = _WRONG[form].search(body)
    if wrong is not None:
        raise InvalidProblem(f"{quoted(wrong[0].decode('ascii', 'replace').strip())} is not an entry")
    found = sum(1 for _ in _LINES.finditer(body))
    if found != entries:
        raise InvalidProblem(f"has {found:,} entries and says {entries:,}")
    text = " ".join(banner).replace("%%matrixmarket", "%%MatrixMarket").encode() + b"\n" + line.strip() + b"\n"
    return _Market(comments, form, (rows, columns), entries, symmetry == "symmetric", text + body.rstrip() + b"\n")


def _matrix(part: _Market, path: Path) -> Any:
    try:
        value: Any = scipy_io.mmread(io.BytesIO(part.text))
    except (ValueError, OverflowError) as error:
        complaint = str(error).splitlines()[0] if str(error) else "is damaged"
        raise InvalidProblem(f"is not a Matrix Market file: {complaint}", show_path(path)) from None
    if part.form == "coordinate":
        several = value.nnz
        value = value.tocsr()
        value.sum_duplicates()
        if value.nnz < several:
            raise InvalidProblem("has two entries at one place", show_path(path))
    return value


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
