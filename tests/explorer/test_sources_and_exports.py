"""Problems in: uploads and the grid. Problems out: JSON, NumPy, LaTeX, a command."""

import io
import json
import zipfile
from fractions import Fraction

import numpy as np
import pytest

from tests.large import copies
from theory.explorer import exports
from theory.explorer.background import ask_data
from theory.explorer.questions import data_said
from theory.explorer.server import MAX_BODY, PAGE
from theory.explorer.sources import (
    LAWS,
    MAX_DATA,
    MAX_UNPACKED,
    MAX_UPLOAD,
    catalogue_choices,
    edit,
    grid_rows,
    open_environment,
    open_source,
    paste,
    random_spec,
    read_upload,
    resize,
)
from theory.explorer.view import open_view
from theory.problems import InvalidProblem, open_problem
from theory.problems.catalogue import catalogue_problem, problem_names
from theory.problems.ensembles import LAWS as ALL_LAWS
from theory.problems.files import parse_problem, problem_to_json
from theory.problems.npz import load_npz


@pytest.mark.parametrize("name", ["data.csv", "notes.txt", "problem.json.gz"])
def test_other_files_are_refused_in_words(name):
    with pytest.raises(InvalidProblem, match=rf"^{name}: is not a problem file, \.json or \.npz"):
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


def test_pasted_numbers_replace_what_they_are_said_to_be():
    twostate = catalogue_problem("twostate")
    assert paste(twostate, "1\t0.5\n2\t1/3\n", "Phi").exact.Phi.tolist() == [[1, Fraction(1, 2)], [2, Fraction(1, 3)]]
    printed = str(np.array([[0.25, 0.75], [1.0, 0.0]]))
    assert paste(twostate, printed, "P").exact.P_pi.tolist() == [[Fraction(1, 4), Fraction(3, 4)], [1, 0]]
    assert paste(twostate, repr(np.array([1.0, 2.0])), "r").exact.r_pi.tolist() == [1, 2]
    assert paste(twostate, "1/4, 3/4", "d").exact.d_mu.tolist() == [Fraction(1, 4), Fraction(3, 4)]
    whole = paste(twostate, "1 0 0 1 0 1/3; 2 0 0 1 0 1/3; 3 1 0 0 5 1/3", "all")
    assert (whole.n_states, whole.n_features, whole.exact.r_pi.tolist()) == (3, 1, [0, 0, 5])
    assert whole.name == "twostate, changed"


@pytest.mark.parametrize(
    ("text", "place", "complaint"),
    [
        ("1 2\n3", "Phi", "rows of equally many numbers"),
        ("", "Phi", "rows of equally many numbers"),
        ("1 2 3", "Phi", "1 × 3 numbers for 2 states"),
        ("1 x\n2 3", "Phi", r"paste\[0\]\[1\]: 'x' is not a number"),
        ("1/2 1/4\n1 0", "P", "→ of state"),
        ("1 2\n3 4", "all", "2 rows of 2 numbers: features, 2 moves, reward, visits"),
    ],
)
def test_what_cannot_be_pasted_is_one_line(text, place, complaint):
    with pytest.raises(InvalidProblem, match=complaint) as error:
        paste(catalogue_problem("twostate"), text, place)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["twostate", "baird", "threestate", "kolter", "random:states=4,features=3"])
def test_states_and_features_are_added_and_removed(name):
    problem = open_problem(name)
    S, F = problem.n_states, problem.n_features
    more = resize(resize(problem, states=1), features=1)
    assert (more.n_states, more.n_features) == (S + 1, F + 1)
    assert more.P_pi[S].tolist() == [0] * S + [1]
    back = resize(resize(more, states=-1), features=-1)
    np.testing.assert_allclose(back.P_pi, problem.P_pi, rtol=1e-12)
    np.testing.assert_allclose(back.d_mu, problem.d_mu, rtol=1e-12)
    assert back.Phi.tolist() == problem.Phi.tolist()


def test_a_problem_keeps_a_state_and_a_feature():
    with pytest.raises(InvalidProblem, match="from 1 to 12 states and features"):
        resize(resize(catalogue_problem("twostate"), states=-1), states=-1)


def test_any_tabular_environment_is_opened_by_its_id_and_no_module_is_imported():
    assert open_environment("Taxi-v4,features=aggregated,groups=20,gamma=9/10").name == "Taxi-v4"
    with pytest.raises(InvalidProblem, match="environments of other modules"):
        open_environment("antigravity:Fly-v0")


def test_recorded_transitions_say_what_they_say_and_never_a_path():
    rows = "\n".join(f"{i // 10},1,2,{i % 3},1" for i in range(200))
    data, methods = data_said("walk.csv", f"episode,phi_0,next_phi_0,reward,ratio\n{rows}\n".encode(), Fraction(9, 10))
    assert data.startswith("walk.csv")
    assert "off-policy-td" in methods
    with pytest.raises(InvalidProblem) as error:
        data_said("walk.csv", b"episode,reward\n1,2\n", Fraction(9, 10))
    assert "/tmp" not in str(error.value)
    with pytest.raises(InvalidProblem, match="uploads may have 16 MiB"):
        ask_data("large.csv", b" " * (MAX_DATA + 1), Fraction(9, 10))


def test_the_page_and_the_server_know_the_largest_upload():
    assert f"MOST = {MAX_DATA >> 20} * 2 ** 20" in PAGE.with_suffix(".js").read_text()
    assert MAX_BODY > MAX_DATA * 4 / 3  # in base64
