"""Fixed points, least-norm solutions, and what the other learners rest at."""

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.exact.examples import EXACT, baird, random_problem, twostate
from tests.strategies import rationals
from theory.exact.matrices import geometric_sum, identity, least_norm_solution, matrix, power, pseudo_inverse
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import behaviour_fixed_point, starting_point, td_fixed_point, true_values
from theory.problems import InvalidProblem, Problem


@st.composite
def matrices(draw, rows=None, columns=None):
    rows = rows or draw(st.integers(1, 4))
    columns = columns or draw(st.integers(1, 4))
    return matrix([[draw(rationals()) for _ in range(columns)] for _ in range(rows)])


@EXACT
@given(matrices())
def test_pseudo_inverse_meets_penroses_four_conditions(M):
    Mp = pseudo_inverse(M)
    assert M * Mp * M == M
    assert Mp * M * Mp == Mp
    assert (M * Mp).transpose() == M * Mp
    assert (Mp * M).transpose() == Mp * M


@EXACT
@given(matrices(), st.data())
def test_least_norm_solution_is_the_pseudo_inverse_where_there_is_a_solution(M, data):
    b = matrix([data.draw(rationals()) for _ in range(M.nrows())])
    consistent = M * pseudo_inverse(M) * b == b
    found = least_norm_solution(M, b)
    assert (found is not None) == consistent
    if consistent:
        assert found == pseudo_inverse(M) * b


@EXACT
@given(matrices(rows=3, columns=3), st.integers(0, 13))
def test_powers_and_geometric_sums_by_doubling_equal_plain_ones(M, k):
    plain_power, plain_sum = identity(3), fmpq_mat(3, 3)
    for _ in range(k):
        plain_sum += plain_power
        plain_power = plain_power * M
    assert power(M, k) == plain_power
    assert geometric_sum(M, k) == (plain_power, plain_sum)


@each_case()
def test_fixed_point_solves_its_equation_and_says_whether_it_is_alone(case):
    m, found = exact_moments(case.problem), td_fixed_point(case.problem)
    if found.theta is None:
        assert "singular A" in case.tags
        assert found.note == "no TD fixed point: b is not in the range of A"
        return
    assert m.A * found.theta == m.b
    assert found.values == matrix(case.problem.exact.Phi) * found.theta
    assert found.unique == (m.A.det() != 0)
    assert (found.note is None) == found.unique
    if "rank-deficient" in case.tags:
        assert not found.unique


def test_baird_has_many_parameters_but_one_value_function():
    found = td_fixed_point(baird())
    assert (found.unique, found.unique_values) == (False, True)
    assert found.note == "8 features of rank 7: θ of least norm, values unique"
    assert found.values == true_values(exact_model(baird()))
    # Least norm: orthogonal to the kernel of Φ.
    kernel = fmpq_mat([[1], [1], [1], [1], [1], [1], [4], [-2]])
    assert (matrix(baird().exact.Phi) * kernel).entries() == [0] * 7
    assert (kernel.transpose() * found.theta).entries() == [0]


def test_singular_key_matrix_with_many_value_functions_is_said():
    found = td_fixed_point(twostate("5/6", r_pi=(0, 0)))
    assert found.theta.entries() == [0]
    assert not found.unique_values
    assert "values not unique" in found.note


def test_tabular_features_give_the_true_values():
    problem = random_problem(np.random.default_rng(3), 4, 4)
    assert problem.Phi.shape == (4, 4)
    assert exact_moments(problem).X.det() != 0
    assert td_fixed_point(problem).values == true_values(exact_model(problem))
    assert behaviour_fixed_point(problem).values == true_values(exact_model(problem).behaviour)


def test_starting_points():
    problem = twostate()
    assert starting_point(exact_model(problem), "zero").entries() == [0]
    assert starting_point(exact_model(problem), "behaviour") == behaviour_fixed_point(problem).theta
    assert starting_point(exact_model(problem), ["3/4"]).entries() == [fmpq(3, 4)]
    assert starting_point(exact_model(problem), [0.5]).entries() == [fmpq(1, 2)]
    for bad, message in ((["1", "2"], "start: has shape 2"), ("middle", "start: expected"), (["x"], r"start\[0\]")):
        with pytest.raises(InvalidProblem, match=message):
            starting_point(exact_model(problem), bad)


def test_behaviour_without_a_fixed_point_is_no_start():
    # d is not stationary for P_μ, and A_μ = X − γΦᵀDP_μΦ = 5/2 − 5/6·3 = 0.
    problem = Problem.from_matrices(
        "5/6", Phi=[[1], [2]], P_pi=[[1, 0], [0, 1]], d_mu=["1/2", "1/2"], P_mu=[[0, 1], [0, 1]], r_mu=[1, 1]
    )
    with pytest.raises(InvalidProblem, match="start: the behaviour has no TD fixed point"):
        starting_point(exact_model(problem), "behaviour")
