from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.linear.examples import baird, joint, random_problem, swap, twostate
from tests.strategies import exact_problems
from theory.linear.chain import chain_by_recursion
from theory.linear.moments import moments
from theory.linear.richardson import (
    concurrent_chain,
    off_policy_td,
    richardson,
    target_network,
)
from theory.linear.step_sizes import chain_step_sizes
from theory.problems import InvalidProblem

EPS = np.finfo(float).eps


@pytest.mark.parametrize("t", [0, 1, 7, 300])
def test_error_is_the_predicted_one_for_complex_and_defective_matrices(t):
    for M in (np.array([[1.0, 2.0], [-2.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 1.0]])):
        b, start, alpha = np.array([1.0, -1.0]), np.array([5.0, 3.0]), 0.3
        fixed = np.linalg.solve(M, b)
        error = richardson(M, b, alpha, start, t).theta[t] - fixed
        # Each step rounds at the size of θ; ‖(I−αM)ʲ‖ ≤ 2 here, so t steps add at most 2t of these.
        predicted = np.linalg.matrix_power(np.eye(2) - alpha * M, t) @ (start - fixed)
        assert np.allclose(error, predicted, atol=40 * (t + 1) * EPS * 10)


@settings(max_examples=40, deadline=None)
@given(exact_problems())
def test_td_equals_its_rational_iteration(problem):
    e, alpha, steps = problem.exact, Fraction(1, 8), 6
    S, F = e.Phi.shape
    theta = [Fraction(1)] * F
    for _ in range(steps):
        v = [sum((e.Phi[s, j] * theta[j] for j in range(F)), Fraction(0)) for s in range(S)]
        ahead = [sum((e.P_pi[s, t] * v[t] for t in range(S)), Fraction(0)) for s in range(S)]
        delta = [e.r_pi[s] + e.gamma * ahead[s] - v[s] for s in range(S)]
        theta = [
            theta[j] + alpha * sum((e.d_mu[s] * delta[s] * e.Phi[s, j] for s in range(S)), Fraction(0))
            for j in range(F)
        ]
    exact = np.array([float(x) for x in theta])
    # Features up to 3: one step multiplies by at most 1 + 9F/4, 8 for three features.
    assert np.allclose(off_policy_td(problem, 0.125, steps, np.ones(F)).theta[-1], exact, atol=1e-15 * 8.0**steps)


def test_divergence_ends_at_infinity_without_nan_or_warning():
    p = baird("99/100")
    run = off_policy_td(p, 0.5, 20_000, np.ones(8))
    assert run.overflowed[-1]
    assert not np.isnan(run.theta).any()
    assert np.isinf(run.values(p)[-1]).all()
    first = int(run.overflowed.argmax())
    assert run.overflowed[first:].all()


def test_td_below_the_limit_reaches_its_fixed_point_and_above_it_does_not():
    p = twostate("1/2", (1, 1))  # A = 1, b = 3/2, limit 2
    assert off_policy_td(p, 1.9, 600).theta[-1] == pytest.approx(1.5)
    assert abs(off_policy_td(p, 2.1, 600).theta[-1].item()) > 1e20


@each_case()
def test_one_update_per_target_is_off_policy_td(case):
    p = case.problem
    rounds = target_network(p, 0.1, 1, 9, np.ones(p.n_features))
    td = off_policy_td(p, 0.1, 9, np.ones(p.n_features))
    size = np.abs(td.theta).max()
    assert np.allclose(rounds.theta[:, -1], td.theta[1:], atol=1e-11 * size)


@each_case(without=("rank-deficient",))
def test_hot_and_cold_windows_follow_their_matrices(case):
    p, T, alpha = case.problem, 5, 0.05
    m = moments(p)
    F = p.n_features
    Q = np.linalg.matrix_power(np.eye(F) - alpha * m.X, T)
    start = np.cos(np.arange(F)) + 1
    for hot in (True, False):
        run = target_network(p, alpha, T, 4, start, hot=hot).theta
        theta = start
        for k in range(4):
            begin = theta if hot else start
            theta = Q @ begin + (np.eye(F) - Q) @ np.linalg.solve(m.X, m.b + p.gamma * m.Y @ theta)
            assert np.allclose(run[k, -1], theta, rtol=1e-9, atol=1e-9)
            assert np.allclose(run[k, 0], begin if k == 0 or not hot else run[k - 1, -1])


def test_figure_2_sequential_windows_hit_the_chain_within_the_predicted_error():
    p, alpha, T, K = baird(), 0.1, 250, 40
    heads = target_network(p, alpha, T, K).values(p)[:, -1]  # head 0 rests at θ_μ = 0
    ends = np.concatenate([np.zeros((1, 7)), heads])
    # Value space: v ← v + αΦΦᵀD(r + γP v⁻ − v), whose T-th power is known.
    Q = np.linalg.matrix_power(np.eye(7) - alpha * p.Phi @ p.Phi.T / 7, T)
    v = np.zeros(7)
    for k in range(K + 1):
        if k:
            v = Q @ v + (np.eye(7) - Q) @ (p.r_pi + p.gamma * p.P_pi @ v)
        assert np.allclose(ends[k], v, atol=1e-11)
    # ‖Q‖ = (1 − .1·2/7)²⁵⁰ < 7.2e−4 acts on steps of at most √7·.9ᵏ, and errors pass on with γ < 1 in the
    # maximum norm: their sum stays below √7·7.2e−4·Σ.9ᵏ = .02.
    assert np.abs(ends - 10 * (1 - 0.9 ** np.arange(K + 1))[:, None]).max() < 0.02


def test_figure_2_concurrent_head_40_overshoots_and_normalising_halves_it_but_never_settles():
    p, alpha, K, steps = baird(), 0.1, 40, 3000
    plain = concurrent_chain(p, alpha, K, steps).values(p)[:, K, 6]
    target = 10 * (1 - 0.9**K)
    assert 53 < plain.max() < 54
    assert abs(plain[-1] - target) < 1e-10
    run = concurrent_chain(p, alpha, K, steps, normalise="head")
    normalised = run.values(p)[:, K, 6]
    assert 0.4 < normalised.max() / plain.max() < 0.6
    lengths = np.linalg.norm(np.diff(run.theta[:, 1:], axis=0), axis=2)
    assert np.allclose(lengths, alpha)  # every step of every head is α long, to the end
    assert np.abs(normalised[-500:] - target).max() > alpha


def test_concurrent_chain_is_richardson_iteration_with_the_joint_matrix():
    p, K, alpha = random_problem(1, 5, 3), 4, 0.05
    start = np.array([1.0, -2.0, 3.0])
    stacked = richardson(*joint(p, K), alpha, np.tile(start, K + 1), 100).theta
    mine = concurrent_chain(p, alpha, K, 100, start).theta
    assert np.allclose(mine.reshape(101, -1), stacked, atol=1e-12)
    assert np.array_equal(concurrent_chain(p, alpha, K, 100, start, every=25).theta, mine[::25])


@pytest.mark.parametrize("in_place", [False, True])
def test_both_orders_of_updating_share_the_fixed_point_and_the_limit(in_place):
    p, K = random_problem(2, 5, 2), 5
    steps = chain_step_sizes(p)
    end = concurrent_chain(p, steps.best, K, 4000, in_place=in_place).theta[-1]
    assert np.allclose(end, chain_by_recursion(p, K).theta, atol=1e-9)
    apart = concurrent_chain(p, 1.05 * steps.limit, K, 4000, np.ones(2), in_place=in_place)
    assert np.abs(apart.theta[-1]).max() > 1e3


def test_in_place_sweep_uses_updated_predecessors_and_has_another_transient():
    p, alpha = twostate("9/10", (1, 1)), 0.1  # X = 5/2, γY = 27/10, b = 3/2; A_μ = 5/2 − (9/10)(9/4), b_μ = 0
    first = 1 - alpha * (2.5 - 0.9 * 2.25)
    second = 1 + alpha * (1.5 + 2.7 * first - 2.5)
    third = 1 + alpha * (1.5 + 2.7 * second - 2.5)
    swept = concurrent_chain(p, alpha, 2, 1, [1.0], in_place=True).theta[1, :, 0]
    assert np.allclose(swept, [first, second, third])
    at_once = concurrent_chain(p, alpha, 2, 1, [1.0]).theta[1, :, 0]
    assert np.allclose(at_once, [first, 1 + 0.1 * 1.7, 1 + 0.1 * 1.7])


def test_light_cone_head_k_is_off_policy_td_up_to_time_k():
    p, K = baird(), 12
    chain = concurrent_chain(p, 0.1, K, 20, np.ones(8)).theta
    td = off_policy_td(p, 0.1, 20, np.ones(8)).theta
    for k in range(K + 1):
        assert np.allclose(chain[: k + 1, k], td[: k + 1], rtol=0, atol=1e-13)
        assert np.abs(chain[k + 1, k] - td[k + 1]).max() > 1e-9


def test_joint_normalisation_shares_one_length():
    run = concurrent_chain(baird(), 0.1, 5, 50, normalise="joint").theta
    assert np.allclose(np.linalg.norm(np.diff(run, axis=0).reshape(50, -1), axis=1), 0.1)
    with pytest.raises(InvalidProblem, match="normalise"):
        concurrent_chain(baird(), 0.1, 5, 50, normalise="joint", in_place=True)


def test_normalised_iteration_stands_still_at_an_exact_fixed_point():
    p = twostate("9/10")
    assert concurrent_chain(p, 0.1, 3, 5, normalise="head").theta.tolist() == np.zeros((6, 4, 1)).tolist()


def test_lower_heads_stay_finite_when_higher_ones_overflow():
    p = swap([[1], [3]])
    p = type(p).from_matrices("9/10", Phi=p.Phi, P_pi=p.P_pi, P_mu=[[0.9, 0.1]] * 2, d_mu=p.d_mu)
    run = concurrent_chain(p, 0.1, 3, 3, [1e308], in_place=False)
    assert not np.isnan(run.theta).any()
    tall = concurrent_chain(p, 0.5, 4000, 60, [1.0], every=60)
    assert np.isfinite(tall.theta[-1, 0]).all()


def test_cold_start_begins_every_round_at_the_start():
    p = random_problem(3, 4, 2)
    run = target_network(p, 0.1, 10, 4, [7.0, 8.0], hot=False).theta
    assert run.shape == (4, 11, 2)
    assert np.array_equal(run[:, 0], np.tile([7.0, 8.0], (4, 1)))
    hot = target_network(p, 0.1, 10, 4, [7.0, 8.0]).theta
    assert np.array_equal(hot[1:, 0], hot[:-1, -1])


def test_what_cannot_be_run_is_refused_in_one_line():
    with pytest.raises(InvalidProblem, match="A_mu needs the behaviour"):
        concurrent_chain(swap([[1], [3]]), 0.1, 2, 5)
    with pytest.raises(InvalidProblem, match="steps: must be 0 or more"):
        off_policy_td(baird(), 0.1, -1)
    with pytest.raises(InvalidProblem, match="rescale"):
        off_policy_td(twostate("1/2").with_features([[1e200], [1e200]]), 0.1, 1)
