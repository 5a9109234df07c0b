"""Families: formulas are read, never evaluated; letters are declared, in range, and all set."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.problems import InvalidProblem
from theory.problems.formulas import family_from, parse_formula, parse_range, vanishes
from theory.problems.sources import find_family

TWO = {
    "name": "two",
    "parameters": {"x": "real", "p": "(0, 1)"},
    "gamma": "9/10",
    "features": [[1], ["x"]],
    "target": {"transitions": [[0, 1], [0, 1]], "rewards": [1, "1 - x/2"]},
    "behaviour": {"distribution": ["p", "1 - p"]},
}


@given(st.fractions(-5, 5), st.fractions(1, 5))
def test_a_formula_means_what_python_means(x, y):
    for text in ("x + 2*y", "(x - y)^2/y", "-x*-y", "2/3*x - .5", "x**3 - x/(y + 1)", "--x"):
        assert parse_formula(text).value({"x": x, "y": y}) == eval(
            text.replace("^", "**").replace(".5", "Fraction(1, 2)").replace("2/3", "Fraction(2, 3)"),
            {"x": x, "y": y, "Fraction": Fraction},
        )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x +", "invalid syntax; a product is written 2"),
        ("(x", "was never closed"),
        ("x)", "unmatched"),
        ("x^y", "an exponent is a whole number"),
        ("x^99", "an exponent is a whole number"),
        ("__import__('os')", "has a character of no number"),
        ("x; y", "has a character of no number"),
        ("x.y", "only numbers, names"),
        ("f(x)", "only numbers, names"),
        ("x//2", "only numbers, names"),
        ("0x1", "invalid"),
        ("x y", "invalid syntax"),
        ("(" * 500 + "x" + ")" * 500, "nested"),
        ("-" * 1500 + "x", "nested"),
        ("x+" * 900 + "x", "nested"),
        ("x+" * 2000 + "x", "at most"),
    ],
)
def test_what_is_no_formula_is_refused_in_one_line(text, complaint):
    with pytest.raises(InvalidProblem, match=complaint) as error:
        parse_formula(text, "features", 1, 0)
    assert "\n" not in str(error.value)
    assert "features[1][0]" in str(error.value)


def test_a_family_at_numbers_is_the_problem_of_its_file():
    problem = family_from(TWO).at(x=3, p="9/10")
    assert problem.exact.Phi[1, 0] == 3
    assert problem.exact.d_mu.tolist() == [Fraction(9, 10), Fraction(1, 10)]
    assert problem.exact.r_pi[1] == Fraction(-1, 2)
    assert problem.name == "two:x=3,p=9/10"


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"x": 1}, "is a family with p in it: append their numbers"),
        ({"x": 1, "p": 1}, r"p: 1 is not in \(0, 1\)"),
        ({"x": 1, "p": "1/2", "q": 1}, "there is no letter 'q'"),
    ],
)
def test_letters_must_be_set_and_in_range(values, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        family_from(TWO).at(values)


def test_undeclared_letters_and_bad_ranges_name_their_place(tmp_path):
    path = tmp_path / "family.json"
    path.write_text(json.dumps(TWO | {"features": [[1], ["y"]]}))
    with pytest.raises(InvalidProblem, match=r"family.json: features\[1\]\[0\]: the letter 'y' is not declared"):
        find_family(str(path))
    for text in ("(1, 0)", "between 0 and 1", 3):
        with pytest.raises(InvalidProblem, match=r"empty|expected"):
            parse_range(text, "parameters", "p")
    with pytest.raises(InvalidProblem, match="cannot be a letter"):
        family_from(TWO | {"parameters": {"gamma": "real"}})


@pytest.mark.parametrize(
    ("entry", "ranges", "complaint"),
    [
        ("1/x", {"x": "real"}, "the denominator x can be zero for x in (−∞, ∞)"),
        ("1/x", {"x": "[0, 1]"}, "can be zero"),
        ("1/x", {"x": "(0, 1]"}, None),
        ("1/(x^2 + 1)", {"x": "real"}, None),
        ("1/(x^2 - 2)", {"x": "(1, 2)"}, "can be zero"),
        ("1/(x^2 - 2)", {"x": "(-1, 1)"}, None),
        ("1/(x - 1)^2", {"x": "(0, 2)"}, "can be zero"),
        ("1/(x - 1/(2*x))", {"x": "(1, 2)"}, None),
        ("1/(1 - x*y)", {"x": "(0, 1)", "y": "(0, 1)"}, None),
        ("1/(1 - x*y)", {"x": "(0, 1]", "y": "(0, 1]"}, "can be zero"),
        ("1/(y + (1 - y)*x^2)", {"x": "real", "y": "(0, 1)"}, None),
        ("1/(x + y)", {"x": "positive", "y": "positive"}, None),
        ("1/(x - y)", {"x": "real", "y": "real"}, "can be zero"),
        ("1/(x*x - 2*x*y + y*y)", {"x": "(0, 1)", "y": "(0, 1)"}, "can be zero|could not be shown"),
        ("1/(1 - gamma*x)", {"x": "(-1, 1)"}, None),
        ("1/(1 - gamma*x)", {"x": "(-1, 2)"}, "can be zero"),
        ("1/(1 - 1)", {"x": "real"}, "the denominator 1 - 1 can be zero"),
    ],
)
def test_a_denominator_that_can_vanish_is_refused(entry, ranges, complaint):
    tree = TWO | {"parameters": ranges | {"p": "(0, 1)"}, "features": [[1], [entry]]}
    tree["target"] = {"transitions": [[0, 1], [0, 1]]}
    if complaint is None:
        assert family_from(tree).parameters
    else:
        with pytest.raises(InvalidProblem) as error:
            family_from(tree)
        assert any(words in str(error.value) for words in complaint.split("|"))
        assert str(error.value).startswith("features[1][0]: ")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=6, max_size=6), st.sampled_from(["(0, 1)", "[-1, 2]", "real"]))
def test_what_is_said_of_a_denominator_is_so(c, text):
    """Against a grid of points: a polynomial that is said to have no zero has one sign on all of them."""
    formula = parse_formula(f"{c[0]} + {c[1]}*x + {c[2]}*y + {c[3]}*x*y + {c[4]}*x^2 + {c[5]}*y^2".replace("+ -", "- "))
    span = parse_range(text)
    found = vanishes(formula, {"x": span, "y": span})
    points = [Fraction(i, 7) for i in range(-20, 21) if Fraction(i, 7) in span]
    values = [formula.value({"x": x, "y": y}) for x in points for y in points]
    if found is False:
        assert all(v > 0 for v in values) or all(v < 0 for v in values)
    if any(v == 0 for v in values) or len({v > 0 for v in values}) == 2:
        assert found is not False


def test_the_discount_may_stand_in_a_formula():
    tree = TWO | {"target": {"transitions": [[0, 1], [0, 1]], "rewards": [1, "1 - gamma*x"]}}
    family = family_from(tree)
    assert family.at(x=2, p="1/2").exact.r_pi[1] == 1 - Fraction(9, 5)
    assert family.at(x=2, p="1/2", gamma="1/2").exact.r_pi[1] == 0
    with pytest.raises(InvalidProblem, match="gamma: the letter 'gamma' is not declared"):
        family_from(TWO | {"gamma": "gamma/2"})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"gamma": None}, "the key 'gamma' is missing"),
        ({"target": None}, "the key 'target' is missing"),
        ({"features": [[1], ["x", "x"]]}, r"features\[1\]: has shape 2, but row 0 has 1"),
        ({"target": {"transitions": [[0, 1]]}}, "target.transitions: has shape 1×2, but states × states is 2×2"),
        ({"target": {"rewards": [0, 0]}}, "target: the key 'transitions' is missing"),
        ({"behaviour": {"distribution": "p"}}, "behaviour.distribution: expected a list of numbers, got "),
        ({"behaviour": {}}, "behaviour: give a 'distribution'"),
    ],
)
def test_what_no_member_could_be_is_refused_at_once(change, complaint):
    tree = {key: value for key, value in (TWO | change).items() if value is not None}
    with pytest.raises(InvalidProblem, match=complaint):
        family_from(tree)
