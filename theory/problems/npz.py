"""Problems as NumPy archives, for those too large to read as text.

An archive holds one array for each letter of the problem, under that letter:

- ``gamma``, ``Phi``, ``P_pi``, ``r_pi``, ``d_mu`` and, where known, ``P_mu``, ``r_mu``;
- of an MDP also ``P``, ``R``, ``pi``, ``mu`` and, where episodes end or states have discounts, ``start``, ``discount``;
- ``episodic``, true or 1 where rows of ``P_pi`` and ``P_mu`` may sum to less than one;
- ``name``, ``states``, ``actions`` as text.

In place of ``P_pi`` there may be the parts of a sparse matrix in CSR, ``P_pi_data``, ``P_pi_indices``, ``P_pi_indptr``
(and so for ``P_mu``). The parts under the bare names that ``scipy.sparse.save_npz`` gives them, ``data``, ``indices``,
``indptr``, ``format``, ``shape``, are taken for P_π: an archive of a CSR matrix is a problem as soon as ``Phi``,
``d_mu`` and ``gamma`` are put beside them.

Doubles are stored as doubles, exact numbers as text ``p/q``, so nothing is lost either way. What may be
missing in a problem file may be missing here: rewards, d_μ beside P_μ, and every matrix of an MDP.

Nothing is unpickled. An archive may be a bomb in two ways: its directory tells the unpacked size, which
is checked before anything is unpacked, and an array's header tells its shape, which is checked against
the bytes that are there before memory is asked for.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from theory.problems.files import MATRICES, MDP_LETTERS, PLACES, name_of, problem_from_letters, problem_letters, spelled
from theory.problems.jsontext import StrPath, about, as_text, check_keys, read_bytes, show_path, write_bytes
from theory.problems.numbers import MAX_DIGITS, Array, InvalidProblem, is_exact
from theory.problems.problem import Problem

MAX_BYTES = 256 * 2**20  # of the archive, and of all its arrays together
MAX_EXACT = 2**21  # numbers in an array that is not of doubles: each becomes a Python object
LARGE_BYTES = 8 * 2**30  # of an archive of sparse matrices
MOST_DENSE = 50  # times its size that a larger archive may unpack to

_TEXT = {"name": 0, "states": 1, "actions": 1}  # and their axes
_KEYS = (*PLACES, "episodic", *_TEXT)
_PARTS = ("data", "indices", "indptr")
_SCIPY = ("format", "shape", "_is_array")  # what `scipy.sparse.save_npz` adds to the parts
_SPARSE_KEYS = (*_PARTS, *(f"{P}_{part}" for P in ("P_pi", "P_mu") for part in _PARTS), *_SCIPY)


def save_npz(problem: Problem, path: StrPath) -> None:
    """Write the archive in one step; `load_npz` gives back an equal problem."""
    with about(path, "cannot be saved: "):
        arrays: dict[str, Array] = {}
        for key, value in problem_letters(problem).items():
            if hasattr(value, "tocsr"):
                arrays |= {f"{key}_{part}": getattr(value, part) for part in _PARTS}
            else:
                arrays[key] = _stored(value, key)
        most = LARGE_BYTES if problem.is_large else MAX_BYTES
        if sum(array.nbytes for array in arrays.values()) > most:
            raise InvalidProblem(f"is larger than {most >> 20} MiB")
        data = _pack(arrays, zipfile.ZIP_STORED if problem.is_large else zipfile.ZIP_DEFLATED)
        if not problem.is_large and _problem(_dense(data), problem.name) != problem:
            raise InvalidProblem("its MDP, policies, matrices and labels do not belong together")
    write_bytes(path, data)


def load_npz(path: StrPath, gamma: Any = None) -> Problem:
    """The problem in an archive, at `gamma` where it has no discount; a complaint is one line, the path first."""
    in_parts = any(name.endswith("indptr.npy") for name in archive_names(path))
    data = b"" if in_parts else read_bytes(path, MAX_BYTES)
    with about(path):
        return _problem(_sparse(path) if in_parts else _dense(data), name_of(path), gamma)


def archive_names(path: StrPath) -> list[str]:
    """The files in an archive; none where it is damaged, which reading it reports.

    A pipe or a device has no directory at its end to look for: it is refused.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise InvalidProblem("is not a regular file", show_path(path))
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return []


def _dense(data: bytes) -> dict[str, Any]:
    return unpack(io.BytesIO(data), MAX_BYTES, MAX_EXACT, _KEYS)


def _sparse(path: StrPath) -> dict[str, Any]:
    """The arrays, with P_pi and P_mu put together from their parts; those without a letter are P_pi's."""
    from scipy.sparse import csr_array

    arrays: dict[str, Any] = unpack(path, LARGE_BYTES, LARGE_BYTES // 4, (*_KEYS, *_SPARSE_KEYS))
    if b"csr" not in arrays.get("format", np.array(b"csr")).tobytes():
        raise InvalidProblem("is not CSR: save it with .tocsr()", "format")
    arrays = {f"P_pi_{key}" if key in _PARTS else key: array for key, array in arrays.items() if key not in _SCIPY}
    for letter in ("P_pi", "P_mu"):
        names = [f"{letter}_{part}" for part in _PARTS]
        if arrays.keys().isdisjoint(names):
            continue
        check_keys(arrays, (*_KEYS, *_SPARSE_KEYS), names)
        data, indices, indptr = parts = [arrays.pop(name) for name in names]
        if data.dtype.kind not in "iuf" or indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
            raise InvalidProblem("indices and indptr are integers, data numbers", letter)
        whole = all(part.ndim == 1 for part in parts) and len(data) == len(indices)
        if not whole or indptr[-1:].tolist() != [len(data)]:
            raise InvalidProblem("its parts do not fit each other", letter)
        try:
            own = data.astype(np.float64), indices.copy(), indptr.copy()
            arrays[letter] = csr_array(own, shape=(len(indptr) - 1,) * 2)
            arrays[letter].check_format()
        except ValueError as error:
            raise InvalidProblem(f"indices or indptr point nowhere: {error}", letter) from None
        arrays[letter].sum_duplicates()
        if arrays[letter].nnz < len(data):
            raise InvalidProblem("has two entries at one place", letter)
    return arrays


def _problem(arrays: dict[str, Any], name: str, missing_gamma: Any = None) -> Problem:
    if missing_gamma is not None:
        arrays.setdefault("gamma", np.array(str(missing_gamma)))
    check_keys(arrays, _KEYS, ("gamma", "Phi", *(MDP_LETTERS if "P" in arrays else ("P_pi",))))
    if "P" not in arrays:
        misplaced = next((key for key in (*MDP_LETTERS, "start", "actions") if key in arrays), None)
        if misplaced is not None:
            raise InvalidProblem("belongs to an MDP, whose P is missing", misplaced)
    elif not arrays.keys().isdisjoint(MATRICES):
        check_keys(arrays, _KEYS, MATRICES)
    given = {"name": name} | {key: _listed(array, key) for key, array in arrays.items() if key != "episodic"}
    ends = arrays.get("episodic", np.array(0))
    if ends.ndim or ends.dtype.kind not in "biuf" or ends.item() not in (0, 1):
        raise InvalidProblem("expected true or false", "episodic")
    given["episodic"] = bool(ends)
    try:
        return problem_from_letters(given)
    except InvalidProblem as error:
        raise error.renamed({"transitions": "P", "rewards": "R"}) from None


def _pack(arrays: dict[str, Array], compression: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            # A bare ZipInfo has no date: the same problem makes the same bytes.
            archive.writestr(zipfile.ZipInfo(f"{key}.npy"), file.getvalue(), compression)
    return buffer.getvalue()


def unpack(
    source: StrPath | IO[bytes], most_bytes: int, longest: int, known: Sequence[str] = (), kinds: str = "iufU"
) -> dict[str, Array]:
    """The arrays of an archive by name, which must be `known` if any are; no more than `most_bytes` in all."""
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
            unpacked, packed = (sum(getattr(x, size) for x in members) for size in ("file_size", "compress_size"))
            if unpacked > min(most_bytes, max(MAX_BYTES, MOST_DENSE * packed)):
                raise InvalidProblem(f"unpacks to {unpacked >> 20:,} MiB, from {packed >> 10:,} KiB")
            arrays: dict[str, Array] = {}
            for member in members:
                key = member.filename.removesuffix(".npy")
                if key in arrays:
                    raise InvalidProblem("is there twice", key)
                if known:
                    check_keys({key: None}, known)
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidProblem("is compressed in a way that NumPy does not use", key)
                with archive.open(member) as file:  # gives no more than the directory promised
                    arrays[key] = read_array(file.read(), key, longest, kinds)
            return arrays
    except (InvalidProblem, MemoryError):
        raise
    except Exception:  # damaged bytes make zipfile, zlib and numpy.lib.format raise almost anything
        raise InvalidProblem("is not a NumPy archive, or is damaged") from None


def read_array(data: bytes, key: str, longest: int = MAX_EXACT, kinds: str = "iufU") -> Array:
    """The array in the bytes of an .npy file; what is not of doubles has at most `longest` entries."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in read_header:
        raise InvalidProblem(f"is stored in the unknown format {version[0]}.{version[1]}", key)
    shape, fortran, dtype = read_header[version](file)
    if dtype.hasobject:
        raise InvalidProblem("holds Python objects, which are never loaded", key)
    kinds += "bS" * (key in ("episodic", *_SCIPY))
    if dtype.kind not in kinds or (dtype.kind == "f" and dtype.itemsize > 8) or dtype.itemsize > 4 * MAX_DIGITS:
        raise InvalidProblem(f"holds {dtype}, not doubles, integers or text", key)
    if (min(shape, default=1) < 1 and key not in _SPARSE_KEYS) or math.prod(shape) * dtype.itemsize != len(
        data
    ) - file.tell():
        raise InvalidProblem(f"is empty or damaged: its shape is {shape}", key)
    if dtype.kind != "f" and math.prod(shape) > longest:
        raise InvalidProblem(f"has more than {longest} exact numbers", key)
    array = np.frombuffer(data, dtype, offset=file.tell())
    return array.reshape(shape, order="F" if fortran else "C")


def _listed(array: Array, key: str) -> Any:
    """Doubles and integers as an array, numbers in text and names as lists; one alone as itself."""
    if hasattr(array, "tocsr"):
        return array
    if key in _TEXT and array.ndim != _TEXT[key]:
        raise InvalidProblem(f"has {array.ndim} axes, not {_TEXT[key]}", key)
    if array.dtype.kind != "U":
        if key in _TEXT:
            raise InvalidProblem(f"expected text, got {array.dtype}", key)
        return array if array.ndim else array.item()
    try:
        listed = array.tolist()
    except (ValueError, SystemError):  # four bytes that are no character
        raise InvalidProblem("holds damaged text", key) from None
    if key == "name":
        return as_text(listed, key)
    return [as_text(label, key, i) for i, label in enumerate(listed)] if key in _TEXT else listed


def _stored(value: Any, key: str) -> Array:
    array = np.asarray(value)
    if not is_exact(array):
        return array
    return np.array([spelled(x, key) for x in array.ravel()]).reshape(array.shape)
