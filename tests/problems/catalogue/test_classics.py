"""Tsitsiklis and Van Roy's counterexample, and Kolter's."""

from fractions import Fraction

import pytest

from tests.problems.catalogue.rational import GAMMAS, key_matrix, moments, target_value
from theory.problems.catalogue import catalogue_problem


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_tsitsiklis_van_roy_multiplies_the_weight(epsilon, gamma):
    problem = catalogue_problem(f"tsitsiklis-van-roy:epsilon={epsilon},gamma={gamma}")
    X, Y = moments(problem)
    assert gamma * Y[0, 0] / X[0, 0] == gamma * (6 - 4 * epsilon) / 5
    assert problem.exact.d_mu[0] == problem.exact.d_mu[1]
    assert not any(target_value(problem))


def test_tsitsiklis_van_roy_goes_to_the_end_with_probability_epsilon():
    problem = catalogue_problem("tsitsiklis-van-roy:epsilon=1/4")
    assert problem.mdp.stream_under(problem.pi).tolist() == [[0, 1, 0], [0, Fraction(3, 4), Fraction(1, 4)], [0, 0, 1]]
    assert problem.exact.P_pi.tolist() == [[0, 1, 0], [0, Fraction(3, 4), 0], [0, 0, 0]]  # the end is worth nothing
    assert problem.exact.Phi.tolist() == [[1], [2], [0]]


@pytest.mark.parametrize("p", [Fraction(1, 100), Fraction(1, 2), Fraction(5, 7)])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_kolters_value_and_distribution_are_given_at_every_gamma(p, gamma):
    problem = catalogue_problem(f"kolter:p={p},gamma={gamma}")
    assert target_value(problem) == [1, Fraction(21, 20)]
    assert problem.exact.d_mu.tolist() == [p, 1 - p]
    assert problem.exact.P_pi.tolist() == [[Fraction(1, 2)] * 2] * 2


def kolters_singular_p():
    f, gamma = Fraction("1.0501"), Fraction("0.99")
    m = gamma * (1 + f) / 2
    return f * (f - m) / (f * (f - m) + m - 1)


def test_kolters_key_matrix_vanishes_near_the_published_p():
    p = kolters_singular_p()
    assert key_matrix(catalogue_problem(f"kolter:p={p}")) == 0
    assert round(float(p), 4) == 0.7147
