"""Wilson's interval holds the rates for which the count is no surprise."""

from math import sqrt

import pytest

from theory.montecarlo.rows import wilson

Z95 = 1.959963984540054  # Φ⁻¹(.975)


@pytest.mark.parametrize(("k", "n"), [(1, 5), (37, 1000), (4, 7), (1, 10**6), (999_999, 10**6)])
def test_its_ends_are_just_as_surprising_as_allowed(k, n):
    for p in wilson(k, n):
        assert abs(k / n - p) == pytest.approx(Z95 * sqrt(p * (1 - p) / n), rel=1e-9)


def test_ends_are_exact_at_zero_and_one():
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == 1.0
    assert wilson(0, 0) == (0.0, 1.0)


def test_undecided_ones_widen_the_upper_end_only():
    assert wilson(3, 20, undecided=4) == (wilson(3, 20)[0], wilson(7, 20)[1])
    assert wilson(18, 20, undecided=4)[1] == 1.0
