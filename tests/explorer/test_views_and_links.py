"""A view, what controls do to it, and the address that brings it back."""

import base64
import json
import zlib
from fractions import Fraction
from urllib.parse import parse_qs, parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import exact_problems, float_problems
from theory.explorer import controls, links
from theory.explorer.links import MAX_TEXT, follow, from_query, pack, to_query, unpack
from theory.explorer.session import Session, first_view, steps_with
from theory.explorer.sources import GYMNASIUM, open_source
from theory.explorer.view import MAX_STATES, open_view
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem, problem_names


def view_of(spec):
    return open_view(*open_source(spec))


def test_moving_gamma_builds_a_catalogue_problem_anew():
    view = view_of("kolter").change(gamma=Fraction(1, 2))
    assert view.problem == catalogue_problem("kolter:gamma=1/2")


def test_a_moved_entry_is_kept_when_another_is_chosen():
    view = view_of("twostate").change(value=Fraction(7, 2)).choose_entry(1, 0).change(value=Fraction(-1))
    assert view.problem.exact.Phi.tolist() == [[Fraction(7, 2)], [Fraction(-1)]]


@pytest.mark.parametrize("name", [n for n in problem_names() if n != "garnet"])
def test_a_link_makes_every_catalogue_problem_again(name):
    view = view_of(name).change(gamma=Fraction(3, 7), window=9, heads=4, steps=2)
    again = from_query(dict(parse_qsl(to_query(view))))
    assert again.problem == view.problem
    assert (again.alpha, again.window, again.heads, again.steps) == (view.alpha, 9, 4, 2)


@settings(deadline=None, max_examples=25)
@given(exact_problems() | float_problems(), st.fractions(min_value=0, max_value=Fraction(49, 50), max_denominator=50))
def test_a_link_makes_any_problem_again(problem, gamma):
    view = open_view(problem).choose_entry(problem.n_states - 1, 0).change(gamma=gamma, value=Fraction(1, 3))
    assert from_query(parse_qs(to_query(view))).problem == view.problem


def test_an_address_without_a_query_shows_baird():
    assert from_query({}).problem == catalogue_problem("baird")


def bomb():
    packed = zlib.compress(b" " * (MAX_TEXT + 1), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"problem": "/etc/passwd"}, "no problem named"),
        ({"problem": "-"}, "no problem named"),
        ({"problem": "baird.json"}, "no problem named"),
        ({"problem": "gymnasium:os:Evil-v0"}, "only the listed"),
        ({"problem": "gymnasium:FrozenLake-v1,target=/etc/passwd.json"}, "only the listed"),
        ({"problem": "garnet:states=200"}, "the explorer shows states"),
        ({"problem": "b" * 1000}, "not a short text"),
        ({"gamma": "__import__('os')"}, "is not a number"),
        ({"gamma": "1"}, "gamma"),
        ({"alpha": "0"}, "step_size: must be positive"),
        ({"alpha": "1e999999999"}, "digits"),
        ({"T": "1e3"}, "must be a whole number"),
        ({"T": "0"}, "T: must be a whole number from 1 to 1000000"),
        ({"k": "9999"}, "k: must be a whole number from 1 to 256"),
        ({"state": "7"}, "no feature 0 of state 7"),
        ({"data": "!!"}, "not a packed problem"),
        ({"data": "AAAA"}, "not a packed problem"),
        ({"data": bomb()}, "more than 1 MiB"),
        ({"data": base64.urlsafe_b64encode(zlib.compress(b"{}")).decode().rstrip("=")}, "describes no chain"),
    ],
)
def test_rejects_what_a_stranger_writes_into_an_address(query, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        from_query(query)


def test_a_bad_address_shows_baird_and_says_why():
    view, note = first_view({"gamma": ["2"]})
    assert view.problem == catalogue_problem("baird")
    assert "could not be followed" in note


def test_rejects_a_problem_too_large_for_a_page():
    n = MAX_STATES + 1
    large = Problem.from_matrices(
        0, Phi=[[1]] * n, P_pi=[[int(i == j) for j in range(n)] for i in range(n)], d_mu=[f"1/{n}"] * n
    )
    with pytest.raises(InvalidProblem, match="the explorer shows states from 1 to 64, not 65"):
        open_view(large)


def test_packing_is_undone_by_unpacking():
    problem = catalogue_problem("threestate")
    assert unpack(pack(problem)) == problem


def test_a_change_that_fails_leaves_the_view_and_says_why():
    shown, said = [view_of("baird")], []
    session = Session(lambda: shown[-1], shown.append, said.append)
    session.attempt(lambda v: v.change(gamma=Fraction(2)))
    assert len(shown) == 1
    assert "gamma" in said[-1]
    session.attempt(lambda v: v.change(gamma=Fraction(1, 2)))
    assert shown[-1].problem.gamma == 0.5
    assert said[-1] == ""


def test_only_the_controls_that_show_the_change_are_told():
    shown, told = [view_of("baird")], []
    parts = {name: lambda v, name=name: told.append(name) for name in ("source", "gamma", "entry", "settings")}
    session = Session(lambda: shown[-1], shown.append, lambda text: None, **parts)
    session.attempt(lambda v: v.change(gamma=Fraction(1, 2)))
    assert told == ["gamma"]
    session.attempt(lambda v: v.change(window=7))
    assert told == ["gamma", "settings"]
    session.attempt(lambda v: v.change(value=Fraction(3)))
    assert told == ["gamma", "settings", "source", "entry"]  # the catalogue's text is no longer about this problem
    session.attempt(lambda v: v.change(value=Fraction(4)))
    assert told[4:] == ["entry"]
    session.attempt(lambda v: v.show(*open_source("twostate")))
    assert told[5:] == ["source", "gamma", "entry", "settings"]


def test_a_message_of_the_script_changes_only_what_it_names():
    view = view_of("twostate").change(window=7)
    moved = follow("gamma=0.5&state=1&feature=0&value=1.05&wish=3", view)
    assert (moved.gamma, moved.entry, moved.value, moved.window) == (Fraction(1, 2), (1, 0), Fraction(21, 20), 7)
    assert follow(to_query(view), view_of("baird")).problem == view.problem


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gamma=1", "gamma"),
        ("gamma=open('x')", "is not a number"),
        ("problem=/etc/passwd", "no problem named"),
        ("&".join(f"a{i}=1" for i in range(30)), "too many fields"),
        ("gamma=" + "1" * 300_000, "too long"),
    ],
)
def test_rejects_what_the_script_would_not_send(text, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        follow(text, view_of("baird"))


def test_a_sliders_stops_contain_where_it_is():
    assert steps_with([1, 2, 8], 5) == [1, 2, 5, 8]


@pytest.mark.parametrize("spec", GYMNASIUM.values())
def test_the_listed_gymnasium_tasks_open(spec):
    pytest.importorskip("gymnasium")
    view = view_of(spec)
    assert from_query(dict(parse_qsl(to_query(view)))).problem == view.problem


def test_a_moved_entry_takes_the_catalogues_name_and_moving_it_back_returns_it():
    view = view_of("baird").change(gamma=Fraction(7, 8))
    moved = view.change(value=Fraction(1, 2))
    assert moved.problem.name == "baird, changed"
    assert from_query(dict(parse_qsl(to_query(moved)))).problem.name == "baird, changed"
    twice = moved.choose_entry(1, 1).change(value=Fraction(5), gamma=Fraction(1, 3))
    assert twice.problem.name == "baird, changed"
    back = moved.change(value=view.entry_value)
    assert back.problem == view.problem


def test_what_the_catalogue_says_is_marked_as_said_of_the_problem_before_the_change():
    view = view_of("baird")
    assert "Before the change" not in controls.about(view).text
    assert "Before the change: " in controls.about(view.change(value=Fraction(1, 2))).text


def test_a_count_beyond_its_range_is_told_the_range():
    with pytest.raises(InvalidProblem, match="T: must be a whole number from 1 to 1000000, got '99999999'"):
        from_query({"T": "99999999"})


def test_emptying_the_field_takes_the_message_away():
    said = []
    session = Session(lambda: view_of("baird"), lambda view: None, said.append)
    (field,) = controls.source_details("Catalogue", view_of("baird"), session)
    field._update("nothing-like-this")
    field._update("")
    assert "nothing-like-this" in said[0]
    assert said[1:] == [""]


def test_a_short_link_with_many_features_is_refused_before_they_are_read(monkeypatch):
    wide = {"gamma": "9/10", "features": [[1] * 20_000, [2] * 20_000], "target": {"transitions": [[0, 1], [0, 1]]}}
    text = json.dumps(wide | {"behaviour": {"distribution": ["1/2", "1/2"]}})
    data = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    assert len(data) < 400
    monkeypatch.setattr(links, "problem_from_tree", None)
    with pytest.raises(InvalidProblem, match="at most 64 states and features"):
        from_query({"data": data})
