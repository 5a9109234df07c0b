"""Compiled linear algebra agrees with NumPy's."""

import numpy as np
import pytest

from theory.montecarlo.dense import cross, invert, invert_blocks, largest_entry


@pytest.mark.parametrize("F", [1, 2, 7, 25, 26, 51, 120])
@pytest.mark.parametrize("function", [invert, invert_blocks])
def test_inverses_invert(function, F):
    M = np.random.default_rng(F).normal(size=(F, F)) + 3 * np.sqrt(F) * np.eye(F)
    J = M.copy()
    assert function(J, np.empty(F, dtype=np.int64))
    np.testing.assert_allclose(J, np.linalg.inv(M), rtol=0, atol=1e-12)  # condition about 10


@pytest.mark.parametrize("function", [invert, invert_blocks])
def test_a_zero_matrix_has_no_inverse(function):
    assert not function(np.zeros((30, 30)), np.empty(30, dtype=np.int64))


def test_row_pivots_see_what_halves_do_not():
    M = np.fliplr(np.eye(60))  # each half is singular
    assert not invert_blocks(M.copy(), np.empty(60, dtype=np.int64))
    J = M.copy()
    assert invert(J, np.empty(60, dtype=np.int64))
    assert np.array_equal(J, M)


def test_a_cross_takes_one_from_the_rank():
    rng = np.random.default_rng(0)
    M = rng.normal(size=(9, 3)) @ rng.normal(size=(3, 9))
    R, U, V = M.copy(), np.empty((3, 9)), np.empty((3, 9))
    for k in range(3):
        row, column = largest_entry(R)
        assert abs(R[row, column]) == np.abs(R).max()
        assert cross(R, U[k], V[k])
    np.testing.assert_allclose(R, 0, atol=1e-13)
    np.testing.assert_allclose(U.T @ V, M, atol=1e-13)
    assert not cross(np.zeros((2, 2)), np.empty(2), np.empty(2))
