import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.linear.examples import baird, projection, random_problem, twostate
from tests.strategies import exact_problems
from theory.linear.fixed_points import behaviour_fixed_point, td_fixed_point
from theory.linear.moments import moments
from theory.linear.values import behaviour_values, target_values
from theory.problems import InvalidProblem, Problem


@each_case(without=("rank-deficient", "singular A"))
def test_regular_fixed_point_solves_A_theta_equals_b(case):
    p = case.problem
    m, point = moments(p), td_fixed_point(p)
    assert np.allclose(point.theta, np.linalg.solve(m.A, m.b), rtol=1e-9, atol=1e-12)
    assert np.allclose(point.values, p.Phi @ point.theta, atol=1e-9)
    assert point.exists
    assert point.unique
    assert point.note == ""


def test_baird_has_unique_values_and_the_shortest_parameters():
    p = baird()
    point = td_fixed_point(p)
    assert np.allclose(point.values, 10, rtol=1e-12)
    assert np.allclose(point.theta, np.linalg.pinv(p.Phi) @ np.full(7, 10.0), atol=1e-10)
    assert point.exists
    assert point.unique_values
    assert not point.unique
    assert "rank 7 of 8" in point.note


@each_case("on-policy")
def test_on_policy_both_fixed_points_agree(case):
    p = case.problem
    assert np.allclose(td_fixed_point(p).theta, behaviour_fixed_point(p).theta, atol=1e-12)


def test_behaviour_fixed_point_is_the_projected_behaviour_value_on_tabular_features():
    p = random_problem(5, 4, 4)
    assert np.allclose(behaviour_fixed_point(p).values, behaviour_values(p), atol=1e-9)
    assert np.allclose(td_fixed_point(p).values, target_values(p), atol=1e-9)


def test_singular_A_without_solution_says_so():
    point = td_fixed_point(twostate("5/6", (1, 1)))  # A = 0, b = 3/2
    assert not point.exists
    assert not point.unique
    assert "no solution" in point.note
    assert np.isfinite(point.theta).all()


def test_singular_A_with_many_solutions_says_so():
    point = td_fixed_point(twostate("5/6"))  # A = 0, b = 0
    assert point.exists
    assert not point.unique_values
    assert "many solutions" in point.note


@settings(max_examples=60, deadline=None)
@given(exact_problems())
def test_an_existing_fixed_point_has_no_projected_bellman_error(problem):
    point = td_fixed_point(problem)
    if point.exists:
        # Squared residual of a solve with condition number up to 1e8 in these small rationals.
        residual = problem.r_pi + problem.gamma * problem.P_pi @ point.values - point.values
        error = problem.d_mu @ (projection(problem) @ residual) ** 2
        assert error <= 1e-14 * max(1.0, float(np.abs(point.values).max()) ** 2)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_features_scale_the_parameters_and_leave_the_values(scale):
    p = random_problem(6, 5, 2)
    point, scaled = td_fixed_point(p), td_fixed_point(p.with_features(p.Phi * scale))
    assert np.allclose(scaled.values, point.values, rtol=1e-9)
    assert np.allclose(scaled.theta * scale, point.theta, rtol=1e-9)


def test_one_state_one_feature_without_discount():
    p = Problem.from_matrices(0, Phi=[[2]], P_pi=[[1]], r_pi=[3], d_mu=[1])
    assert td_fixed_point(p).theta.tolist() == [1.5]


def test_unknown_behaviour_is_a_clear_line():
    p = Problem.from_matrices(0, Phi=[[2]], P_pi=[[1]], r_pi=[3], d_mu=[1])
    with pytest.raises(InvalidProblem, match="theta_mu needs the behaviour"):
        behaviour_fixed_point(p)


def test_two_hundred_states_of_tabular_features():
    p = random_problem(7, 200, 200, gamma=0.99)
    v = target_values(p)
    # Normal features of this size have a condition number of about 1e3.
    assert np.allclose(td_fixed_point(p).values, v, rtol=1e-7, atol=1e-7 * np.abs(v).max())
