"""LAPACK's own answers are NumPy's, and what has none is an error."""

import numpy as np
import pytest

from theory.linear.small import eigenvalues, largest_eigenvalue, singular_values, solve


@pytest.mark.parametrize("n", [1, 2, 7])
def test_answers_are_numpys(n):
    rng = np.random.default_rng(n)
    M, B, b = rng.normal(size=(n, n)), rng.normal(size=(n, 3)), rng.normal(size=n)
    before = M.copy()
    np.testing.assert_allclose(np.sort_complex(eigenvalues(M)), np.sort_complex(np.linalg.eigvals(M)), atol=1e-12)
    np.testing.assert_allclose(singular_values(M), np.linalg.svd(M, compute_uv=False), atol=1e-12)
    assert largest_eigenvalue(M @ M.T) == pytest.approx(np.linalg.eigvalsh(M @ M.T)[-1])
    np.testing.assert_allclose(M @ solve(M, B), B, atol=1e-10)
    np.testing.assert_allclose(M @ solve(M, b), b, atol=1e-10)
    assert (before == M).all()


def test_nothing_is_nothing():
    none = np.empty((0, 0))
    assert len(eigenvalues(none)) == len(singular_values(none)) == 0
    assert solve(none, np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_has_no_eigenvalues_and_never_reaches_lapack(bad, capfd):
    M = np.array([[1.0, bad], [0.0, 1.0]])
    for ask in (eigenvalues, singular_values, largest_eigenvalue):
        with pytest.raises(np.linalg.LinAlgError):
            ask(M)
    assert capfd.readouterr() == ("", "")


def test_a_singular_matrix_solves_nothing():
    with pytest.raises(np.linalg.LinAlgError):
        solve(np.ones((2, 2)), np.ones(2))
