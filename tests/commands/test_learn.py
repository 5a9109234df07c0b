"""``theory learn`` from the command line: JSON, files, and one line for what cannot be meant."""

import json
from functools import partial

import pytest

from tests.command_line import run

SMALL = ["--step-size", "0.05", "--steps", "300", "--seeds", "3", "--heads", "4"]


@pytest.fixture
def theory(capsys):
    return partial(run, capsys, "learn")


def test_json_is_one_document_with_the_contract_s_keys(theory):
    code, out, err = theory("threestate", "--learner", "chained-concurrent", *SMALL, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["learner"] == "chained-concurrent"
    assert found["config"]["k"] == 4
    assert found["diverged_seeds"] in range(4)
    step, mean, low, high = found["rmse"]["curve"][-1]
    assert step == 300
    assert low <= mean <= high
    assert mean == pytest.approx(found["rmse"]["final"], rel=1e-9)
    assert "bootstrap" in found["rmse"]["band"]


def test_same_command_same_bytes(theory):
    arguments = ("threestate", "--learner", "gtd2", *SMALL, "--json")
    arguments = tuple(a for a in arguments if a not in ("--heads", "4"))
    assert theory(*arguments) == theory(*arguments)


def test_divergence_is_null_with_a_reason(theory):
    code, out, _ = theory("baird", "--learner", "off-policy-td", "--step-size", "0.7", "--steps", "20000", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["rmse"]["last_half"] is None
    assert found["diverged_seeds"] == 10
    assert "diverged" in found["reason"]


def test_compare_plot_and_csv(theory, tmp_path):
    plot, table = tmp_path / "c.svg", tmp_path / "c.csv"
    code, out, _ = theory(
        "threestate", "--learner", "td", "--compare", "tdc,lstd", *SMALL, "--plot", str(plot), "--csv", str(table)
    )
    assert code == 0
    assert "chained" not in out
    assert all(name in out for name in ("td", "tdc", "lstd", "percentile bootstrap"))
    assert plot.read_bytes().startswith(b"<?xml")
    assert [line.split(",")[0] for line in table.read_text().splitlines()[4::101]] == ["td", "tdc", "lstd"]
    code, out, _ = theory("threestate", "--compare", "td,tdc", *SMALL, "--json")
    assert [d["learner"] for d in json.loads(out)["compare"]] == ["tdc"]


def test_variants_are_named_by_set(theory):
    _, out, _ = theory(
        "threestate", "--learner", "chained-sequential", *SMALL, "--set", "after=ring", "--set", "hot=no", "--json"
    )
    assert {"after": "ring", "hot": False}.items() <= json.loads(out)["config"].items()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--learner", "td", "--step-size", "0"], "step-size: must be positive and finite, got 0.0"),
        (["--learner", "td", "--step-size", "-1"], "step-size: must be positive and finite, got -1.0"),
        (["--learner", "td"], "step-size: td needs one"),
        (["--step-size", "1"], "--learner: name one"),
        (["--learner", "sarsa", "--step-size", "1"], "learner: 'sarsa' is unknown"),
        (["--learner", "chained-concurrent", *SMALL, "--k", "5"], "k: head 5 does not exist: the last head is 4"),
        (["--learner", "target-network", *SMALL, "--window", "0"], "window: must be an integer of 1 or more"),
        (["--learner", "td", *SMALL, "--seeds", "0"], "seeds: must be an integer of 1 or more, got 0"),
        (["--learner", "td", *SMALL, "--beta", "1"], "--beta: td has no such setting"),
        (["--learner", "td", *SMALL, "--plot", "x.pdf"], "--plot: the file's name must end in .png or .svg"),
        (["--learner", "chained-sequential", *SMALL, "--set", "hot=maybe"], "--set: hot is yes or no"),
        (
            ["--learner", "td", *SMALL, "--set", "colour=red"],
            "--set: td has no variant 'colour'; there are space",
        ),
        (["--learner", "chained-sequential", *SMALL, "--set", "after=never"], "after: must be one of wrap, stop, ring"),
    ],
)
def test_bad_settings_are_one_line_and_exit_2(theory, arguments, line):
    code, out, err = theory("threestate", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"theory: error: {line}")
    assert err.count("\n") == 1


def test_problem_without_an_mdp_is_pointed_to_realise(theory, tmp_path):
    file = tmp_path / "swap.json"
    file.write_text(
        '{"name": "swap", "gamma": "9/10", "features": [[1], [-3]],'
        ' "target": {"transitions": [[0, 1], [1, 0]], "rewards": [0, 0]},'
        ' "behaviour": {"distribution": ["9/10", "1/10"]}}'
    )
    code, _, err = theory(str(file), "--learner", "td", *SMALL)
    assert code == 2
    assert err == "theory: error: swap has no MDP behind it to sample from; --realise builds one\n"
    code, out, _ = theory(str(file), "--learner", "td", *SMALL, "--realise", "--json")
    assert code == 0
    assert json.loads(out)["problem"] == "swap"
