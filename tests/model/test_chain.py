"""The chain three ways, the joint solution, expeditions, and the errors."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.exact.examples import EXACT, behaved, quadrant, twostate
from tests.strategies import exact_problems
from theory.exact.matrices import matrix, power, square_root
from theory.model.heads import chain_head
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import (
    behaviour_fixed_point,
    chain_by_closed_form,
    chain_heads,
    chain_step,
    expedition_values,
    joint_solution,
    projection,
    starting_point,
    td_fixed_point,
    true_values,
)
from theory.problems import InvalidProblem


@EXACT
@given(exact_problems(), st.integers(0, 6), st.sampled_from(["zero", "behaviour", "given"]))
def test_recursion_closed_form_and_bias_formula_agree_identically(problem, k, start):
    problem = behaved(problem)
    if start == "behaviour" and behaviour_fixed_point(problem).theta is None:
        start = "zero"
    if start == "given":
        start = [Fraction(i + 1, 3) for i in range(problem.n_features)]
    theta = chain_heads(exact_model(problem), k, start)[-1]
    assert chain_by_closed_form(problem, k, start) == theta
    theta_pi = td_fixed_point(problem).theta
    if theta_pi is not None:
        m = exact_model(problem)
        assert theta_pi + power(chain_step(m)[0], k) * (starting_point(m, start) - theta_pi) == theta


@each_case()
def test_values_follow_the_projected_bellman_operator(case):
    e, gamma = case.problem.exact, exact_moments(case.problem).gamma
    Pi, Phi = projection(case.problem), matrix(e.Phi)
    heads = chain_heads(exact_model(case.problem), 4, [1] * case.problem.n_features)
    for before, after in pairwise(heads):
        assert Phi * after == Pi * (matrix(e.r_pi) + gamma * (matrix(e.P_pi) * (Phi * before)))


def test_at_the_threshold_the_chain_drifts_and_has_no_bias_formula():
    # γ = 5/6: B = 1, so θᵏ = k b/X = k (3/2)/(5/2).
    head = chain_head(twostate("5/6"), 7)
    assert head.theta == [fmpq(21, 5)]
    assert head.bias is None
    assert head.note == "no TD fixed point: b is not in the range of A"


@EXACT
@given(exact_problems(with_mdp=True), st.integers(0, 3))
def test_joint_solution_is_the_stacked_chain(problem, K):
    # d_μ is stationary, so A_μ is singular on the kernel of Φ only, and least norm means least norm of each head.
    stacked = [x for head in chain_heads(exact_model(problem), K, "behaviour") for x in head.entries()]
    assert joint_solution(problem, K).entries() == stacked


def test_expedition_by_its_definition():
    # π for k steps, then μ: Σ_{i<k} γⁱPⁱr + γᵏPᵏv_μ.
    problem = twostate("1/2")
    P, r, v_mu = matrix(problem.exact.P_pi), matrix(problem.exact.r_pi), true_values(exact_model(problem).behaviour)
    assert expedition_values(exact_model(problem), 2)[-1] == r + P * r / 2 + P * P * v_mu / 4


def test_bad_indices_are_refused():
    for call in (chain_by_closed_form, chain_head):
        with pytest.raises(InvalidProblem, match="k: must be 0 or more, got -1"):
            call(twostate(), -1)
    with pytest.raises(InvalidProblem, match="P_mu: A_μ and θ_μ need"):
        expedition_values(exact_model(quadrant([[1], [3]])), 1)


@given(st.fractions(0, 10**6))
def test_square_roots_are_doubles_next_to_the_root(x):
    root = square_root(fmpq(x.numerator, x.denominator))
    low, high = (Fraction(math.nextafter(root, to)) for to in (0, math.inf))
    assert low <= 0 or low * low < x
    assert x < high * high


def test_square_roots_outside_the_range_of_doubles():
    assert square_root(fmpq(10) ** 500) == 1e250
    assert square_root(1 / fmpq(10) ** 500) == 1e-250
    assert square_root(fmpq(10) ** 700) == math.inf
