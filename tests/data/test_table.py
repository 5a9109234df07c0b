"""Recorded transitions: what is read, and one line that names row and column where it is wrong."""

import numpy as np
import pytest

from theory.data.inspect import open_data
from theory.problems import InvalidProblem
from theory.problems.data.problem import estimated_problem
from theory.problems.data.read import is_data, read_table
from theory.problems.data.table import table

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


def test_an_end_has_no_next_features_and_may_leave_them_out():
    found = table({**GOOD, "done": ["false", "true", "0"], "next_phi_0": ["2", "", "1"]})
    assert found.phi_next[1, 0] == 0
    assert found.episode.tolist() == [0, 0, 1]


def test_states_alone_are_their_own_features():
    found = table({"state": ["a", "b"], "next_state": ["b", "a"], "reward": [0, 1]})
    assert found.phi.tolist() == [[1, 0], [0, 1]]
    assert found.phi_next.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"reward": None}, "data: there is no column reward; there are phi_0, next_phi_0, ratio"),
        ({"reward": [1, "x", 1]}, "data.reward: row 2: 'x' is not a finite number"),
        ({"phi_0": [1, 2, float("nan")]}, "data.phi_0: row 3: 'nan' is not a finite number"),
        ({"next_phi_0": None}, "data: there are columns phi and no columns next_phi"),
        ({"phi_0": None}, "data: there is neither phi_0, phi_1, … nor state"),
        ({"phi_2": [1, 2, 3]}, "columns phi_0, … leave out phi_1"),
        ({"phi_1": [1, 2, 3]}, "data: phi has 2 columns, next_phi has 1"),
        ({"reward": ["1", "1_0", "1"]}, "data.reward: row 2: '1_0' is not a finite number"),
        ({"phi_0": [0, 0, 0], "next_phi_0": [0, 0, 0]}, "data: all features are 0: there is nothing to learn"),
        ({"phi_0": [1e200, 1, 1]}, "data: features of up to 1e+200 are more than 1e+100: divide them"),
        ({"ratio": [1, -1, 1]}, "data.ratio: row 2: -1 is negative"),
        ({"ratio": [1, 1]}, "data.ratio: has 2 rows, reward has 3"),
        ({"ratio": None, "pi": [1, 1, 1]}, "data: there is a column pi and no column mu"),
        ({"ratio": None, "pi": [1, 1, 1], "mu": [1, 0, 1]}, "data.mu: row 2: 0 is no probability of an action taken"),
        ({"done": [0, 1, "maybe"]}, "data.done: row 3: 'maybe' is neither 0 nor 1"),
        ({key: [] for key in GOOD}, "data: there are no rows"),
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
        ("phi_0,reward\n1,2,3\n", "row 1 has 3 cells, the header has 2"),
        ("phi_0,next_phi_0,reward\n", "there are no rows"),
    ],
)
def test_bad_files_are_one_line(text, line, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(text)
    with pytest.raises(InvalidProblem, match=line):
        read_table(path)


def test_files_and_mappings_are_the_same(tmp_path):
    csv, npz = tmp_path / "d.csv", tmp_path / "d.npz"
    csv.write_text("phi_0,next_phi_0,reward,ratio\n1,2,1,2\n2,2,0,0\n1,1,1,1\n")
    np.savez(npz, phi=[[1], [2], [1]], next_phi=[[2], [2], [1]], reward=[1, 0, 1], ratio=[2, 0, 1])
    for source in (csv, npz, {key: np.array(value) for key, value in GOOD.items()}):
        assert read_table(source).phi_next.ravel().tolist() == [2, 2, 1]
    assert is_data(csv)
    assert is_data(npz)


def test_a_frame_is_a_table():
    class Frame:  # what pandas and Polars have in common
        columns = tuple(GOOD)

        def __getitem__(self, name):
            return GOOD[name]

    assert read_table(Frame()).reward.tolist() == [1, 0, 1]


def test_the_estimated_problem_counts_moves():
    found = table(
        {
            "state": ["a", "a", "a", "b"],
            "next_state": ["a", "b", "b", "a"],
            "phi_0": [1, 1, 1, 2],
            "next_phi_0": [1, 2, 2, 1],
            "reward": [0, 1, 1, 3],
            "ratio": [2, 1, 1, 1],
        }
    )
    problem = estimated_problem(found, "1/2")
    assert problem.P_pi.tolist() == [[0.5, 0.5], [1, 0]]
    assert problem.d_mu.tolist() == [0.75, 0.25]
    assert problem.r_pi.tolist() == [0.5, 3]
    assert problem.Phi.tolist() == [[1], [2]]


def test_the_end_of_episodes_is_a_state_without_features():
    columns = {"state": ["a", "b"], "next_state": ["b", "?"], "phi_0": [1, 2], "next_phi_0": [2, 9], "reward": [0, 1]}
    problem = estimated_problem(table({**columns, "done": [0, 1]}), 0.5)
    assert problem.state_labels == ("a", "b", "end")
    assert problem.P_pi.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]  # the end is worth nothing
    assert problem.Phi.ravel().tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"next_state": ["b", "c"]}, "data.next_state: row 2: no move leaves 'c'"),
        (
            {"state": ["a", "a"], "next_state": ["a", "a"]},
            "data.phi: row 1: other features than in another row of this state",
        ),
        ({"ratio": [2, 0]}, "data: all moves from 'b' have ratio 0: no action of π was seen"),
    ],
)
def test_no_problem_can_be_estimated(change, line):
    columns = {"state": ["a", "b"], "next_state": ["b", "a"], "phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1]}
    with pytest.raises(InvalidProblem) as error:
        estimated_problem(table(columns | change), 0.5)
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("column", "meant"), [("ratoi", "ratio"), ("don", "done"), ("epsiode", "episode"), ("Ratio", "ratio")]
)
def test_a_misspelt_column_is_refused(column, meant):
    """It would have been left out without a word, and the verdict with it."""
    with pytest.raises(InvalidProblem, match=f"no column '{column}' to read; did you mean '{meant}'"):
        table({"phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1], column: [1, 1]})


def test_other_columns_are_named_and_the_absence_of_ratios_is_said():
    found = open_data({"phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1], "colour": [3, 4]}, 0.5)
    assert found.table.ignored == ("colour",)
    assert "not read: colour" in str(found)
    assert "taken as on-policy" in str(found)
    assert found.to_dict()["data"]["on_policy"] is True
    given = open_data({"phi_0": [1, 2], "next_phi_0": [2, 1], "reward": [0, 1], "rho": [1, 1], "a": [0, 1]}, 0.5)
    assert given.table.ignored == ()
    assert "on-policy" not in str(given)
