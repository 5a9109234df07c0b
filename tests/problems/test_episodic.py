"""Episodes in continuing form: what a learner sees does not change."""

from fractions import Fraction

import numpy as np
import pytest

from theory.problems.episodic import continuing, episodic_problem
from theory.problems.mdp import uniform_policy
from theory.problems.numbers import InvalidProblem

# A coin is tossed until it shows heads; "again" tosses, "give up" ends. State 1 won, state 2 lost.
P = [[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], [[0.0] * 3] * 2, [[0.0, 0.0, 1.0]] * 2]
R = [[[0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], [[7.0] * 3] * 2, [[7.0] * 3] * 2]
ENDS = [1, 2]
START = [1, 0, 0]


def coin(gamma=0.9):
    mdp = continuing(P, R, ENDS, START, gamma, ("toss", "won", "lost"), ("again", "give up"))
    return episodic_problem(mdp, pi=[[1, 0], [0, 1], [0, 1]], mu=[["1/2", "1/2"], [1, 0], [1, 0]], Phi=[[1], [1], [1]])


def test_the_end_stays_on_the_first_action_and_restarts_on_every_other():
    mdp = coin().mdp
    for end in ENDS:
        assert mdp.P[end, 0].tolist() == [float(s == end) for s in range(3)]
        assert mdp.P[end, 1].tolist() == [1.0, 0.0, 0.0]


def test_the_target_has_value_zero_at_the_end_and_the_episodic_value_before():
    problem = coin(0.9)
    v = np.linalg.solve(np.eye(3) - 0.9 * problem.P_pi, problem.r_pi)
    # v = ½·1 + ½·γ·v, so v = ½/(1 − γ/2); the two equations are solved to rounding, 3 × 3.
    np.testing.assert_allclose(v, [0.5 / (1 - 0.45), 0, 0], rtol=0, atol=1e-14)


def test_no_transition_out_of_the_end_moves_a_weight():
    assert coin().Phi.tolist() == [[1], [0], [0]]


def test_exact_numbers_stay_exact():
    exact = [[[Fraction(x) for x in row] for row in state] for state in P]
    mdp = continuing(exact, [[0, 0], [0, 0], [0, 0]], ENDS, START, "9/10")
    assert mdp.P.dtype == object
    problem = episodic_problem(mdp, pi=[[1, 0]] * 3, mu=uniform_policy(3, 2), Phi=[[1], [1], [1]])
    assert problem.is_exact
    assert problem.mu[1].tolist() == [Fraction(1, 2)] * 2
    assert problem.pi[2].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": [1, 1, 0]}, r"start: probabilities sum to 2"),
        ({"start": [1, 0]}, r"start: has shape 2"),
        ({"P": [[[1.0]]], "R": [[0]], "terminal_states": [], "start": [1]}, r"actions: .*needs a second action"),
    ],
)
def test_rejects(change, message):
    arguments = {"P": P, "R": R, "terminal_states": ENDS, "start": START, "gamma": 0.9, **change}
    with pytest.raises(InvalidProblem, match=message):
        continuing(**arguments)
