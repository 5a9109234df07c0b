"""Problems as NumPy archives, for those too large to read as text.

An archive holds one array for each letter of the problem, under that letter:

- ``gamma``, ``Phi``, ``P_pi``, ``r_pi``, ``d_mu`` and, where known, ``P_mu``, ``r_mu``;
- of an MDP also ``P``, ``R``, ``pi``, ``mu`` and, where episodes end or states have discounts, ``start``, ``discount``;
- ``episodic``, true or 1 where rows of ``P_pi`` and ``P_mu`` may sum to less than one;
- ``name``, ``states``, ``actions`` as text.

Doubles are stored as doubles, exact numbers as text ``p/q``, so nothing is lost either way. What may be
missing in a problem file may be missing here: rewards, d_μ beside P_μ, and every matrix of an MDP.

Nothing is unpickled. An archive may be a bomb in two ways: its directory tells the unpacked size, which
is checked before anything is unpacked, and an array's header tells its shape, which is checked against
the bytes that are there before memory is asked for.
"""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.files import problem_behind
from theory.problems.jsontext import StrPath, as_text, check_keys, is_one_line, read_bytes, show_path, write_bytes
from theory.problems.mdp import MDP
from theory.problems.numbers import MAX_DIGITS, Array, is_exact
from theory.problems.problem import Problem

MAX_BYTES = 256 * 2**20  # of the archive, and of all its arrays together
MAX_EXACT = 2**21  # numbers in an array that is not of doubles: each becomes a Python object

_DERIVED = ("P_pi", "r_pi", "d_mu", "P_mu", "r_mu")
_MDP = ("P", "R", "pi", "mu")
_ENDS = ("start", "discount")
_TEXT = ("name", "states", "actions")
_FLAGS = ("episodic",)
_MAY_BE_EMPTY = tuple(f"{P}_{part}" for P in ("P_pi", "P_mu") for part in ("data", "indices"))  # of P = 0
# How many axes each array has.
_AXES = {
    **{"gamma": (0,), "Phi": (2,)},
    **{"P_pi": (2,), "r_pi": (1,), "d_mu": (1,), "P_mu": (2,), "r_mu": (1,)},
    **{"P": (3,), "R": (2, 3), "pi": (2,), "mu": (2,), "start": (1,), "discount": (1,), "episodic": (0,)},
    **{"name": (0,), "states": (1,), "actions": (1,)},
}


def save_npz(problem: Problem, path: StrPath) -> None:
    """Write the archive in one step; `load_npz` gives back an equal problem."""
    try:
        arrays = _arrays(problem)
        if sum(array.nbytes for array in arrays.values()) > MAX_BYTES:
            raise InvalidProblem(f"is larger than {MAX_BYTES >> 20} MiB")
        data = _pack(arrays)
        if _parse(data, problem.name) != problem:
            raise InvalidProblem("its MDP, policies, matrices and labels do not belong together")
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: cannot be saved: {error}") from None
    write_bytes(path, data)


def load_npz(path: StrPath, gamma: Any = None) -> Problem:
    """The problem in an archive, at `gamma` where it has no discount; a complaint is one line, the path first.

    An archive of sparse arrays is read by `theory.problems.sparse_files`.
    """
    if has_sparse_arrays(path):
        from theory.problems.sparse_files import load_sparse

        return load_sparse(path, gamma)
    data, stem = read_bytes(path, MAX_BYTES), Path(path).stem
    try:
        return _parse(data, stem if stem and is_one_line(stem) else "problem", gamma)
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: {error}") from None


def has_sparse_arrays(path: StrPath) -> bool:
    """Are there the row pointers of a sparse matrix in it?"""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("indptr.npy") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):  # `load_npz` says what is wrong with it
        return False


def _parse(data: bytes, name: str, missing: Any = None) -> Problem:
    arrays = _unpack(data)
    if missing is not None:
        arrays.setdefault("gamma", np.array(str(missing)))
    check_keys(arrays, tuple(_AXES), ("gamma", "Phi", *(_MDP if "P" in arrays else ("P_pi",))))
    values = {key: _listed(array, key) for key, array in arrays.items() if key not in _FLAGS}
    name = values.get("name", name)
    gamma, Phi, states = values["gamma"], values["Phi"], values.get("states")
    matrices = {key: values[key] for key in _DERIVED if key in values}
    if "P" not in values:
        misplaced = next((key for key in (*_MDP, "start", "actions") if key in values), None)
        if misplaced is not None:
            raise InvalidProblem("belongs to an MDP, whose P is missing", misplaced)
        ends: dict[str, Any] = {"episodic": read_flag(arrays, "episodic"), "discount": values.get("discount")}
        return Problem.from_matrices(gamma, Phi=Phi, **matrices, name=name, states=states, **ends)
    try:
        mdp = MDP(values["P"], values["R"], gamma, states, values.get("actions"), *map(values.get, _ENDS))
    except InvalidProblem as error:
        raise error.renamed({"transitions": "P", "rewards": "R"}) from None
    if not matrices:
        return Problem.from_mdp(mdp, pi=values["pi"], mu=values["mu"], Phi=Phi, name=name)
    check_keys(matrices, _DERIVED, _DERIVED)
    return problem_behind(mdp, values["pi"], values["mu"], Phi, matrices, name)


def _pack(arrays: dict[str, Array]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            # A bare ZipInfo has no date: the same problem makes the same bytes.
            archive.writestr(zipfile.ZipInfo(f"{key}.npy"), file.getvalue(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _unpack(data: bytes) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > MAX_BYTES:
                raise InvalidProblem(f"unpacks to more than {MAX_BYTES >> 20} MiB")
            arrays = {}
            for member in members:
                key = member.filename.removesuffix(".npy")
                if key in arrays:
                    raise InvalidProblem("is there twice", key)
                check_keys({key: None}, tuple(_AXES))
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidProblem("is compressed in a way that NumPy does not use", key)
                with archive.open(member) as file:  # gives no more than the directory promised
                    arrays[key] = read_array(file.read(), key)
            return arrays
    except InvalidProblem:
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
    kinds += "b" * (key in _FLAGS)
    if dtype.kind not in kinds or (dtype.kind == "f" and dtype.itemsize > 8) or dtype.itemsize > 4 * MAX_DIGITS:
        raise InvalidProblem(f"holds {dtype}, not doubles, integers or text", key)
    if (min(shape, default=1) < 1 and key not in _MAY_BE_EMPTY) or math.prod(shape) * dtype.itemsize != len(
        data
    ) - file.tell():
        raise InvalidProblem(f"is empty or damaged: its shape is {shape}", key)
    if dtype.kind != "f" and math.prod(shape) > longest:
        raise InvalidProblem(f"has more than {longest} exact numbers", key)
    array = np.frombuffer(data, dtype, offset=file.tell())
    return array.reshape(shape, order="F" if fortran else "C")


def read_flag(arrays: dict[str, Array], key: str) -> bool:
    """True or 1, false or 0 or not there."""
    found = arrays.get(key)
    if found is not None and (found.ndim or found.dtype.kind not in "biuf" or found.item() not in (0, 1)):
        raise InvalidProblem("expected true or false", key)
    return found is not None and bool(found.item())


def _listed(array: Array, key: str) -> Any:
    """Doubles and integers as an array, numbers in text and names as lists; one alone as itself."""
    if array.ndim not in _AXES[key]:
        raise InvalidProblem(f"has {array.ndim} axes, not {' or '.join(map(str, _AXES[key]))}", key)
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


def _arrays(problem: Problem) -> dict[str, Array]:
    mdp, g = problem.mdp, problem.given
    values: dict[str, Any] = {key: getattr(g, key) for key in ("gamma", "Phi", *_DERIVED)}
    if mdp is not None:
        values |= {"P": mdp.P, "R": mdp.R, "pi": problem.pi, "mu": problem.mu, "actions": mdp.actions}
        values |= {"start": mdp.start, "discount": mdp.discount}
    elif problem.is_episodic:
        values["episodic"] = 1
    values |= {"name": problem.name, "states": problem.states}
    return {key: _stored(value, key) for key, value in values.items() if value is not None}


def _stored(value: Any, key: str) -> Array:
    array = np.asarray(value)
    if not is_exact(array):
        return array
    # Counted in bits first: Python refuses to spell out integers far beyond our own limit.
    sizes = [max(x.numerator.bit_length(), x.denominator.bit_length()) for x in array.ravel()]
    text = np.array([str(x) for x in array.ravel()]) if max(sizes) <= 4 * MAX_DIGITS else None
    if text is None or text.dtype.itemsize > 4 * MAX_DIGITS:
        raise InvalidProblem(f"a number has more than {MAX_DIGITS} digits", key)
    return text.reshape(array.shape)
