"""Problems in Matrix Market files, .mtx and .mtx.gz.

The file is P_π; what belongs to it stands beside it under the same name, as Matrix Market (.mtx, .mtx.gz) or NumPy
(.npy): ``walk.mtx`` has ``walk.features.…`` (S × F), ``walk.distribution.…`` (S), and may have ``walk.rewards.…`` (S),
``walk.behaviour.…`` (P_μ) and ``walk.behaviour-rewards.…``. The discount is asked for, or is in a comment of the file:
``% gamma = 99/100``; a comment ``% episodic`` says that rows may sum to less than one.

NumPy's reader of text takes nothing but numbers, as many in each line. Before it reads, the sizes of all files are
compared and no more text is taken than the announced entries need; afterwards they are and none may be at one
place twice.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

from theory.problems.files import name_of
from theory.problems.jsontext import StrPath, about
from theory.problems.npz import LARGE_BYTES, read_array
from theory.problems.numbers import Array, InvalidProblem, parse_number, quoted
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
_PIECE = 1 << 24  # bytes that are read at once


class _Market(NamedTuple):
    """A file as it was read: its comments, its sizes, its entries as text."""

    comments: list[str]
    coordinate: bool  # else an array
    symmetric: bool
    integer: bool  # and so exact
    shape: tuple[int, int]
    entries: int
    text: bytes


def read_market(path: StrPath, gamma: Any = None) -> Problem:
    """The problem of a Matrix Market file and of what stands beside it."""
    path = Path(path)
    stem = path.name.removesuffix(".gz").removesuffix(".mtx")
    moves = _read(path)
    files: dict[str, tuple[Path, _Market | Array]] = {"P_pi": (path, moves)}
    with about(path):
        said = [m[1] for line in moves.comments if (m := _GAMMA.fullmatch(line))]
        if len(said) > 1:
            raise InvalidProblem("says twice at which discount")
        if gamma is None and not said:
            raise InvalidProblem(
                "does not say at which discount: give one, e.g. --gamma 0.99, or a comment % gamma = 99/100"
            )
        for word, letter in _BESIDE.items():
            places = [path.with_name(f"{stem}.{word}{ending}") for ending in (".mtx", ".mtx.gz", ".npy")]
            there = next((place for place in places if place.is_file()), None)
            if there is None and (word == "features" or (word == "distribution" and "P_mu" not in files)):
                raise InvalidProblem(f"needs {places[0].name} (or .mtx.gz, .npy) beside it")
            if there is not None:
                files[letter] = there, _npy(there) if there.suffix == ".npy" else _read(there)
    for letter, (place, part) in files.items():
        with about(place):
            _compare_sizes(letter, part, moves.shape[0])
    letters: dict[str, Any] = {}
    for letter, (place, part) in files.items():
        with about(place):
            value = _matrix(part) if isinstance(part, _Market) else part
        letters[letter] = value if letter.startswith("P_") else _dense(value, letter)
    with about(path):
        discount = parse_number(said[0], "gamma") if gamma is None else gamma
        return Problem.from_matrices(discount, **letters, name=name_of(stem), episodic="episodic" in moves.comments)


def _compare_sizes(letter: str, part: _Market | Array, states: int) -> None:
    """Does a file speak of as many states? And are there entries for as many?"""
    square, shape = letter.startswith("P_"), part.shape
    if not square and letter != "Phi":
        shape = tuple(n for n in shape if n != 1) or (1,)
    if shape[:1] != (states,) or (square and shape != (states, states)):
        raise InvalidProblem(f"is {' × '.join(map(str, part.shape))}, and there are {states:,} states")
    full = letter in ("d_mu", "P_mu")  # every state is visited, and left
    if full and isinstance(part, _Market) and part.entries * (2 if part.symmetric else 1) < states:
        entries = "1 entry" if part.entries == 1 else f"{part.entries:,} entries"
        raise InvalidProblem(f"has {entries} for {states:,} states")


def _read(path: Path) -> _Market:
    """A file up to its sizes, and the text of its entries."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with about(path):
        try:
            with opened(path, "rb") as file:
                return _parts(file)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InvalidProblem("is damaged, or not compressed by gzip") from None


def _parts(file: IO[bytes]) -> _Market:
    banner = file.readline(_HEADER).decode("ascii", "replace").lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise InvalidProblem("is not a Matrix Market file: it begins with %%MatrixMarket matrix …")
    _, _, form, field, symmetry = banner
    known = {"coordinate": 3, "array": 2}  # and the numbers of their sizes
    if form not in known or field not in ("real", "double", "integer") or symmetry not in ("general", "symmetric"):
        raise InvalidProblem(f"holds {' '.join(banner[2:])}: write it as coordinate or array, real, general")
    comments, left = [], _HEADER
    while (line := file.readline(left)).startswith(b"%") or (line and not line.strip()):
        comments.append(line.decode("utf-8", "replace").strip().strip("%").strip())
        left -= len(line)
        if left <= 0:
            raise InvalidProblem(f"has more than {_HEADER >> 20} MiB of comments")
    sizes = line.split()
    if len(sizes) != known[form] or not all(x.isdigit() and len(x) < 19 for x in sizes):
        raise InvalidProblem(f"is not a Matrix Market file: {quoted(line.decode('latin1').strip())} is no size")
    rows, columns, *count = map(int, sizes)
    triangle = symmetry == "symmetric"
    if triangle and rows != columns:
        raise InvalidProblem(f"is {rows} × {columns}, and said to be symmetric")
    entries = count[0] if count else rows * (rows + 1) // 2 if triangle else rows * columns
    if 16 * entries > LARGE_BYTES or not rows or not columns:
        raise InvalidProblem(f"has {entries:,} entries, {'too many' if entries else 'none'}")
    pieces, room = [], _LINE * (entries + 1)
    while piece := file.read(min(room, _PIECE)):  # no memory for what is only said to be there
        pieces.append(piece)
        room -= len(piece)
    text = b"".join(pieces)
    if file.read(1):
        raise InvalidProblem(f"has more text than its {entries:,} entries need")
    return _Market(comments, form == "coordinate", triangle, field == "integer", (rows, columns), entries, text.strip())


def _matrix(part: _Market) -> Any:
    """The sparse matrix that the entries spell."""
    found = np.empty((0, 1))
    if part.text:
        try:
            found = np.loadtxt(io.BytesIO(part.text), comments=None, ndmin=2)
        except ValueError as error:
            raise InvalidProblem(f"is not a Matrix Market file: {str(error).partition(';')[0]}") from None
    if len(found) != part.entries:
        raise InvalidProblem(f"has {len(found):,} entries and says {part.entries:,}")
    if found.shape[1] != (3 if part.coordinate else 1):
        raise InvalidProblem(
            "is not a Matrix Market file: an entry is a row, a column and a number; of arrays a number"
        )
    if part.coordinate:
        i, j = places = found[:, :2].T - 1
        whole = np.isfinite(places).all() and (places % 1 == 0).all() and places.min() >= 0
        if not whole or i.max() >= part.shape[0] or j.max() >= part.shape[1]:
            raise InvalidProblem("has an entry out of bounds")
    elif part.symmetric:
        j, i = np.triu_indices(part.shape[0])
    else:
        j, i = np.indices(part.shape[::-1]).reshape(2, -1)
    values = found[:, -1]
    if part.integer:
        if (values % 1 != 0).any() or np.abs(values).max() >= 2**53:
            raise InvalidProblem("is said to hold integers, and holds others, or of more than 15 digits")
        values = values.astype(np.int64)
    if part.symmetric:
        off = i != j
        i, j, values = np.append(i, j[off]), np.append(j, i[off]), np.append(values, values[off])
    matrix = sparse.coo_array((values, (i.astype(np.int64), j.astype(np.int64))), shape=part.shape).tocsr()
    if matrix.nnz < len(values):  # what was at one place has been summed
        raise InvalidProblem("has two entries at one place")
    return matrix


def _npy(path: Path) -> Array:
    with about(path):
        if path.stat().st_size > LARGE_BYTES:
            raise InvalidProblem(f"is larger than {LARGE_BYTES >> 30} GiB")
        try:
            return read_array(path.read_bytes(), path.name, longest=LARGE_BYTES // 4)
        except (InvalidProblem, OSError):
            raise
        except Exception:  # damaged bytes make numpy.lib.format raise almost anything
            raise InvalidProblem("is not a NumPy array, or is damaged") from None


def _dense(value: Any, letter: str) -> Array:
    """Features as they are; a vector of one row or column as a vector."""
    array: Array = value.toarray() if sparse.issparse(value) else value
    return array if letter == "Phi" or array.ndim == 1 or 1 not in array.shape else array.ravel()
