"""θᵏ for large k: all digits in integers, first digits in balls, both against the plain recursion."""

from fractions import Fraction

import pytest
from flint import arb, fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import exact_problems
from theory.exact.algebraic import rational_ball
from theory.model.balls import precision
from theory.model.heads import chain_head, enclosed_head, exact_iterate, head_seconds
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem


def holds(ball, number):
    """Exactly: `arb.contains` would round the number first."""
    low, high = rational_ball(ball)
    return low <= number <= high


def encloses(head, exact):
    pairs = [(head.theta, exact.theta), (head.values, exact.values), (head.error, exact.error)]
    if exact.bias is not None:
        assert head.bias is not None
        pairs.append((head.bias, exact.bias))
    return all(holds(x, y) for balls, m in pairs for x, y in zip(balls, m, strict=True))


def recursion(B, c, z, k):
    for _ in range(k):
        z = B * z + c
    return z


@settings(max_examples=60, deadline=None)
@given(problem=exact_problems(), k=st.integers(0, 40))
def test_powers_in_integers_equal_the_recursion(problem, k):
    assert chain_head(problem, k).theta == chain_heads(exact_model(problem), k)[-1].entries()


@pytest.mark.parametrize("k", [0, 1, 2, 3, 7, 64, 1000])
def test_powers_by_the_characteristic_polynomial_equal_the_recursion(k):
    n = 3
    B = fmpq_mat(n, n, [fmpq((i * i) % 7 - 3, 5 + i) for i in range(n * n)])
    c, z = fmpq_mat(n, 1, [fmpq(1, 2), fmpq(-2), fmpq(0)]), fmpq_mat(n, 1, [fmpq(1, 3), fmpq(0), fmpq(5, 7)])
    assert exact_iterate(B, c, z, k) == recursion(B, c, z, k)


def test_nilpotent_and_zero_maps_have_no_trouble():
    shift = fmpq_mat([[0, 1], [0, 0]])
    c, z = fmpq_mat([[1], [1]]), fmpq_mat([[3], [4]])
    for k in (0, 1, 2, 50):
        assert exact_iterate(shift, c, z, k) == recursion(shift, c, z, k)
    assert exact_iterate(fmpq_mat(2, 2), fmpq_mat(2, 1), z, 5) == fmpq_mat(2, 1)


@settings(max_examples=40, deadline=None)
@given(problem=exact_problems(), k=st.integers(0, 60))
def test_balls_enclose_the_exact_head(problem, k):
    assert encloses(enclosed_head(problem, k), chain_head(problem, k))


@each_case()
def test_balls_enclose_every_case_and_start(case):
    problem = case.problem
    start = [Fraction(i + 1, 3) for i in range(problem.n_features)]
    for k in (0, 1, 5, 33):
        assert encloses(enclosed_head(problem, k, start), chain_head(problem, k, start))


def test_a_start_outside_the_row_space_is_forgotten_after_one_step():
    twins = Problem.from_matrices("9/10", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"], r_pi=[1, 1])
    head = enclosed_head(twins, 0, [3, 5])
    assert [holds(x, y) for x, y in zip(head.theta, (3, 5), strict=True)] == [True, True]
    assert encloses(enclosed_head(twins, 1, [3, 5]), chain_head(twins, 1, [3, 5]))


def test_vanishing_bias_keeps_its_digits():
    """Threestate's chain from zero has vᵏ − v_π = −10·0.9ᵏ exactly; 10⁹ links make it about 10^−45757490."""
    problem, k = catalogue_problem("threestate"), 10**9
    for few in (1, 7):
        assert chain_head(problem, few).error == [-10 * fmpq(9, 10) ** few] * 3
    head = enclosed_head(problem, k)
    assert head.digits >= 30
    with precision(256):
        expected = -10 * (arb(k) * arb(fmpq(9, 10)).log()).exp()
        assert all(ball.overlaps(expected) and ball.rel_accuracy_bits() > 100 for ball in head.error)


def test_no_fixed_point_means_no_bias_but_right_values():
    """At γ = 5/6 twostate drifts: θᵏ = 3k/5."""
    problem = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"], r_pi=[1, 1])
    head = enclosed_head(problem, 10**8)
    assert head.bias is None
    assert "no TD fixed point" in head.note
    assert holds(head.theta[0], fmpq(3 * 10**8, 5))


def test_the_estimate_grows_with_the_length_of_the_result():
    problem = catalogue_problem("garnet")
    assert head_seconds(problem, 10) < 1 < 60 < head_seconds(problem, 10**5)
