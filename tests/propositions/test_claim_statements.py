"""fig-1, claim-*, example-twostate, n-step: what the paper says in passing, and what is left of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.propositions.outcomes import found, moments, refuted
from theory.problems.catalogue import catalogue_problem
from theory.propositions import bias_growth, closed_features, reported_numbers
from theory.propositions.registry import statement
from theory.propositions.theories.paper import n_step_theory

# fig-1


def test_chain_of_drawn_square_problems_has_the_discount_as_its_radius() -> None:
    for problem in closed_features.draws():
        X, gY, *_ = moments(problem)
        radius = np.abs(np.linalg.eigvals(np.linalg.solve(X, gY))).max()
        # cond(X) is below 1e3 in all of them, and the rounding 1e-16.
        assert radius == pytest.approx(problem.gamma, abs=1e-11)


def test_one_feature_less_biases_the_chain() -> None:
    cases = [c for c in statement("fig-1").counterexamples() if "F = S" in c.drops]
    assert cases
    for case in cases:
        X, gY, *_ = moments(case.witness)
        assert case.witness.n_features == case.witness.n_states - 1
        assert abs(gY[0, 0] / X[0, 0]) == pytest.approx(1.5)


# claim-stable, claim-hot-start


def test_bias_of_twostate_grows_by_the_same_factor_in_plain_fractions() -> None:
    # Twostate with rewards ∓1: X = 5/2, γY = 3γ, b = 3/2 and θ_μ = 0, by hand.
    gamma, theta, target = Fraction(99, 100), Fraction(0), Fraction(3, 2) / (Fraction(5, 2) - 3 * Fraction(99, 100))
    for _ in range(bias_growth.LONG):
        theta = (3 * gamma * theta + Fraction(3, 2)) / Fraction(5, 2)
    assert abs(theta - target) == (Fraction(6, 5) * gamma) ** bias_growth.LONG * abs(target)
    assert str(int(abs(theta - target))) in found("claim-stable", "as stated").text


def test_cold_starts_end_where_the_recursion_says_in_plain_fractions() -> None:
    # γ = 1/2, α = 1/5: one update from 0 towards θ is (3/2 + 3/2·θ)/5, fixed at 3/7; hot starts rest at 3/2.
    theta = Fraction(0)
    for _ in range(80):
        theta = (Fraction(3, 2) + Fraction(3, 2) * theta) / 5
    assert abs(theta - Fraction(3, 7)) < Fraction(1, 10**40)
    assert "3/7" in found("claim-hot-start", "as stated").text


# claim-baird


def test_unstable_pair_of_baird_is_complex_at_nine_tenths_and_real_at_99_hundredths() -> None:
    for gamma, real in (("9/10", False), ("99/100", True)):
        X, gY, *_ = moments(catalogue_problem("baird").with_gamma(gamma))
        lam = np.linalg.eigvals(X - gY)
        left = lam[lam.real < -1e-9]  # the structural zero is computed as about 1e-17
        assert len(left) == 2
        assert bool(np.all(np.abs(left.imag) < 1e-12)) is real


def test_discriminant_of_the_pair_vanishes_at_the_stated_surd() -> None:
    gamma = (203 + 4 * np.sqrt(390)) / 289
    trace, determinant = (15 - 17 * gamma) / 7, 26 * (1 - gamma) / 49
    assert trace**2 - 4 * determinant == pytest.approx(0, abs=1e-15)
    assert 0.9757 < gamma < 0.9758


# claim-normalise, claim-grid, claim-v


def test_normalised_iteration_in_two_dimensions_hovers() -> None:
    theta, M, b, alpha = np.array([1.0, 0.0]), np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([1.0, 1.0]), 0.05
    path = [theta]
    for _ in range(500):
        g = b - M @ path[-1]
        path.append(path[-1] + alpha * g / np.linalg.norm(g))
    away = np.linalg.norm(np.array(path) - np.linalg.solve(M, b), axis=1)
    assert np.maximum(away[1:], away[:-1]).min() >= alpha / 2 - 1e-12


def test_grid_of_step_sizes_in_floats() -> None:
    grid = [2 ** (-i / 3) for i in range(1, 41)]
    assert [i for i, a in enumerate(grid, start=1) if a > 0.5 + 1e-12] == [1, 2]
    assert 9.65e-5 < grid[-1] < 9.7e-5
    assert [float(c) for c in reported_numbers.CUBES] == pytest.approx([a**3 for a in grid], rel=1e-14)


@pytest.mark.parametrize("name", reported_numbers.NAMES)
def test_true_values_of_the_diagnostic_problems_by_numpy(name: str) -> None:
    problem = catalogue_problem(name)
    one = np.eye(problem.n_states)
    v_pi = np.linalg.solve(one - problem.gamma * problem.P_pi, problem.r_pi)
    assert v_pi == pytest.approx(1 / (1 - problem.gamma), rel=1e-12)
    assert np.abs(np.linalg.solve(one - problem.gamma * problem.P_mu, problem.r_mu)).max() < 1e-13


# example-twostate, n-step


def test_lucky_rewards_are_not_zero_and_invisible_to_the_feature() -> None:
    lucky = reported_numbers.lucky_rewards()
    assert lucky.r_pi.tolist() == [0, 0]
    assert lucky.r_mu.tolist() == [1, -0.5]
    assert lucky.Phi[:, 0] @ (lucky.d_mu * lucky.r_mu) == 0


def test_two_step_head_of_twostate_by_hand() -> None:
    # γ = 1/2, r = 1, D = I/2, φ = 1, 2, θ⁰ = θ_μ = 0: r_2 = 3/2, so b_2 = 9/4 and θ¹ = b_2/X = 9/10.
    assert Fraction(9, 4) / Fraction(5, 2) == Fraction(9, 10)
    text = found("n-step", "as stated").text
    assert "(9/10, 9/5)" in text
    assert "(3/2, 3/2)" in text


def test_one_head_of_two_steps_is_not_two_heads_of_one() -> None:
    n = n_step_theory()
    T = n.T
    two = T.at(n.Phi * n.Xi * (n.g_n * n.Y_n * n.theta + n.b_n), "n", 2)
    once = n.Pi * (n.r + T.gamma * n.P * (n.Phi * n.theta))
    assert refuted(T.prove("two heads of one step", two, n.Pi * (n.r + T.gamma * n.P * once)))


def test_condition_of_the_two_step_chain_is_its_own() -> None:
    cases = [c for c in statement("n-step").counterexamples() if "the condition" in c.drops]
    for case, unbiased in zip(cases, ((True, False), (False, True)), strict=True):
        problem = case.witness
        weights, P, g = problem.Phi[:, 0] * problem.d_mu, problem.P_pi, problem.gamma
        X = weights @ problem.Phi[:, 0]
        factors = [g**n * weights @ np.linalg.matrix_power(P, n) @ problem.Phi[:, 0] / X for n in (1, 2)]
        assert tuple(abs(f) < 1 for f in factors) == unbiased
