"""Published numbers, reproduced: what is in print, and where print is wrong what is right, by a second computation.

Sutton and Barto are the second edition (2018). Statistics play no part: all is expected or exact.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theory
from theory.experiments.comparison import compare
from theory.methods.family import find_method
from theory.methods.outcome import fixed_point_of, true_values
from theory.model.linear_model import exact_model
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.episodic import continuing, episodic_problem


def theta(problem, method):
    model = exact_model(problem)
    return [Fraction(str(x)) for x in fixed_point_of(find_method(method), model, true_values(model)).theta]


def test_section_11_2_w_to_2w():
    """One update multiplies w by 1 + α(2γ − 1): divergent for γ > ½, by .1(2·.99 − 1) = .098 here."""
    found = theory.trajectory(catalogue_problem("w-to-2w"), "off-policy-td", start=[10], steps=3, step_size="1/10")
    assert found.theta[:, 0] == pytest.approx(10 * 1.098 ** np.arange(4))
    assert theory.gamma_thresholds("w-to-2w").chain.exact == Fraction(1, 2)


@pytest.mark.parametrize("epsilon", ["0", "1/10", "1/4"])
def test_example_11_1_diverges_beyond_5_over_6_minus_4_epsilon(epsilon):
    bound = 5 / (6 - 4 * Fraction(epsilon))
    problem = catalogue_problem(f"tsitsiklis-van-roy:epsilon={epsilon}")
    for gamma, safe in ((bound - Fraction(1, 1000), True), (bound + Fraction(1, 1000), False)):
        if gamma < 1:
            found = theory.inspect(problem, gamma=gamma)
            assert (found.td_known.holds.json, found.chain_known.holds.json) == (safe, safe)


def split(presplit):
    """A (or A1, A2 that look alike) goes to B or to C; B ends with reward 1, C with 0. All moves have one successor
    in the second form."""
    if presplit:
        labels, rewards = ("A1", "A2", "B", "C", "end"), [0, 0, 1, 0, 0]
        ahead, Phi = [2, 3, 4, 4, 4], [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
        P = [[[int(t == to) for t in range(5)]] * 2 for to in ahead]
        start = ["1/2", "1/2", 0, 0, 0]
    else:
        labels, rewards, start = ("A", "B", "C", "end"), [0, 1, 0, 0], [1, 0, 0, 0]
        P = [[[0, "1/2", "1/2", 0]] * 2, *[[[0, 0, 0, 1]] * 2] * 3]
        Phi = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    S = len(labels)
    mdp = continuing(P, [[r, r] for r in rewards], [S - 1], start, 1, labels, ("on", "again"))
    return episodic_problem(mdp, pi=[[1, 0]] * S, mu=[[1, 0]] * (S - 1) + [["1/2", "1/2"]], Phi=Phi)


def test_example_11_2_the_naive_residual_gradient_finds_one_half_three_quarters_one_quarter():
    problem = split(presplit=False)
    assert theta(problem, "off-policy-td") == [Fraction(1, 2), 1, 0]  # the true values
    assert theta(problem, "naive-residual-gradient") == [Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)]


def test_example_11_3_so_does_the_residual_gradient_where_two_states_look_alike():
    problem = split(presplit=True)
    assert theta(problem, "off-policy-td") == [Fraction(1, 2), 1, 0]
    assert theta(problem, "residual-gradient") == [Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)]


@pytest.mark.parametrize("gamma", ["1/2", "9/10", "99/100"])
def test_example_11_4_the_bellman_error_has_its_least_at_minus_a_third_and_a_sixth(gamma):
    """Print has the limit (−½, 0) for γ → 1; it is (−⅓, ⅙), from (−γ, γ/2)/(1 + γ + γ²)."""
    problem = Problem.from_matrices(
        gamma,
        Phi=[[1, 0], [0, 1], [0, 1]],
        P_pi=[[0, "1/2", "1/2"], [1, 0, 0], [0, "1/2", "1/2"]],
        r_pi=[0, 1, -1],
        d_mu=["1/3"] * 3,
        states=("A", "B", "B'"),
    )
    g = Fraction(gamma)
    below = 1 + g + g * g
    assert theta(problem, "residual-gradient") == [-g / below, g / 2 / below]
    # The second witness: the residuals of the textbook's picture, by least squares.
    G = float(g)
    M, r = np.array([[1, -G], [-G, 1], [0, 1 - G]]), np.array([0, 1, -1])
    assert np.linalg.lstsq(M, r)[0] == pytest.approx([float(-g / below), float(g / 2 / below)])
    assert np.abs(np.array([-1 / 2, 0]) - np.array([-1 / 3, 1 / 6])).min() > 0.16


def test_kolter_has_a_singularity_near_715():
    """A(p) = 0 at p = f(f − m)/(f(f − m) + m − 1): the error there has no bound, and beside it is above 100 V's."""
    f = Fraction(105, 100) + Fraction(1, 10_000)
    m = Fraction(99, 100) * (1 + f) / 2
    p = f * (f - m) / (f * (f - m) + m - 1)
    assert round(float(p), 4) == 0.7147
    assert theory.inspect(catalogue_problem(f"kolter:p={p}")).target.theta is None
    near = catalogue_problem(f"kolter:p={p + Fraction(1, 10**9)}")
    assert abs(float(theta(near, "off-policy-td")[0])) > 100
    assert compare(near, ["lstd"]).best_error.uniform < 1e-3


def test_zhang_2021_with_the_true_ridge():
    """Their code penalises ‖w‖; ½η‖w‖² at η = .1 diverges on Baird at γ = .99, safe are [0, .0222) and (.239, ∞)."""
    row = compare(catalogue_problem("baird:gamma=99/100"), ["ridge-chain:eta=1/10"]).rows[0]
    assert row.outcome.holds.json is False
    spans = [(s.low, s.high) for s in row.threshold.values.spans]
    assert [round(float(x), 4) for pair in spans for x in pair if x is not None] == [0, 0.0222, 0.2393]
    problem = catalogue_problem("baird:gamma=99/100")
    X = problem.Phi.T @ np.diag(problem.d_mu) @ problem.Phi
    Y = problem.gamma * problem.Phi.T @ np.diag(problem.d_mu) @ problem.P_pi @ problem.Phi
    for eta, safe in ((0.022, True), (0.0223, False), (0.239, False), (0.24, True)):
        B = np.linalg.solve(X + eta * np.eye(8), Y)
        assert (np.abs(np.linalg.eigvals(B)).max() < 1) == safe


def test_boyan_has_values_of_minus_two_a_state():
    problem = catalogue_problem("boyan-chain:gamma=1,target=1/2")
    v = [x for x, label in zip(true_values(exact_model(problem)), problem.state_labels, strict=True) if label != "end"]
    assert v == [-2 * s for s in range(12, -1, -1)]


def test_collision_has_the_published_distribution_and_values():
    """Ghiassian and Sutton (2021): d_μ from .057 to .229, v_π = .9^(8 − s)."""
    S, start = 8, ["1/4"] * 4 + [0] * 4
    forward = [[int(t == s + 1) for t in range(S)] for s in range(S)]
    away = [[0] * S for _ in range(S)]
    P = [[forward[s], forward[s] if s < 4 else away[s]] for s in range(S)]
    R = [[int(s == 7), 0] for s in range(S)]
    mdp = MDP(P, R, "9/10", start=start)
    mu = [[1, 0]] * 4 + [["1/2", "1/2"]] * 4
    problem = Problem.from_mdp(mdp, pi=[[1, 0]] * S, mu=mu, Phi=np.eye(S, dtype=int))
    visits = np.array([1 / 4, 1 / 2, 3 / 4, 1, 1, 1 / 2, 1 / 4, 1 / 8])
    assert problem.d_mu == pytest.approx(visits / visits.sum())
    assert problem.d_mu == pytest.approx([0.057, 0.114, 0.171, 0.229, 0.229, 0.114, 0.057, 0.029], abs=5e-4)
    v = [Fraction(str(x)) for x in true_values(exact_model(problem))]
    assert v == [Fraction(9, 10) ** (7 - s) for s in range(S)]
