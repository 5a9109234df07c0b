"""Gymnasium's tables: which states are kept, which numbers they get, and what is refused."""

from fractions import Fraction
from itertools import product

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text import cliffwalking, frozen_lake

from tests.problems.interop.examples import (
    ENVIRONMENTS,
    Tabular,
    corridor,
    ends_and_live,
    numbers_of,
    optimal_values,
    random_mdp,
)
from theory.problems import InvalidProblem, Problem, uniform_policy
from theory.problems.gymnasium import mdp_from_gymnasium, to_gymnasium_table


@pytest.fixture(params=ENVIRONMENTS)
def environment(request):
    env = gymnasium.make(request.param.partition(" ")[0], **ENVIRONMENTS[request.param])
    yield env
    env.close()


def test_frozen_lake_keeps_its_sixteen_states_and_thirds():
    mdp = mdp_from_gymnasium("FrozenLake-v1", "99/100")
    assert mdp.states == tuple(f"s{n}" for n in range(16))
    desc = "".join(frozen_lake.MAPS["4x4"])
    assert ends_and_live(mdp)[0] == [s for s in range(16) if desc[s] in "HG"]
    assert set(mdp.P[0].ravel()) == {Fraction(0), Fraction(1, 3), Fraction(2, 3)}


def value_iteration(env, gamma):
    """Optimal values straight from the environment's table, cut at `terminated`: no MDP, no restart.

    It stops when an update changes nothing by more than 1e-13, which leaves at most 1e-13·γ/(1 − γ).
    """
    table = env.unwrapped.P
    K = max(len(row) for rows in table.values() for row in rows.values())
    S, A = len(table), len(table[0])
    p, r, on, t = np.zeros((S, A, K)), np.zeros((S, A, K)), np.zeros((S, A, K)), np.zeros((S, A, K), dtype=int)
    for s, a in product(range(S), range(A)):
        for k, (probability, state, reward, terminated) in enumerate(table[s][a]):
            p[s, a, k], t[s, a, k], r[s, a, k], on[s, a, k] = probability, state, reward, not terminated
    v = np.zeros(S)
    while True:
        q = (p * (r + gamma * on * v[t])).sum(axis=2)
        if np.abs(q.max(axis=1) - v).max() <= 1e-13:
            return q
        v = q.max(axis=1)


def test_optimal_values_are_those_of_value_iteration_on_the_table(environment):
    mdp = mdp_from_gymnasium(environment, "9/10")
    q = value_iteration(environment, 0.9)
    v = optimal_values(mdp).astype(float)
    _, live = ends_and_live(mdp)
    numbers = numbers_of(mdp, live)
    scale = np.abs(q).max()
    np.testing.assert_allclose(v[live], q[numbers].max(axis=1), rtol=0, atol=1e-11 * scale)
    # The policy takes one of the best actions, and none of lower index is as good.
    choice = mdp.optimal_policy().argmax(axis=1)[live]
    best = q[numbers] >= q[numbers].max(axis=1, keepdims=True) - 1e-11 * scale
    assert (choice == best.argmax(axis=1)).all()


def test_visits_are_those_of_episodes_with_a_geometric_pause(environment):
    """d_μ ∝ expected visits per episode; at the end one of A actions stays, so the pause lasts A/(A − 1) on average."""
    mdp = mdp_from_gymnasium(environment, "9/10")
    ends, states = ends_and_live(mdp)
    table, start = environment.unwrapped.P, environment.unwrapped.initial_state_distrib
    live = numbers_of(mdp, states)
    place, A = {n: i for i, n in enumerate(live)}, mdp.n_actions
    Q = np.zeros((len(live), len(live)))
    for n, a in product(live, range(A)):
        for p, t, _, terminated in table[n][a]:
            if not terminated:
                Q[place[n], place[t]] += p / A
    visits = np.linalg.solve((np.eye(len(live)) - Q).T, np.asarray(start)[live])
    total = visits.sum() + A / (A - 1)
    S = mdp.n_states
    Phi = np.ones((S, 1))
    d = Problem.from_mdp(mdp, pi=[0] * S, mu=uniform_policy(S, A), Phi=Phi).d_mu
    np.testing.assert_allclose(d[states], visits / total, rtol=1e-8)
    assert d[ends].sum() == pytest.approx(A / (A - 1) / total, rel=1e-8)


def test_outcomes_with_one_next_state_share_their_mean_reward():
    """Slipping on the cliff's edge: from the start, "right" falls (−100) or bumps (−1) back to the start."""
    mdp = mdp_from_gymnasium("CliffWalkingSlippery-v1", "9/10")
    s = mdp.states.index("s36")
    assert mdp.P[s, cliffwalking.RIGHT, s] == Fraction(2, 3)
    assert mdp.R[s, cliffwalking.RIGHT, s] == Fraction(-101, 2)


def test_a_state_entered_both_ways_gets_a_separate_end():
    mdp = mdp_from_gymnasium(corridor(), "1/2")
    assert mdp.states == ("s0", "s1", "s2", "terminal")
    assert ends_and_live(mdp)[0] == [3]
    assert mdp.P[2, 1].tolist() == [0, 0, Fraction(1, 2), Fraction(1, 2)]
    assert mdp.R[2, 1].tolist() == [0, 0, 0, 1]
    assert mdp.P[3].tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]  # stay, or start again
    # v(2) = (1 + v(2)/2)/2, so 2/3, and half of it one step away.
    assert optimal_values(mdp).tolist()[:3] == [Fraction(1, 6), Fraction(1, 3), Fraction(2, 3)]


def test_a_table_without_a_start_is_refused():
    env = corridor()
    del env.initial_state_distrib
    with pytest.raises(InvalidProblem, match=r"^gymnasium: Tabular has a table P but no initial_state_distrib$"):
        mdp_from_gymnasium(env, "1/2")


def test_action_names_are_those_of_the_environments():
    lake = mdp_from_gymnasium("FrozenLake-v1", 0.9)
    assert [getattr(frozen_lake, name.upper()) for name in lake.actions] == [0, 1, 2, 3]
    cliff = mdp_from_gymnasium("CliffWalking-v1", 0.9)
    assert [getattr(cliffwalking, name.upper()) for name in cliff.actions] == [0, 1, 2, 3]
    taxi = gymnasium.make("Taxi-v4").unwrapped
    names = mdp_from_gymnasium(taxi, 0.9).actions
    # From row 2, column 2, passenger waiting at R (0), bound for G (1): no wall around, moves change row and column.
    here = taxi.encode(2, 2, 0, 1)
    moved = {name: list(taxi.decode(taxi.P[here][a][0][1]))[:2] for a, name in enumerate(names)}
    assert (moved["south"], moved["north"], moved["east"], moved["west"]) == ([3, 2], [1, 2], [2, 3], [2, 1])
    aboard = taxi.P[taxi.encode(0, 0, 0, 1)][names.index("pickup")][0][1]
    assert list(taxi.decode(aboard))[2] == 4
    assert taxi.P[taxi.encode(0, 4, 4, 1)][names.index("dropoff")][0][3]


@pytest.mark.parametrize("next_state_rewards", [False, True])
def test_a_table_read_back_is_the_same_mdp(next_state_rewards):
    mdp = random_mdp(1, next_state_rewards=next_state_rewards)
    table = to_gymnasium_table(mdp)
    assert not any(o[3] for rows in table.values() for row in rows.values() for o in row)
    again = mdp_from_gymnasium(Tabular(table, np.full(6, 1 / 6)), 0.9)
    assert (again.P == mdp.P).all()
    assert (mdp.P > 0).all()  # so that every reward is in the table
    assert (again.R == mdp.R).all()
