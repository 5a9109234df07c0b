"""X, Y, A, b, A_μ, b_μ, Π and M by a second route: enumeration of all transitions, and exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import exact_problems
from theory.exact.matrices import fractions
from theory.exact.moments import exact_joint, exact_moments, exact_projection
from theory.linear.basis import projection
from theory.linear.moments import joint_matrix, joint_vector, moments
from theory.problems import InvalidProblem, Problem
from theory.problems.sampling import enumerate_transitions


def enumerated(problem):
    """E_μ of the sampled outer products, one transition at a time."""
    F = problem.n_features
    X, Y, Y_mu = (np.zeros((F, F)) for _ in range(3))
    b, b_mu = np.zeros(F), np.zeros(F)
    for t in enumerate_transitions(problem):
        phi, phi_next = problem.Phi[t.state], problem.Phi[t.next_state]
        p, ratio, reward = float(t.probability), float(t.ratio), float(t.reward)
        X += p * ratio * np.outer(phi, phi)
        Y += p * ratio * np.outer(phi, phi_next)
        Y_mu += p * np.outer(phi, phi_next)
        b += p * ratio * reward * phi
        b_mu += p * reward * phi
    A_mu = X - problem.gamma * Y_mu
    return X, Y, X - problem.gamma * Y, b, A_mu, b_mu


@given(exact_problems(with_mdp=True))
def test_moments_are_the_mean_over_all_transitions(problem):
    m = moments(problem)
    found = (m.X, m.Y, m.A, m.b, m.A_mu, m.b_mu)
    scale = 1 + np.abs(problem.Phi).max() ** 2 + np.abs(problem.r_pi).max() * np.abs(problem.Phi).max()
    for ours, theirs in zip(found, enumerated(problem), strict=True):
        # Sums of at most some hundred products of size `scale`.
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * scale * 100)


@given(exact_problems(with_mdp=True))
def test_floats_agree_with_rationals(problem):
    ours, exact = moments(problem), exact_moments(problem)
    scale = 1 + np.abs(problem.Phi).max() * (np.abs(problem.Phi).max() + np.abs(problem.r_pi).max())
    for letter in ("X", "Y", "A", "b", "A_mu", "b_mu"):
        theirs = np.atleast_1d(fractions(getattr(exact, letter))).astype(float)
        np.testing.assert_allclose(np.ravel(getattr(ours, letter)), np.ravel(theirs), rtol=0, atol=1e-13 * scale * 100)


@given(exact_problems())
def test_projection_is_idempotent_and_fixes_the_features(problem):
    Pi = exact_projection(problem)
    from theory.exact.matrices import matrix

    Phi = matrix(problem.exact.Phi)
    assert Pi * Pi == Pi
    assert Pi * Phi == Phi


def test_float_projection_agrees_with_rationals_where_features_depend():
    problem = Problem.from_matrices(
        "1/2", Phi=[[1, 2, 3], [0, 1, 1], [1, 0, 1]], P_pi=[[0, 1, 0], [0, 0, 1], [1, 0, 0]], d_mu=["1/2", "1/4", "1/4"]
    )
    exact = fractions(exact_projection(problem)).astype(float)
    np.testing.assert_allclose(projection(problem), exact, atol=1e-14)


@given(exact_problems(with_mdp=True, max_states=3, max_features=2))
def test_joint_matrix_is_the_same_dense_sparse_and_exact(problem):
    dense, sparse = joint_matrix(problem, 3), joint_matrix(problem, 3, sparse=True)
    M, b = exact_joint(problem, 3)
    exact = np.atleast_2d(fractions(M)).astype(float).reshape(dense.shape)
    scale = 1 + np.abs(problem.Phi).max() ** 2
    np.testing.assert_array_equal(sparse.toarray(), dense)
    np.testing.assert_allclose(dense, exact, rtol=0, atol=1e-12 * scale)
    exact_b = np.atleast_1d(fractions(b)).astype(float)
    np.testing.assert_allclose(joint_vector(problem, 3), exact_b, rtol=0, atol=1e-11 * scale * 100)


def test_joint_matrix_needs_the_behaviours_chain():
    problem = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    with pytest.raises(InvalidProblem, match="P_mu"):
        joint_matrix(problem, 2)


def test_joint_matrix_refuses_a_negative_length():
    problem = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], P_mu=[["1/2", "1/2"]] * 2)
    with pytest.raises(InvalidProblem, match="K"):
        joint_matrix(problem, -1)
