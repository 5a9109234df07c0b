"""Table 1 by expectations: the best of the grid, marks by their rules, and a store that remembers."""

import json
from fractions import Fraction

import numpy as np
import pytest

from tests.command_line import run
from tests.noise.stepping import error_curve, last_half
from theory.experiments.table1.exact import exact_learner
from theory.experiments.table1.expected import expected_mark, expected_table, on_grid, read_cells
from theory.experiments.table1.text import expected_grid, expected_rows, explanations
from theory.experiments.table1.units import Scale
from theory.learners.families import find_learner
from theory.learners.protocol import Protocol
from theory.noise.errors import error_chain
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem
from theory.store import Store

STEPS = 60
SCALE = Scale(STEPS, 2, 4, Protocol(step_sizes=(0.2, 0.05), heads=(1, 2), last_head=2, windows=(5, 7)))


def every_setting(learner, problem):
    """The expected RMSE of each setting of the small grid, each stepped for itself."""
    rule = find_learner(learner)
    settings = SCALE.protocol.settings(learner)
    for at in range(len(settings["alpha"])):
        setting = {name: column[at].item() for name, column in settings.items()}
        chain = error_chain(rule.of(problem.gamma, setting, 2), problem, exact=False)
        yield float(last_half(error_curve(chain, STEPS))) ** 0.5, setting


@pytest.mark.parametrize("learner", ["td", "gtd2", "chained-sequential", "chained-concurrent"])
def test_the_best_is_the_least_of_all_settings(learner):
    problem = catalogue_problem("threestate:gamma=9/10")
    exact = exact_learner(learner, problem)
    setting, rmse = exact.best(SCALE)
    known = list(every_setting(learner, problem))
    least, best = min(known, key=lambda one: one[0])
    assert rmse == pytest.approx(least, rel=1e-9)
    assert {name: setting[name] for name in best} == pytest.approx(best)
    for q, other in known:
        assert exact.rmse(other, SCALE) == pytest.approx(q, rel=1e-9)


def test_text_and_store_follow_from_the_numbers(tmp_path):
    chosen = {"rmse": 0.5, "diverged": False, "config": {"alpha": 0.2000001}, "seeds": 4}
    simulated = [{"learner": "off-policy-td", "problem": "baird", "gamma_exact": "9/10", **chosen}]
    with Store(tmp_path / "a.sqlite") as store:
        result = expected_table(SCALE, store, simulated, ("td", "off-policy-td", "etd"))
        assert len(store) == 19
        assert expected_table(SCALE, store, simulated, ("td", "off-policy-td", "etd")) == result
    cells = {(c["learner"], c["problem"], c["gamma_exact"]): c for c in result["cells"]}
    assert len(cells) == 18
    there = cells["off-policy-td", "baird", "9/10"]["at_simulated"]
    assert (there["setting"], there["tail"]) == ({"alpha": 0.2}, "infinite")
    assert cells["etd", "baird", "9/10"]["mark"] == "a draw"
    assert cells["etd", "baird", "9/10"]["best"] is None
    assert [len(rows) for rows in (expected_grid(result), expected_rows(result))] == [3, 18]
    text = " ".join(explanations(None, result))
    assert "sampled 0.5, expected" in text
    assert "sqrt(7)/7" in text


@pytest.mark.parametrize(
    ("learner", "gamma", "paper", "best", "tail", "mark"),
    [
        ("tdc", 0.9, 0.3, 0.28, "heavy", "agrees"),
        ("td", 0.99, 102.8, 100.7, "light", "agrees"),
        ("off-policy-td", 0.9, float("inf"), 662.0, "infinite", "agrees"),
        ("gtd2", 0.9, 0.2, 1.04, "heavy", "a draw"),
        ("gtd2", 0.9, 0.2, 1.04, "light", "unexplained"),
        ("gtd2", 0.99, 12.5, 122.3, "heavy", "impossible"),  # one of a pair that no setting gives
        ("chained-sequential", 0.99, 0.2, 0.003, "light", "worse"),
        ("chained-sequential", 0.99, 0.2, 0.003, "heavy", "a draw"),
        ("tdrc", 0.9, None, 0.0, "light", "not in the paper"),
    ],
)
def test_marks_follow_their_rules(learner, gamma, paper, best, tail, mark):
    found = {"learner": learner, "problem": "baird", "gamma": gamma, "at_simulated": None, "trace": None}
    assert expected_mark(found | {"best": {"rmse": best, "tail": tail}}, paper) == mark


def test_settings_of_a_file_are_found_in_the_grid(tmp_path):
    scale = Scale()
    assert on_grid({"alpha": 0.0248031, "k": 32.0}, scale) == {"alpha": 2.0 ** (-16 / 3), "k": 32.0}
    path = tmp_path / "table1.csv"
    path.write_text(
        "# seed: 0\nlearner,problem,gamma,rmse,diverged,seeds,alpha,beta,window,k\ntd,baird,0.99,,True,7,.5,,,\n"
    )
    (cell,) = read_cells(path)
    assert Fraction(cell["gamma_exact"]) == Fraction(99, 100)
    assert (cell["rmse"], cell["diverged"], cell["config"]) == (None, True, {"alpha": 0.5})
    path.write_text("learner,problem\ntd,baird\n")
    with pytest.raises(InvalidProblem, match="is no table of cells"):
        read_cells(path)


def test_the_command(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["table1", "--exact", "--learner", "td,etd", "--workers", "1", "--store", "x.sqlite"]
    code, out, _ = run(capsys, *arguments, "--json")
    document = json.loads(out)
    assert code == 0
    best = [c["best"]["rmse"] for c in document["cells"] if c["learner"] == "td"]
    assert np.round(best, 2).tolist() == [0, 10.0, 10.04, 0, 100.05, 100.66]
    assert document["simulated_from"] is None
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "least expectation" in out
    assert "✓ agrees" in out
    code, _, err = run(capsys, "table1", "--exact", "--readings")
    assert code == 2
    assert "--readings: nothing is sampled with --exact" in err
    code, _, err = run(capsys, "table1", "--exact", "--learner", "sarsa")
    assert code == 2
    assert "'sarsa' has no row" in err
    code, _, err = run(capsys, "table1", "--simulated", "x.csv")
    assert code == 2
    assert "only with --exact" in err
