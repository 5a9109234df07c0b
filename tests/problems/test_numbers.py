"""Numbers as they were given, and the one error of bad input."""

from __future__ import annotations

import math
import time
from decimal import Decimal
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.problems.numbers import (
    MAX_DIGITS,
    InvalidProblem,
    as_array,
    as_exact,
    as_floats,
    as_number,
    is_exact,
    parse_number,
    show_number,
)

# The error


def test_error_is_a_value_error_whose_text_names_the_place():
    error = InvalidProblem("is wrong", "target", "transitions", 1, 2)
    assert isinstance(error, ValueError)
    assert str(error) == "target.transitions[1][2]: is wrong"
    assert str(InvalidProblem("is wrong")) == "is wrong"


# Spellings


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**30))
def test_parse_number_inverts_the_spelling_of_a_fraction(p, q):
    assert parse_number(f"{p}/{q}") == Fraction(p, q)
    assert parse_number(str(p)) == p


@pytest.mark.parametrize(
    ("text", "value"),
    [("+3", 3), (".5", Fraction(1, 2)), ("2.", 2), ("-0", 0), (" 1/2\n", Fraction(1, 2)), ("1E+2", 100), ("007", 7)],
)
def test_accepts_the_usual_spellings(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "x",
            "1/-2",
            "1.5/2",
            "1/2/3",
            "1_000",
            "0x10",
            "nan",
            "inf",
            "-Infinity",
            "1e",
            "e5",
            ".",
            "1 / 2",
            "٣",
        ),
        *("__import__('os')", "1+1", "2**9", "pi", "½", "1e1.5", "--1", "1,5"),
    ],
)
def test_refuses_every_other_text(text):
    with pytest.raises(InvalidProblem, match=r"^gamma: .* is not a number: write an integer, a decimal or 'p/q'$"):
        parse_number(text, "gamma")


@pytest.mark.parametrize("text", ["9" * (MAX_DIGITS + 1), "1e999999999", "1e-999999999", "1/" + "3" * MAX_DIGITS])
def test_refuses_more_digits_than_a_number_may_have_at_once(text):
    start = time.perf_counter()
    with pytest.raises(InvalidProblem, match=f"has more than {MAX_DIGITS} digits"):
        parse_number(text)
    assert time.perf_counter() - start < 1  # 10^999999999 would take minutes and 400 MB


@pytest.mark.parametrize("text", [f"1e0000000000{MAX_DIGITS + 1}", f"1e-0000000000{MAX_DIGITS + 1}"])
def test_zeros_before_an_exponent_do_not_hide_its_size(text):
    with pytest.raises(InvalidProblem, match=f"has more than {MAX_DIGITS} digits"):
        parse_number(text)


def test_a_number_of_a_million_digits_is_refused_in_linear_time_and_shown_short():
    with pytest.raises(InvalidProblem, match=r"^'1{37}\.\.\.' has more than"):
        parse_number("1" * 1_000_000)


# One number


@pytest.mark.parametrize(
    "value",
    [Fraction(1, 2), "1/2", "0.5", Decimal("0.5"), sympy.Rational(1, 2), flint.fmpq(1, 2)],
    ids=lambda value: type(value).__name__,
)
def test_exact_values_become_fractions(value):
    number = as_number(value)
    assert type(number) is Fraction
    assert number == Fraction(1, 2)


@pytest.mark.parametrize("value", [True, np.True_, None, 1j, [1], b"1", {}, sympy.pi], ids=repr)
def test_refuses_what_is_not_a_number(value):
    with pytest.raises(InvalidProblem, match=r"^gamma: "):
        as_number(value, "gamma")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("inf"), Decimal("NaN"), "inf"], ids=repr)
def test_refuses_what_is_not_finite(value):
    with pytest.raises(InvalidProblem, match=r"^r\[2\]: .*is not (finite|a number)"):
        as_number(value, "r", 2)


# Arrays


def test_exact_entries_make_an_exact_array_of_fractions():
    array = as_array([[1, "1/3"], [Decimal("0.5"), np.int64(4)]], 2)
    assert is_exact(array)
    assert array.tolist() == [[1, Fraction(1, 3)], [Fraction(1, 2), 4]]
    assert {type(x) for x in array.ravel()} == {Fraction}


def test_one_float_makes_the_quantity_float():
    array = as_array([["1/3", 1], [0.5, 2]], 2)
    assert not is_exact(array)
    assert array.dtype == np.float64
    assert array[0, 0] == 1 / 3


@pytest.mark.parametrize("value", [[1, 2], [0.5, 2], np.array([0.5, 2]), np.array([1, 2])], ids=repr)
def test_arrays_are_read_only_copies(value):
    array = as_array(value, 1)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7
    value[0] = 9
    assert array[0] != 9


def test_views_of_both_kinds_exist_for_both_kinds():
    exact, floats = as_array(["1/3", 2], 1), as_array([0.1, 2.0], 1)
    assert as_exact(exact) is exact
    assert as_floats(floats) is floats
    assert as_floats(exact).tolist() == [1 / 3, 2.0]
    assert as_exact(floats).tolist() == [Fraction(0.1), 2]  # the double nearest to 0.1, not 1/10
    assert not as_floats(exact).flags.writeable
    assert not as_exact(floats).flags.writeable


BAD_ARRAYS = {
    "ragged": ([[1, 2], [3]], 2, r"^Phi\[1\]: has shape 1, but row 0 has 2$"),
    "too shallow": ([1, 2], 2, r"^Phi\[0\]: expected a list of numbers, got int$"),
    "wrong axes": (np.ones(3), 2, r"^Phi: expected a list of rows, got an array of shape \(3,\)$"),
    "a string": ("12", 1, r"^Phi: expected a list of numbers, got text$"),
    "empty": ([], 1, r"^Phi: is empty$"),
    "bad entry": ([[1, 2], [3, "x"]], 2, r"^Phi\[1\]\[1\]: 'x' is not a number"),
    "bools": (np.array([[True]]), 2, r"^Phi\[0\]\[0\]: expected a number, got true$"),
    "complex": (np.array([1j]), 1, r"^Phi\[0\]: expected a number, got complex$"),
    "not finite, NumPy": (np.array([[0.5], [-np.inf]]), 2, r"^Phi\[1\]\[0\]: -inf is not finite$"),
}


@pytest.mark.parametrize(("value", "ndim", "match"), BAD_ARRAYS.values(), ids=BAD_ARRAYS.keys())
def test_refuses_bad_arrays_and_names_the_place(value, ndim, match):
    with pytest.raises(InvalidProblem, match=match):
        as_array(value, ndim, "Phi")


def test_refuses_rationals_beyond_double_precision_only_when_floats_are_asked_for():
    array = as_array(["1e400"], 1)
    assert array[0] == 10**400
    with pytest.raises(InvalidProblem, match=r"^r_pi: a number is too large for double precision"):
        as_floats(array, "r_pi")


@pytest.mark.parametrize("digits", [1000, 10_000])
def test_long_fractions_are_shown_short(digits):
    """Also beyond 4300 digits, where Python itself refuses to make a text of an integer."""
    assert len(show_number(Fraction(1, 10**digits + 1))) < 100
