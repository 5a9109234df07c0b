"""The largest mean-square stable step size beside other answers: equal to the long way, and honest where it is long."""

import json
from fractions import Fraction

import pytest

from tests.command_line import run
from theory.experiments.comparison import compare
from theory.experiments.inspection import inspect_problem
from theory.noise.limits import LEARNERS, NONE, quick_limit
from theory.problems.catalogue import catalogue_problem


def test_known_numbers():
    problem = catalogue_problem("twostate")
    assert quick_limit("chain", problem, 10).exact == Fraction(5, 17)
    gamma = Fraction(1, 2)
    td = quick_limit("off-policy-td", catalogue_problem("twostate:gamma=1/2"), 10)
    assert td.value == pytest.approx(float((5 - 6 * gamma) / (17 - 36 * gamma + 20 * gamma**2)))
    assert quick_limit("chain", catalogue_problem("baird"), 300).exact == Fraction(2, 35)
    threestate = quick_limit("chain", catalogue_problem("threestate"), 100)
    assert threestate.value == pytest.approx(0.130248, abs=1e-6)


def test_long_ones_say_so():
    found = quick_limit("chain", catalogue_problem("baird"), 100)
    assert (found.exact, found.value) == (None, None)
    assert "252 second moments: theory noise --learner chained-concurrent" in found.reason
    assert quick_limit("lstd", catalogue_problem("twostate"), 100).reason


def test_inspect_and_compare_have_it(capsys):
    problem = catalogue_problem("twostate")
    td, chain = inspect_problem(problem).mean_square
    assert (td, chain.exact) == (NONE, Fraction(5, 17))
    _, out, _ = run(capsys, "inspect", "twostate", "--json")
    document = json.loads(out)
    assert document["td"]["max_step_size_mean_square"]["value"] == 0
    assert document["chain"]["max_step_size_mean_square"]["exact"] == "5/17"
    _, out, _ = run(capsys, "inspect", "twostate")
    assert "chain α < 5/17 ≈ 0.294118" in out
    rows = compare(problem, list(LEARNERS), sets=False)
    found = {row.method.name: rows.mean_square(row) for row in rows.rows}
    assert found["off-policy-td"] == NONE
    assert found["gtd2"].value == pytest.approx(0.255923, abs=1e-6)
    # What is stable in mean square converges in the mean.
    for row in rows.rows:
        assert found[row.method.name].value == 0 or row.outcome.holds.json or row.method.name == "chain"
