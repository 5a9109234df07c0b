"""Large problems in files: NumPy archives of sparse arrays, and Matrix Market.

**.npz**: the letters of `theory.problems.npz`, doubles, with the parts of P_π in CSR in place of ``P_pi``:
``P_pi_data``, ``P_pi_indices``, ``P_pi_indptr`` (and of P_μ, where known, ``P_mu_data`` …). The parts under the bare
names that ``scipy.sparse.save_npz`` gives them, ``data``, ``indices``, ``indptr``, ``format``, ``shape``, are taken
for P_π, so an archive of a CSR matrix is a problem as soon as ``Phi``, ``d_mu`` and ``gamma`` are put beside them.

**.mtx**, also **.mtx.gz**: the file is P_π; what belongs to it stands beside it under the same name, as Matrix Market
(.mtx, .mtx.gz) or NumPy (.npy): ``walk.mtx`` has ``walk.features.…`` (S × F), ``walk.distribution.…`` (S), and may have
``walk.rewards.…`` (S), ``walk.behaviour.…`` (P_μ) and ``walk.behaviour-rewards.…``. The discount is asked for, or is in
a comment of the file: ``% gamma = 99/100``; a comment ``% episodic`` says that rows may sum to less than one.

Sizes are read before anything is unpacked, and refused beyond `MAX_BYTES` in all.
"""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from theory.problems.errors import InvalidProblem
from theory.problems.files import name_of
from theory.problems.jsontext import StrPath, as_text, check_keys, reason, show_path
from theory.problems.large import LargeProblem
from theory.problems.npz import read_array, read_flag, unpack
from theory.problems.numbers import Array, parse_number
from theory.problems.problem import Problem

MAX_BYTES = 8 * 2**30
_PARTS = ("data", "indices", "indptr")
_DENSE = ("Phi", "r_pi", "d_mu", "r_mu", "discount")
_LETTERS = ("gamma", *_DENSE, "name", "episodic")
_KEYS = (*_LETTERS, *(f"{P}_{part}" for P in ("P_pi", "P_mu") for part in _PARTS))
_SCIPY = ("format", "shape", "_is_array")  # what `scipy.sparse.save_npz` adds to the parts
_BESIDE = {
    "features": "Phi",
    "behaviour": "P_mu",
    "distribution": "d_mu",
    "rewards": "r_pi",
    "behaviour-rewards": "r_mu",
}
_GAMMA = re.compile(r"^%\s*gamma\s*=\s*(\S+)\s*$")


def load_sparse(path: StrPath, gamma: Any = None) -> Problem:
    """The problem in an archive of sparse arrays, at discount `gamma` where it has none."""
    try:
        arrays = _unpack(path)
        if gamma is not None:
            arrays.setdefault("gamma", np.array(str(gamma)))
        check_keys(arrays, _KEYS, ("gamma", "Phi", *(f"P_pi_{part}" for part in _PARTS)))
        letters: dict[str, Any] = {key: arrays[key] for key in _DENSE if key in arrays}
        S = len(arrays["Phi"])
        for letter in ("P_pi", "P_mu"):
            if f"{letter}_indptr" in arrays:
                letters[letter] = _matrix([arrays.get(f"{letter}_{part}") for part in _PARTS], S, letter)
        found = arrays["gamma"].item() if arrays["gamma"].ndim == 0 else None
        if found is None:
            raise InvalidProblem("is not one number", "gamma")
        name = as_text(arrays["name"].tolist(), "name") if "name" in arrays else name_of(path)
        return Problem.from_matrices(found, **letters, name=name, episodic=read_flag(arrays, "episodic"))
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: {error}") from None


def save_sparse(problem: LargeProblem, path: StrPath) -> None:
    """Write the archive; `load_sparse` gives back an equal problem."""
    g = problem.given
    gamma = g.gamma if isinstance(g.gamma, float) else str(g.gamma)
    arrays: dict[str, Any] = {"gamma": np.array(gamma), "Phi": g.Phi, "r_pi": g.r_pi, "d_mu": g.d_mu, "r_mu": g.r_mu}
    for letter, P in (("P_pi", g.successors), ("P_mu", g.behaviour_successors)):
        if P is not None:
            arrays |= {f"{letter}_{part}": getattr(P, part) for part in _PARTS}
    arrays |= {"name": np.array(problem.name), "episodic": np.array(1) if problem.is_episodic else None}
    if not str(path).endswith(".npz"):
        raise InvalidProblem("a large problem is saved as .npz", show_path(path))
    part = f"{os.fspath(path)}.part"
    try:
        with open(part, "wb") as file:
            np.savez(file, allow_pickle=False, **{key: value for key, value in arrays.items() if value is not None})
        os.replace(part, path)
    except OSError as error:
        raise InvalidProblem(reason(error), show_path(path)) from None


def read_market(path: StrPath, gamma: Any = None) -> Problem:
    """The problem of a Matrix Market file and of what stands beside it."""
    path = Path(path)
    if not path.is_file():
        raise InvalidProblem("is a directory" if path.is_dir() else "no such file or directory", show_path(path))
    stem = path.name.removesuffix(".gz").removesuffix(".mtx")
    found = _gamma(path) if gamma is None else gamma
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
    try:
        return Problem.from_matrices(found, **letters, name=name_of(stem), episodic="episodic" in _comments(path))
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: {error}") from None


def _unpack(path: StrPath) -> dict[str, Array]:
    known = (*_KEYS, *_PARTS, *_SCIPY)
    arrays = unpack(path, MAX_BYTES, MAX_BYTES // 4, lambda key: check_keys({key: None}, known), "biufUS")
    if b"csr" not in arrays.get("format", np.array(b"csr")).tobytes():
        raise InvalidProblem("is not CSR: save it with .tocsr()", "format")
    bare = {f"P_pi_{part}": arrays.pop(part) for part in _PARTS if part in arrays}
    return {key: array for key, array in arrays.items() if key not in _SCIPY} | bare


def _matrix(parts: list[Array | None], S: int, letter: str) -> Any:
    data, indices, indptr = parts
    if data is None or indices is None or indptr is None:
        raise InvalidProblem("needs all of its parts, data, indices and indptr", letter)
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu" or data.dtype.kind not in "iuf":
        raise InvalidProblem("indices and indptr are integers, data numbers", letter)
    if data.ndim != 1 or data.shape != indices.shape or indptr.shape != (S + 1,):
        raise InvalidProblem(f"its parts do not fit each other, or {S} rows of Phi", letter)
    right = indptr[0] == 0 and indptr[-1] == len(data) and (np.diff(indptr.astype(np.int64)) >= 0).all()
    if not right or (len(indices) and not (int(indices.min()) >= 0 and int(indices.max()) < S)):
        raise InvalidProblem("indices or indptr point nowhere", letter)
    return sparse.csr_array((data, indices, indptr), shape=(S, S))


def _market(path: Path) -> Any:
    try:
        rows, columns, entries, *_ = scipy_io.mminfo(path)
        if 8 * max(rows * columns if entries == rows * columns else 0, 2 * entries) > MAX_BYTES:
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
        if path.stat().st_size > MAX_BYTES:
            raise InvalidProblem(f"is larger than {MAX_BYTES >> 30} GiB", show_path(path))
        return read_array(path.read_bytes(), path.name, longest=MAX_BYTES // 4)
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


def _gamma(path: Path) -> Any:
    """The discount in a comment."""
    match = next((m for line in _comments(path) if (m := _GAMMA.match(f"% {line}"))), None)
    return None if match is None else parse_number(match[1], "gamma")


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
