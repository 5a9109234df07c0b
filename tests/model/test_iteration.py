"""Rational iteration equals its prediction identically: no tolerance anywhere."""

from itertools import islice

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.exact.examples import EXACT, baird, middle_window, quadrant, threestate, twostate
from tests.strategies import exact_problems
from theory.exact.matrices import identity, power
from theory.model.iteration import (
    cold_start_matrix,
    concurrent_iterates,
    in_place_matrix,
    predicted_error,
    sequential_heads,
    step_size,
    target_network_iterates,
    target_network_matrix,
    td_iterates,
    window_sum,
)
from theory.model.linear_model import exact_moments
from theory.model.points import behaviour_fixed_point, joint_solution, td_fixed_point
from theory.problems import InvalidProblem

ALPHA = "1/7"
PAPER = [twostate(), threestate(), baird()]


def ones(problem):
    return fmpq_mat(problem.n_features, 1, [1] * problem.n_features)


def stacked(heads):
    return fmpq_mat(sum(h.nrows() for h in heads), 1, [x for h in heads for x in h.entries()])


@each_case(without=("singular A",))
def test_td_error_is_the_predicted_one(case):
    problem = case.problem
    target, A = td_fixed_point(problem).theta, exact_moments(problem).A
    for t, theta in enumerate(islice(td_iterates(exact_moments(problem), ALPHA, ones(problem)), 6)):
        assert theta - target == predicted_error(A, ALPHA, ones(problem) - target, t)


@EXACT
@given(exact_problems(with_mdp=True), st.integers(0, 3), st.booleans())
def test_concurrent_error_is_the_predicted_one(problem, K, in_place):
    M, _ = exact_moments(problem).joint(K)
    target = joint_solution(problem, K)
    start = stacked([ones(problem)] * (K + 1))
    step = in_place_matrix(problem, ALPHA, K) if in_place else identity(M.nrows()) - step_size(ALPHA) * M
    for t, heads in enumerate(
        islice(concurrent_iterates(exact_moments(problem), ALPHA, K, ones(problem), in_place=in_place), 5)
    ):
        assert stacked(heads) - target == power(step, t) * (start - target)


def test_in_place_and_simultaneous_share_their_spectrum_but_not_their_iterates():
    problem = threestate()
    M, _ = exact_moments(problem).joint(2)
    jacobi, sweep = identity(9) - step_size(ALPHA) * M, in_place_matrix(problem, ALPHA, 2)
    assert jacobi.charpoly() == sweep.charpoly()
    assert jacobi != sweep


@pytest.mark.parametrize("problem", [*PAPER, middle_window(), quadrant([[1, 0], [3, 1]])])
@pytest.mark.parametrize("T", [0, 1, 2, 5])
def test_hot_target_network_maps_the_error_by_its_matrix(problem, T):
    target = td_fixed_point(problem).theta
    G = target_network_matrix(problem, ALPHA, T)
    for k, theta in enumerate(target_network_iterates(exact_moments(problem), ALPHA, T, 3, ones(problem))):
        assert theta - target == power(G, k) * (ones(problem) - target)


@pytest.mark.parametrize("problem", [twostate(), threestate()])
def test_cold_target_network_contracts_by_its_matrix_to_a_biased_limit(problem):
    T = 3
    C, m = cold_start_matrix(problem, ALPHA, T), exact_moments(problem)
    one = identity(problem.n_features)
    Q, S = power(one - step_size(ALPHA) * m.X, T), window_sum(m.X, ALPHA, T)
    limit = (one - C).solve(Q * ones(problem) + S * m.b)
    for k, theta in enumerate(target_network_iterates(exact_moments(problem), ALPHA, T, 4, ones(problem), hot=False)):
        assert theta - limit == power(C, k) * (ones(problem) - limit)
    assert limit != td_fixed_point(problem).theta


@pytest.mark.parametrize("problem", PAPER)
@pytest.mark.parametrize("hot", [True, False])
def test_sequential_heads_by_their_closed_form(problem, hot):
    # θᵏ = Qθ_s + S_T(γYθᵏ⁻¹ + b), head 0 with A_μ and b_μ; T updates each.
    T, m, one = 3, exact_moments(problem), identity(problem.n_features)
    Q, S = power(one - step_size(ALPHA) * m.X, T), window_sum(m.X, ALPHA, T)
    theta_mu = behaviour_fixed_point(problem).theta
    heads = sequential_heads(exact_moments(problem), ALPHA, T, 3, ones(problem), hot=hot)
    assert heads[0] - theta_mu == predicted_error(m.behaviour.A, ALPHA, ones(problem) - theta_mu, T)
    for k in range(1, 4):
        start = heads[k - 1] if hot else ones(problem)
        assert heads[k] == Q * start + S * (m.gamma * m.Y * heads[k - 1] + m.b)


@EXACT
@given(exact_problems(with_mdp=True), st.integers(0, 4))
def test_head_k_is_off_policy_td_up_to_time_k(problem, K):
    td = td_iterates(exact_moments(problem), ALPHA, ones(problem))
    for t, heads in enumerate(islice(concurrent_iterates(exact_moments(problem), ALPHA, K, ones(problem)), K + 1)):
        expected = next(td)
        assert all(head == expected for head in heads[t:])


def test_step_sizes_and_counts_are_checked():
    assert step_size(0.5) == fmpq(1, 2)
    with pytest.raises(InvalidProblem, match="alpha"):
        step_size(0)
    with pytest.raises(InvalidProblem, match="T: must be"):
        target_network_matrix(twostate(), ALPHA, -1)
    with pytest.raises(InvalidProblem, match="K: must be"):
        target_network_iterates(exact_moments(twostate()), ALPHA, 1, -1, ones(twostate()))
