"""The checker's arithmetic with an error for each entry holds the true numbers."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from theory.certified.recheck.entries import entries, on_grid, window_sum
from theory.certified.recheck.integers import matrix, times
from theory.certified.recheck.rounded import exact_sum

numbers = st.fractions(-3, 3, max_denominator=50) | st.just(Fraction(0))
matrices = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n, max_size=n)
)


def holds(found, true):
    (rows, q) = true
    for row, exact in zip(found.rows, rows, strict=True):
        for (m, e, r), x in zip(row, exact, strict=True):
            assert abs(Fraction(x, q) - m * Fraction(2) ** e) <= r * Fraction(2) ** e


@given(matrices, st.integers(1, 40), st.sampled_from([8, 30, 200]))
def test_window_sums_are_within_their_errors(X, T, bits):
    exact = matrix(X)
    holds(window_sum(exact, Fraction(1, 2), T, bits), exact_sum(exact, Fraction(1, 2), T))


@given(matrices, st.integers(1, 9))
def test_powers_and_one_grid_are_within_their_errors(M, power):
    exact = matrix(M)
    found, true = entries(exact, 20).power(power), exact
    for _ in range(power - 1):
        true = times(true, exact)
    holds(found, true)
    (rows, q), error = on_grid(found, 4096)
    for row, wanted in zip(rows, true[0], strict=True):
        assert all(abs(Fraction(x, q) - Fraction(y, true[1])) <= error for x, y in zip(row, wanted, strict=True))


def test_a_zero_stays_a_zero():
    found = entries(matrix([[0, 1], [0, 0]]), 64)
    assert found.times(found).rows == [[(0, 0, 0)] * 2] * 2
