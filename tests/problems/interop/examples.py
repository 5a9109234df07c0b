"""Small environments and random MDPs for the tests of the bridges."""

from fractions import Fraction

import gymnasium
import numpy as np

from tests.linear.examples import solve_fractions
from theory.problems import MDP

ENVIRONMENTS = {
    "FrozenLake-v1": {},
    "FrozenLake-v1 8x8": {"map_name": "8x8"},
    "FrozenLake-v1 dry": {"is_slippery": False},
    "FrozenLake-v1 own": {"desc": ["SFF", "FHF", "FFG"], "success_rate": 0.7},
    "CliffWalking-v1": {},
    "CliffWalkingSlippery-v1": {},
    "Taxi-v4": {},
}


class Tabular(gymnasium.Env):
    """An environment that is nothing but its table."""

    def __init__(self, table, start):
        self.P = table
        self.initial_state_distrib = start
        self.observation_space = gymnasium.spaces.Discrete(len(table))
        self.action_space = gymnasium.spaces.Discrete(len(table[0]))


def corridor():
    """0 ⇄ 1 ⇄ 2; going right from 2 ends the episode *in state 0*, where other episodes begin; 3 is never met."""
    return Tabular(
        {
            0: {0: [(1.0, 0, 0, False)], 1: [(1.0, 1, 0, False)]},
            1: {0: [(1.0, 0, 0, False)], 1: [(1.0, 2, 0, False)]},
            2: {0: [(1.0, 1, 0, False)], 1: [(0.5, 0, 1, True), (0.5, 2, 0, False)]},
            3: {0: [(1.0, 3, 5, False)], 1: [(1.0, 3, 5, True)]},
        },
        np.array([1.0, 0, 0, 0]),
    )


def ends_and_live(mdp):
    """The states that end an episode, and the others."""
    ends = [s for s, x in enumerate(mdp.discount if mdp.discount is not None else ()) if x == 0]
    return ends, [s for s in range(mdp.n_states) if s not in ends]


def numbers_of(mdp, states):
    """Which states of the environment they are: s12 is number 12."""
    return [int(mdp.states[s][1:]) for s in states]


def one_line(error):
    return len(str(error.value).splitlines()) == 1


def policy_values(mdp, pi):
    """v = (I − γP_π)⁻¹ r_π, in the MDP's own numbers."""
    P, r = mdp.transitions_under(pi), mdp.rewards_under(pi)
    A = np.eye(len(P), dtype=int) - mdp.gamma * P
    if r.dtype == object and len(r) <= 128:
        return np.array([*map(Fraction, solve_fractions(A.tolist(), r.tolist()))], dtype=object)
    return np.linalg.solve(A.astype(float), r.astype(float))


def optimal_values(mdp):
    return policy_values(mdp, mdp.optimal_policy())


def random_mdp(seed=0, states=6, actions=3, next_state_rewards=False):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(states, 0.3), size=(states, actions))
    R = rng.standard_normal((states, actions, states) if next_state_rewards else (states, actions))
    return MDP(P, R, 0.9)
