"""ρ between two numbers: against exact moduli, for Jordan blocks, cycles and graded matrices."""

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT
from theory.certified.enclosed_radius import narrowed, nonnegative_bounds, radius_bounds
from theory.exact.matrices import identity
from theory.exact.spectral_radius import largest_modulus

NARROW = fmpq(1, 10**11)
squares = st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(-4, 4), min_size=n * n, max_size=n * n))


@EXACT
@given(squares, st.integers(0, 60))
def test_bounds_hold_the_exact_radius_in_any_basis(entries, exponent):
    n = int(len(entries) ** 0.5)
    M = fmpq_mat(n, n, entries)
    low, high = radius_bounds(M, identity(n))
    rho = largest_modulus(M.charpoly()).exact
    assert low <= rho <= high
    assert high - low <= NARROW * max(high, fmpq(1))
    ten = fmpq(10) ** exponent
    graded = fmpq_mat([[M[i, j] * ten ** (i - j) for j in range(n)] for i in range(n)])
    low, high = radius_bounds(graded, identity(n))
    assert low <= rho <= high


@pytest.mark.parametrize("n", [2, 3, 7, 12])
def test_cycles_have_all_their_eigenvalues_on_one_circle(n):
    """The power sums of a cycle of length n vanish except at multiples of n."""
    M = fmpq_mat(np.roll(np.eye(n, dtype=int), 1, axis=1).tolist())
    low, high = radius_bounds(3 * M, 2 * identity(n))
    assert low <= fmpq(3, 2) <= high
    assert high - low <= NARROW


def test_a_long_jordan_block_and_a_nilpotent_one():
    n = 32
    shift = fmpq_mat([[int(j == i + 1) for j in range(n)] for i in range(n)])
    low, high = radius_bounds(shift + identity(n) / 3, identity(n))
    assert low <= fmpq(1, 3) <= high
    assert high - low <= NARROW
    assert radius_bounds(shift, identity(n)) == (0, 0)


@EXACT
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(0, 4), min_size=n * n, max_size=n * n)))
def test_row_sums_and_perron_vectors_hold_the_radius(entries):
    n = int(len(entries) ** 0.5)
    M = fmpq_mat(n, n, entries)
    low, high = nonnegative_bounds(M)
    assert low <= largest_modulus(M.charpoly()).exact <= high


def test_signs_are_no_matter_of_perron():
    assert nonnegative_bounds(fmpq_mat([[0, 1], [-1, 0]])) is None
    assert nonnegative_bounds(fmpq_mat([[fmpq(1, 2), fmpq(1, 2)], [1, 0]])) == (1, 1)


@pytest.mark.parametrize("n", [3, 12])
def test_signatures_beside_its_double_narrow_the_radius(n):
    rng = np.random.default_rng(n)
    N, B = (fmpq_mat([[fmpq(int(x), 7) for x in row] for row in rng.integers(-9, 10, (n, n))]) for _ in range(2))
    E = B.transpose() * B + identity(n)
    exact = radius_bounds(N, E)
    low, high = narrowed(N, E, fmpq(0), 10 * exact[1])
    assert low <= exact[0]
    assert exact[1] <= high
    assert high - low < fmpq(3, 10**7) * high
