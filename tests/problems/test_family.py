"""Families: formulas are read, never evaluated; letters are declared, in range, and all set."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.problems import InvalidProblem
from theory.problems.expressions import parse_formula
from theory.problems.family import family_from, parse_range, read_family

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
        ("x +", "ends too early"),
        ("(x", "not closed"),
        ("x)", "not expected"),
        ("x^y", "an exponent is a whole number"),
        ("x^99", "an exponent is a whole number"),
        ("__import__('os')", "not expected|not a number"),
        ("x; y", "not a number"),
        ("x y", "not expected"),
        ("(" * 100 + "x" + ")" * 100, "nested"),
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
        ({"x": 1}, "the letter p needs a number"),
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
        read_family(path)
    for text in ("(1, 0)", "between 0 and 1", 3):
        with pytest.raises(InvalidProblem, match=r"empty|expected"):
            parse_range(text, "parameters", "p")
    with pytest.raises(InvalidProblem, match="cannot be a letter"):
        family_from(TWO | {"parameters": {"gamma": "real"}})


def test_a_vanishing_denominator_is_an_error_not_a_crash():
    family = family_from(TWO | {"features": [[1], ["1/x"]]})
    with pytest.raises(InvalidProblem, match="a denominator is zero at x = 0, p = 1/2"):
        family.at(x=0, p="1/2")
