"""Planning, against the other libraries' solvers and Bellman's equation."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from tests.problems.interop.examples import optimal_values, random_mdp
from theory.problems import MDP
from theory.problems.interop import to_discretedp, to_mdptoolbox

with warnings.catch_warnings():
    # A package of 2015: newer Pythons complain about its string literals when they compile it.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    import mdptoolbox.mdp


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("next_state_rewards", [False, True])
def test_optimal_policy_is_quantecons_and_mdptoolboxs(seed, next_state_rewards):
    """Random rewards have no ties, so the optimal policy is unique; values to the accuracy of three linear solves."""
    mdp = random_mdp(seed, states=12, actions=4, next_state_rewards=next_state_rewards)
    ours, values = mdp.optimal_policy().argmax(axis=1), optimal_values(mdp)
    theirs = to_discretedp(mdp).solve(method="policy_iteration")
    assert (theirs.sigma == ours).all()
    np.testing.assert_allclose(theirs.v, values, rtol=1e-10)
    solver = mdptoolbox.mdp.PolicyIteration(*to_mdptoolbox(mdp), 0.9)
    solver.run()
    assert solver.policy == tuple(ours)
    np.testing.assert_allclose(solver.V, values, rtol=1e-10)


def test_ties_are_broken_by_the_lowest_index_in_both_arithmetics():
    """Equal in rationals, different in the last digits of doubles."""
    third = ["1/3", "1/3", "1/3"]
    P = [[third, third, third]] * 3
    exact = MDP(P, [["3/10", "3/10", "1/10"], [0, 1, 1], [1, 1, 1]], "9/10")
    rounded = MDP(
        exact.P.astype(float), [[0.3, 0.1 + 0.2, 0.1], [0.0, 0.1 * 3 + 0.7, 1.0], [1 - 1e-16, 1.0, 1 + 2.3e-16]], 0.9
    )
    assert rounded.R[0, 1] > rounded.R[0, 0]
    assert exact.optimal_policy().argmax(axis=1).tolist() == [0, 1, 0]
    assert rounded.optimal_policy().argmax(axis=1).tolist() == [0, 1, 0]


def test_far_rewards_are_not_taken_for_ties():
    """A corridor with γ = 1/10: values fall to 1e-11 of the largest, and still say which way to go."""
    n = 12
    P = np.zeros((n, 2, n))
    P[np.arange(n), 0, np.maximum(np.arange(n) - 1, 0)] = 1
    P[np.arange(n), 1, np.minimum(np.arange(n) + 1, n - 1)] = 1
    R = np.zeros((n, 2))
    R[n - 1, 1] = 1.0
    assert MDP(P, R, 0.1).optimal_policy().argmax(axis=1).tolist() == [1] * n


def test_a_discount_next_to_one_is_planned_exactly():
    """γ = 1 − 10⁻²⁰ is 1 as a double. Taking 2 once and then 1 for ever beats 1 for ever, by 1 in 10²⁰."""
    gamma = 1 - Fraction(1, 10**20)
    P = [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    mdp = MDP(P, [[1, 2], [1, 1]], gamma)
    assert mdp.optimal_policy().argmax(axis=1).tolist() == [1, 0]
    assert optimal_values(mdp).tolist() == [10**20 + 1, 10**20]
