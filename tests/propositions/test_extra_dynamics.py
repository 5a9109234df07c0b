"""Theorems beyond the paper about iterations: target networks, cold start, light cone, transient, n-step."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb_mat, fmpq_mat

from tests.propositions.outcomes import found
from theory.certified.verdicts import window_stable
from theory.linear.target_networks import stable_windows
from theory.linear.transients import transient
from theory.model.balls import precision
from theory.model.iteration import target_network_matrix
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions import cold_start, extra_target_network, extra_transient, n_step
from theory.propositions.bias_growth import stein
from theory.propositions.cases import random_problem
from theory.propositions.extra_target_network import corners, stable_from, unstable_from


def moments(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    PhiD = problem.Phi.T * problem.d_mu
    return PhiD @ problem.Phi, PhiD @ problem.P_pi @ problem.Phi


# extra-target-network


def test_lists_of_stable_windows_agree_with_floats() -> None:
    middle = catalogue_problem("finite-window")
    assert stable_windows(middle, 1 / 16, 2000) == [(8, 127)]
    ends = extra_target_network.stable_at_the_ends()
    assert stable_windows(ends, 1 / 3, 2000) == [(1, 1), (extra_target_network.ENDS_FROM, 2000)]


def test_corners_hold_every_later_window() -> None:
    problem, T = catalogue_problem("finite-window"), 40
    with precision(256):
        hull = corners(problem, "1/16", T)
        for t in (40, 41, 60, 200):
            G = arb_mat(target_network_matrix(problem, "1/16", t))
            for row in range(2):
                for column in range(2):
                    ends = [C[row, column] for C in hull]
                    assert min(float(x.mid()) for x in ends) - 1e-12 <= float(G[row, column].mid())
                    assert float(G[row, column].mid()) <= max(float(x.mid()) for x in ends) + 1e-12


def test_all_windows_at_once_never_say_more_than_single_windows() -> None:
    middle, ends = catalogue_problem("finite-window"), extra_target_network.stable_at_the_ends()
    assert unstable_from(middle, "1/16", 128)
    assert not unstable_from(middle, "1/16", 127)  # 127 is stable
    H = stein(fmpq_mat([[0, 0], [0, 0]]))
    assert not stable_from(middle, "1/16", 500, H)  # the chain itself is biased
    assert not stable_from(ends, "1/3", 45, stein(_chain(ends)))  # 45 is unstable
    assert window_stable(ends, 45, "1/3").refuted


def _chain(problem: Problem) -> fmpq_mat:
    from theory.model.linear_model import exact_model
    from theory.model.points import chain_step

    return chain_step(exact_model(problem))[0]


def test_corners_refuse_what_they_cannot_bound() -> None:
    ends = extra_target_network.stable_at_the_ends()
    with pytest.raises(InvalidProblem, match="within"):
        corners(ends, 3, 5)
    with pytest.raises(InvalidProblem, match="two features"):
        corners(catalogue_problem("twostate"), "1/10", 5)


# extra-cold-start


def test_cold_start_is_stable_unstable_stable_in_floats() -> None:
    problem = found("extra-cold-start", "monotone in T").witness
    X, Y = moments(problem)
    for T, stable in cold_start.STABLE.items():
        S = sum(0.1 * np.linalg.matrix_power(np.eye(8) - 0.1 * X, j) for j in range(T))
        assert (abs(np.linalg.eigvals(0.9 * S @ Y)).max() < 1) == stable


def test_cold_start_rests_away_from_the_td_fixed_point() -> None:
    problem = found("extra-cold-start", "hot start, for the limit θ_π").witness
    gamma, r = problem.exact.gamma, problem.exact.r_pi
    X, Y, b = Fraction(5, 2), Fraction(3), (r[0] + 2 * r[1]) / 2
    limit = Fraction(150, 703)
    assert Fraction(1, 10) * (gamma * Y * limit + b) == limit  # one update from 0
    assert (X - gamma * Y) * limit != b


# extra-light-cone


def test_head_two_of_twostate_leaves_td_at_the_third_update() -> None:
    problem = found("extra-light-cone", "t ≤ k").witness
    gamma, r = problem.exact.gamma, problem.exact.r_pi
    X, Y, b, alpha = Fraction(5, 2), Fraction(3), (r[0] + 2 * r[1]) / 2, Fraction(1, 10)
    r_mu, P_mu, phi = problem.exact.r_mu, problem.exact.P_mu, (1, 2)
    A_mu = X - gamma * sum(phi[s] * P_mu[s, j] * phi[j] for s in range(2) for j in range(2)) / 2
    b_mu = (r_mu[0] + 2 * r_mu[1]) / 2
    td, heads, gaps = Fraction(0), [Fraction(0)] * 3, []
    for _ in range(3):
        before = heads
        heads = [before[0] + alpha * (b_mu - A_mu * before[0])]
        heads += [before[k] + alpha * (b + gamma * Y * before[k - 1] - X * before[k]) for k in (1, 2)]
        td += alpha * (b - (X - gamma * Y) * td)
        gaps.append(heads[2] - td)
    assert gaps == [0, 0, Fraction(-264627, 20000000)]


# extra-transient


def test_balls_agree_with_plain_floats() -> None:
    problem = catalogue_problem("threestate")
    X, Y = moments(problem)
    A_mu = (problem.Phi.T * problem.d_mu) @ (np.eye(3) - problem.gamma * problem.P_mu) @ problem.Phi
    PhiD = problem.Phi.T * problem.d_mu
    targets = [np.linalg.solve(A_mu, PhiD @ problem.r_mu)]
    for _ in range(3):
        targets.append(np.linalg.solve(X, problem.gamma * Y @ targets[-1] + PhiD @ problem.r_pi))
    heads = [np.zeros(3)] * 4
    for _ in range(30):
        new = [heads[0] + 0.1 * (PhiD @ problem.r_mu - A_mu @ heads[0])]
        for k in (1, 2, 3):
            drive = PhiD @ problem.r_pi + problem.gamma * Y @ heads[k - 1]
            new.append(heads[k] + 0.1 * (drive - X @ heads[k]))
        heads = new
    expected = problem.Phi @ (heads[3] - targets[3])
    got = [float(x.mid()) for x in extra_transient.error_balls(problem, Fraction(1, 10), 3, 30).entries()]
    assert got == pytest.approx(expected, rel=1e-9)


def test_spectral_radius_at_a_rational_point_is_right_on_both_sides() -> None:
    for problem in (catalogue_problem("threestate"), random_problem(1), random_problem(4)):
        X, Y = moments(problem)
        for near in (1j, -1 + 0j, np.exp(0.05j), 1 + 0j):
            point = extra_transient.rational_point(complex(near))
            assert point[0] ** 2 + point[1] ** 2 == 1
            lam = complex(float(point[0]), float(point[1]))
            H = np.linalg.solve((lam - 1) * np.eye(len(X)) + 0.1 * X, 0.1 * problem.gamma * Y)
            radius = abs(np.linalg.eigvals(H)).max()
            assert abs(radius - 1) > 1e-3
            assert extra_transient.grows_at(problem, point) == (radius > 1)


def test_transient_grows_with_the_chain_although_everything_converges() -> None:
    calm = found("extra-transient", "only this direction, even where all is safe").witness
    peaks = transient(calm, 0.1, 48).log10_peak
    assert peaks[48] > peaks[32] + 1 > peaks[16] + 1


# extra-n-step


def test_twostate_needs_nineteen_steps_and_the_bound_asks_for_thirty_five() -> None:
    gamma, beta = Fraction(99, 100), Fraction(6, 5)
    assert next(n for n in range(1, 100) if gamma**n * beta < 1) == 19
    assert next(n for n in range(1, 100) if gamma ** (2 * n) < Fraction(1, 2)) == 35
    assert n_step.smallest_safe(catalogue_problem("twostate")) == 35


def test_bound_holds_for_random_features_and_transitions() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        S, F, n = int(rng.integers(2, 6)), int(rng.integers(1, 3)), int(rng.integers(1, 4))
        d = rng.dirichlet(np.full(S, 0.5)) + 1e-3
        d /= d.sum()
        P = np.eye(S)[rng.integers(S, size=S)]
        Phi = rng.standard_normal((S, F))
        X = (Phi.T * d) @ Phi
        Y = (Phi.T * d) @ np.linalg.matrix_power(P, n) @ Phi
        radius = abs(np.linalg.eigvals(np.linalg.solve(X, Y))).max()
        assert radius <= (1 + 1e-9) / np.sqrt(d.min())
