"""Chains of n-step estimators."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT, baird, random_problem, threestate
from tests.strategies import exact_problems
from theory.certified.verdicts import chain_unbiased
from theory.exact.algebraic import algebraic_rational
from theory.exact.matrices import identity, matrix, power, rational, scaled_rows
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import chain_heads, expedition_values, starting_point, td_fixed_point
from theory.problems import Problem
from theory.propositions.n_step import is_safe
from theory.thresholds.discounts import chain_threshold, n_step_threshold


def stretched(problem, n):
    """The same by plain loops."""
    e = problem.exact
    P_n, r_n = np.array(np.eye(problem.n_states, dtype=int), dtype=object), 0 * e.r_pi
    for j in range(n):
        r_n = r_n + e.gamma**j * (P_n @ e.r_pi)
        P_n = P_n @ e.P_pi
    return Problem.from_matrices(e.gamma**n, Phi=e.Phi, P_pi=P_n, r_pi=r_n, d_mu=e.d_mu)


@EXACT
@given(exact_problems(), st.integers(1, 4))
def test_n_steps_are_one_step_of_another_problem(problem, n):
    ahead, loops = exact_moments(problem.in_steps_of(n)), exact_moments(stretched(problem, n))
    assert (ahead.X, ahead.Y, ahead.A, ahead.b, ahead.gamma) == (loops.X, loops.Y, loops.A, loops.b, loops.gamma)
    e, g = problem.exact, rational(problem.exact.gamma)
    P, Phi, D = matrix(e.P_pi), matrix(e.Phi), scaled_rows([rational(x) for x in e.d_mu], identity(problem.n_states))
    assert Phi.transpose() * D * (identity(problem.n_states) - g**n * power(P, n)) * Phi == ahead.A


def test_floats_look_ahead_in_floats():
    problem = Problem.from_matrices(
        0.9, Phi=[[1.0], [3.0]], P_pi=[[0.25, 0.75], [0.5, 0.5]], d_mu=[0.5, 0.5], r_pi=[1.0, -1.0]
    )
    ahead, exact = problem.in_steps_of(3), stretched(problem, 3)
    assert not ahead.is_exact
    for name in ("P_pi", "r_pi", "gamma"):
        assert np.allclose(getattr(ahead, name), getattr(exact, name), rtol=1e-14)
    assert problem.in_steps_of(1) is problem


@pytest.mark.parametrize("problem", [threestate(), baird(), random_problem(np.random.default_rng(3), 4, 4)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_with_full_features_k_heads_predict_the_nk_step_expedition(problem, n):
    heads = chain_heads(exact_model(problem.in_steps_of(n)), 3, starting_point(exact_model(problem), "behaviour"))
    for k, head in enumerate(heads):
        assert matrix(problem.exact.Phi) * head == expedition_values(exact_model(problem), n * k)[-1]
    assert td_fixed_point(problem.in_steps_of(n)).values == td_fixed_point(problem).values


@EXACT
@given(exact_problems(), st.integers(1, 3))
def test_threshold_is_that_of_the_stretched_problem_under_the_root(problem, n):
    found, long = n_step_threshold(problem, n), chain_threshold(stretched(problem, n))
    assert (found.exact is None) == (long.exact is None)
    if found.exact is not None:
        assert found.exact == long.exact.root(n)


@EXACT
@given(exact_problems(), st.integers(1, 6))
def test_below_the_safe_discount_every_chain_is_unbiased(problem, n):
    # extra-n-step: γⁿ < √(min d).
    threshold, least = n_step_threshold(problem, n).exact, min(problem.exact.d_mu)
    assert threshold is None or threshold >= algebraic_rational(rational(least)).root(2 * n)
    assert is_safe(problem, n) == (problem.exact.gamma ** (2 * n) < least)
    if is_safe(problem, n):
        assert chain_unbiased(stretched(problem, n)).proved
