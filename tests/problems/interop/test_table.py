"""Doubles of a table as fractions, and malformed tables."""

import math
from fractions import Fraction

import pytest

from theory.problems import InvalidProblem
from theory.problems.gymnasium import Outcomes, read_fractions


def test_a_double_is_read_as_a_fraction_within_two_units_in_the_last_place():
    third = 1 / 3
    for x in (third, math.nextafter(third, 1), math.nextafter(third, 0), 0.15, 0.7, 1 - 0.9, -100.0, 0.0, 1 / 997):
        assert abs(float(read_fractions([x])[0]) - x) <= 2 * math.ulp(x)
    assert read_fractions([third])[0] == Fraction(1, 3)
    assert read_fractions([third + 4 * math.ulp(third)]) is None
    assert read_fractions([1 / 1009]) is None  # a prime beyond the largest denominator
    assert read_fractions([0.5, math.pi]) is None


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ([(0.5, 0, 0, False)], r"^P\[0\]\[1\]: probabilities sum to 0\.5, not 1$"),
        ([(1.0, 7, 0, False)], r"^P\[0\]\[1\]: \(1\.0, 7, 0\.0\) is no probability"),
        ([(math.nan, 0, 0, False)], r"^P\[0\]\[1\]: \(nan, 0, 0\.0\) is no"),
        ([(1.0, 0.5, 0, False)], r"^P\[0\]\[1\]: is not a list of"),
        (None, r"^P\[0\]\[1\]: is not a list of"),
    ],
)
def test_a_malformed_table_is_named_by_its_place(row, match):
    table = {0: {0: [(1.0, 0, 0, False)], 1: row}}
    with pytest.raises(InvalidProblem, match=match):
        Outcomes(table, [1.0])


@pytest.mark.parametrize("start", [[0.5], [1.0, 0.0, 0.0, 0.0, 1.0], [-1, 2], ["a"], 3, [math.nan]])
def test_a_malformed_start_is_refused(start):
    table = {0: {0: [(1.0, 0, 0, False)]}, 1: {0: [(1.0, 0, 0, False)]}}
    with pytest.raises(InvalidProblem, match=r"^initial_state_distrib: is no distribution over the 2 states"):
        Outcomes(table, start)


def test_a_table_too_large_for_dense_arrays_is_refused():
    n = 8000
    table = {s: {0: [(1.0, (s + 1) % n, 0, False)]} for s in range(n)}
    with pytest.raises(InvalidProblem, match=r"^P: 8000 states and 1 actions are too many for dense arrays$"):
        Outcomes(table, [1.0] + [0.0] * (n - 1)).dense("1/2")
