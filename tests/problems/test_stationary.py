"""Stationary distributions: exact, periodic, transient, not unique, and nearly so."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import stochastic_matrices
from theory.problems.graph import stationary_distribution
from theory.problems.numbers import InvalidProblem, as_array, as_exact, is_exact

UNIT = 2.0**-53


def exact_chain(n):
    return as_array([[Fraction(int(i == (j + 1) % n)) for i in range(n)] for j in range(n)], 2)


def with_exact_diagonal(P):
    """The rational chain with the off-diagonal doubles of `P`, its diagonal whatever is left to one.

    A row of doubles rarely sums to one exactly. GTH never looks at the diagonal, so this is the chain
    whose stationary distribution it approximates.
    """
    exact = as_exact(P).copy()
    for s in range(len(P)):
        exact[s, s] = 1 - sum(exact[s, t] for t in range(len(P)) if t != s)
    return exact


def gth_error_bound(n):
    """About 2n³u, relative, for every entry (O'Cinneide 1993).

    Elimination updates an entry at most n times, each time with a sum of up to n positive terms, so it is
    exact for off-diagonal entries that are off by about n²u; and changing these by ε moves no entry of d by more
    than about 2nε, however weakly the chain is coupled.
    """
    return 2 * n**3 * UNIT


@settings(deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: stochastic_matrices(n, irreducible=True)))
def test_exact_distribution_is_stationary_exactly(rows):
    P = as_array(rows, 2)
    d = stationary_distribution(P)
    assert is_exact(d)
    assert d.sum() == 1
    assert (d > 0).all()  # irreducible
    assert (d @ P).tolist() == d.tolist()
    assert not d.flags.writeable


@settings(deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: stochastic_matrices(n)))
def test_any_chain_has_an_exact_distribution_or_several_closed_classes(rows):
    P = as_array(rows, 2)
    # A second route to uniqueness: the left null space of P − I has one dimension for each closed class.
    from flint import fmpq, fmpq_mat

    gap = fmpq_mat([[fmpq(int(i == j)) - fmpq(x.numerator, x.denominator) for j, x in enumerate(row)]
                    for i, row in enumerate(P.tolist())])  # fmt: skip
    if gap.rank() == len(P) - 1:
        d = stationary_distribution(P)
        assert d.sum() == 1
        assert (d @ P).tolist() == d.tolist()
    else:
        with pytest.raises(InvalidProblem, match=f"the chain has {len(P) - gap.rank()} closed classes"):
            stationary_distribution(P)


@settings(deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: stochastic_matrices(n, irreducible=True, floats=True)))
def test_float_distribution_has_small_relative_errors_everywhere(rows):
    P = np.array(rows)
    d = stationary_distribution(P)
    expected = stationary_distribution(with_exact_diagonal(P))
    assert d.dtype == np.float64
    assert not d.flags.writeable
    np.testing.assert_allclose(d, expected.astype(float), rtol=gth_error_bound(len(P)) + UNIT, atol=0)


@pytest.mark.parametrize("kind", [object, float])
def test_not_unique_is_an_error_that_names_the_classes(kind):
    P = as_array([[1, 0, 0, 0], ["1/2", 0, "1/2", 0], [0, 0, 0, 1], [0, 0, 1, 0]], 2).astype(kind)
    with pytest.raises(
        InvalidProblem,
        match=r"^P_mu: the stationary distribution is not unique: the chain has 2 closed classes, \{0\} and \{2, 3\}$",
    ):
        stationary_distribution(P, "P_mu")


def nearly_decomposable(coupling):
    """Two blocks of three states, coupled by doubles of the size of `coupling` in one place each way."""
    block = np.array([[0.0, 0.7, 0.3], [0.2, 0.0, 0.8], [0.6, 0.4, 0.0]])
    P = np.zeros((6, 6))
    P[:3, :3], P[3:, 3:] = block / 2, block.T / 2 / block.T.sum(axis=1, keepdims=True)
    P[0, 3], P[4, 2] = coupling, 3 * coupling
    np.fill_diagonal(P, 1 - P.sum(axis=1))
    return P


def test_gth_is_accurate_on_a_nearly_decomposable_chain_where_the_textbook_routes_are_not():
    P = nearly_decomposable(1e-14)
    expected = stationary_distribution(with_exact_diagonal(P)).astype(float)

    def relative_error(d):
        return np.abs(d / d.sum() / expected - 1).max()

    assert relative_error(stationary_distribution(P)) <= gth_error_bound(6) + 2 * UNIT

    # Solving (Pᵀ − I)d = 0, Σd = 1 and taking the eigenvector of 1 both lose u/1e−14 ≈ 1 %; we ask for a
    # thousandth of that loss, so as not to depend on anybody's luck in rounding.
    equations = P.T - np.eye(6)
    equations[-1] = 1
    solved = np.linalg.solve(equations, np.eye(6)[-1])
    values, vectors = np.linalg.eig(P.T)
    eigenvector = vectors[:, np.argmax(values.real)].real
    assert relative_error(solved) > 1e-5
    assert relative_error(eigenvector) > 1e-5
