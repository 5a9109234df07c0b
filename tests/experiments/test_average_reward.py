"""Differential TD: its sets of η against expected updates run in the given features, and against algebra."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.command_line import run
from theory.experiments.average_reward import average_reward
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem

NAMES = ["twostate", "threestate", "baird", "finite-window", "complex-cycle", "quadrant-unstable-biased", "w-to-2w"]


def settles(problem, P, eta):
    """Do values and R̄ stop moving under the expected updates themselves, F×F, from a start in general position?

    By the matrix of the update raised to a high power: constants that are conserved stay, all else must vanish.
    """
    Phi, d, S = problem.Phi, problem.d_mu, problem.n_states
    change = (np.eye(S) - P) @ Phi
    N = np.block(
        [[Phi.T @ (d[:, None] * change), (Phi.T @ d)[:, None]], [eta * (d @ change)[None], np.full((1, 1), eta)]]
    )
    alpha = 0.02 / np.abs(N).max()
    step = np.eye(len(N)) - alpha * N
    with np.errstate(all="ignore"):
        far = np.linalg.matrix_power(step, 2**24)
    # A unit more of steps changes nothing that can be seen: values and R̄.
    seen = np.block([[Phi, np.zeros((S, 1))], [np.zeros((1, Phi.shape[1])), np.ones((1, 1))]])
    with np.errstate(all="ignore"):
        moved = seen @ (step - np.eye(len(N))) @ far
    return bool(np.isfinite(moved).all() and np.abs(moved).max() < 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_sets_of_eta_are_those_at_which_expected_updates_settle(name):
    problem = catalogue_problem(name)
    found = average_reward(problem)
    for side in found.sides:
        P = problem.P_pi if side.policy == "π" else problem.P_mu
        ends = [float(x) for s in side.stable.spans for x in (s.low, s.high) if x is not None and x > 0]
        points = sorted({*(x * f for x in ends for f in (0.95, 1.05)), 0.2, 1.0, 5.0})
        for eta in points:
            if all(abs(eta - x) > 0.01 * x for x in ends):
                inside = any(float(s.low) < eta and (s.high is None or eta < float(s.high)) for s in side.stable.spans)
                assert settles(problem, P, eta) == inside, (side.policy, eta)


def test_a_swap_by_hand():
    """A = X − Y = 1.8 − 3 = −1.2, N = [[−1.2, 1.2], [−1.6η, η]]: trace η − 1.2 > 0, det .72η > 0."""
    swap = Problem.from_matrices("9/10", Phi=[[1], [3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    side = average_reward(swap).sides[0]
    assert str(side.stable) == "(6/5, ∞)"
    assert (side.holds.json, side.rechecked, side.certified) == (False, True, True)


def test_with_the_constant_alone_every_eta_is_stable_and_w_is_kept():
    problem = Problem.from_matrices("1/2", Phi=[[1], [1]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    found = average_reward(problem)
    assert found.has_constant
    assert str(found.sides[0].stable) == "(0, ∞)"  # N' = η


@pytest.mark.parametrize("name", ["baird", "threestate", "complex-cycle"])
def test_on_policy_every_eta_is_stable(name):
    side = average_reward(catalogue_problem(name)).sides[1]
    assert (side.policy, str(side.stable), side.certified) == ("μ", "(0, ∞)", True)


def test_episodes_and_no_features_are_refused_in_one_line():
    with pytest.raises(InvalidProblem, match=r"^average reward: is of problems that go on"):
        average_reward(catalogue_problem("corridor"))
    nothing = Problem.from_matrices("1/2", Phi=[[0]], P_pi=[[1]], d_mu=[1])
    with pytest.raises(InvalidProblem, match=r"^average reward: every feature is zero"):
        average_reward(nothing)


def test_the_command_shows_it(capsys):
    text = " ".join(run(capsys, "inspect", "baird", "--average-reward")[1].split())
    assert "Differential TD on π: stable for η in (2/7, ∞) (proved, re-checked); η = 1 is stable." in text
    document = json.loads(run(capsys, "inspect", "baird", "--average-reward", "--json")[1])["average_reward"]
    assert [side["eta"] for side in document["sides"]] == ["(2/7, ∞)", "(0, ∞)"]
