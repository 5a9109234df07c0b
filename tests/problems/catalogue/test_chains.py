"""Boyan's chain and the random walk, and their ends."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from tests.problems.catalogue.rational import GAMMAS, target_value
from theory.problems.catalogue import catalogue_problem


@pytest.mark.parametrize("target", [Fraction(0), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_boyans_value_satisfies_his_recursion(target, gamma):
    problem = catalogue_problem(f"boyan-chain:target={target},gamma={gamma}")
    v = [Fraction(0), Fraction(-2)]
    for s in range(2, 13):
        v.append(-3 + gamma * ((1 - target) * v[s - 1] + target * v[s - 2]))
    assert target_value(problem) == [*reversed(v), 0]


@pytest.mark.parametrize("name", ["boyan-chain", "random-walk", "tsitsiklis-van-roy"])
def test_the_end_is_silent_and_the_behaviour_comes_back(name):
    problem = catalogue_problem(name)
    assert problem.states[-1] == "end"
    assert not problem.exact.Phi[-1].any()
    assert problem.pi[-1].tolist() == [1, 0]
    assert problem.mu[-1].tolist() == [Fraction(1, 2)] * 2
    assert target_value(problem)[-1] == 0


@pytest.mark.parametrize("states", [3, 5, 9])
@pytest.mark.parametrize("target", [Fraction(1, 2), Fraction(3, 5), Fraction(1, 10)])
@pytest.mark.parametrize("gamma", [Fraction(1, 2), Fraction(99, 100)])
def test_random_walks_value_is_the_gamblers(states, target, gamma):
    problem = catalogue_problem(f"random-walk:states={states},target={target},gamma={gamma}")
    # v_i = γ(p v_{i+1} + q v_{i−1}) with v_0 = 0, v_{n+1} = 1/γ: v_i ∝ a^i − b^i, γp x² − x + γq = 0.
    p, g = float(target), float(gamma)
    root = sqrt(1 - 4 * g * g * p * (1 - p))
    a, b = (1 + root) / (2 * g * p), (1 - root) / (2 * g * p)
    i = np.arange(1, states + 1)
    closed_form = (a**i - b**i) / (a ** (states + 1) - b ** (states + 1)) / g
    got = np.array([float(x) for x in target_value(problem)[:-1]])
    # Differences of powers lose digits when a ≈ b: here a/b is at least 1.15, so a few.
    np.testing.assert_allclose(got, closed_form, rtol=1e-12)


def test_random_walk_features_of_five_states():
    tabular, inverted, dependent = (
        catalogue_problem(f"random-walk:features={kind}").exact.Phi[:5] for kind in ("tabular", "inverted", "dependent")
    )
    assert (tabular == np.eye(5, dtype=int)).all()
    assert (inverted * 2 == 1 - np.eye(5, dtype=int)).all()
    ones = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]]
    lengths = [sqrt(sum(row)) for row in ones]
    assert ((dependent > 0) == ones).all()
    np.testing.assert_allclose(dependent.astype(float), np.array(ones) / np.array(lengths)[:, None], atol=1e-5)
    assert all(len(set(row) - {0}) == 1 for row in dependent.tolist())
