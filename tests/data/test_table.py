"""Recorded transitions: what is read, and one line that names row and column where it is wrong."""

import io
import zipfile
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pandas
import pytest

from theory.data.inspect import open_data
from theory.problems import InvalidProblem
from theory.problems.data import read_recorded
from theory.problems.estimated import estimated_problem
from theory.problems.recordings import is_recording
from theory.problems.sources import find_problem


def table(source):
    """All rows at once, as the columns were meant; a row a move."""
    recorded = read_recorded(source)
    arrays = [np.concatenate(same, axis=-1) for same in zip(*(b.arrays() for b in recorded.batches()), strict=True)]
    names = ("phi", "phi_next", "reward", "ratio", "done", "cut", "key")
    _ = open_data(source, 0.5).estimate  # what is wrong with all rows is said, too
    return SimpleNamespace(**{name: x.T for name, x in zip(names, arrays, strict=False)})


GOOD = {"phi_0": [1, 2, 1], "next_phi_0": [2, 2, 1], "reward": [1, 0, 1], "ratio": [2, 0, 1]}


def test_columns_matrices_and_other_names_are_the_same():
    one = table(GOOD)
    other = table({"phi": np.array([[1], [2], [1]]), "phi_next": [[2], [2], [1]], "r": [1, 0, 1], "rho": [2, 0, 1]})
    for name in ("phi", "phi_next", "reward", "ratio"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_ratio_from_probabilities():
    columns = {key: value for key, value in GOOD.items() if key != "ratio"}
    assert table({**columns, "pi": [1, 0, 0.25], "mu": [0.5, 0.5, 0.5]}).ratio.tolist() == [2, 0, 0.5]
    assert table(columns).ratio.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"reward": [1, "x", 1]}, "data.reward: row 2: 'x' is not a finite number"),
        ({"phi_0": [1, 2, float("nan")]}, "data.phi_0: row 3: 'nan' is not a finite number"),
        ({"next_phi_0": None}, "data: there are columns phi and no columns next_phi"),
        ({"phi_2": [1, 2, 3]}, "data: columns phi_0, … leave out phi_1"),
        ({"phi_1": [1, 2, 3]}, "data: phi has 2 columns, next_phi has 1"),
        ({"phi_0": [0, 0, 0], "next_phi_0": [0, 0, 0]}, "data: all features are 0: there is nothing to learn"),
        ({"phi_0": [1e200, 1, 1]}, "data: features of up to 1e+200 are more than 1e+30: divide them"),
        ({"ratio": [1, -1, 1]}, "data.ratio: row 2: -1 is negative"),
        ({"ratio": None, "pi": [1, 1, 1]}, "data: there is a column pi and no column mu"),
        ({"ratio": None, "pi": [1, 1, 1], "mu": [1, 0, 1]}, "data.mu: row 2: 0 is no probability of an action taken"),
    ],
)
def test_bad_columns_are_one_line(change, line):
    columns = {key: value for key, value in (GOOD | change).items() if value is not None}
    with pytest.raises(InvalidProblem) as error:
        table(columns)
    assert str(error.value) == line


def test_ratios_that_cannot_average_one():
    n = 100
    columns = {"phi_0": [1] * n, "next_phi_0": [1] * n, "reward": [0] * n, "ratio": [2, 3] * (n // 2)}
    with pytest.raises(InvalidProblem, match=r"data.ratio: ratios average 2.5 ± 0.05, far from 1 \(largest 3, row 2\)"):
        table(columns)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "is empty"),
        ("reward,reward\n1,2\n", "has two columns 'reward'"),
        ("phi_0,next_phi_0,reward\n1,2,3,4\n", "row 1 has 4 cells, the header has 3"),
        ("phi_0,next_phi_0,reward\n", "there are no rows"),
    ],
)
def test_bad_files_are_one_line(text, line, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(text)
    with pytest.raises(InvalidProblem, match=line):
        table(path)


def test_the_estimated_problem_counts_moves():
    found = {
        "state": ["a", "a", "a", "b"],
        "next_state": ["a", "b", "b", "a"],
        "phi_0": [1, 1, 1, 2],
        "next_phi_0": [1, 2, 2, 1],
        "reward": [0, 1, 1, 3],
        "ratio": [2, 1, 1, 1],
    }
    problem = estimated_problem(found, "1/2")
    assert problem.P_pi.tolist() == [[0.5, 0.5], [1, 0]]
    assert problem.d_mu.tolist() == [0.75, 0.25]
    assert problem.r_pi.tolist() == [0.5, 3]
    assert problem.Phi.tolist() == [[1], [2]]


def test_the_end_of_episodes_is_a_state_without_features():
    columns = {"state": ["a", "b"], "next_state": ["b", "?"], "phi_0": [1, 2], "next_phi_0": [2, 9], "reward": [0, 1]}
    problem = estimated_problem({**columns, "done": [0, 1]}, 0.5)
    assert problem.state_labels == ("a", "b", "end")
    assert problem.P_pi.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]  # the end is worth nothing
    assert problem.Phi.ravel().tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"next_state": ["b", "c"]}, "data.next_state: row 2: no move leaves 'c'"),
        (
            {"state": ["a", "a"], "next_state": ["a", "a"]},
            "data.phi: row 2: other features than in another row of this state",
        ),
        ({"ratio": [2, 0]}, "data: all moves from 'b' have ratio 0: no action of π was seen"),
    ],
)
def test_no_problem_can_be_estimated(change, line):
    columns = {"state": ["a", "b"], "next_state": ["b", "a"], "phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1]}
    with pytest.raises(InvalidProblem) as error:
        estimated_problem(columns | change, 0.5)
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("column", "meant"), [("ratoi", "ratio"), ("don", "done"), ("epsiode", "episode"), ("Ratio", "ratio")]
)
def test_a_misspelt_column_is_refused(column, meant):
    """It would have been left out without a word, and the verdict with it."""
    with pytest.raises(InvalidProblem, match=f"column '{column}' is none that is read; did you mean '{meant}'"):
        table({"phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1], column: [1, 1]})


def test_other_columns_are_named_and_the_absence_of_ratios_is_said():
    found = open_data({"phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1], "colour": [3, 4]}, 0.5)
    assert found.recorded.ignored == ("colour",)
    assert "not read: colour" in str(found)
    assert "taken as on-policy" in str(found)
    assert found.to_dict()["data"]["on_policy"] is True
    given = open_data({"phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1], "rho": [1, 1], "a": [0, 1]}, 0.5)
    assert given.recorded.ignored == ()
    assert "on-policy" not in str(given)


CSV = "phi_0,next_phi_0,reward,ratio\n1,2,1,2\n2,2,0,0\n1,1,1,1\n"


@pytest.mark.parametrize(
    "text", [CSV.replace(",", ";"), CSV.replace(",", "\t"), "\ufeff" + CSV, CSV.replace("\n", "\r\n"), CSV + "\n\n"]
)
def test_dialects_of_csv_are_one_table(text, tmp_path):
    path = tmp_path / "D.CSV"
    path.write_bytes(text.encode())
    assert is_recording(path)
    assert table(path).phi_next.ravel().tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CSV.replace("1,1,1,1", "1\0,1,1,1"), r"d\.csv: is not text: it has NUL characters"),
        (CSV.partition("\n")[2], r"d\.csv: begins with the numbers '1, 2, 1, 2': the first line names columns"),
        (CSV.replace("ratio", "rho").replace("reward", "ratio"), "columns 'ratio' and 'rho' mean the same"),
        (CSV.replace("next_phi_0", "next_phi_1"), "begin with phi_0 and with next_phi_1: which belong together"),
        (CSV.replace("0,0\n", f"{'9' * 500},0\n"), r"d\.csv\.reward: row 2: '9{37}\.\.\.' is not a finite number"),
        (CSV.replace("0,0\n", "0,1e40\n"), r"d\.csv\.ratio: row 2: 1e\+40 is beyond 1e\+30"),
        ("state,next_state,reward\na,b,1\n,a,0\n", r"d\.csv\.state: row 2: is empty"),
        ("state,next_state,reward\na,b,1\nb,,0\n", r"d\.csv\.next_state: row 2: is empty"),
        ("phi,phi_0,next_phi,reward\n1,2,3,4\n", "there is a column phi and a column phi_0: leave one out"),
    ],
)
def test_odd_files_are_one_line(text, line, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(text)
    with pytest.raises(InvalidProblem, match=line) as error:
        table(path)
    assert "\n" not in str(error.value)


def test_an_end_needs_no_next_state_and_makes_floats_of_numbers():
    """pandas writes 2.0 for 2 in a column with a gap: it is the same state."""
    columns = {"state": ["1", "2"], "next_state": ["2.0", ""], "reward": [0, 1], "done": ["False", "True"]}
    found = table(columns)
    assert found.phi.tolist() == [[1, 0], [0, 1]]
    assert found.phi_next.tolist() == [[0, 1], [0, 0]]
    assert estimated_problem(columns, 0.5).state_labels == ("1", "2", "end")


def test_gymnasium_ends_episodes_in_two_ways():
    """After a truncation the next state counts, after a termination it does not; both end a trajectory."""
    columns = {"phi_0": [1, 2, 1, 2], "next_phi_0": [2, 1, 2, 1], "reward": [0, 0, 0, 1]}
    found = table({**columns, "terminated": [0, 1, 0, 0], "truncated": [0, 0, 1, 0]})
    assert found.phi_next.ravel().tolist() == [2, 0, 2, 1]
    assert open_data({**columns, "terminated": [0, 1, 0, 0], "truncated": [0, 0, 1, 0]}, 0.5).estimate.n == 3
    assert found.done.tolist() == [False, True, False, False]


def archive(path, data):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in data.items():
            file.writestr(name, content)


def header(shape):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def test_damaged_archives_are_one_line(tmp_path):
    path = tmp_path / "d.npz"
    np.savez(path, phi=[[1], [2]], next_phi=[[2], [2]], reward=[1, 0], done=[False, True])
    whole = path.read_bytes()
    assert table(path).done.tolist() == [False, True]
    cases = {
        "is not a NumPy archive, or is damaged": whole[:200],
        "no such file or directory": None,
    }
    for line, data in cases.items():
        path.unlink()
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(InvalidProblem, match=line):
            table(path)
        with pytest.raises(InvalidProblem, match=line):
            find_problem(path, 0.9)
    archive(path, {"reward.npy": header((10**11,)) + bytes(80)})
    with pytest.raises(InvalidProblem, match=r"d\.npz: reward: is empty or damaged: its shape is \(100000000000,\)"):
        table(path)
    np.savez(path, reward=np.array([1, None], dtype=object))
    with pytest.raises(InvalidProblem, match=r"d\.npz: reward: holds Python objects, which are never loaded"):
        table(path)
    np.savez(path, phi=np.ones((2, 2, 1)), next_phi=np.ones((2, 1)), reward=[1, 0])
    with pytest.raises(InvalidProblem, match=r"d\.npz\.phi: is of shape \(2, 2, 1\), not 2 rows of features"):
        table(path)
    np.save(tmp_path / "one.npy", np.ones(3))
    (tmp_path / "one.npy").rename(path)
    with pytest.raises(InvalidProblem, match="is not a NumPy archive, or is damaged"):
        find_problem(path, 0.9)


FRAMES = {
    "an index with a name": lambda frame: frame.set_index("episode"),
    "another order of rows": lambda frame: frame.sort_values(["episode", "step"], ascending=[False, True]),
    "short floats": lambda frame: frame.astype({"phi_0": "float32"}),
    "Python objects": lambda frame: frame.astype(object),
    "whole numbers with gaps": lambda frame: frame.astype({"phi_0": "Int64", "reward": "Float64"}),
    "features in lists": lambda frame: frame.assign(
        phi=[[x] for x in frame.phi_0], next_phi=[np.array([x]) for x in frame.next_phi_0]
    ).drop(columns=["phi_0", "next_phi_0"]),
    "categories": lambda frame: frame.assign(episode=frame.episode.astype("category")),
    "an Arrow table": lambda frame: import_module("pyarrow").Table.from_pandas(frame),
}


def frame():
    n = 120
    s, t = np.arange(n) % 2, np.arange(n) // 2 % 2
    columns = {"phi_0": s + 1, "next_phi_0": t + 1, "reward": np.ones(n), "ratio": 2 * t, "step": np.arange(n) % 3}
    return pandas.DataFrame({**columns, "episode": np.repeat(np.arange(40), 3)})


@pytest.mark.parametrize("changed", FRAMES.values(), ids=FRAMES)
def test_frames_of_every_kind_say_the_same(changed):
    known, found = open_data(frame(), 0.5), open_data(changed(frame()), 0.5)
    assert found.td.value == pytest.approx(known.td.value)
    assert found.estimate.n == 40


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (lambda f: f.assign(reward=pandas.array([None, *[1.0] * 119], dtype="Float64")), "data.reward: row 1: 'nan'"),
        (lambda f: f.assign(reward=10**400), "data.reward: row 1: '1000"),
        (lambda f: f.assign(episode=np.nan), "data.episode: row 1: is empty"),
        (lambda f: f.assign(done=pandas.array([None, *[True] * 119], dtype="boolean")), "data.done: row 1: '<NA>'"),
        (lambda f: pandas.concat([f, f[["reward"]]], axis=1), "data: has two columns 'reward'"),
        (lambda f: f.to_numpy(), "data: give a file, a folder, a mapping from columns to values, or a data frame"),
        (lambda f: {"phi": [[1, 2], [1]], "next_phi": [[1], [1]], "reward": [0, 0]}, "data.phi: rows are of different"),
        (lambda f: {"phi_0": [1e-200], "next_phi_0": [0], "reward": [0]}, "data: features of at most 1e-200 are less"),
        (lambda f: f.assign(phi=[[1.0]] * 119 + [[1.0, 2.0]]).drop(columns="phi_0"), "data.phi: row 120: has not 1"),
    ],
)
def test_bad_frames_are_one_line(source, line):
    with pytest.raises(InvalidProblem) as error:
        _ = open_data(source(frame()), 0.5).estimate
    assert str(error.value).startswith(line)
    assert "\n" not in str(error.value)
