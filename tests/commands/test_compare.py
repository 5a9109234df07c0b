"""``theory compare``: the whole catalogue, its document, and bad parameters."""

import json

import pytest

from tests.command_line import run
from theory.methods.family import methods
from theory.problems.catalogue import catalogue

KEYS = {
    *("name", "aliases", "parameters", "converges", "certified", "reason", "threshold", "fixed_point", "rate"),
    *("method", "threshold_reason", "rate_reason", "gammas", "gammas_reason", "cost"),
    "max_step_size_mean_square",
}


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_catalogue_problem_is_decided_by_every_method(capsys, name):
    code, out, err = run(capsys, "compare", name, "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert [m["name"] for m in document["methods"]] == list(methods())
    for m in document["methods"]:
        assert set(m) == KEYS
        # One has no actions, the other moves without ratios.
        if name in ("random", "w-to-2w") and m["reason"].startswith("not applicable"):
            assert m["converges"] is m["rate"] is m["gammas"] is None
            continue
        assert m["certified"] is True
        assert m["converges"] in (True, False)
        assert m["reason"]
        assert (m["rate"] is None) == (m["rate_reason"] is not None)
        assert (m["threshold"] is None) <= (m["threshold_reason"] is not None)
        assert (m["gammas"] is None) <= (m["gammas_reason"] is not None)
        assert m["cost"]["multiply_adds"]
        assert (m["fixed_point"]["theta"] is None) == (m["fixed_point"]["note"] is not None)
    assert set(document["best_error"]) == {"uniform", "d_mu"}


def test_verdicts_are_those_of_inspect(capsys):
    arguments = ["--gamma", "0.95", "--step-size", "1/16", "--json"]
    inspected = json.loads(run(capsys, "inspect", "finite-window", *arguments, "--window", "7")[1])
    compared = json.loads(run(capsys, "compare", "finite-window", *arguments, "--window", "7")[1])
    found = {m["name"]: m for m in compared["methods"]}
    assert compared["gamma"] == "19/20"
    assert found["off-policy-td"]["converges"] == inspected["td"]["stable"]
    assert found["chain"]["converges"] == inspected["chain"]["unbiased"]
    assert found["target-network"]["converges"] == inspected["target_network"]["stable"]
    assert found["target-network"]["parameters"] == {"alpha": "1/16", "window": 7}
    assert found["off-policy-td"]["fixed_point"]["theta"] == inspected["fixed_points"]["theta_pi"]


def test_tau_decides_the_soft_target(capsys):
    """field-3: stable at τ = .1, unstable at .2, at α = 1/16."""
    found = []
    for tau in ("0.1", "0.2"):
        _, out, _ = run(
            capsys, "compare", "finite-window", "--step-size", "1/16", "--tau", tau, "--methods", "polyak", "--json"
        )
        found.append(json.loads(out)["methods"][0]["converges"])
    assert found == [True, False]


def test_chosen_methods_keep_their_order_and_parameters(capsys):
    _, out, _ = run(capsys, "compare", "baird", "--methods", "td-lambda:1/2,fqi,tdrc:ratio=2:kappa=1/3", "--json")
    found = [(m["name"], m["parameters"]) for m in json.loads(out)["methods"]]
    assert found == [("td-lambda", {"lambda": "1/2"}), ("chain", {}), ("tdrc", {"ratio": "2", "kappa": "1/3"})]


def test_thresholds_have_their_parameter_and_side(capsys):
    document = json.loads(run(capsys, "compare", "baird", "--json")[1])
    found = {m["name"]: m["threshold"] for m in document["methods"] if m["threshold"]}
    shown = {name: (t["parameter"], t["exact"], t["stable"]) for name, t in found.items()}
    assert shown["td-lambda"] == ("lambda", "1/6", "above")
    assert shown["ridge-td"] == ("eta", "3/140", "above")
    assert shown["n-step-td"] == ("n", "2", "above")
    assert shown["target-network"] == ("window", "2", "above")
    assert shown["etd"] == ("lambda", None, "everywhere")
    assert found["tdc"]["parameter"] == "ratio"
    assert found["tdc"]["stable"] == "above"
    assert found["tdc"]["polynomial"] == ["52", "-21807", "-268655", "53916750", "11050000"]
    assert found["soft-target"]["stable"] == "below"
    td = next(m for m in document["methods"] if m["name"] == "off-policy-td")
    assert (td["gammas"]["exact"], td["gammas"]["stable"]) == ("15/17", "below")


def test_the_screen_has_a_line_a_method_with_its_reason(capsys):
    code, out, err = run(capsys, "compare", "baird", "--wide")
    assert (code, err) == (0, "")
    table = out.partition("method ")[2].partition("\n\n")[0].splitlines()[1:]
    for name in methods():
        assert sum(line.removeprefix("→").split()[:1] == [name] for line in table) == 1
    assert "Lyapunov" in out


def test_a_singular_system_has_no_fixed_point(capsys):
    _, out, _ = run(capsys, "compare", "twostate", "--gamma", "5/6", "--methods", "td")
    assert "det A = 0" in out
    assert "no fixed point or many" in out


def test_list_names_methods_with_their_aliases(capsys):
    document = json.loads(run(capsys, "list", "--json")[1])
    found = {m["name"]: m for m in document["methods"]}
    assert list(found) == list(methods())
    assert {"fqi", "fqe"} <= set(found["chain"]["aliases"])
    assert found["soft-target"]["parameters"]["tau"]["range"] == "in (0, 1]"
    assert "polyak" in run(capsys, "list")[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--methods", "td-lambda:1.5"], "td-lambda.lambda: must be in [0, 1]"),
        (["--tau", "0"], "tau: must be in (0, 1]"),
        (["--tau", "0", "--methods", "chain"], "tau: must be in (0, 1]"),
        (["--methods", "ridge-td:-1"], "eta: must be 0 or more"),
        (["--window", "0"], "window: must be a whole number of 1 or more"),
        (["--step-size", "-1"], "alpha: must be positive"),
        (["--methods", "foo"], "'foo' is unknown"),
        (["--methods", ""], "'' is unknown"),
        (["--gamma", "1"], "must be below 1"),
    ],
)
def test_bad_parameters_get_one_line(capsys, arguments, complaint):
    code, out, err = run(capsys, "compare", "baird", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


@pytest.mark.parametrize("size", ["1e140", "1e-140"])
def test_extreme_features_are_decided(capsys, tmp_path, size):
    path = tmp_path / "extreme.json"
    document = {
        "name": "extreme",
        "gamma": "9/10",
        "features": [[size], [f"-3{size[1:]}"]],
        "target": {"transitions": [[0, 1], [1, 0]], "rewards": [1, 0]},
        "behaviour": {"distribution": ["9/10", "1/10"]},
    }
    path.write_text(json.dumps(document))
    code, out, _ = run(capsys, "compare", str(path), "--json")
    assert code == 0
    open_ones = [
        m["name"] for m in json.loads(out)["methods"] if not m["certified"] and "not applicable" not in m["reason"]
    ]
    assert open_ones == []


@pytest.mark.parametrize("option", [("--over", "td-lambda:lambda,gamma"), ("--certify",)])
def test_what_is_of_a_map_needs_one(capsys, option):
    """--over without --plot was ignored."""
    code, out, err = run(capsys, "compare", "twostate", *option)
    assert (code, out) == (2, "")
    assert "--over and --certify are of the map that --plot draws" in err


def test_a_bad_value_is_told_of_the_method_that_was_asked_for(capsys):
    """It was told of damped-chain."""
    code, _, err = run(capsys, "compare", "twostate", "--tau", "3", "--methods", "soft")
    assert (code, err) == (2, "theory: error: soft-target.tau: must be in (0, 1], got 3\n")


def test_what_is_recommended_converges_with_the_least_error_and_says_why(capsys):
    """Kolter's example: TD converges, and its solution is 31 times as far off as the features allow."""
    document = json.loads(run(capsys, "compare", "kolter:p=3/5", "--json")[1])
    rows = {m["name"]: m for m in document["methods"]}
    use = document["recommended"]
    errors = [m["fixed_point"]["error"]["d_mu"] for m in rows.values() if m["converges"]]
    assert 1 <= len(use) <= 3
    for one in use:
        assert rows[one["name"]]["converges"]
        assert rows[one["name"]]["fixed_point"]["error"]["d_mu"] <= 4 / 3 * min(errors)
        assert one["reason"].startswith("converges (")
    screen = run(capsys, "compare", "kolter:p=3/5")[1].replace("\n", " ")
    assert "TD converges but its solution is 31 times further off than the features allow." in screen


def test_best_keeps_what_is_recommended_and_errors_are_of_what_converges(capsys):
    asked = ("compare", "finite-window", "--methods", "td,chain,etd")
    best = run(capsys, *asked, "--best", "--wide")[1]
    assert "→ etd (λ = 0)" in best
    assert "  off-policy-td " not in best
    rows = [run(capsys, *asked, "--wide", *more)[1] for more in ([], ["--errors"], ["--theta"])]
    td = [next(line for line in out.splitlines() if line.startswith("  off-policy-td")) for out in rows]
    assert [line.split()[2] for line in td] == ["–", "0", "–"]
    assert "(0, 0)" in td[2]
    assert "converges if and only if" in run(capsys, *asked, "--matrix")[1]
