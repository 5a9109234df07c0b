import json
import math
import sys
import warnings
from fractions import Fraction
from itertools import product

import gymnasium
import numpy as np
import pytest
import quantecon.markov
import scipy.sparse
from gymnasium.envs.toy_text import cliffwalking, frozen_lake

from theory.problems import MDP, InvalidProblem, Problem, uniform_policy
from theory.problems.interop import (
    gymnasium_problem,
    mdp_from_discretedp,
    mdp_from_gymnasium,
    mdp_from_mdptoolbox,
    optimal_policy,
    optimal_values,
    policy_values,
    task_from_gymnasium,
    to_discretedp,
    to_gymnasium_table,
    to_mdptoolbox,
)
from theory.problems.interop.gymnasium import parse_spec
from theory.problems.interop.table import read_distributions, read_fractions, read_table

with warnings.catch_warnings():
    # A package of 2015: newer Pythons complain about its string literals when they compile it.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    import mdptoolbox.mdp

ENVIRONMENTS = {
    "FrozenLake-v1": {},
    "FrozenLake-v1 8x8": {"map_name": "8x8"},
    "FrozenLake-v1 dry": {"is_slippery": False},
    "FrozenLake-v1 own": {"desc": ["SFF", "FHF", "FFG"], "success_rate": 0.7},
    "CliffWalking-v1": {},
    "CliffWalkingSlippery-v1": {},
    "Taxi-v4": {},
}


@pytest.fixture(params=ENVIRONMENTS)
def environment(request):
    env = gymnasium.make(request.param.partition(" ")[0], **ENVIRONMENTS[request.param])
    yield env
    env.close()


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


def one_line(error):
    return len(str(error.value).splitlines()) == 1


# Gymnasium: which states, which numbers


def test_frozen_lake_keeps_its_sixteen_states_and_thirds():
    task = task_from_gymnasium("FrozenLake-v1", "99/100")
    assert task.mdp.states == tuple(f"s{n}" for n in range(16))
    desc = "".join(frozen_lake.MAPS["4x4"])
    assert task.terminal == tuple(s for s in range(16) if desc[s] in "HG")
    assert set(task.mdp.P[0].ravel()) == {Fraction(0), Fraction(1, 3), Fraction(2, 3)}


@pytest.mark.parametrize(
    ("name", "states", "exact"),
    [("FrozenLake8x8-v1", 64, True), ("CliffWalking-v1", 48 - 10, True), ("Taxi-v4", 400 + 4, False)],
)
def test_only_what_an_episode_can_meet_is_kept(name, states, exact):
    """CliffWalking has ten cells of cliff. Taxi: 25 cells × (4·3 ways to wait off the goal + 4 to ride), 4 ends."""
    mdp = mdp_from_gymnasium(name, "99/100")
    assert mdp.n_states == states
    assert (mdp.P.dtype == object) == exact


def test_an_environment_may_be_given_by_id_or_as_an_object():
    by_id = mdp_from_gymnasium("FrozenLake-v1", "9/10", map_name="8x8", is_slippery=False)
    by_object = mdp_from_gymnasium(gymnasium.make("FrozenLake8x8-v1", is_slippery=False), "9/10")
    assert (by_id.P == by_object.P).all()
    assert (by_id.R == by_object.R).all()


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
    task = task_from_gymnasium(environment, "9/10")
    q = value_iteration(environment, 0.9)
    v = optimal_values(task.absorbing).astype(float)
    live = list(task.live)
    numbers = [task.numbers[s] for s in live]
    scale = np.abs(q).max()
    np.testing.assert_allclose(v[live], q[numbers].max(axis=1), rtol=0, atol=1e-11 * scale)
    np.testing.assert_allclose(v[list(task.terminal)], 0, rtol=0, atol=1e-13 * scale)
    # The policy takes one of the best actions, and none of lower index is as good.
    choice = optimal_policy(task.absorbing).argmax(axis=1)[live]
    best = q[numbers] >= q[numbers].max(axis=1, keepdims=True) - 1e-11 * scale
    assert (choice == best.argmax(axis=1)).all()


def test_the_targets_values_end_with_the_episode(environment):
    """v_π of the continuing problem is v_π of the episodes: the restart is invisible to the target."""
    task = task_from_gymnasium(environment, "9/10")
    pi = optimal_policy(task.absorbing)
    v, expected = policy_values(task.mdp, pi), optimal_values(task.absorbing)
    if v.dtype == object:
        assert (v == expected).all()
    else:  # two solves of one system with 1/(1 − γ) = 10: some hundred units in the last place
        np.testing.assert_allclose(v, expected, rtol=0, atol=1e-13 * np.abs(v).max())


def test_visits_are_those_of_episodes_with_a_geometric_pause(environment):
    """d_μ ∝ expected visits per episode; at the end one of A actions stays, so the pause lasts A/(A − 1) on average."""
    task = task_from_gymnasium(environment, "9/10")
    table, start = environment.unwrapped.P, environment.unwrapped.initial_state_distrib
    live = [task.numbers[s] for s in task.live]
    place, A = {n: i for i, n in enumerate(live)}, task.mdp.n_actions
    Q = np.zeros((len(live), len(live)))
    for n, a in product(live, range(A)):
        for p, t, _, terminated in table[n][a]:
            if not terminated:
                Q[place[n], place[t]] += p / A
    visits = np.linalg.solve((np.eye(len(live)) - Q).T, np.asarray(start)[live])
    total = visits.sum() + A / (A - 1)
    S = task.mdp.n_states
    Phi = np.ones((S, 1))
    d = Problem.from_mdp(task.mdp, pi=[0] * S, mu=uniform_policy(S, A), Phi=Phi).d_mu
    np.testing.assert_allclose(d[list(task.live)], visits / total, rtol=1e-8)
    assert d[list(task.terminal)].sum() == pytest.approx(A / (A - 1) / total, rel=1e-8)


def test_outcomes_with_one_next_state_share_their_mean_reward():
    """Slipping on the cliff's edge: from the start, "right" falls (−100) or bumps (−1) back to the start."""
    mdp = mdp_from_gymnasium("CliffWalkingSlippery-v1", "9/10")
    s = mdp.states.index("s36")
    assert mdp.P[s, cliffwalking.RIGHT, s] == Fraction(2, 3)
    assert mdp.R[s, cliffwalking.RIGHT, s] == Fraction(-101, 2)


def test_a_state_entered_both_ways_gets_a_separate_end():
    task = task_from_gymnasium(corridor(), "1/2")
    assert task.mdp.states == ("s0", "s1", "s2", "terminal")
    assert task.numbers == (0, 1, 2, None)
    assert task.terminal == (3,)
    assert task.mdp.P[2, 1].tolist() == [0, 0, Fraction(1, 2), Fraction(1, 2)]
    assert task.mdp.R[2, 1].tolist() == [0, 0, 0, 1]
    assert task.mdp.P[3].tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]  # stay, or start again
    # v(2) = (1 + v(2)/2)/2, so 2/3, and half of it one step away.
    assert optimal_values(task.absorbing).tolist() == [Fraction(1, 6), Fraction(1, 3), Fraction(2, 3), 0]


def test_an_environment_that_never_ends_is_its_own_continuing_form():
    env = Tabular({0: {0: [(1.0, 1, 1, False)]}, 1: {0: [(1.0, 0, 0.1, False)]}}, [1.0, 0.0])
    task = task_from_gymnasium(env, 0.5)
    assert task.terminal == ()
    assert task.mdp is task.absorbing
    assert task.mdp.R.tolist() == [[1], [Fraction(1, 10)]]


def test_a_start_that_is_terminal_elsewhere_stays_a_start():
    table = {
        0: {0: [(1.0, 1, 1, True)], 1: [(1.0, 0, 0, False)]},
        1: {0: [(1.0, 0, 0, False)], 1: [(1.0, 1, 0, False)]},
    }
    task = task_from_gymnasium(Tabular(table, [0.5, 0.5]), "1/2")
    assert task.mdp.states == ("s0", "s1", "terminal")
    assert task.mdp.P[2, 1].tolist() == [Fraction(1, 2), Fraction(1, 2), 0]


# Gymnasium: reading doubles


def test_a_double_is_read_as_a_fraction_within_two_units_in_the_last_place():
    third = 1 / 3
    for x in (third, math.nextafter(third, 1), math.nextafter(third, 0), 0.15, 0.7, 1 - 0.9, -100.0, 0.0, 1 / 997):
        assert abs(float(read_fractions([x])[x]) - x) <= 2 * math.ulp(x)
    assert read_fractions([third])[third] == Fraction(1, 3)
    assert read_fractions([third + 4 * math.ulp(third)]) is None
    assert read_fractions([1 / 1009]) is None  # a prime beyond the largest denominator
    assert read_fractions([0.5, math.pi]) is None


def test_fractions_that_do_not_sum_to_one_are_not_used():
    assert read_distributions([[1 / 3, 2 / 3], [0.1] * 10]) is not None
    assert read_distributions([[1 / 3, 2 / 3], [0.5, 0.499]]) is None


def test_other_doubles_stay_doubles():
    p = math.pi / 4
    env = Tabular({0: {0: [(p, 0, 1, False), (1 - p, 0, 0, True)], 1: [(1.0, 0, 0, False)]}}, [1.0])
    mdp = mdp_from_gymnasium(env, "1/2")
    assert mdp.P.dtype == np.float64
    assert mdp.P[0, 0].tolist() == [p, 1 - p]


def test_rewards_may_be_doubles_where_probabilities_are_fractions():
    env = Tabular({0: {0: [(1.0, 0, math.pi, False)], 1: [(1.0, 0, 1, True)]}}, [1.0])
    mdp = mdp_from_gymnasium(env, "1/2")
    assert mdp.P.dtype == object
    assert mdp.R[0].tolist() == [math.pi, 1.0]


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ([(0.5, 0, 0, False)], r"^P\[0\]\[1\]: probabilities sum to 0\.5, not 1$"),
        ([(1.0, 7, 0, False)], r"^P\[0\]\[1\]: \(1\.0, 7, 0\.0\) is no probability"),
        ([(1.0, 0, math.inf, False)], r"^P\[0\]\[1\]: \(1\.0, 0, inf\) is no"),
        ([(-1.0, 0, 0, False)], r"^P\[0\]\[1\]: \(-1\.0, 0, 0\.0\) is no"),
        ([(math.nan, 0, 0, False)], r"^P\[0\]\[1\]: \(nan, 0, 0\.0\) is no"),
        ([(1.0, 0.5, 0, False)], r"^P\[0\]\[1\]: is not a list of"),
        ([(1.0, 0, 0)], r"^P\[0\]\[1\]: is not a list of"),
        (None, r"^P\[0\]\[1\]: is not a list of"),
    ],
)
def test_a_malformed_table_is_named_by_its_place(row, match):
    table = {0: {0: [(1.0, 0, 0, False)], 1: row}}
    with pytest.raises(InvalidProblem, match=match):
        read_table(table, [1.0])


@pytest.mark.parametrize("start", [[0.5], [1.0, 0.0, 0.0, 0.0, 1.0], [-1, 2], ["a"], 3, [math.nan]])
def test_a_malformed_start_is_refused(start):
    table = {0: {0: [(1.0, 0, 0, False)]}, 1: {0: [(1.0, 0, 0, False)]}}
    with pytest.raises(InvalidProblem, match=r"^initial_state_distrib: is no distribution over the 2 states"):
        read_table(table, start)


def test_states_with_different_numbers_of_actions_are_refused():
    table = {0: {0: [(1.0, 1, 0, False)]}, 1: {0: [(1.0, 0, 0, False)], 1: [(1.0, 0, 0, False)]}}
    with pytest.raises(InvalidProblem, match=r"^P\[1\]: has 2 actions"):
        read_table(table, [1.0, 0.0])


def test_a_table_too_large_for_dense_arrays_is_refused():
    n = 8000
    table = {s: {0: [(1.0, (s + 1) % n, 0, False)]} for s in range(n)}
    with pytest.raises(InvalidProblem, match=r"^P: 8000 states and 1 actions are too many for dense arrays$"):
        read_table(table, [1.0] + [0.0] * (n - 1))


def test_a_table_without_a_start_is_refused():
    env = corridor()
    del env.initial_state_distrib
    with pytest.raises(InvalidProblem, match=r"^gymnasium: Tabular has a table P but no initial_state_distrib$"):
        mdp_from_gymnasium(env, "1/2")


# Gymnasium: one line of text


def test_the_defaults_predict_the_optimal_policy_from_uniform_behaviour():
    problem = gymnasium_problem("FrozenLake-v1")
    task = task_from_gymnasium("FrozenLake-v1", "99/100")
    assert problem.is_exact
    assert problem.given.gamma == Fraction(99, 100)
    assert (problem.mu == uniform_policy(16, 4)).all()
    assert (problem.pi == optimal_policy(task.absorbing)).all()
    assert problem.Phi.shape == (16, 11)
    assert not problem.Phi[list(task.terminal)].any()
    assert (problem.Phi[list(task.live)] == np.eye(11)).all()
    assert problem.name == "FrozenLake-v1"


def test_taxi_is_a_problem_in_doubles():
    problem = gymnasium_problem("Taxi-v4,features=random,count=5,seed=3")
    assert problem.n_states == 404
    assert problem.given.Phi.dtype == problem.given.P_pi.dtype == problem.given.d_mu.dtype == np.float64
    assert problem.is_stationary


def test_every_key_of_the_language_at_once(tmp_path):
    spec = (
        "FrozenLake-v1,gamma=0.99,target=optimal,behaviour=uniform,features=tabular,groups=4,count=8,seed=0,"
        "is_slippery=false,map_name=8x8"
    )
    problem = gymnasium_problem(spec)
    assert problem.n_states == 64
    assert set(problem.mdp.P.ravel()) == {0, 1}
    assert problem == gymnasium_problem(spec)


def test_arguments_of_the_environment_are_read_conservatively():
    _, ours, theirs = parse_spec("X-v0,a=True,b=false,c=-3,d=.5,e=1e-3,f=None,g=__import__('os'),h=1_000,desc=SF:FG")
    assert theirs == {
        "a": True, "b": False, "c": -3, "d": 0.5, "e": 1e-3, "f": "None", "g": "__import__('os')", "h": "1_000",
        "desc": ["SF", "FG"],
    }  # fmt: skip
    assert [type(theirs[k]) for k in "acd"] == [bool, int, float]
    assert ours["gamma"] == "99/100"


def test_the_map_of_a_lake_can_be_given():
    problem = gymnasium_problem("FrozenLake-v1,desc=SFF:HFF:FFG,gamma=1/2")
    assert problem.n_states == 9
    assert [s for s in range(9) if not problem.Phi[s].any()] == [3, 8]


@pytest.mark.parametrize(("target", "action"), [("2", 2), ("right", 2), ("up", 3)])
def test_the_target_may_be_one_action_everywhere(target, action):
    problem = gymnasium_problem(f"FrozenLake-v1,target={target}")
    assert (problem.pi.argmax(axis=1)[[0, 1, 14]] == action).all()
    assert (problem.pi[5] == [1, 0, 0, 0]).all()  # a hole: stay


def test_the_target_may_be_listed_or_written_in_a_file(tmp_path):
    """In the environment's numbering, of which CliffWalking keeps 38 of 48."""
    actions = [n % 4 for n in range(48)]
    listed = gymnasium_problem("CliffWalking-v1,target=" + "-".join(map(str, actions)))
    live = [s for s in range(38) if listed.Phi[s].any()]
    numbers = [int(listed.states[s][1:]) for s in live]
    assert listed.pi.argmax(axis=1)[live].tolist() == [n % 4 for n in numbers]
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(actions))
    assert gymnasium_problem(f"CliffWalking-v1,target={path}") == listed
    path.write_text(json.dumps([[int(a == b) for b in range(4)] for a in actions]))
    assert gymnasium_problem(f"CliffWalking-v1,target={path}") == listed
    path.write_text(json.dumps([[0.1, 0.2, "3/10", 0.4]] * 48))
    soft = gymnasium_problem(f"CliffWalking-v1,target=uniform,behaviour={path}")
    assert soft.is_exact
    assert soft.mu[live[0]].tolist() == [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5)]


def test_aggregated_features_are_a_partition_of_the_live_states():
    problem = gymnasium_problem("FrozenLake-v1,features=aggregated,groups=4")
    sizes = problem.Phi.sum(axis=0)
    assert sizes.sum() == 11
    assert sizes.max() - sizes.min() <= 1
    assert problem.Phi.sum(axis=1).tolist() == [float(s not in (5, 7, 11, 12, 15)) for s in range(16)]


def test_random_features_depend_on_the_seed_alone_and_are_exact():
    first = gymnasium_problem("FrozenLake-v1,features=random,count=3,seed=1")
    assert first.is_exact
    assert first == gymnasium_problem("FrozenLake-v1,features=random,count=3,seed=1")
    assert first != gymnasium_problem("FrozenLake-v1,features=random,count=3,seed=2")
    assert np.linalg.matrix_rank(first.Phi) == 3


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


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ("", "^gymnasium: an environment's id comes first"),
        ("NoSuchLake-v1", "^gymnasium: cannot make NoSuchLake-v1: "),
        ("Taxi-v3", "^gymnasium: cannot make Taxi-v3: .*Taxi-v4"),
        ("CartPole-v1", "^gymnasium: CartPoleEnv has no transition table P"),
        ("Blackjack-v1", "^gymnasium: BlackjackEnv has no transition table P"),
        ("FrozenLake-v1,map_name=9x9", "^gymnasium: cannot make FrozenLake-v1: KeyError: '9x9'"),
        ("FrozenLake-v1,colour=red", "^gymnasium: cannot make FrozenLake-v1: TypeError: .*'colour'"),
        ("FrozenLake-v1,gamma", "^gymnasium: 'gamma' is not key=value$"),
        ("FrozenLake-v1,gamma=", "^gymnasium: 'gamma=' is not key=value$"),
        ("FrozenLake-v1,gamma=1,gamma=2", "^gamma: is given twice$"),
        ("FrozenLake-v1,gamma=high", "^gamma: 'high' is not a number"),
        ("FrozenLake-v1,gamma=1", r"^gamma: the discount must lie in \[0, 1\), got 1$"),
        ("FrozenLake-v1,target=sideways", r"^target: 'sideways' is neither .*\(left, down, right, up\)"),
        ("FrozenLake-v1,target=4", "^target: action 4 does not exist; there are 4, from 0$"),
        ("FrozenLake-v1,target=0-1-2", "^target: has shape 3×4, but states × actions of the environment is 16×4$"),
        ("FrozenLake-v1,target=" + "-".join(["0"] * 15 + ["9"]), r"^target\[15\]: action 9 does not exist"),
        ("FrozenLake-v1,target=nowhere.json", "^target: nowhere.json: no such file or directory$"),
        ("FrozenLake-v1,behaviour=0,target=1", r"^behaviour\[0\]\[1\]: missing coverage"),
        ("FrozenLake-v1,features=fourier", "^features: 'fourier' is none of tabular, aggregated, random$"),
        ("FrozenLake-v1,features=aggregated,groups=12", "^groups: must be an integer from 1 to 11, got '12'$"),
        ("FrozenLake-v1,features=random,count=x", "^count: must be an integer from 1 to 11, got 'x'$"),
        ("FrozenLake-v1,features=random,seed=-1", "^seed: must be an integer from 0"),
    ],
)
def test_a_bad_line_is_answered_in_one_line(spec, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        gymnasium_problem(spec)
    assert one_line(error)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("[[1, 0, 0, 0]", "policy.json is not JSON"),
        ("{}", "^target: expected a list of rows, got dict"),
        ("[[1, 0], [0, 1]]", "^target: has shape 2×2, but states × actions of the environment is 16×4$"),
        (json.dumps([[0.5, 0, 0, 0]] * 16), r"^target\[0\]: probabilities sum to 1/2, not 1$"),
        (json.dumps([1.5] * 16), r"^target\[0\]: action 3/2 does not exist"),
        ("[" * 10_000, "policy.json is nested"),
    ],
)
def test_a_bad_policy_file_is_answered_in_one_line(tmp_path, text, match):
    path = tmp_path / "policy.json"
    path.write_text(text)
    with pytest.raises(InvalidProblem, match=match) as error:
        gymnasium_problem(f"FrozenLake-v1,target={path}")
    assert one_line(error)


def test_a_policy_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "policy.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidProblem, match=r"^target: .*policy\.json is not UTF-8 text$"):
        gymnasium_problem(f"FrozenLake-v1,target={path}")


def test_arguments_go_with_an_id_only():
    with pytest.raises(InvalidProblem, match="is_slippery can only be given with an environment's id"):
        mdp_from_gymnasium(corridor(), "1/2", is_slippery=True)


def test_an_episode_needs_a_second_action_to_begin_again():
    with pytest.raises(InvalidProblem, match=r"^actions: an episodic task needs a second action"):
        mdp_from_gymnasium(Tabular({0: {0: [(1.0, 0, 0, True)]}}, [1.0]), "1/2")


@pytest.mark.parametrize(
    ("module", "call"),
    [("gymnasium", lambda: gymnasium_problem("FrozenLake-v1")), ("quantecon", lambda: to_discretedp(random_mdp()))],
)
def test_a_missing_library_is_one_line(monkeypatch, module, call):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InvalidProblem, match=f"^{module} is not installed: pip install {module}$"):
        call()


# Ways out and back


def random_mdp(seed=0, states=6, actions=3, next_state_rewards=False):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(states, 0.3), size=(states, actions))
    R = rng.standard_normal((states, actions, states) if next_state_rewards else (states, actions))
    return MDP(P, R, 0.9)


@pytest.mark.parametrize("next_state_rewards", [False, True])
def test_a_table_read_back_is_the_same_mdp(next_state_rewards):
    mdp = random_mdp(1, next_state_rewards=next_state_rewards)
    table = to_gymnasium_table(mdp)
    assert not any(o[3] for rows in table.values() for row in rows.values() for o in row)
    again = mdp_from_gymnasium(Tabular(table, np.full(6, 1 / 6)), 0.9)
    assert (again.P == mdp.P).all()
    assert (mdp.P > 0).all()  # so that every reward is in the table
    assert (again.R == mdp.R).all()


def test_a_problems_table_is_the_table_of_its_mdp():
    problem = gymnasium_problem("FrozenLake-v1,desc=SF:FG")
    assert to_gymnasium_table(problem) == to_gymnasium_table(problem.mdp)
    swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"], name="swap")
    with pytest.raises(InvalidProblem, match=r"^swap has no MDP: problem\.realised\(\)"):
        to_gymnasium_table(swap)


def sparse_rows(mdp):
    """The state-action-pair form, in shuffled order."""
    S, A = mdp.n_states, mdp.n_actions
    order = np.random.default_rng(5).permutation(S * A)
    s, a = np.divmod(np.arange(S * A), A)
    return mdp.R.reshape(-1)[order], mdp.P.reshape(S * A, S)[order], mdp.gamma, s[order], a[order]


def test_all_forms_of_a_discrete_dp_are_one_mdp():
    mdp = random_mdp(2)
    R, Q, beta, s, a = sparse_rows(mdp)
    forms = [
        mdp_from_discretedp(mdp.R, mdp.P, mdp.gamma),
        mdp_from_discretedp(R, Q, beta, s, a),
        mdp_from_discretedp(R, scipy.sparse.csr_matrix(Q), beta, s, a),
        mdp_from_discretedp(R, scipy.sparse.csr_array(Q), beta, s.tolist(), a.tolist()),
        mdp_from_discretedp(quantecon.markov.DiscreteDP(mdp.R, mdp.P, mdp.gamma)),
        mdp_from_discretedp(quantecon.markov.DiscreteDP(R, Q, beta, s, a)),
        mdp_from_discretedp(quantecon.markov.DiscreteDP(R, scipy.sparse.csr_matrix(Q), beta, s, a)),
        mdp_from_discretedp(to_discretedp(mdp)),
    ]
    for form in forms:
        assert (form.P == mdp.P).all()
        assert (form.R == mdp.R).all()
        assert form.gamma == mdp.gamma


def test_a_discrete_dp_in_exact_numbers_stays_exact():
    mdp = mdp_from_discretedp(
        ["1/3", 1, 2, 3], [["1/2", "1/2"], [0, 1], [1, 0], [0, 1]], "0.9", [0, 0, 1, 1], [0, 1, 0, 1]
    )
    assert mdp.R.tolist() == [[Fraction(1, 3), 1], [2, 3]]
    assert mdp.P[0, 0].tolist() == [Fraction(1, 2)] * 2


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (
            ([[5, 10], [-1, -np.inf]], [[[1, 0], [0, 1]]] * 2, 0.9),
            r"^R\[1\]\[1\]: action 1 is infeasible in state 1: here",
        ),
        (
            ([5, 10, -1], [[1, 0], [0, 1], [0, 1]], 0.9, [0, 0, 1], [0, 1, 0]),
            r"^R\[1\]\[1\]: action 1 is infeasible in",
        ),
        (([5.0, -np.inf], [[1, 0], [0, 1]], 0.9, [0, 1], [0, 0]), r"^R\[1\]: -inf marks an infeasible action"),
        (
            ([5, 6], [[1, 0], [0, 1]], 0.9, [0, 0], [0, 0]),
            r"^s_indices\[1\]: the pair of state 0 and action 0 occurs twice",
        ),
        (([5, 6], [[1, 0], [0, 1]], 0.9, [0, 2], [0, 0]), r"^s_indices\[1\]: state 2 does not exist"),
        (([5, 6], [[1, 0], [0, 1]], 0.9, [0, 1], None), "^a_indices: is missing"),
        (([5, 6], [[1, 0], [0, 1]], 0.9, [0, 1], [0, -1]), "^a_indices: must be 2 indices from 0"),
        (([5], [[1, 0], [0, 1]], 0.9, [0, 1], [0, 0]), "^R: has shape 1, but state-action pairs is 2$"),
        (([[1], [1]], [[[1, 0]], [[0, 0.5]]], 0.9), r"^Q\[1\]\[0\]: probabilities sum to 0\.5, not 1$"),
        (([[1], [1]], [[[1, 0]], [[0, 1]]], 1), "^beta: the discount must lie in"),
        (([[1], [1]], [[[1, 0]], [[0, 1]]]), "^beta: is missing$"),
        (([[1], [1]],), "^Q: is missing$"),
    ],
)
def test_a_bad_discrete_dp_is_named_in_quantecons_letters(arguments, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        mdp_from_discretedp(*arguments)
    assert one_line(error)


def test_all_forms_of_mdptoolbox_are_one_mdp():
    mdp = random_mdp(3, next_state_rewards=True)
    P, R = to_mdptoolbox(mdp)
    assert P.shape == (3, 6, 6)
    sparse = [scipy.sparse.csr_matrix(matrix) for matrix in P]
    boxed = np.empty(3, dtype=object)
    boxed[:] = sparse
    for form in (P, list(P), P.tolist(), sparse, boxed):
        again = mdp_from_mdptoolbox(form, R, 0.9)
        assert (again.P == mdp.P).all()
        assert (again.R == mdp.R).all()
    assert (mdp_from_mdptoolbox(P, [scipy.sparse.csr_array(matrix) for matrix in R], 0.9).R == mdp.R).all()


def test_rewards_of_mdptoolbox_have_one_two_or_three_axes():
    P = [[[1, 0], [1, 0]], [[0, 1], [0, 1]], [[0, 1], [1, 0]]]
    assert mdp_from_mdptoolbox(P, [1, 2], "1/2").R.tolist() == [[1] * 3, [2] * 3]
    assert mdp_from_mdptoolbox(P, [[1, 2, 3], [4, 5, 6]], "1/2").R.tolist() == [[1, 2, 3], [4, 5, 6]]
    R = [[[100 * a + 10 * s + t for t in range(2)] for s in range(2)] for a in range(3)]
    assert mdp_from_mdptoolbox(P, R, "1/2").R[1, 2].tolist() == [210, 211]


@pytest.mark.parametrize(
    ("P", "R", "discount", "match"),
    [
        ([[[1, 0], ["1/2", 0]], [[0, 1], [0, 1]]], [0, 0], 0.9, r"^P\[0\]\[1\]: probabilities sum to 1/2, not 1$"),
        ([[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [0, 0, 0], 0.9, "^R: has shape 3, but states is 2$"),
        ([[[1, 0], [1, 0]]], [[0, 0], [1, 1]], 0.9, "^R: has shape 2×2, but states × actions is 2×1$"),
        ([[[1, 0], [1, 0]]], [[[0]]], 0.9, "^R: has shape 1×1×1, but actions × states × states is 1×2×2$"),
        ([[[1, 0]]], [0], 0.9, "^P: has shape 1×1×2, but actions × states × states is 1×1×1$"),
        ([[1, 0], [0, 1]], [0, 0], 0.9, r"^P\[0\]\[0\]: expected a list of numbers"),
        ([[[1, 0], [1, 0]]], [0, 0], 1, "^discount: the discount must lie in"),
        ([[[1, 0], [1, 0]]], [0, np.nan], 0.5, r"^R\[1\]: nan is not finite$"),
    ],
)
def test_bad_mdptoolbox_arrays_are_named_in_their_order(P, R, discount, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        mdp_from_mdptoolbox(P, R, discount)
    assert one_line(error)


# Planning, against the other libraries' solvers


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("next_state_rewards", [False, True])
def test_optimal_policy_is_quantecons_and_mdptoolboxs(seed, next_state_rewards):
    """Random rewards have no ties, so the optimal policy is unique; values to the accuracy of three linear solves."""
    mdp = random_mdp(seed, states=12, actions=4, next_state_rewards=next_state_rewards)
    ours, values = optimal_policy(mdp).argmax(axis=1), optimal_values(mdp)
    theirs = to_discretedp(mdp).solve(method="policy_iteration")
    assert (theirs.sigma == ours).all()
    np.testing.assert_allclose(theirs.v, values, rtol=1e-10)
    solver = mdptoolbox.mdp.PolicyIteration(*to_mdptoolbox(mdp), 0.9)
    solver.run()
    assert solver.policy == tuple(ours)
    np.testing.assert_allclose(solver.V, values, rtol=1e-10)


def test_optimal_policy_of_frozen_lake_is_worth_what_quantecon_finds():
    """An imported environment through both libraries; it has ties, so values are compared."""
    mdp = task_from_gymnasium("FrozenLake-v1", "99/100").absorbing
    theirs = to_discretedp(mdp).solve(method="policy_iteration")
    np.testing.assert_allclose(theirs.v, optimal_values(mdp).astype(float), rtol=1e-10, atol=1e-14)


def test_exact_values_satisfy_bellmans_equation_exactly():
    mdp = task_from_gymnasium("FrozenLake-v1", "99/100").absorbing
    v, pi = optimal_values(mdp), optimal_policy(mdp)
    q = mdp.expected_rewards() + mdp.gamma * (mdp.P @ v)
    assert all(isinstance(x, Fraction) for x in v)
    assert (q.max(axis=1) == v).all()
    assert (policy_values(mdp, pi) == v).all()
    assert (pi.argmax(axis=1) == (q == v[:, None]).argmax(axis=1)).all()


def test_ties_are_broken_by_the_lowest_index_in_both_arithmetics():
    """Equal in rationals, different in the last digits of doubles."""
    third = ["1/3", "1/3", "1/3"]
    P = [[third, third, third]] * 3
    exact = MDP(P, [["3/10", "3/10", "1/10"], [0, 1, 1], [1, 1, 1]], "9/10")
    rounded = MDP(
        exact.P.astype(float), [[0.3, 0.1 + 0.2, 0.1], [0.0, 0.1 * 3 + 0.7, 1.0], [1 - 1e-16, 1.0, 1 + 2.3e-16]], 0.9
    )
    assert rounded.R[0, 1] > rounded.R[0, 0]
    assert optimal_policy(exact).argmax(axis=1).tolist() == [0, 1, 0]
    assert optimal_policy(rounded).argmax(axis=1).tolist() == [0, 1, 0]


def test_far_rewards_are_not_taken_for_ties():
    """A corridor with γ = 1/10: values fall to 1e-11 of the largest, and still say which way to go."""
    n = 12
    P = np.zeros((n, 2, n))
    P[np.arange(n), 0, np.maximum(np.arange(n) - 1, 0)] = 1
    P[np.arange(n), 1, np.minimum(np.arange(n) + 1, n - 1)] = 1
    R = np.zeros((n, 2))
    R[n - 1, 1] = 1.0
    assert optimal_policy(MDP(P, R, 0.1)).argmax(axis=1).tolist() == [1] * n


def test_a_discount_next_to_one_is_planned_exactly():
    """γ = 1 − 10⁻²⁰ is 1 as a double. Taking 2 once and then 1 for ever beats 1 for ever, by 1 in 10²⁰."""
    gamma = 1 - Fraction(1, 10**20)
    P = [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    mdp = MDP(P, [[1, 2], [1, 1]], gamma)
    assert optimal_policy(mdp).argmax(axis=1).tolist() == [1, 0]
    assert optimal_values(mdp).tolist() == [10**20 + 1, 10**20]


def test_policy_values_solve_their_equation():
    mdp = random_mdp(9)
    pi = np.random.default_rng(9).dirichlet(np.ones(3), size=6)
    v = policy_values(mdp, pi)
    residual = mdp.rewards_under(pi) + 0.9 * mdp.transitions_under(pi) @ v - v
    assert np.abs(residual).max() <= 1e-13 * (1 + np.abs(v).max())
