"""Rᵏ from its decomposition equals Rᵏ, defective and singular matrices included."""

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT
from theory.derivation.powers import powers, sum_over_roots
from theory.exact.matrices import power

X = fmpq_poly([0, 1])


def companion_blocks(f, e):
    """A matrix with minimal and characteristic polynomial f^e: companion blocks of f, coupled by unit matrices."""
    n = f.degree()
    out = fmpq_mat(n * e, n * e)
    for b in range(e):
        for i in range(n):
            out[b * n + i, b * n + n - 1] = -f[i]
            if i:
                out[b * n + i, b * n + i - 1] = 1
            if b:
                out[b * n + i, (b - 1) * n + i] = 1
    return out


def mixed(*blocks):
    """Block diagonal, hidden by a change of basis with determinant one."""
    size = sum(block.nrows() for block in blocks)
    out, at = fmpq_mat(size, size), 0
    for block in blocks:
        for i in range(block.nrows()):
            for j in range(block.nrows()):
                out[at + i, at + j] = block[i, j]
        at += block.nrows()
    low = fmpq_mat(size, size, [1 if i >= j else 0 for i in range(size) for j in range(size)])
    T = low * low.transpose()
    return T.inv() * out * T


MATRICES = {
    "zero": fmpq_mat(2, 2),
    "unit": fmpq_mat([[1, 0], [0, 1]]),
    "fibonacci": fmpq_mat([[1, 1], [1, 0]]),
    "nilpotent": companion_blocks(X, 3),
    "jordan": companion_blocks(X - fmpq(1, 2), 3),
    "defective complex": companion_blocks(X**2 + 1, 3),
    "defective cubic": companion_blocks(X**3 - X - 1, 2),
    "all at once": mixed(companion_blocks(X, 2), companion_blocks(X - 2, 2), companion_blocks(X**3 - 2, 1)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_powers_of_awkward_matrices(name):
    R = MATRICES[name]
    V = fmpq_mat(R.nrows(), 2, list(range(1, 2 * R.nrows() + 1)))
    found = powers(R, V)
    for k in range(9):
        assert found.at(k) == power(R, k) * V


@EXACT
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(-2, 2), min_size=n * n, max_size=n * n)))
def test_powers_of_random_matrices(entries):
    n = int(len(entries) ** 0.5)
    R, V = fmpq_mat(n, n, entries), fmpq_mat(n, 1, [1] * n)
    found = powers(R, V)
    for k in (0, 1, 2, 3, 7):
        assert found.at(k) == power(R, k) * V


def test_valid_from_is_the_nilpotent_depth_that_the_vectors_see():
    R = mixed(companion_blocks(X, 3), companion_blocks(X - 1, 1))
    everything = powers(R, fmpq_mat(4, 4, np.eye(4, dtype=int).ravel().tolist()))
    assert everything.valid_from == 3
    assert powers(R, power(R, 3)).valid_from == 0
    assert powers(R, R).valid_from == 2


@EXACT
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=4, unique=True), st.lists(st.integers(-3, 3), max_size=7))
def test_sums_over_known_roots(roots, coefficients):
    f, p = fmpq_poly([1]), fmpq_poly(coefficients)
    for r in roots:
        f *= X - r
    slope = f.derivative()
    assert sum_over_roots(p, f) == sum((p(fmpq(r)) / slope(fmpq(r)) for r in roots), fmpq(0))
