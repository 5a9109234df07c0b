"""eq-M, prop-5, prop-6, prop-7: all heads at once, their matrix M, its spectrum, fixed point and convergence."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq_mat

from tests.propositions.outcomes import found, moments
from theory.exact.matrices import is_positive_definite
from theory.linear.spectra import chain_step_sizes
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions import joint_matrix, joint_spectrum


def joint(problem: Problem, K: int) -> np.ndarray:
    X, gY, _, A_mu = moments(problem)
    first = np.zeros((K + 1, K + 1))
    first[0, 0] = 1
    return np.kron(first, A_mu) + np.kron(np.eye(K + 1) - first, X) - np.kron(np.eye(K + 1, k=-1), gY)


# eq-M, prop-5


def test_the_cycle_gives_the_joint_matrix_the_complex_pair_of_the_audit() -> None:
    expected = 11 / 30 + 1j * np.sqrt(2) / 15
    for id in ("eq-M", "prop-5"):
        lam = np.linalg.eigvals(joint(found(id, "as stated").witness, 1))
        # Simple eigenvalues of a 4×4 matrix of norm about 1: computed to a few units of rounding.
        assert np.abs(lam - expected).min() < 1e-13
        assert np.abs(lam - expected.conjugate()).min() < 1e-13


def test_every_eigenvalue_of_M_is_one_of_A_mu_or_X() -> None:
    problem = catalogue_problem("threestate")
    X, _, _, A_mu = moments(problem)
    known = np.concatenate([np.linalg.eigvals(A_mu), np.linalg.eigvals(X)])
    for lam in np.linalg.eigvals(joint(problem, 1)):
        assert np.abs(known - lam).min() < 1e-9


def test_without_stationarity_behaviour_matrix_has_eigenvalues_on_the_left() -> None:
    off = found("prop-5", "stationary").witness
    A_mu = moments(off).A_mu
    assert np.linalg.eigvals(A_mu).real.max() < 0
    assert not np.allclose(off.d_mu @ off.P_mu, off.d_mu)


def test_positive_definiteness_is_not_confused_with_positive_entries() -> None:
    assert is_positive_definite(fmpq_mat([[2, -1], [-1, 2]]))
    assert not is_positive_definite(fmpq_mat([[1, 2], [2, 1]]))
    assert not is_positive_definite(fmpq_mat([[1, 1], [0, 1]]))  # not symmetric


# prop-6


def test_inverse_of_M_by_its_sum_agrees_with_numpy() -> None:
    problem = catalogue_problem("threestate")
    computed = np.array([[float(x.p) / float(x.q) for x in row] for row in joint_matrix.inverse(problem).tolist()])
    # M has condition 473 here, so NumPy's own inverse is good to about 1e-13 of its norm, which is below 1e3.
    assert np.allclose(computed, np.linalg.inv(joint(problem, joint_matrix.LAST)), rtol=1e-9, atol=1e-9)


def test_twin_features_leave_the_joint_fixed_point_undetermined() -> None:
    M = joint(found("prop-6", "X invertible").witness, 1)
    assert np.array_equal(M @ [1, -1, 0, 0], np.zeros(4))


# prop-7


def test_joint_matrix_of_twostate_has_one_eigenvector_for_a_double_eigenvalue() -> None:
    M = joint(catalogue_problem("twostate"), 2)
    assert np.diag(M).tolist().count(2.5) == 2
    assert np.linalg.matrix_rank(M - 2.5 * np.eye(3)) == 2
    assert np.linalg.matrix_rank((M - 2.5 * np.eye(3)) @ (M - 2.5 * np.eye(3))) == 1


def test_diagonalisability_is_decided_over_the_complex_numbers() -> None:
    assert joint_spectrum.is_diagonalisable(fmpq_mat([[1, -2], [2, 1]]))
    assert joint_spectrum.is_diagonalisable(fmpq_mat([[3, 0], [0, 3]]))
    assert not joint_spectrum.is_diagonalisable(fmpq_mat([[3, 1], [0, 3]]))


@pytest.mark.parametrize("K", [1, 3, 6])
def test_one_step_size_serves_every_chain(K: int) -> None:
    problem = catalogue_problem("twostate")
    bound, one = chain_step_sizes(problem).limit, np.eye(K + 1)
    # At half the bound |1 − αλ| ≤ .9 on Twostate; a block of size 6 adds at most t⁶, and .9¹⁰⁰⁰·10¹⁸ < 1e-27.
    assert np.abs(np.linalg.matrix_power(one - bound / 2 * joint(problem, K), 1000)).max() < 1e-9
    assert np.abs(np.linalg.matrix_power(one - 1.05 * bound * joint(problem, K), 1000)).max() > 1e9
