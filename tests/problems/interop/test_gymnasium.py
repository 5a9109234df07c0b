"""One line of text that says which environment and what to predict in it."""

import json
import sys
from fractions import Fraction

import numpy as np
import pytest

from tests.problems.interop.examples import ends_and_live, one_line, random_mdp
from theory.problems import InvalidProblem, uniform_policy
from theory.problems.gymnasium import gymnasium_problem
from theory.problems.interop import to_discretedp


def test_the_defaults_predict_the_optimal_policy_from_uniform_behaviour():
    problem = gymnasium_problem("FrozenLake-v1")
    ends, live = ends_and_live(problem.mdp)
    assert problem.is_exact
    assert problem.given.gamma == Fraction(99, 100)
    assert (problem.mu == uniform_policy(16, 4)).all()
    assert (problem.pi == problem.mdp.optimal_policy())[live].all()
    assert (problem.pi[ends] == [1, 0, 0, 0]).all()
    assert problem.Phi.shape == (16, 11)
    assert not problem.Phi[ends].any()
    assert (problem.Phi[live] == np.eye(11)).all()
    assert problem.name == "FrozenLake-v1"


@pytest.mark.parametrize(
    "features", ["features=tabular", "features=aggregated,groups=4", "seed=0,count=8,features=random"]
)
def test_every_key_of_the_language_at_once(features):
    spec = f"FrozenLake-v1,gamma=0.99,target=optimal,behaviour=uniform,{features},is_slippery=false,map_name=8x8"
    problem = gymnasium_problem(spec)
    assert problem.n_states == 64
    assert set(problem.mdp.P.ravel()) == {0, 1}
    assert problem == gymnasium_problem(spec)


@pytest.mark.parametrize(
    ("text", "slips"), [("no", False), ("false", False), ("0", False), ("yes", True), ("TRUE", True), ("1", True)]
)
def test_a_truth_value_is_read_as_one(text, slips):
    """ "no" is a non-empty text, and so true to Python. A lake that does not slip moves for certain."""
    problem = gymnasium_problem(f"FrozenLake-v1,is_slippery={text}")
    assert (set(problem.mdp.P[0].ravel()) != {0, 1}) == slips


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


def test_random_features_depend_on_the_seed_alone_and_are_exact():
    first = gymnasium_problem("FrozenLake-v1,features=random,count=3,seed=1")
    assert first.is_exact
    assert first == gymnasium_problem("FrozenLake-v1,features=random,count=3,seed=1")
    assert first != gymnasium_problem("FrozenLake-v1,features=random,count=3,seed=2")
    assert np.linalg.matrix_rank(first.Phi) == 3


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ("", "^gymnasium: an environment's id comes first"),
        ("NoSuchLake-v1", "^gymnasium: cannot make NoSuchLake-v1: "),
        ("CartPole-v1", "^gymnasium: CartPoleEnv has no transition table P"),
        ("FrozenLake-v1,colour=red", "^gymnasium: cannot make FrozenLake-v1: TypeError: .*'colour'"),
        ("FrozenLake-v1,gamma", "^gymnasium: 'gamma' is not key=value$"),
        ("FrozenLake-v1,gamma=1,gamma=2", "^gamma: is given twice$"),
        ("FrozenLake-v1,target=sideways", r"^target: 'sideways' is neither .*\(left, down, right, up\)"),
        ("FrozenLake-v1,target=4", "^target: action 4 does not exist; there are 4, from 0$"),
        ("FrozenLake-v1,target=0-1-2", "^target: has shape 3×4, but states × actions of the environment is 16×4$"),
        ("FrozenLake-v1,target=" + "-".join(["0"] * 15 + ["9"]), r"^target\[15\]: action 9 does not exist"),
        ("FrozenLake-v1,target=nowhere.json", "^target: nowhere.json: no such file or directory$"),
        ("FrozenLake-v1,behaviour=0,target=1", r"^behaviour\[0\]\[1\]: missing coverage"),
        ("FrozenLake-v1,features=fourier", "^features: 'fourier' is none of tabular, aggregated, random$"),
        ("FrozenLake-v1,features=aggregated,groups=12", "^groups: must be an integer from 1 to 11, got '12'$"),
        ("FrozenLake-v1,features=random,groups=4", "^groups: applies only with features=aggregated$"),
        ("FrozenLake-v1,is_slippery=maybe", "^is_slippery: must be true or false, got 'maybe'$"),
    ],
)
def test_a_bad_line_is_answered_in_one_line(spec, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        gymnasium_problem(spec)
    assert one_line(error)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("[[1, 0, 0, 0]", "policy.json: is not JSON"),
        ("{}", "^target: expected a list of rows, got an object"),
        (json.dumps([[0.5, 0, 0, 0]] * 16), r"^target\[0\]: probabilities sum to 1/2, not 1$"),
        ("[" * 10_000, "policy.json: is nested"),
    ],
)
def test_a_bad_policy_file_is_answered_in_one_line(tmp_path, text, match):
    path = tmp_path / "policy.json"
    path.write_text(text)
    with pytest.raises(InvalidProblem, match=match) as error:
        gymnasium_problem(f"FrozenLake-v1,target={path}")
    assert one_line(error)


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
