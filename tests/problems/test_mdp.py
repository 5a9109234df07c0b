"""The MDP, its policies, and what they make of each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests.strategies import exact_problems
from theory.problems.mdp import MDP, uniform_policy
from theory.problems.numbers import InvalidProblem
from theory.problems.problem import Problem

P = [[["1/4", "3/4"], [1, 0]], [[0, 1], ["1/2", "1/2"]]]
R = [[1, 2], [3, 4]]
UNIFORM = [["1/2", "1/2"]] * 2


def with_entry(nested, *place_and_value):
    """A copy of nested lists with one entry changed."""
    first, *rest = place_and_value
    if not rest:
        return first
    copy = list(nested)
    copy[first] = with_entry(nested[first], *rest)
    return copy


# Given


BAD = {
    "P not three axes": ({"P": [[1]]}, r"^transitions\[0\]\[0\]: expected a list of numbers, got int$"),
    "P of another shape": ({"P": [[[1, 0]]]}, r"^transitions: has shape 1×1×2, but .* is 1×1×1$"),
    "P not summing to one": (
        {"P": with_entry(P, 1, 1, 0, "1/3")},
        r"^transitions\[1\]\[1\]: probabilities sum to 5/6, not 1$",
    ),
    "P nearly summing to one": (
        {"P": with_entry(P, 1, 1, ["0.3333333333333", "0.6666666666666"])},
        r'^transitions\[1\]\[1\]: probabilities sum to 1 - 1e-13, not 1; decimals .* thirds as "1/3", or .*$',
    ),
    "P negative": ({"P": with_entry(P, 1, 0, [-1, 2])}, r"^transitions\[1\]\[0\]\[0\]: negative probability -1$"),
    "R of another shape": ({"R": [[1], [2]]}, r"^rewards: has shape 2×1, but states × actions is 2×2$"),
    "gamma bool": ({"gamma": False}, r"^gamma: expected a number, got false$"),
    "same name": ({"actions": ["go", "go"]}, r"^actions\[1\]: the name 'go' occurs twice$"),
}


@pytest.mark.parametrize(("change", "match"), BAD.values(), ids=BAD.keys())
def test_refuses_and_names_the_place(change, match):
    arguments = {"P": P, "R": R, "gamma": "1/2"} | change
    with pytest.raises(InvalidProblem, match=match):
        MDP(**arguments)


# Policies


def test_policies_are_matrices_or_one_action_per_state():
    mdp = MDP(P, R, 0)
    assert mdp.policy([1, 0]).tolist() == [[0, 1], [1, 0]]
    assert mdp.policy(np.array([1, 0])).tolist() == [[0, 1], [1, 0]]
    assert mdp.policy([["1/3", "2/3"], [1, 0]]).tolist() == [[Fraction(1, 3), Fraction(2, 3)], [1, 0]]
    assert uniform_policy(3, 7).tolist() == [[Fraction(1, 7)] * 7] * 3


BAD_POLICIES = {
    "shape": ([[1], [1]], r"^pi: has shape 2×1, but states × actions is 2×2$"),
    "sum": ([[1, 0], [1, 1]], r"^pi\[1\]: probabilities sum to 2, not 1$"),
    "no such action": ([0, 2], r"^pi\[1\]: action 2 does not exist; there are 2, from 0$"),
    "half an action": ([0, 0.5], r"^pi\[1\]: action 0\.5 does not exist"),
}


@pytest.mark.parametrize(("policy", "match"), BAD_POLICIES.values(), ids=BAD_POLICIES.keys())
def test_refuses_bad_policies(policy, match):
    with pytest.raises(InvalidProblem, match=match):
        MDP(P, R, 0).policy(policy, "pi")


# What policies make of an MDP


@settings(deadline=None)
@given(exact_problems(with_mdp=True))
def test_matrices_are_sums_over_actions_by_hand(problem):
    mdp, S, A = problem.mdp, range(problem.n_states), range(problem.mdp.n_actions)
    g = problem.given
    for policy, matrix, rewards in ((problem.pi, g.P_pi, g.r_pi), (problem.mu, g.P_mu, g.r_mu)):
        for s in S:
            for t in S:
                assert matrix[s, t] == sum(policy[s, a] * mdp.P[s, a, t] for a in A)
            if mdp.R.ndim == 2:
                assert rewards[s] == sum(policy[s, a] * mdp.R[s, a] for a in A)
            else:
                assert rewards[s] == sum(policy[s, a] * mdp.P[s, a, t] * mdp.R[s, a, t] for a in A for t in S)
    assert problem.is_exact


BAD_PAIRS = {
    "uncovered action": (
        {"mu": [["1/2", "1/2"], [1, 0]], "pi": [[1, 0], [0, 1]]},
        r"^mu\[1\]\[1\]: missing coverage: the target takes action 1 in state 1, the behaviour never does$",
    ),
}


@pytest.mark.parametrize(("change", "match"), BAD_PAIRS.values(), ids=BAD_PAIRS.keys())
def test_refuses_pairs_of_policies_that_do_not_fit(change, match):
    arguments = {"pi": UNIFORM, "mu": UNIFORM, "Phi": [[1], [2]]} | change
    with pytest.raises(InvalidProblem, match=match):
        Problem.from_mdp(MDP(P, R, 0), **arguments)


def test_refuses_a_behaviour_with_several_closed_classes_or_transient_states_that_are_not_learned():
    stay = MDP([[[1, 0]], [[0, 1]]], [[0], [0]], 0)
    with pytest.raises(InvalidProblem, match=r"^mu: the stationary distribution is not unique: .* \{0\} and \{1\}$"):
        Problem.from_mdp(stay, pi=[[1], [1]], mu=[[1], [1]], Phi=[[1], [2]])
    leave = MDP([[[0, 1]], [[0, 1]]], [[0], [0]], 0)
    with pytest.raises(InvalidProblem, match=r"^d_mu\[0\]: missing coverage: state 0 has probability 0 under the"):
        Problem.from_mdp(leave, pi=[[1], [1]], mu=[[1], [1]], Phi=[[1, 0], [0, 1]])
    assert Problem.from_mdp(leave, pi=[[1], [1]], mu=[[1], [1]], Phi=[[1], [2]]).d_mu.tolist() == [0, 1]


def test_refuses_rewards_beyond_double_precision_in_float_arithmetic():
    mdp = MDP([[[1]]], [["1e400"]], 0)
    with pytest.raises(InvalidProblem, match="too large for double precision"):
        Problem.from_mdp(mdp, pi=[[1.0]], mu=[[1]], Phi=[[1]])


# Helpers
