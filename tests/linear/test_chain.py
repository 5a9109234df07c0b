import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.linear.examples import baird, exact_chain, random_problem, swap, twostate
from tests.strategies import exact_problems
from theory.linear.basis import feature_basis
from theory.linear.chain import (
    chain_by_recursion,
    start_parameters,
)
from theory.linear.fixed_points import td_fixed_point
from theory.linear.values import expedition_values
from theory.problems import InvalidProblem, Problem


def start_for(problem):
    return np.cos(np.arange(problem.n_features))


@each_case(without=("singular A",))
def test_closed_form_and_bias_formula_agree_with_the_recursion(case):
    p, K = case.problem, 12
    found, basis = chain_by_recursion(p, K, start_for(p)), feature_basis(p)
    link, g = p.gamma * basis.compress(p.P_pi), basis.dual @ p.r_pi
    limit = td_fixed_point(p)
    size = np.abs(found.values).max() + np.abs(limit.values).max() + 1
    first, last = (basis.dual @ v for v in (found.values[0], limit.values))
    for k in range(K + 1):
        powers = [np.linalg.matrix_power(link, i) for i in range(k + 1)]
        summed = sum((B @ g for B in powers[:-1]), powers[-1] @ first)
        assert np.allclose(found.values[k], basis.values(summed), atol=1e-11 * size)
        biased = last + powers[-1] @ (first - last)
        assert np.allclose(found.values[k], basis.values(biased), atol=1e-10 * size)  # θ_π is a solve with A
    assert np.allclose(found.theta[1:] @ p.Phi.T, found.values[1:], atol=1e-10 * size)


def test_at_the_threshold_the_chain_drifts():
    p = twostate("5/6", (1, 1))  # B = 1 and X⁻¹b = 3/5: θᵏ = θ⁰ + 3k/5
    assert np.allclose(chain_by_recursion(p, 50, "zero").theta[:, 0], 0.6 * np.arange(51), atol=1e-12)


@each_case(without=("rank-deficient", "float"))
def test_recursion_equals_rational_elimination(case):
    p, K = case.problem, 8
    exact = np.array([[float(x) for x in theta] for theta in exact_chain(p, K, [1] * p.n_features)])
    mine = chain_by_recursion(p, K, [1] * p.n_features).theta
    assert np.allclose(mine, exact, rtol=1e-11, atol=1e-11 * np.abs(exact).max())


def test_chain_on_baird_reward_gives_ten_times_one_minus_gamma_to_the_k():
    p, K = baird(), 40
    values = chain_by_recursion(p, K, "zero").values
    assert np.allclose(values, 10 * (1 - 0.9 ** np.arange(K + 1))[:, None], atol=1e-12)
    assert np.allclose(values, expedition_values(p, K), atol=1e-12)  # Π = I


def test_expedition_is_not_what_the_chain_predicts_where_features_project():
    p = random_problem(8, 4, 2)
    assert np.abs(chain_by_recursion(p, 3).values - expedition_values(p, 3)).max() > 0.1


def test_biased_chain_overflows_to_infinity_and_never_to_nan():
    p = swap([[1], [3]]).with_gamma("99/100")  # B = 1.65
    chain = chain_by_recursion(p, 3000, [1])
    assert chain.overflow_at is not None
    assert not np.isnan(chain.theta).any()
    assert not np.isnan(chain.values).any()
    assert np.isfinite(chain.theta[: chain.overflow_at]).all()
    assert np.isinf(chain.theta[chain.overflow_at :]).all()
    # 1.65ᵏ passes the largest double, 1.8e308, at k = 1417.5.
    assert abs(chain.overflow_at - 1418) <= 2


@settings(max_examples=40, deadline=None)
@given(exact_problems(with_mdp=True))
def test_head_k_of_an_n_step_chain_on_tabular_features_is_head_nk(problem):
    tabular = problem.with_features(np.eye(problem.n_states))
    once = chain_by_recursion(tabular, 6, "zero").values
    thrice = chain_by_recursion(tabular.in_steps_of(3), 2, "zero").values
    assert np.allclose(thrice[[1, 2]], once[[3, 6]], atol=1e-9 * (1 + np.abs(once).max()))


def test_starts_are_checked():
    p = twostate("1/2")
    with pytest.raises(InvalidProblem, match="'zero', 'behaviour' or a list"):
        start_parameters(p, "hot")
    with pytest.raises(InvalidProblem, match="start"):
        start_parameters(p, [1, 2])
    with pytest.raises(InvalidProblem, match=r"start\[0\]: is not finite"):
        start_parameters(p, [np.nan])
    with pytest.raises(InvalidProblem, match="K"):
        chain_by_recursion(p, -1)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_values_of_the_chain_do_not_depend_on_the_units_of_features(scale):
    p = random_problem(9, 5, 3)
    a = chain_by_recursion(p, 20, "behaviour")
    b = chain_by_recursion(p.with_features(p.Phi * np.array([1, scale, 1])), 20, "behaviour")
    assert np.allclose(a.values, b.values, rtol=1e-9, atol=1e-9)


def test_zero_features_predict_zero():
    p = twostate("1/2", (1, 1)).with_features([[0], [0]])
    assert chain_by_recursion(p, 3, "zero").values.tolist() == [[0, 0]] * 4


def test_duplicated_features_share_the_parameter():
    p = twostate("1/2", (1, 1))
    double = p.with_features([[1, 1], [2, 2]])
    single = chain_by_recursion(p, 4, "zero").theta
    assert np.allclose(chain_by_recursion(double, 4, "zero").theta, single / 2 @ np.ones((1, 2)), atol=1e-13)


def test_gamma_zero_forgets_the_start_at_once():
    p = Problem.from_matrices(0, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], r_pi=[1, 1], d_mu=["1/2", "1/2"])
    assert np.allclose(chain_by_recursion(p, 3, [100.0]).theta[1:], 0.6)
