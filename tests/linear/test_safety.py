import numpy as np
import pytest
from hypothesis import given, settings

from tests.linear.examples import random_problem, swap
from tests.strategies import float_problems
from theory.linear import spectra
from theory.linear.spectra import chain_radius, worst_direction
from theory.model.linear_model import moments
from theory.problems import open_problem


def worst(problem):
    return worst_direction(problem.d_mu, problem.P_pi)


def test_swap_in_closed_form():
    # sym(D^½PD^−½) has off-diagonal entries (3 + 1/3)/2 and zeros on the diagonal.
    top, feature = worst(swap([[1], [3]]))
    assert top == pytest.approx(5 / 3)
    assert np.allclose(feature / feature[0], [1, 3])


@settings(max_examples=60, deadline=None)
@given(float_problems(max_states=5))
def test_worst_feature_attains_the_bound_for_both_algorithms(problem):
    top, feature = worst(problem)
    alone = problem.with_features(feature[:, None])
    assert moments(alone).X.item() == pytest.approx(1)
    assert moments(alone).A.item() == pytest.approx(1 - problem.gamma * top, abs=1e-9)
    assert chain_radius(alone) == pytest.approx(abs(problem.gamma * top), abs=1e-9)


def test_on_policy_is_safe_up_to_gamma_one():
    p = random_problem(0, 6, 2)
    # D stationary: ‖P‖_D = 1, so λ_max = 1 with the constant feature.
    top, feature = worst_direction(p.d_mu, p.P_mu)
    assert top == pytest.approx(1)
    assert np.allclose(feature, 1, atol=1e-6)


def test_the_largest_eigenvalue_alone_is_that_of_all(monkeypatch):
    """Beyond so many states it is found by Lanczos' method; here for few, where both can be had."""
    problem = open_problem("random:states=40,features=3")
    both = worst(problem)
    monkeypatch.setattr(spectra, "MANY", 10)
    alone = worst(problem)
    assert alone[0] == pytest.approx(both[0], rel=1e-12)
    np.testing.assert_allclose(alone[1], both[1], rtol=1e-6, atol=1e-9)


def test_visits_of_very_different_rarity_have_a_worst_feature():
    """A swap has λ_max = (r + 1/r)/2, r = √(d₁/d₂); at r = 10¹⁴⁵ LAPACK once found no eigenvalues."""
    assert worst_direction(np.array([1 - 1e-290, 1e-290]), np.eye(2)[::-1])[0] == pytest.approx(1e145 / 2)
