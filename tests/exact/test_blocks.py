"""Blocks that a permutation uncovers, against the polynomial of the whole."""

import numpy as np
from flint import fmpq_mat, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT
from theory.exact.matrices import block, pencil_blocks, strong_components

sparse = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.sampled_from([0, 0, 0, 0, 1, -2, 3]), min_size=n * n, max_size=n * n)
)


@EXACT
@given(sparse)
def test_the_characteristic_polynomial_is_the_product_of_the_blocks(entries):
    n = int(len(entries) ** 0.5)
    M = fmpq_mat(n, n, entries)
    product = fmpq_poly([1])
    for members in strong_components(M):
        product *= block(M, members).charpoly()
    assert product == M.charpoly()


def test_a_shuffled_triangle_falls_into_numbers():
    order = np.random.default_rng(0).permutation(30)
    M = np.triu(np.ones((30, 30), dtype=int))[np.ix_(order, order)]
    assert sorted(strong_components(fmpq_mat(M.tolist()))) == [[i] for i in range(30)]


def test_equal_blocks_count_once():
    one = fmpq_mat([[1, 0, 0], [0, 1, 0], [0, 0, 2]])
    Y = fmpq_mat([[5, 0, 0], [7, 5, 0], [0, 0, 3]])
    assert sorted((X[0, 0], Z[0, 0]) for X, Z in pencil_blocks(one, Y)) == [(1, 5), (2, 3)]
    assert pencil_blocks(fmpq_mat(0, 0), fmpq_mat(0, 0)) == []
