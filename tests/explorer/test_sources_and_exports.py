"""Problems in: uploads and the grid. Problems out: JSON, NumPy, LaTeX, a command."""

import io
import json
import zipfile
from fractions import Fraction

import numpy as np
import pytest

from tests.large import copies
from theory.explorer import exports
from theory.explorer.sources import (
    LAWS,
    MAX_UNPACKED,
    MAX_UPLOAD,
    catalogue_choices,
    edit,
    grid_rows,
    open_source,
    random_spec,
    read_upload,
)
from theory.explorer.view import open_view
from theory.problems import InvalidProblem, open_problem
from theory.problems.catalogue import catalogue_problem, problem_names
from theory.problems.ensembles import LAWS as ALL_LAWS
from theory.problems.files import parse_problem, problem_to_json
from theory.problems.npz import load_npz


@pytest.mark.parametrize("name", ["data.csv", "notes.txt", "problem.json.gz"])
def test_other_files_are_refused_in_words(name):
    with pytest.raises(InvalidProblem, match=rf"^{name}: is not a problem file, which ends in \.json or \.npz"):
        read_upload(name, b"state,action\n1,2\n")


def test_an_upload_is_read_as_a_problem_file():
    problem = catalogue_problem("threestate")
    assert read_upload("x.json", problem_to_json(problem).encode()) == problem


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"import os", "JSON"),
        (b"[" * 100_000, "nested"),
        (b" " * (MAX_UPLOAD + 1), "uploads may have 1 MiB"),
    ],
)
def test_rejects_an_upload_that_is_no_problem(contents, complaint):
    with pytest.raises(InvalidProblem, match=rf"^x\.json: .*{complaint}"):
        read_upload("x.json", contents)


@pytest.mark.parametrize("spec", ["threestate", "random:states=4,features=2"])
def test_the_archive_that_export_offers_can_be_uploaded(spec):
    view = open_view(*open_source(spec))
    assert read_upload("x.npz", exports.as_npz(view)) == view.problem


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members.items():
            zipped.writestr(f"{name}.npy", data)
    return out.getvalue()


def pickled():
    out = io.BytesIO()
    np.save(out, np.array([{"gamma": 1}], dtype=object), allow_pickle=True)
    return out.getvalue()


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        (b"PK nothing", "not a NumPy archive"),
        (archive(Phi=bytes(MAX_UNPACKED + 1)), "unpacks to more than 16 MiB"),
        (archive(gamma=pickled()), "Python objects"),
    ],
)
def test_rejects_an_archive_that_is_damaged_a_bomb_or_a_pickle(contents, complaint):
    with pytest.raises(InvalidProblem, match=rf"^x\.npz: \S*.*{complaint}") as error:
        read_upload("x.npz", contents)
    assert "/" not in str(error.value)  # nor is a path of the server told


def test_the_lists_offer_what_the_library_has():
    assert tuple(catalogue_choices().values()) == problem_names()
    assert set(LAWS) == set(ALL_LAWS)


@pytest.mark.parametrize("law", LAWS)
def test_a_random_problem_is_named_by_its_seed(law):
    F = 5 if law == "tabular" else 2
    problem, spec = open_source(random_spec(3, 5, F, law))
    assert (problem.n_states, problem.n_features) == (5, F)
    assert open_source(spec)[0] == problem


def test_problems_too_large_for_a_page_are_refused(tmp_path):
    with pytest.raises(InvalidProblem, match="made by rule are not opened here"):
        open_source("sparse:states=10000000,features=20")
    copies(open_problem("twostate"), 2000).save(tmp_path / "x.npz")
    with pytest.raises(InvalidProblem, match="has 4,000 states, too many for a page"):
        read_upload("x.npz", (tmp_path / "x.npz").read_bytes())


def test_rejects_a_law_that_is_not_listed():
    with pytest.raises(InvalidProblem, match="law"):
        random_spec(0, 3, 2, "normal,states=99")


@pytest.mark.parametrize("name", ["baird", "twostate-reward", "random:states=4,features=2"])
def test_a_grid_that_was_not_touched_is_the_problem_itself(name):
    problem = catalogue_problem(name)
    assert edit(problem, grid_rows(problem)) is problem


def test_editing_a_feature_keeps_the_mdp():
    problem = catalogue_problem("twostate")
    rows = grid_rows(problem)
    rows[1]["φ0"] = "7/3"
    edited = edit(problem, rows)
    assert edited.exact.Phi[1, 0] == Fraction(7, 3)
    assert edited.mdp is not None
    assert edited.name == "twostate, changed"


def test_editing_the_target_keeps_the_behaviour_and_editing_the_distribution_drops_it():
    problem = catalogue_problem("twostate")
    first, second = problem.state_labels
    rows = grid_rows(problem)
    rows[0] |= {f"→ {first}": "1/4", f"→ {second}": "3/4"}
    moved = edit(problem, rows)
    assert moved.exact.P_pi[0].tolist() == [Fraction(1, 4), Fraction(3, 4)]
    assert moved.P_mu is not None
    assert edit(moved, [grid_rows(moved)[0], grid_rows(moved)[1] | {"φ0": "9"}]).name == "twostate, changed"
    rows[0]["d_μ"], rows[1]["d_μ"] = "1/3", "2/3"
    assert edit(problem, rows).P_mu is None


@pytest.mark.parametrize(
    ("cell", "text", "complaint"),
    [("φ0", "two", "is not a number"), ("r_π", "1/0", "divides by zero"), ("d_μ", "1/3", "d_mu"), ("φ0", "", "number")],
)
def test_rejects_a_cell_that_is_no_number_or_no_distribution(cell, text, complaint):
    problem = catalogue_problem("twostate")
    rows = grid_rows(problem)
    rows[0][cell] = text
    with pytest.raises(InvalidProblem, match=complaint):
        edit(problem, rows)


def test_rejects_a_grid_of_another_shape():
    problem = catalogue_problem("twostate")
    with pytest.raises(InvalidProblem, match="must keep its 2 rows"):
        edit(problem, grid_rows(problem)[:1])


def test_every_export_gives_the_problem_back(tmp_path):
    view = open_view(*open_source("threestate")).change(gamma=Fraction(1, 3), value=Fraction(5, 7))
    assert parse_problem(exports.as_json(view)) == view.problem
    json.loads(exports.as_json(view))
    path = tmp_path / "p.npz"
    path.write_bytes(exports.as_npz(view))
    assert load_npz(path) == view.problem
    made: dict = {}
    exec(exports.as_numpy(view), made)  # our own text, in a test: it must be Python that runs
    np.testing.assert_array_equal(made["Phi"], view.problem.Phi)
    np.testing.assert_array_equal(made["P_mu"], view.problem.P_mu)
    assert made["gamma"] == view.problem.gamma
    assert r"\tfrac{5}{7}" in exports.as_latex(view)


def test_the_command_names_what_a_terminal_can_open():
    view = open_view(*open_source("kolter:p=3/5"))
    assert exports.command(view).startswith("theory inspect kolter:p=3/5 --gamma 99/100 ")
    assert exports.command(view.change(value=Fraction(3))).startswith("theory inspect kolter-p-3-5-changed.json ")
