import numpy as np
import pytest

from tests.cases import each_case
from tests.linear.examples import baird, random_problem
from theory.linear.values import behaviour_values, bias, expedition_values, rmse, target_values
from theory.problems import InvalidProblem, Problem


@each_case()
def test_true_values_satisfy_the_bellman_equation(case):
    p = case.problem
    v = target_values(p)
    assert np.allclose(v, p.r_pi + p.gamma * p.P_pi @ v, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("gamma", ["9/10", "99/100"])
def test_claim_v_on_baird_reward(gamma):
    p = baird(gamma)
    # (I − γP)⁻¹ has norm 1/(1−γ), so 16 digits less two remain.
    assert np.allclose(target_values(p), 1 / (1 - p.gamma), rtol=1e-12)
    assert np.allclose(behaviour_values(p), 0, atol=1e-12)


def test_expedition_follows_the_target_for_k_steps_and_then_the_behaviour():
    p, k = random_problem(1, 4, 2), 3
    reward = sum(np.linalg.matrix_power(p.gamma * p.P_pi, j) @ p.r_pi for j in range(k))
    expected = reward + np.linalg.matrix_power(p.gamma * p.P_pi, k) @ behaviour_values(p)
    assert np.allclose(expedition_values(p, 5)[k], expected, atol=1e-12)
    assert np.allclose(expedition_values(p, 600)[-1], target_values(p), atol=1e-12)


def test_behaviour_values_need_the_behaviour():
    p = Problem.from_matrices("1/2", Phi=[[1], [1]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"])
    with pytest.raises(InvalidProblem, match="P_mu"):
        behaviour_values(p)


def test_rmse_is_unweighted():
    p = random_problem(2, 3, 1)
    v = target_values(p) + np.array([3.0, 0.0, 4.0])
    assert np.allclose(bias(p, v), [3, 0, 4])
    assert np.isclose(rmse(p, v), np.sqrt(25 / 3))
    assert rmse(p, np.stack([v, v, v])).shape == (3,)


def test_rmse_of_enormous_and_infinite_values_is_a_number():
    p = random_problem(2, 3, 1)
    assert rmse(p, np.full(3, 1e300)) == pytest.approx(1e300)
    assert rmse(p, np.full(3, np.inf)) == np.inf
