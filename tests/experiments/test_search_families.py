"""The search among a family's members: what is found is proved, what the conditions exclude is impossible."""

import json

import pytest

from tests.command_line import run
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.problems import InvalidProblem
from theory.problems.files import parse_problem


def test_a_member_as_wanted_is_found_and_the_same_again(capsys):
    arguments = ("search", "--family", "twostate-family", "--td", "stable", "--chain", "biased", "--gamma", "9/10")
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["search"]["drawn"] == 360
    problem = parse_problem(json.dumps({k: v for k, v in found.items() if k not in ("certificate", "search")}))
    assert td_stable(problem).proved
    assert chain_unbiased(problem).refuted
    assert problem.exact.gamma == problem.exact.gamma.__class__(9, 10)
    assert run(capsys, *arguments, "--json")[1] == out


def test_what_the_conditions_exclude_is_impossible(capsys):
    code, out, _ = run(capsys, "search", "--family", "baird-star-5", "--chain", "biased")
    assert code == 1
    assert out.startswith("impossible: for all letters of baird-star-5")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--family", "twostate", "--td", "unstable"), "declares no letters"),
        (("--family", "twostate-family", "--td", "unstable", "--states", "2"), "its own numbers of states"),
        (("--family", "twostate-family", "--largest-rho"), "largest ρ is not looked for"),
    ],
)
def test_bad_wishes_are_refused(arguments, words, capsys):
    code, _, error = run(capsys, "search", *arguments)
    assert code == 2
    assert words in error


def test_draws_are_in_range_with_the_denominator_asked_for():
    import numpy as np

    from theory.problems.formulas import family_from

    tree = {
        "parameters": {"a": "(0, 1/50)", "b": "positive", "c": "[-2, 0)"},
        "gamma": "1/2",
        "features": [["a"], ["b"]],
        "target": {"transitions": [[1, 0], [0, 1]]},
        "behaviour": {"distribution": ["1/2", "1/2"]},
    }
    family, rng = family_from(tree), np.random.default_rng(0)
    for _ in range(50):
        values = family.draw(rng, 4)
        assert all(x in family.parameters[name] for name, x in values.items())
        assert 4 % values["b"].denominator == 0
    with pytest.raises(InvalidProblem, match="there is no letter"):
        family.at(values, d=1)
