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


def test_learners_have_settings_of_their_own(theory):
    small = ("--steps", "300", "--seeds", "2", "--json")
    code, out, _ = theory(
        "threestate", "--learner", "td:step-size=1/50", "--compare",
        "gtd2:alpha=1/32,beta=1/256,reading=2009,off-policy-td,n-step:n=4", "--step-size", "1/100", *small,
    )  # fmt: skip
    first = json.loads(out)
    configs = [first["config"], *(d["config"] for d in first["compare"])]
    assert code == 0
    assert [c["step_size"] for c in configs] == [1 / 50, 1 / 32, 1 / 100, 1 / 100]
    assert (configs[1]["beta"], configs[1]["reading"], configs[3]["n"]) == (1 / 256, "2009", 4)
    alone = json.loads(theory("threestate", "--learner", "off-policy-td", "--step-size", "0.01", *small)[1])
    assert first["compare"][1]["rmse"] == alone["rmse"]


def test_variants_for_all_go_to_those_that_have_them(theory):
    _, out, _ = theory("threestate", "--compare", "td,gtd2", *SMALL, "--set", "reading=2009", "--json")
    found = json.loads(out)
    assert "reading" not in found["config"]
    assert found["compare"][0]["config"]["reading"] == "2009"


def test_tuning_and_other_errors_are_said(theory):
    small = ("--steps", "200", "--seeds", "2", "--heads", "2")
    code, out, _ = theory("threestate", "--learner", "chained-concurrent", "--tune", "--error", "pbe", *small)
    assert code == 0
    assert "the best of 80 settings on 10 tuning seeds" in out
    assert "√PBE" in out
    found = json.loads(theory("threestate", "--learner", "td", "--tune", "--error", "d_mu", *small, "--json")[1])
    assert found["tuning"]["settings"] == 40
    assert found["config"]["error"] == "d_mu"


def test_what_is_said_of_seeds_names_the_error_that_was_asked_for(theory):
    for error, name, mark in (("uniform", "RMSE", "divergence;"), ("pbe", "√PBE", "divergence of the RMSE;")):
        _, out, _ = theory("threestate", "--learner", "td", *SMALL, "--error", error)
        said = " ".join(out.split())
        assert f"A seed's {name} over the last half." in said
        assert f"the paper's mark of {mark}" in said


def test_one_seed_is_one_seed(theory):
    _, out, _ = theory("threestate", "--learner", "td", *SMALL, "--seeds", "1", "--exact")
    assert "of 1 seed end in" in out or "1 seed say" in out


def test_a_run_that_never_trains_says_so(theory):
    _, out, _ = theory("threestate", "--learner", "n-step", "--n", "301", *SMALL)
    assert "a window of n = 301 moves is not complete before the run ends" in out.replace("\n", " ")


def test_normalised_steps_on_a_state_without_features_run(theory, tmp_path):
    file = tmp_path / "zero.json"
    file.write_text(
        '{"name": "zero", "gamma": "1/2", "features": [[0], [1]],'
        ' "transitions": [[[0, 1]], [[1, 0]]], "rewards": [[1], [0]],'
        ' "target_policy": [[1], [1]], "behaviour_policy": [[1], [1]]}'
    )
    code, _, err = theory(str(file), "--learner", "chained-concurrent", *SMALL, "--set", "normalise=yes")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--learner", "td", "--step-size", "0"], "step-size: must be positive and finite, got 0.0"),
        (["--learner", "td", "--step-size", "-1"], "step-size: must be positive and finite, got -1.0"),
        (["--learner", "td"], "--step-size: td needs one, or --tune"),
        (["--step-size", "1"], "--learner: name one"),
        (["--learner", "sarsa", "--step-size", "1"], "learner: 'sarsa' is unknown"),
        (["--learner", "chained-concurrent", *SMALL, "--k", "5"], "k: head 5 does not exist: the last head is 4"),
        (["--learner", "target-network", *SMALL, "--window", "0"], "window: must be an integer of 1 or more"),
        (["--learner", "td", *SMALL, "--seeds", "0"], "seeds: must be an integer of 1 or more, got 0"),
        (["--learner", "td", *SMALL, "--beta", "1"], "--beta: td has no such setting"),
        (["--learner", "gtd2:gamma=1/2", *SMALL], "gtd2: no setting 'gamma'; it has alpha, beta, reading, space"),
        (["--learner", "gtd2:beta", *SMALL], "gtd2: settings are written gtd2:key=value, got 'beta'"),
        (["--compare", "beta=1", *SMALL], "'beta=1' belongs to no learner: write gtd2:beta=1"),
        (["--learner", "gtd2:beta=x", *SMALL], "beta: 'x' is not a number"),
        (["--learner", "td", "--step-size", "1/0"], "--step-size: '1/0' divides by zero"),
        (["--learner", "td", "--step-size", "1e400"], "--step-size: too large for double precision"),
        (["--learner", "td", *SMALL, "--set", "reading"], "--set: write KEY=VALUE, got 'reading'"),
        (["--learner", "td", *SMALL, "--set", "normalise=yes"], "--set: td has no variant 'normalise'"),
        (
            ["--learner", "td", *SMALL, "--error", "mean"],
            "Invalid value for '--error': 'mean' is not one of 'uniform', 'd_mu', 'pbe'",
        ),
        (
            ["--learner", "td", "--compare", "gtd2,td", *SMALL, "--set", "kappa=2"],
            "--set: td and gtd2 have no variant 'kappa'; there are space, reading",
        ),
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


def test_seeds_and_pairs_are_reported(theory):
    code, out, _ = theory("threestate", "--learner", "td", "--compare", "tdc", *SMALL, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["over_seeds"]["tolerance"]["confidence"] == 0.95
    assert "paired" not in found
    (other,) = found["compare"]
    assert other["paired"]["against"] == "td"
    assert other["paired"]["low"] <= other["paired"]["mean"] <= other["paired"]["high"]
    assert other["paired"]["lower"] + other["paired"]["higher"] == other["paired"]["seeds"] == 3
    assert "minus the first" in theory("threestate", "--learner", "td", "--compare", "tdc", *SMALL)[1]
    assert "minus" not in theory("threestate", "--learner", "td", *SMALL)[1]


def test_raw_results_give_the_table_s_number_back(theory, tmp_path):
    table = tmp_path / "seeds.csv"
    code, out, _ = theory("threestate", "--compare", "td,tdc", *SMALL, "--raw", str(table), "--json")
    header, *lines = [line.split(",") for line in table.read_text().splitlines() if not line.startswith("#")]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    found = json.loads(out)
    for document in (found, *found["compare"]):
        mine = [float(row["last_half"]) for row in rows if row["learner"] == document["learner"]]
        assert len(mine) == 3
        mean = (sum(x * x for x in mine) / 3) ** 0.5
        assert mean == pytest.approx(document["rmse"]["last_half"], rel=1e-5)
    assert code == 0


def test_raw_results_as_parquet(theory, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    code, _, _ = theory("threestate", "--learner", "td", *SMALL, "--raw", str(tmp_path / "seeds.parquet"))
    table = parquet.read_table(tmp_path / "seeds.parquet")
    assert code == 0
    assert table.column("seed").to_pylist() == [0, 1, 2]
    assert b"seed" in table.schema.metadata


def test_a_choice_at_the_grid_s_edge_is_said(theory, tmp_path):
    plot = tmp_path / "s.svg"
    arguments = ("threestate", "--learner", "td", "--tune", "--steps", "200", "--seeds", "3")
    code, out, _ = theory(*arguments, "--json", "--sensitivity", str(plot))
    tuning = json.loads(out)["tuning"]
    assert code == 0
    assert plot.stat().st_size > 1000
    alphas, errors = zip(*((row[0], row[1]) for row in tuning["sensitivity"]), strict=True)
    assert len(alphas) == 40
    chosen = json.loads(out)["config"]["step_size"]
    assert min(errors) == pytest.approx(tuning["rmse"])
    assert alphas[errors.index(min(errors))] == chosen
    assert tuning["at_edge"] == (["alpha"] if chosen in (min(alphas), max(alphas)) else [])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--sensitivity", "a.png"), "give both"),
        (("--tune", "--sensitivity", "a.pdf"), ".png or .svg"),
        (("--raw", "a.txt"), ".csv or .parquet"),
        (("--raw", "nowhere/a.csv"), "no folder nowhere"),
        (("--tune", "--sensitivity", "a.png"), "every step size was given"),
    ],
)
def test_files_are_refused_before_anything_runs(theory, arguments, complaint):
    code, out, err = theory("threestate", "--learner", "td", *SMALL[:-2], *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
