"""Action values: the moments are those of expected Sarsa by enumeration, the values those of Bellman's equation."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from tests.command_line import run
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.model.linear_model import exact_moments
from theory.model.points import td_fixed_point
from theory.problems import MDP, InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import enumerate_transitions

NAMES = ["threestate", "baird-reward", "kolter", "twostate-discounts", "corridor"]


@pytest.mark.parametrize("name", NAMES)
def test_moments_are_those_of_expected_sarsa(name):
    """X = E[φφᵀ], Y = E[φ Σ_a' π(a'|s')φ(s', a')ᵀ] and b = E[rφ], over all moves of the behaviour, without ratios."""
    problem = catalogue_problem(name)
    pairs = problem.action_values()
    S, A, F = problem.n_states, problem.mdp.n_actions, problem.n_features

    def phi(s, a):
        row = np.array([Fraction(0)] * (A * F), dtype=object)
        row[a * F : (a + 1) * F] = problem.exact.Phi[s]
        return row

    X, Y, b = (np.zeros(shape, dtype=object) for shape in ((A * F, A * F), (A * F, A * F), A * F))
    for move in enumerate_transitions(problem):
        here = phi(move.state, move.action)
        ahead = sum(Fraction(problem.pi[move.next_state, a]) * phi(move.next_state, a) for a in range(A))
        X = X + move.probability * np.outer(here, here)
        Y = Y + move.probability * move.discount * np.outer(here, ahead)
        b = b + move.probability * move.reward * here
    m = exact_moments(pairs)
    for ours, theirs in ((X, m.X), (Y, m.Y), (b[:, None], m.b)):
        assert [Fraction(str(x)) for x in theirs.entries()] == ours.ravel().tolist()
    assert pairs.is_stationary
    assert pairs.n_states <= S * A


@pytest.mark.parametrize("name", NAMES)
def test_tabular_action_values_are_bellmans(name):
    problem = catalogue_problem(name)
    S, A = problem.n_states, problem.mdp.n_actions
    pairs = problem.action_values(np.eye(S * A, dtype=int).reshape(S, A, S * A))
    v = np.linalg.solve(np.eye(S) - problem.gamma * problem.P_pi, problem.r_pi)
    q = problem.mdp.expected_rewards().astype(float) + problem.gamma * problem.mdp.going_on.astype(float) @ v
    taken = (problem.mu > 0).ravel()
    found = [float(Fraction(str(x))) for x in td_fixed_point(pairs).values.entries()]
    assert found == pytest.approx(q.ravel()[taken], abs=1e-9)
    assert chain_unbiased(pairs).proved  # Π = I


def test_off_policy_action_values_can_fail_too():
    """One feature 1, 2 of the two pairs that matter, as on Twostate: A = E[φ(φ − γφ̄')] by hand."""
    mdp = MDP([[[1], [1]]], [[0, 0]], "9/10")
    problem = Problem.of_action_values(mdp, pi=[[0, 1]], mu=[["1/2", "1/2"]], Phi=[[[1], [2]]])
    # X = 5/2, Y = ½(1 + 2)·2 = 3
    A = exact_moments(problem).A
    assert Fraction(str(A[0, 0])) == Fraction(5, 2) - Fraction(9, 10) * 3
    assert td_stable(problem).refuted


def test_pairs_that_the_behaviour_never_takes_are_left_out():
    mdp = MDP([[[1, 0], [0, 1]]] * 2, [[0, 1], [0, 0]], "1/2", actions=("left", "right"))
    problem = Problem.of_action_values(mdp, pi=[1, 0], mu=[[0, 1], ["1/2", "1/2"]], Phi=[[[1], [2]], [[3], [4]]])
    assert problem.states == ("0,right", "1,left", "1,right")
    with pytest.raises(InvalidProblem, match=r"^Phi: has shape 2×1×1, but states × actions × features is 2×2×1$"):
        Problem.of_action_values(mdp, pi=[1, 0], mu=[["1/2", "1/2"]] * 2, Phi=[[[1]], [[3]]])


def test_commands_take_action_values(capsys):
    for command in ("inspect", "compare"):
        code, out, _ = run(capsys, command, "threestate", "--action-values", "--json")
        assert code == 0
        assert json.loads(out)["problem"] == "threestate, action values"
    code, _, err = run(capsys, "inspect", "w-to-2w", "--action-values")
    assert (code, err) == (
        2,
        "theory: error: pi: w-to-2w has no actions: action values need an MDP and both policies\n",
    )
