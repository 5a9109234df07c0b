"""The command of all |z| in a reduced form: fewer seeds, shorter runs, one setting a learner."""

from dataclasses import replace

import pytest

from tests.noise.agreement import agreements, summary
from theory.experiments.table1.units import Scale
from theory.learners.protocol import Protocol

SCALE = Scale(steps=4000, protocol=Protocol(last_head=4))
SETTINGS = {
    "td": {"alpha": 0.0248},
    "gtd2": {"alpha": 0.0625, "beta": 0.0625},
    "tdc": {"alpha": 0.0312, "beta": 0.0625},
    "tdrc": {"alpha": 0.0312, "beta": 0.0625},
    "chained-sequential": {"alpha": 0.0992, "window": 100, "k": 2},
    "chained-concurrent": {"alpha": 0.0248, "k": 2},
}


@pytest.mark.parametrize("learner", SETTINGS)
def test_simulation_agrees_with_expectation(learner):
    cell = {"learner": learner, "problem": "threestate", "gamma_exact": "9/10", "config": SETTINGS[learner]}
    # The sequential chain's error is gone after a few windows.
    scale = replace(SCALE, steps=400) if learner == "chained-sequential" else SCALE
    found, *_ = agreements([cell], scale, 200)
    assert found.exact == (learner != "chained-concurrent")
    assert found.z is not None, found
    assert abs(found.z) < 4


def test_a_wrong_expectation_is_seen():
    cell = {"learner": "td", "problem": "threestate", "gamma_exact": "9/10", "config": SETTINGS["td"]}
    (found,) = agreements([cell], SCALE, 200)
    error = abs(found.sampled**2 - found.expected**2) / max(abs(found.z), 1e-9)
    assert abs(found.sampled**2 - (1.5 * found.expected) ** 2) > 4 * error


def test_heavy_tails_are_left_out():
    config = {"alpha": 2.0 ** (-14 / 3), "beta": 2.0 ** (-19 / 3)}
    cell = {"learner": "tdc", "problem": "baird", "gamma_exact": "9/10", "config": config}
    (found,) = agreements([cell], SCALE, 4)
    assert found.z is None
    assert str(found).endswith("no estimate")
    assert summary([found], 4)[0] == "1 settings, 1 with ρ₄ ≥ 1: no estimate"


@pytest.mark.parametrize(
    ("learner", "problem", "config"),
    [
        ("chained-sequential", "threestate", {"alpha": 0.0992, "window": 50, "k": 2}),  # a few seeds rule the mean
        ("td", "baird", {"alpha": 0.25}),  # nothing is left
    ],
)
def test_where_a_small_z_says_little_a_shorter_run_is_judged_too(learner, problem, config):
    cell = {"learner": learner, "problem": problem, "gamma_exact": "9/10", "config": config}
    whole, again = agreements([cell], SCALE, 200)
    assert whole.z is not None
    assert not whole.tells
    assert again.tells
    assert again.shorter
    assert again.exact
    assert abs(again.z) < 4
    said = summary([whole, again], 200)
    assert said[1].startswith("1 of 1 with ρ₄ < 1 judged")
    assert "1 are judged again" in said[2]
