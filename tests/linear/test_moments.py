"""X, Y, A, b, A_μ, b_μ, Π and M by a second route: enumeration of all transitions, and exact arithmetic."""

import numpy as np
from hypothesis import given

from tests.strategies import exact_problems
from theory.exact.matrices import fractions
from theory.exact.moments import exact_moments, exact_projection
from theory.linear.basis import feature_basis
from theory.linear.moments import moments
from theory.problems import Problem
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
    basis = feature_basis(problem)
    np.testing.assert_allclose(basis.W @ basis.dual, exact, atol=1e-14)
