"""Twostate and Threestate are the paper's."""

from fractions import Fraction

import pytest

from tests.problems.catalogue.rational import GAMMAS, behaviour_value, key_matrix, moments, target_value, td_stable
from theory.problems.catalogue import catalogue_problem


def test_twostate_has_the_papers_moments():
    X, Y = moments(catalogue_problem("twostate"))
    assert (X[0, 0], Y[0, 0]) == (Fraction(5, 2), 3)


def test_twostate_thresholds_are_both_five_sixths():
    # One feature: TD is stable ⇔ A > 0 and the chain unbiased ⇔ |γY/X| < 1, and Y > 0 makes these the same.
    assert key_matrix(catalogue_problem("twostate:gamma=5/6")) == 0
    assert td_stable(catalogue_problem("twostate:gamma=0.8333"))
    assert not td_stable(catalogue_problem("twostate:gamma=0.8334"))


def test_threestate_is_the_file_of_the_design():
    problem = catalogue_problem("threestate")
    assert problem.exact.Phi.tolist() == [[1, 1, 1], [1, 2, 1], [2, 2, 1]]
    assert problem.mdp.P.tolist() == [[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]]]
    assert problem.mdp.R.tolist() == [[-1, 1]] * 3
    assert problem.pi.tolist() == [[0, 1]] * 3
    assert problem.mu.tolist() == [[Fraction(1, 2)] * 2] * 3
    assert problem.mdp.states == problem.states == ("left", "middle", "right")
    assert problem.mdp.actions == ("left", "right")
    assert problem.given.gamma == Fraction(9, 10)


@pytest.mark.parametrize("name", ["baird-reward", "threestate", "twostate-reward"])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_reward_problems_have_behaviour_value_zero_and_target_value_one_over_one_minus_gamma(name, gamma):
    problem = catalogue_problem(f"{name}:gamma={gamma}")
    assert target_value(problem) == [1 / (1 - gamma)] * problem.n_states
    assert behaviour_value(problem) == [0] * problem.n_states
