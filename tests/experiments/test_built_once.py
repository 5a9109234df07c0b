"""Within one inspection the moments, the basis and the reduction are built once each."""

import pickle
import sys
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from theory.experiments.inspection import inspect_problem
from theory.model.linear_model import moments, value_model
from theory.problems.sources import open_problem

BUILDERS = {("model/linear_model.py", name) for name in ("moments", "value_model", "_without_discount", "float_model")}


@pytest.mark.parametrize("name", ["baird", "threestate", "random:states=6,features=3,seed=1"])
def test_nothing_is_built_twice_in_one_inspection(name):
    problem, built = open_problem(name), Counter()

    def count(frame, event, _):
        if event == "call":
            place = frame.f_code.co_filename.split("theory/")[-1], frame.f_code.co_name
            built[place] += place in BUILDERS

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        inspect_problem(problem)
    finally:
        sys.setprofile(before)
    found = {place: times for place, times in built.items() if place in BUILDERS}
    assert set(found.values()) == {1}, found
    assert len(found) >= 3


def test_what_is_kept_is_read_only_and_stays_at_home():
    problem = open_problem("threestate")
    assert moments(problem) is moments(problem)
    with pytest.raises(ValueError, match="read-only"):
        value_model(problem).Phi[0, 0] = 1
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert moments(copy) is not moments(problem)
    assert np.array_equal(moments(copy).A, moments(problem).A)
    assert moments(problem.with_gamma("1/2")).A is not moments(problem).A


def test_many_states_take_the_memory_that_was_said():
    """S² fractions, of the transitions or of 2D − γ(DP + PᵀD), would take thirty times as much as S² doubles."""
    problem = open_problem("random:states=750,features=4,seed=1")
    inspect_problem(open_problem("random:states=5,features=4"))  # what is imported is not the problem's
    tracemalloc.start()
    inspect_problem(problem)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * (problem.memory - 1e8)


def test_the_size_is_said_before_anything_is_computed(monkeypatch):
    said = []

    class Listener:
        def say(self, title):
            said.append(title)

        def __call__(self, share):
            pass

    monkeypatch.setattr("theory.experiments.inspection.WORTH_SAYING", 0)
    inspect_problem(open_problem("baird"), progress=Listener())
    assert said[0] == "7 states, about 0.1 GB"
