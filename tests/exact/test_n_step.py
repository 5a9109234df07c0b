"""Chains of n-step estimators."""

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.exact.examples import EXACT, baird, quadrant, random_problem, threestate, twostate
from tests.strategies import exact_problems
from theory.certified.verdicts import chain_unbiased
from theory.exact.algebraic import algebraic_rational
from theory.exact.chain import chain_heads, expedition_values
from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import matrix, rational
from theory.exact.moments import exact_moments, exact_projection
from theory.exact.n_step import (
    is_safe,
    n_step_chain,
    n_step_fixed_point,
    n_step_moments,
)
from theory.exact.solve import power
from theory.problems import InvalidProblem, Problem
from theory.thresholds.discounts import chain_threshold, n_step_threshold


def stretched(problem, n):
    """The problem whose one step is n steps: Pⁿ, γⁿ and the n-step rewards, by plain loops."""
    e = problem.exact
    P_n, r_n = np.array(np.eye(problem.n_states, dtype=int), dtype=object), 0 * e.r_pi
    for j in range(n):
        r_n = r_n + e.gamma**j * (P_n @ e.r_pi)
        P_n = P_n @ e.P_pi
    return Problem.from_matrices(e.gamma**n, Phi=e.Phi, P_pi=P_n, r_pi=r_n, d_mu=e.d_mu)


@each_case()
def test_one_step_is_the_ordinary_chain(case):
    m, one = exact_moments(case.problem), n_step_moments(case.problem, 1)
    assert (one.X, one.Y, one.A, one.b, one.discount) == (m.X, m.Y, m.A, m.b, m.gamma)
    assert n_step_chain(case.problem, 1, 3) == chain_heads(case.problem, 3)[-1]


@EXACT
@given(exact_problems(), st.integers(1, 4), st.integers(0, 3))
def test_n_steps_are_one_step_of_the_stretched_problem(problem, n, k):
    long = stretched(problem, n)
    assert n_step_moments(problem, n).A == exact_moments(long).A
    assert n_step_moments(problem, n).b == exact_moments(long).b
    assert n_step_fixed_point(problem, n).theta == td_fixed_point(long).theta
    assert n_step_chain(problem, n, k) == chain_heads(long, k)[-1]


@pytest.mark.parametrize("problem", [threestate(), baird(), random_problem(np.random.default_rng(3), 4, 4)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_with_full_features_k_heads_predict_the_nk_step_expedition(problem, n):
    for k in range(4):
        values = matrix(problem.exact.Phi) * n_step_chain(problem, n, k, "behaviour")
        assert values == expedition_values(problem, n * k)
    assert n_step_fixed_point(problem, n).values == td_fixed_point(problem).values


def test_otherwise_the_fixed_point_moves_with_n():
    # Twostate, r = (1, 0) and P² = P: (5/2 − 3γⁿ)θ = 1/2, since b_n = ΦᵀDr = 1/2 for every n.
    problem = twostate("1/2", r_pi=(1, 0))
    found = [n_step_fixed_point(problem, n).theta[0, 0] for n in (1, 2, 3)]
    assert found == [fmpq(1, 2) / (fmpq(5, 2) - 3 * fmpq(1, 2) ** n) for n in (1, 2, 3)]


@EXACT
@given(exact_problems(), st.integers(1, 3))
def test_threshold_is_that_of_the_stretched_problem_under_the_root(problem, n):
    found, long = n_step_threshold(problem, n), chain_threshold(stretched(problem, n))
    assert (found.exact is None) == (long.exact is None)
    if found.exact is not None:
        assert found.exact == long.exact.root(n)


def test_more_steps_can_save_the_chain():
    # Twostate: P² = P, so γⁿ·6/5 < 1: at γ = 0.99 from n = 19 on.
    limit = [n for n in range(1, 40) if n_step_threshold(twostate(), n).exact > fmpq(99, 100)]
    assert limit == list(range(19, 40))
    assert fmpq(99, 100) ** 19 < fmpq(5, 6) < fmpq(99, 100) ** 18


@EXACT
@given(exact_problems(), st.integers(1, 6))
def test_below_the_safe_discount_every_chain_is_unbiased(problem, n):
    # extra-n-step: γⁿ < √(min d).
    threshold, least = n_step_threshold(problem, n).exact, min(problem.exact.d_mu)
    assert threshold is None or threshold >= algebraic_rational(rational(least)).root(2 * n)
    assert is_safe(problem, n) == (problem.exact.gamma ** (2 * n) < least)
    if is_safe(problem, n):
        assert chain_unbiased(stretched(problem, n)).proved


def test_safe_discount_is_not_a_threshold():
    problem = quadrant([[1], [0]])
    assert not is_safe(problem, 1)
    assert chain_unbiased(problem).proved


def test_projected_powers_give_the_spectrum():
    problem = quadrant([[1], [3]])
    P3 = power(matrix(problem.exact.P_pi), 3)
    m = n_step_moments(problem, 3)
    spectrum = (exact_projection(problem) * P3).charpoly()
    assert spectrum(m.X.solve(m.Y)[0, 0]) == 0


def test_zero_features_and_bad_counts():
    assert "zero" in n_step_threshold(quadrant([[0], [0]]), 2).reason
    for call in (n_step_moments, n_step_threshold, is_safe):
        with pytest.raises(InvalidProblem, match="n: an estimator"):
            call(twostate(), 0)
    with pytest.raises(InvalidProblem, match="k: a chain"):
        n_step_chain(twostate(), 1, -1)
