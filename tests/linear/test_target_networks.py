import math

import numpy as np
import pytest

from tests.cases import each_case
from tests.linear.examples import FINITE_WINDOW, baird, random_problem, twostate
from theory.linear.spectra import chain_radius, head_step_sizes
from theory.linear.target_networks import (
    stable_windows,
    window_matrix,
    window_radii,
)
from theory.model.iteration import target_network_iterates
from theory.model.linear_model import moments, value_model
from theory.model.points import fixed_point
from theory.problems import InvalidProblem


def radius(matrix):
    return np.abs(np.linalg.eigvals(matrix)).max()


def brute_force(problem, alpha, T, hot):
    """G_T = I − S_T A with the sum written out, or (I−Q)B."""
    m = moments(problem)
    N = np.eye(len(m.X)) - alpha * m.X
    S = alpha * sum(np.linalg.matrix_power(N, j) for j in range(T))
    return np.eye(len(m.X)) - S @ m.A if hot else S @ (problem.gamma * m.Y)


@pytest.mark.parametrize("hot", [True, False])
@pytest.mark.parametrize("factor", [0.01, 0.4, 0.5, 0.9, 1.0, 1.01])
@pytest.mark.parametrize("T", [1, 2, 3, 10, 31])
def test_radii_equal_the_sum_written_out_below_at_and_above_the_limit(T, factor, hot):
    p = random_problem(1, 5, 3)
    alpha = factor * head_step_sizes(p).limit
    G = brute_force(p, alpha, T, hot)
    assert window_radii(p, alpha, [T], hot=hot)[0] == pytest.approx(radius(G), rel=1e-9)
    basis, W = window_matrix(p, alpha, T, hot=hot)
    assert np.allclose(np.linalg.solve(basis.R, W @ basis.R), G, atol=1e-9 * np.abs(G).max())


@each_case(without=("rank-deficient",))
def test_one_update_is_td_and_infinitely_many_are_the_chain(case):
    p = case.problem
    alpha = 0.5 * head_step_sizes(p).limit
    first, last, far = window_radii(p, alpha, [1, math.inf, 1e15])
    assert first == pytest.approx(radius(np.eye(p.n_features) - alpha * moments(p).A), abs=1e-6)
    assert last == pytest.approx(chain_radius(p), abs=1e-12)
    assert far == pytest.approx(last, abs=1e-5)  # a Jordan block (case "jordan") loses two thirds of the digits


def test_stable_only_for_windows_8_to_127():
    assert stable_windows(FINITE_WINDOW, 1 / 16, 3000) == [(8, 127)]
    # TD and the chain both fail, by margins far above rounding; so do the neighbours.
    outside = [1, 7, 128, math.inf]
    assert (window_radii(FINITE_WINDOW, 1 / 16, outside) > 1 + 1e-4).all()
    assert (window_radii(FINITE_WINDOW, 1 / 16, [8, 127]) < 1 - 1e-4).all()


@pytest.mark.parametrize("T", [3, 40])
def test_error_after_k_rounds_is_the_kth_power(T):
    p, alpha = random_problem(2, 5, 2), 0.1
    fixed = fixed_point(value_model(p)).theta
    run = [theta - fixed for theta in target_network_iterates(moments(p), alpha, T, 6, fixed + 1)[1:]]
    basis, G = window_matrix(p, alpha, T)
    c = basis.R @ np.ones(2)
    for k in range(6):
        c = G @ c
        assert np.allclose(basis.R @ run[k], c, atol=1e-12)


def test_cold_start_settles_at_a_biased_limit():
    p, T, alpha = baird(), 100, 0.1
    assert window_radii(p, alpha, [T], hot=False)[0] < 1
    end, nearer = (
        p.Phi @ target_network_iterates(moments(p), alpha, n, 400, np.zeros(8), hot=False)[-1] for n in (T, 2 * T)
    )
    # v = (I−Q)(r + γPv) at rest, from zero, with Q = (I − αΦΦᵀD)ᵀ in value space.
    Q = np.linalg.matrix_power(np.eye(7) - alpha * p.Phi @ p.Phi.T / 7, T)
    rest = np.linalg.solve(np.eye(7) - (np.eye(7) - Q) @ (p.gamma * p.P_pi), (np.eye(7) - Q) @ p.r_pi)
    assert np.allclose(end, rest, atol=1e-9)
    assert np.abs(end - 10).min() > 0.1
    # The longer the window the smaller the bias.
    assert np.abs(nearer - 10).max() < np.abs(end - 10).max()


def test_too_large_a_step_size_makes_long_windows_explode():
    p = twostate("1/2")  # X = 5/2
    assert window_radii(p, 0.8, [math.inf])[0] == math.inf  # αX = 2: alternates for ever
    assert window_radii(p, 0.8, [2])[0] == pytest.approx(1.0)  # (1−2)² = 1: two updates change nothing
    assert window_radii(p, 0.9, [math.inf])[0] == math.inf
    assert window_radii(p, 0.9, [1e5])[0] == math.inf  # overflow is a result
    assert window_radii(p, 0.4, [5, math.inf]) == pytest.approx([0.6, 0.6])  # αX = 1: at once


def test_tiny_step_sizes_and_long_windows_keep_their_digits():
    """F = 1: G_T = 1 − (1 − (1−x)ᵀ)(1−β) with x = αX; for x = 1e−18 and T = 10 this is 1 − 1e−17(1−β)."""
    p = twostate("1/2")
    alpha = 1e-18 / 2.5
    _, G = window_matrix(p, alpha, 1e18)
    assert G.item() == pytest.approx(1 - (1 - math.exp(-1)) * 0.4, rel=1e-14)


def test_no_features_and_bad_windows():
    p = twostate("1/2").with_features([[0], [0]])
    assert window_radii(p, 0.1, [1, math.inf]).tolist() == [0, 0]
    for windows in ([0], [1.5], [-math.inf], [math.nan]):
        with pytest.raises(InvalidProblem, match=r"windows\[0\]"):
            window_radii(p, 0.1, windows)
    with pytest.raises(InvalidProblem, match="step size must be positive"):
        window_radii(p, 0.0, [1])
    with pytest.raises(InvalidProblem, match="max_window"):
        stable_windows(p, 0.1, 0)
