"""alg-1, alg-2, alg-3, alg-target, sec-target: what the algorithms do, line by line."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat

from tests.propositions.outcomes import found, moments
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions import alg_1, algorithms, slow_targets


def window(problem: Problem, alpha: float, T: int) -> np.ndarray:
    """G_T by multiplying out T updates."""
    X, gY, *_ = moments(problem)
    target = np.eye(len(X))
    theta = target
    for _ in range(T):
        theta = theta + alpha * (gY @ target - X @ theta)
    return theta


def radius(G: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(G)).max())


# alg-1


def test_reward_on_arrival_by_the_matrix_of_the_behaviour() -> None:
    problem = catalogue_problem("threestate")
    P, R, mu = problem.mdp.P.astype(float), problem.mdp.R.astype(float), np.full((3, 2), 0.5)
    paid = np.einsum("s,sa,saj,sa->j", problem.d_mu, mu, P, R) / problem.d_mu
    assert paid == pytest.approx([float(x) for x in alg_1.reward_before(problem)])


# alg-2, alg-3


@pytest.mark.parametrize(("T", "K"), [(1, 0), (2, 3), (5, 1)])
def test_algorithms_make_T_times_K_plus_one_updates(T: int, K: int) -> None:
    problem, zero = catalogue_problem("twostate"), fmpq_mat(1, 1)
    assert algorithms.alg_2_run(problem, Fraction(1, 8), T, K, [zero] * (K + 1), hot=True)[1] == T * (K + 1)
    assert algorithms.alg_3_run(problem, Fraction(1, 8), T, K, zero, zero)[1] == T * (K + 1)


def test_sequential_heads_of_twostate_in_plain_fractions() -> None:
    # γ = 1/2 with rewards ∓1: A_μ = 11/8, b_μ = 0, X = 5/2, γY = 3/2, b = 3/2; all heads start at 1.
    problem, one = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat([[1]])
    heads, _ = algorithms.alg_2_run(problem, Fraction(1, 8), 2, 1, [one, one], hot=False)
    alpha, zeroth, first = Fraction(1, 8), Fraction(1), Fraction(1)
    for _ in range(2):
        zeroth -= alpha * Fraction(11, 8) * zeroth
    for _ in range(2):
        first += alpha * (Fraction(3, 2) + Fraction(3, 2) * zeroth - Fraction(5, 2) * first)
    assert [Fraction(int(h[0, 0].p), int(h[0, 0].q)) for h in heads] == [zeroth, first]


# alg-target, sec-target


def test_finite_window_problem_is_stable_for_8_to_127_by_numpy() -> None:
    problem = catalogue_problem("finite-window")
    stable = [T for T in range(1, 200) if radius(window(problem, 1 / 16, T)) < 1]
    assert stable == list(range(8, 128))
    X, gY, *_ = moments(problem)
    assert radius(np.linalg.solve(X, gY)) > 1


def test_fast_switching_diverges_where_the_chain_is_unbiased() -> None:
    problem = found("sec-target", "slow").witness
    X, gY, *_ = moments(problem)
    assert radius(np.linalg.solve(X, gY)) < 1 < radius(window(problem, 0.2, 1))
    assert radius(window(problem, 0.2, slow_targets.SLOW)) < 1


def test_slow_windows_approach_the_chain() -> None:
    problem = catalogue_problem("threestate")
    X, gY, *_ = moments(problem)
    B = np.linalg.solve(X, gY)
    gaps = [np.abs(window(problem, 0.15, T) - B).max() for T in (100, 1000, 10000)]
    assert gaps[0] > gaps[1] > gaps[2]


def test_the_distance_to_the_fixed_point_may_grow_first() -> None:
    P, gamma, e = np.array([[0.0, 1.0], [0.0, 1.0]]), 0.9, np.array([0.0, 1.0])
    assert (gamma * P @ e) @ (gamma * P @ e) == pytest.approx(81 / 50)
    assert "81/50" in found("sec-target", "as stated").text


def test_algorithm_2_without_its_options_is_not_algorithm_3() -> None:
    # γ = 1/2, α = 1/8, T = 2, start 0: a window towards θ⁻ maps θ to θ + (3/2 + 3/2·θ⁻ − 5/2·θ)/8, twice.
    def after(theta: Fraction, target: Fraction) -> Fraction:
        for _ in range(2):
            theta += (Fraction(3, 2) + Fraction(3, 2) * target - Fraction(5, 2) * theta) / 8
        return theta

    first = after(Fraction(0), Fraction(0))
    text = found("alg-target", "as stated").text
    assert str(after(first, first)) in text
    assert str(after(Fraction(0), first)) in text
