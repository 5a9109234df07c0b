"""NumPy archives: lossless, never unpickled, and no bomb goes off."""

from __future__ import annotations

import contextlib
import io
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.cases import CASES, each_case
from tests.strategies import exact_problems, float_problems
from theory.problems import npz
from theory.problems.npz import load_npz, save_npz
from theory.problems.numbers import MAX_DIGITS, InvalidProblem
from theory.problems.problem import Problem
from theory.problems.sources import find_problem

SWAP = {"gamma": 0.9, "Phi": [[1.0], [-3.0]], "P_pi": [[0.0, 1.0], [1.0, 0.0]], "d_mu": [0.9, 0.1]}
WALK = {
    "gamma": "9/10",
    "Phi": [[1.0], [2.0]],
    "P": [[[1.0, 0.0], [0.0, 1.0]]] * 2,
    "R": [[0, 1], [0, 1]],
    "pi": [["0", "1"]] * 2,
    "mu": [["1/2", "1/2"]] * 2,
}


def stored(path, **arrays):
    """An archive as NumPy itself writes it."""
    np.savez(path, **{key: np.array(value) for key, value in arrays.items()})
    return path


def survives(problem, path):
    save_npz(problem, path)
    return load_npz(path) == problem


@each_case()
def test_every_case_survives(case, tmp_path):
    assert survives(case.problem, tmp_path / "case.npz")


@settings(deadline=None)
@given(exact_problems(with_mdp=False) | float_problems(with_mdp=False))
def test_realised_problems_survive_with_their_mdp(tmp_path_factory, problem):
    with contextlib.suppress(InvalidProblem):  # there is no such MDP; then the matrices alone must survive
        problem = problem.realised()
    assert survives(problem, tmp_path_factory.getbasetemp() / "realised.npz")


def test_numpy_reads_what_is_written(tmp_path):
    path = tmp_path / "x.npz"
    problem = next(case.problem for case in CASES if case.name == "rounded")
    save_npz(problem, path)
    with np.load(path, allow_pickle=False) as arrays:
        assert arrays["Phi"].dtype == np.float64
        np.testing.assert_array_equal(arrays["P_pi"], problem.P_pi)
        assert str(arrays["name"]) == "rounded"
    save_npz(Problem.from_matrices("1/3", Phi=[[2]], P_pi=[[1]], d_mu=[1]), path)
    with np.load(path, allow_pickle=False) as arrays:
        assert arrays["gamma"].dtype.kind == "U"
        assert arrays["gamma"].item() == "1/3"
        assert arrays["Phi"].tolist() == [["2"]]


def test_the_same_problem_makes_the_same_bytes(tmp_path):
    for path in (tmp_path / "a.npz", tmp_path / "b.npz"):
        save_npz(CASES[0].problem, path)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_loads_what_numpy_writes(tmp_path):
    path = stored(tmp_path / "swap.npz", **SWAP)
    assert load_npz(path) == Problem.from_matrices(**SWAP, name="swap")
    integers = stored(tmp_path / "swap.npz", **(SWAP | {"Phi": [[1], [-3]]}))
    assert load_npz(integers).given.Phi.tolist() == [[Fraction(1)], [Fraction(-3)]]
    columns = stored(tmp_path / "swap.npz", **(SWAP | {"P_pi": np.asfortranarray([[0.25, 0.75], [0.5, 0.5]], ">f8")}))
    assert load_npz(columns).P_pi.tolist() == [[0.25, 0.75], [0.5, 0.5]]


MATRICES = {
    "P_pi": [[0.0, 1.0]] * 2,
    "r_pi": [1.0, 1.0],
    "d_mu": [0.5, 0.5],
    "P_mu": [[0.5, 0.5]] * 2,
    "r_mu": [0.5, 0.5],
}
BAD = {
    "unknown key": (SWAP | {"gama": 1}, r"unknown key 'gama'; did you mean 'gamma'\?$"),
    "missing key": ({"gamma": 0.5}, r"the key 'Phi' is missing$"),
    "MDP without P": (SWAP | {"pi": [[1]]}, r"pi: belongs to an MDP, whose P is missing$"),
    "objects": (SWAP | {"Phi": np.array([[Fraction(1)], [2]])}, r"Phi: holds Python objects, which are never loaded$"),
    "complex": (SWAP | {"Phi": [[1j], [2]]}, r"Phi: holds complex128, not doubles, integers or text$"),
    "empty": (SWAP | {"Phi": np.ones((2, 0))}, r"Phi: is empty or damaged: its shape is \(2, 0\)$"),
    "axes": (SWAP | {"Phi": [1.0, 2.0]}, r"Phi: expected a list of rows, got an array of shape \(2,\)$"),
    "not a number": (SWAP | {"gamma": "x"}, r"gamma: 'x' is not a number"),
    "transitions": (WALK | {"P": [[[1.0, 1.0], [0.0, 1.0]]] * 2}, r"P\[0\]\[0\]: probabilities sum to 2, not 1$"),
    "names of numbers": (SWAP | {"states": [1, 2]}, r"states: expected text, got int64$"),
    "control characters": (SWAP | {"states": ["a", "\x1b"]}, r"states\[1\]: '\\x1b' is empty or has control"),
    "other matrices": (WALK | MATRICES | {"r_pi": [1.0, 2.0]}, r"r_pi\[1\]: differs from what the MDP and its"),
    "not stationary": (WALK | MATRICES | {"d_mu": [0.25, 0.75]}, r"d_mu: is not stationary under the behaviour$"),
}

if np.dtype(np.longdouble).itemsize > 8:  # on some machines a long double is a double
    BAD["long double"] = (SWAP | {"Phi": np.ones((2, 1), np.longdouble)}, r"Phi: holds float\d+, not doubles")


@pytest.mark.parametrize(("arrays", "match"), BAD.values(), ids=BAD.keys())
def test_refuses_in_one_line_that_names_path_and_array(arrays, match, tmp_path):
    path = stored(tmp_path / "bad.npz", **arrays)
    with pytest.raises(InvalidProblem, match=match) as caught:
        load_npz(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def archive(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in members:
            file.writestr(name, data)
    return path


def npy(array):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
    return file.getvalue()


def test_refuses_what_is_not_an_archive(tmp_path):
    path = tmp_path / "x.npz"
    for data in (b"", b"PK", b"{}", npy([1.0])):
        path.write_bytes(data)
        with pytest.raises(InvalidProblem, match=r"x\.npz: is not a NumPy archive, or is damaged$"):
            load_npz(path)
    with pytest.raises(InvalidProblem, match=r"none\.npz: no such file or directory$"):
        load_npz(tmp_path / "none.npz")
    archive(path, [("gamma.npy", b"not an array")])
    with pytest.raises(InvalidProblem, match=r"x\.npz: is not a NumPy archive, or is damaged$"):
        load_npz(path)


def test_refuses_a_zip_bomb_before_unpacking_it(tmp_path):
    zeros = b"\0" * (2**20)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file, file.open("Phi.npy", "w") as member:
        for _ in range(npz.MAX_BYTES // len(zeros) + 1):
            member.write(zeros)
    path = tmp_path / "bomb.npz"
    path.write_bytes(data.getvalue())
    assert path.stat().st_size < 2**20
    with pytest.raises(InvalidProblem, match=r"unpacks to 257 MiB, from 255 KiB$"):
        load_npz(path)


def test_refuses_a_shape_that_the_bytes_do_not_fill(tmp_path):
    """A header may ask for a terabyte; nothing is allocated for it."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)})
    path = archive(tmp_path / "x.npz", [("Phi.npy", header.getvalue())])
    with pytest.raises(InvalidProblem, match=r"Phi: is empty or damaged: its shape is \(1000000, 1000000\)$"):
        load_npz(path)


def test_refuses_text_that_is_no_text(tmp_path):
    array = np.array([0x7FFFFFFF], np.uint32).view("<U1").reshape(())
    path = archive(tmp_path / "x.npz", [(f"{k}.npy", npy(v)) for k, v in (SWAP | {"name": array}).items()])
    with pytest.raises(InvalidProblem, match=r"name: holds damaged text$"):
        load_npz(path)


def test_refuses_to_save_what_could_not_be_loaded(tmp_path):
    path = tmp_path / "x.npz"
    problem = Problem.from_matrices(Fraction(1, 10**MAX_DIGITS), Phi=[[1]], P_pi=[[1]], d_mu=[1])
    with pytest.raises(InvalidProblem, match=r"x\.npz: cannot be saved: gamma: a number has more than 2000 digits$"):
        save_npz(problem, path)
    with pytest.raises(InvalidProblem, match=r"x\.npz: cannot be saved: name: 'a\\n' is empty or has control"):
        save_npz(problem.with_gamma(0).relabelled(name="a\n"), path)
    assert not path.exists()


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_any_damaged_archive_is_answered(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    # Uncompressed and without checksums in the way of the arrays, so that damage reaches them.
    members = [(f"{key}.npy", npy(value)) for key, value in (WALK | {"states": ["a", "b"]}).items()]
    victim = data.draw(st.integers(0, len(members) - 1))
    inside = data.draw(st.booleans())
    damaged = bytearray(members[victim][1] if inside else archive(path, members).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    if inside:
        members[victim] = (members[victim][0], bytes(damaged))
        archive(path, members, zipfile.ZIP_STORED)
    else:
        path.write_bytes(damaged)
    try:
        assert isinstance(load_npz(path), Problem)
    except InvalidProblem as error:
        assert "\n" not in str(error)  # noqa: PT017  both ways out are fine


def test_an_archive_of_a_later_kind_of_zip_is_one_line(tmp_path):
    path = archive(tmp_path / "later.npz", [(f"{key}.npy", npy(value)) for key, value in WALK.items()])
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 64  # the version that is needed to unpack it
    path.write_bytes(data)
    for read in (load_npz, find_problem):
        with pytest.raises(InvalidProblem, match=r"later\.npz: is not a NumPy archive, or is damaged"):
            read(path)


@pytest.mark.parametrize("flag", [True, np.True_, 1, 1.0])
@pytest.mark.parametrize("sparsely", [False, True])
def test_episodic_may_be_a_truth_value(tmp_path, flag, sparsely):
    P = np.array([[0.0, 0.5], [0.5, 0.0]])
    parts = {"P_pi": P}
    if sparsely:
        parts = {f"P_pi_{part}": getattr(sparse.csr_array(P), part) for part in ("data", "indices", "indptr")}
    letters = {"gamma": np.array(1), "Phi": np.eye(2), "d_mu": np.array([0.5, 0.5]), **parts}
    np.savez(tmp_path / "ends.npz", **letters, episodic=flag)
    assert load_npz(tmp_path / "ends.npz").is_episodic
    for wrong in ("no", 2, [1]):
        np.savez(tmp_path / "wrong.npz", **letters, episodic=wrong)
        with pytest.raises(InvalidProblem, match="episodic: expected true or false"):
            load_npz(tmp_path / "wrong.npz")
