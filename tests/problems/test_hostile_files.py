"""Files that claim too much, say a thing twice or are damaged: one short line each, before memory is taken."""

import gzip
import io
import json
import os
import zipfile

import numpy as np
import pytest

from theory.problems import InvalidProblem
from theory.problems.numbers import LONGEST
from theory.problems.sources import find_problem

HEAD = "%%MatrixMarket matrix coordinate real general\n"
GOOD = "2 2 2\n1 2 1\n2 2 1\n"
HUGE = f"{HEAD}300000000 300000000 1\n1 1 1\n"


def market(folder, text, **beside):
    """The problem of a Matrix Market file, its features and distribution as given or as small arrays."""
    name = "m.mtx.gz" if isinstance(text, bytes) else "m.mtx"
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    for word, usual in {"features": [[1.0], [2.0]], "distribution": [0.5, 0.5]}.items():
        if word in beside:
            (folder / f"m.{word}.mtx").write_text(beside[word])
        else:
            np.save(folder / f"m.{word}.npy", np.array(usual))
    return find_problem(folder / name, "9/10")


@pytest.mark.parametrize(
    "text",
    [
        HEAD + GOOD,
        HEAD + GOOD.rstrip() + " ",  # SciPy's own reader ends the process
        (HEAD + GOOD).replace("\n", "\r\n"),
        f"{HEAD}\n% a comment\n2 2 2\n\n1 2 1\n\n2 2 1\n\n",
        "%%MatrixMarket matrix array real general\n2 2\n0\n0\n1\n1\n",
        gzip.compress((HEAD + GOOD).encode(), mtime=0),
    ],
)
def test_the_same_transitions_in_every_spelling(tmp_path, text):
    assert market(tmp_path, text).P_pi.tolist() == [[0, 1], [0, 1]]


def test_integers_are_exact_and_symmetric_files_are_mirrored(tmp_path):
    swap = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 1\n"
    features = "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n"
    found = market(tmp_path, swap, features=features).given
    assert found.P_pi.dtype == found.Phi.dtype == object
    assert (found.P_pi.tolist(), found.Phi.tolist()) == ([[0, 1], [1, 0]], [[1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"{HEAD}2 2 2\n1 2 1\n2 2 0,5\n", "could not convert string '0,5' to float64 at row 1"),
        (f"{HEAD}2 2 2\n1 2 1\n2 2 1 x\n", "number of columns changed from 3 to 4 at row 2"),
        (f"{HEAD}2 2 3\n1 2 2\n1 2 -1\n2 2 1\n", "two entries at one place"),
        (f"{HEAD}2 2 3\n1 2 1\n2 2 1\n", "has 2 entries and says 3"),
        (f"{HEAD}2 2 1\n1 2 1\n2 2 1\n", "has 2 entries and says 1"),
        (f"{HEAD}2 2 2\n1 3 1\n2 2 1\n", "out of bounds"),
        (f"{HEAD}2 2 2\n1 1.5 1\n2 2 1\n", "out of bounds"),
        (f"{HEAD}2 2 2\n1 nan 1\n2 2 1\n", "out of bounds"),
        (f"{HEAD}2 2 300000000\n1 2 1\n2 2 1\n", "has 2 entries and says 300,000,000"),
        (f"{HEAD.replace('real', 'integer')}2 2 2\n1 2 0.5\n2 2 1\n", "said to hold integers"),
        (f"{HEAD}2 2 2\n1 2 1e400\n2 2 1\n", "not finite"),
        (f"{HEAD}% gamma = 0.9\n% gamma = 0.8\n{GOOD}", "says twice at which discount"),
        (f"{HEAD.replace('real', 'pattern')}2 2 2\n1 2\n2 2\n", "holds coordinate pattern general"),
        (f"{HEAD}3 3 3\n1 2 1\n2 2 1\n3 3 1\n", "is 2 × 1, and there are 3 states"),
        ("", "is not a Matrix Market file"),
        (gzip.compress((HEAD + GOOD).encode(), mtime=0)[:-9] + b"x" * 9, "is damaged"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff", "is damaged"),
        (gzip.compress(HEAD.encode() + b"%" + b"a" * 50_000_000, mtime=0), "more than 1 MiB of comments"),
    ],
)
def test_a_market_file_that_is_wrong_is_one_line(tmp_path, text, complaint):
    with pytest.raises(InvalidProblem, match=complaint) as error:
        market(tmp_path, text)
    assert "\n" not in str(error.value)


def test_sizes_are_compared_before_memory_is_taken(tmp_path):
    with pytest.raises(InvalidProblem, match="has 1 entry for 300,000,000 states"):
        market(
            tmp_path,
            HUGE,
            features=HUGE.replace(" 300000000 1\n", " 1 1\n", 1),
            distribution=f"{HEAD}300000000 1 1\n1 1 1\n",
        )


def test_features_without_rows_are_one_line(tmp_path):
    np.save(tmp_path / "m.features.npy", np.array(0.5))
    np.save(tmp_path / "m.distribution.npy", np.array([0.5, 0.5]))
    (tmp_path / "m.mtx").write_text(HEAD + GOOD)
    with pytest.raises(InvalidProblem, match="there are 2 states"):
        find_problem(tmp_path / "m.mtx", "9/10")


def archive(path, **parts):
    letters = {"gamma": 0.9, "Phi": np.ones((2, 1)), "d_mu": np.array([0.5, 0.5])}
    np.savez(path, **(letters | parts))
    return find_problem(path)


def test_two_numbers_at_one_place_of_an_archive_are_refused(tmp_path):
    parts = {"data": np.array([2.0, -1.0, 1.0]), "indices": np.array([1, 1, 0]), "indptr": np.array([0, 2, 3])}
    with pytest.raises(InvalidProblem, match="two entries at one place"):
        archive(tmp_path / "twice.npz", **parts)


def test_rows_of_an_archive_end_where_its_entries_do(tmp_path):
    parts = {"data": np.array([1.0, 0.5, 0.5]), "indices": np.array([1, 0, 1]), "indptr": np.array([0, 1, 0])}
    with pytest.raises(InvalidProblem, match="its parts do not fit each other"):
        archive(tmp_path / "back.npz", **parts)


def test_half_precision_in_an_archive_is_taken(tmp_path):
    parts = {"data": np.ones(2, np.float16), "indices": np.array([1, 0]), "indptr": np.array([0, 1, 2])}
    assert archive(tmp_path / "half.npz", **parts).P_pi.tolist() == [[0, 1], [1, 0]]


def test_an_archive_that_is_mostly_air_is_refused(tmp_path):
    file = io.BytesIO()
    np.save(file, np.zeros(40_000_000))
    with zipfile.ZipFile(tmp_path / "air.npz", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("P_pi_indptr.npy", file.getvalue())
    with pytest.raises(InvalidProblem, match="unpacks to 305 MiB, from 303 KiB"):
        find_problem(tmp_path / "air.npz")


def test_a_device_is_no_archive(tmp_path):
    os.symlink("/dev/zero", tmp_path / "endless.npz")
    with pytest.raises(InvalidProblem, match="is not a regular file"):
        find_problem(tmp_path / "endless.npz", "9/10")


@pytest.mark.parametrize(
    "change", [{"states": ["a" * 50_000] * 2}, {"gamma": "z" * 10**5}, {"y" * 10**5: 1}, {"gamma": []}]
)
def test_a_complaint_is_short(tmp_path, change):
    tree = {
        "gamma": "9/10",
        "features": [[1], [2]],
        "target": {"transitions": [[0, 1], [0, 1]]},
        "behaviour": {"distribution": ["1/2", "1/2"]},
    }
    (tmp_path / "p.json").write_text(json.dumps(tree | change))
    with pytest.raises(InvalidProblem) as error:
        find_problem(tmp_path / "p.json")
    assert len(str(error.value)) <= LONGEST
    assert "\n" not in str(error.value)
