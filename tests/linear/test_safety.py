import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.linear.examples import random_problem, swap, within_unit_circle
from tests.strategies import float_problems
from theory.linear import spectra
from theory.linear.spectra import chain_radius, chain_spectrum, td_spectrum, uniform_safety
from theory.model.linear_model import moments
from theory.problems import Problem, open_problem


def test_swap_in_closed_form():
    # sym(D^½PD^−½) has off-diagonal entries (3 + 1/3)/2 and zeros on the diagonal.
    s = uniform_safety(swap([[1], [3]]))
    assert s.bound == pytest.approx(0.9 * 5 / 3)
    assert s.gamma_threshold == pytest.approx(3 / 5)
    assert np.allclose(s.worst_feature / s.worst_feature[0], [1, 3])


@settings(max_examples=60, deadline=None)
@given(float_problems(max_states=5))
def test_worst_feature_attains_the_bound_for_both_algorithms(problem):
    s = uniform_safety(problem)
    worst = problem.with_features(s.worst_feature[:, None])
    assert moments(worst).X.item() == pytest.approx(1)
    assert moments(worst).A.item() == pytest.approx(1 - s.bound, abs=1e-9)
    assert chain_radius(worst) == pytest.approx(abs(s.bound), abs=1e-9)


@each_case("off-policy", without=("S=1",))
def test_one_feature_breaks_td_and_chain_exactly_where_the_bound_fails(case):
    s = uniform_safety(case.problem)
    worst = case.problem.with_features(s.worst_feature[:, None])
    fails = s.bound > 1 + 1e-9
    assert not (fails and s.safe)
    assert (td_spectrum(worst).positive_real() == "no") == fails
    assert (within_unit_circle(chain_spectrum(worst)) == "no") == fails


@settings(max_examples=80, deadline=None)
@given(float_problems(max_states=5))
def test_below_the_threshold_the_given_features_are_safe(problem):
    q = problem.with_gamma(0.999 * uniform_safety(problem).gamma_threshold)
    assert uniform_safety(q).safe
    assert td_spectrum(q).positive_real() != "no"
    assert chain_radius(q) < 1


@pytest.mark.parametrize("seed", range(3))
def test_on_policy_is_safe_up_to_gamma_one(seed):
    p = random_problem(seed, 6, 2)
    p = p.with_gamma(0.999)
    on = type(p).from_matrices(0.999, Phi=p.Phi, P_pi=p.P_mu, d_mu=p.d_mu)
    s = uniform_safety(on)
    # D stationary: ‖P‖_D = 1, so λ_max = 1 with the constant feature.
    assert s.bound == pytest.approx(0.999)
    assert np.allclose(s.worst_feature, 1, atol=1e-6)


def test_the_largest_eigenvalue_alone_is_that_of_all(monkeypatch):
    """Beyond so many states it is found by Lanczos' method; here for few, where both can be had."""
    problem = open_problem("random:states=40,features=3")
    both = uniform_safety(problem)
    monkeypatch.setattr(spectra, "MANY", 10)
    alone = uniform_safety(problem)
    assert alone.bound == pytest.approx(both.bound, rel=1e-12)
    np.testing.assert_allclose(alone.worst_feature, both.worst_feature, rtol=1e-6, atol=1e-9)


def test_visits_of_very_different_rarity_have_a_worst_feature():
    """A swap has λ_max = (r + 1/r)/2, r = √(d₁/d₂); at r = 10¹⁴⁵ LAPACK once found no eigenvalues."""
    rare = Problem.from_matrices(0.9, Phi=[[1], [3]], P_pi=[[0, 1], [1, 0]], d_mu=[1 - 1e-290, 1e-290])
    assert uniform_safety(rare).bound == pytest.approx(0.9e145 / 2)
