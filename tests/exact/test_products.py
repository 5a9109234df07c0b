"""Products of doubles without any rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.exact.matrices import float_product, matrix
from theory.model.linear_model import product

numbers = st.floats(-1e30, 1e30, allow_subnormal=False) | st.sampled_from([0.0, 1.0, 1 / 3, -(2.0**-40), 1e-12])


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 3), st.data())
def test_products_are_those_of_rationals(n, m, k, data):
    A, B = (
        np.array(data.draw(st.lists(st.lists(numbers, min_size=c, max_size=c), min_size=r, max_size=r)))
        for r, c in ((n, m), (m, k))
    )
    found = float_product(A, B)
    assert found is None or found == matrix(A) * matrix(B)


def test_ordinary_matrices_are_multiplied_in_slices():
    """Blocks of rows, and full mantissas at many exponents."""
    rng, rows = np.random.default_rng(1), 150
    A, B = rng.normal(size=(rows, 40)) ** 5, rng.normal(size=(40, 3)) * 1e-20
    assert float_product(A, B) == matrix(A) * matrix(B)
    P = rng.exponential(size=(rows, rows))
    assert product(P, matrix(P[:, :2])) == matrix(P) * matrix(P[:, :2])


@pytest.mark.parametrize("A", [[[1e200, 1e-200]], [[1.0, 5e-324]]])
def test_numbers_that_differ_too_much_are_left_to_rationals(A):
    assert float_product(np.array(A), np.ones((2, 1))) is None


def test_nothing_times_anything_is_nothing():
    assert float_product(np.zeros((2, 3)), np.ones((3, 1))) == matrix(np.zeros((2, 1)))
