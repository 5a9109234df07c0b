"""Gymnasium's tables of many states: the sparse form has the moments of the dense one, up to a factor."""

import numpy as np
import pytest

import theory
import theory.problems.gymnasium as gymnasium_reader
import theory.problems.large
from theory.problems import InvalidProblem, open_problem

pytest.importorskip("gymnasium")

LAKE = "gymnasium:FrozenLake-v1,features={features},gamma=9/10,target={target}"


@pytest.fixture
def small_is_large(monkeypatch):
    """Whatever is opened now is kept sparse."""
    monkeypatch.setattr(gymnasium_reader, "LARGEST", 2)
    monkeypatch.setattr(theory.problems.large, "DENSE", 2)


@pytest.mark.parametrize("target", ["optimal", "uniform", "right", "1", "-".join("0123" * 4)])
def test_the_sparse_form_has_the_fixed_point_and_verdicts_of_the_dense_one(target, monkeypatch):
    spec = LAKE.format(features="aggregated,groups=4", target=target)
    dense = theory.inspect(spec)
    monkeypatch.setattr(gymnasium_reader, "LARGEST", 2)
    monkeypatch.setattr(theory.problems.large, "DENSE", 2)
    here = theory.inspect(spec)
    assert here.problem.is_large
    assert here.problem.n_states == 11  # the live ones: four holes and the goal are ends
    assert here.quadrant == dense.quadrant
    assert np.allclose(here.target.theta, dense.target.theta.astype(float), atol=1e-9)
    assert np.allclose(np.sort(here.v_pi)[-8:], np.sort(dense.v_pi.astype(float))[-8:], atol=1e-7)


@pytest.mark.parametrize(
    ("features", "target", "complaint"),
    [
        ("tabular", "optimal", "features: one feature for each of 11 states is too many"),
        ("aggregated,groups=0", "optimal", "groups: must be an integer from 1 to 1000"),
        ("random,count=x", "optimal", "count: must be an integer"),
        ("random", "9", "target: action 9 does not exist; there are 4, from 0"),
        ("random", "0-1-2", "target: has shape 3×4, but states × actions of the environment is 16×4"),
    ],
)
def test_what_is_too_much_for_many_states_is_one_line(small_is_large, features, target, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        open_problem(LAKE.format(features=features, target=target))


def test_a_large_lake_is_read_without_a_dense_matrix():
    rows = ["S" + "F" * 47, *["F" * 48] * 46, "F" * 47 + "G"]
    spec = f"gymnasium:FrozenLake-v1,desc={':'.join(rows)},features=random,count=3,gamma=0.99"
    lake = open_problem(spec)
    assert (lake.n_states, lake.is_large, lake.is_episodic) == (48 * 48 - 1, True, True)
    assert theory.td_stable(lake).proved
