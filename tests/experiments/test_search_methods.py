"""``theory search`` for any combination of methods and verdicts."""

import json

import pytest

from tests.command_line import run
from theory.experiments.search import Wanted, search_problem
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.problems import InvalidProblem
from theory.problems.files import read_problem


def test_found_problems_have_the_wanted_verdicts(capsys, tmp_path):
    path = tmp_path / "found.json"
    arguments = ["--stable", "td-lambda:1/2", "--stable", "gtd2", "--unstable", "td", "--unstable", "soft:tau=1/2"]
    sizes = ["--states", "3", "--features", "1", "--rounds", "1", "-o", str(path), "--json"]
    code, out, err = run(capsys, "search", *arguments, *sizes)
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert {"td", "chain", "td-lambda:1/2", "gtd2", "soft:tau=1/2"} == set(document["certificate"])
    problem = read_problem(path)
    for text, holds in (("td-lambda:1/2", "yes"), ("gtd2", "yes"), ("td", "no")):
        assert str(outcome(find_method(text), problem).holds) == holds


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "soft", "--stable", "--method", "chain", "--unstable"],
        ["--method=soft", "--stable", "--unstable", "chain"],
        ["--stable", "soft", "--method", "fqi", "--unstable"],
    ],
)
def test_a_method_and_then_its_side_say_the_same(capsys, words):
    sizes = ["--states", "2", "--features", "1", "--rounds", "1", "--json"]
    code, out, _ = run(capsys, "search", *words, *sizes)
    same = run(capsys, "search", "--stable", "soft", "--unstable", "chain", *sizes)[1]
    assert (code, out) == (0, same)


def test_a_method_without_a_side_is_refused(capsys):
    code, out, err = run(capsys, "search", "--method", "soft", "--states", "2")
    assert (code, out, err) == (2, "", "theory: error: --method soft: name --stable or --unstable behind it\n")


def test_td_and_chain_are_the_old_questions():
    wanted = Wanted(methods=(("td", False), ("fqe", True), ("soft", True)))
    assert (wanted.td, wanted.chain) == ("unstable", "unbiased")
    assert wanted.methods == (("soft", True),)
    assert search_problem(wanted, 2, 1).impossible is not None  # one feature: unbiased makes TD stable


@pytest.mark.parametrize(
    ("methods", "complaint"),
    [
        ((("nonsense", True),), "'nonsense' is unknown"),
        ((("fixed-horizon", False),), "always converges"),
        ((("soft", True), ("soft-target:tau=1/8", False)), "to converge and not to at once"),
        ((("td", True), ("off-policy-td", False)), "at once"),
    ],
)
def test_bad_wishes_are_refused(methods, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        Wanted(methods=methods)
