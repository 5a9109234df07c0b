"""``theory success-rate``: one JSON document, one line for every mistake."""

import json
from functools import partial

import pytest

from tests import command_line


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return partial(command_line.run, capsys, "success-rate")


SMALL = ("--states", "3", "--features", "S-1", "--samples", "30", "--workers", "1")


def test_json_is_the_contract(run):
    code, out, err = run(*SMALL, "--windows", "1,inf", "--quantiles", "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["config"]["gamma"] == "99/100"
    assert document["config"]["samples"] == 30
    (row,) = document["rows"]
    asked = {"states", "features", "samples", "td_unstable", "chain_biased", "both", "neither", "undecided", "ci95"}
    assert asked <= row.keys()
    assert (row["states"], row["features"], row["samples"]) == (3, 2, 30)
    assert [w["window"] for w in row["windows"]] == [1, "inf"]
    code, again, _ = run(*SMALL, "--windows", "1,inf", "--quantiles", "--json")
    assert again == out


def test_people_get_a_table(run):
    code, out, err = run(*SMALL)
    assert (code, err) == (0, "")
    assert "TD unstable" in out
    assert "30 problems each" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--samples", "0"], "samples: must be at least 1"),
        (["--samples", "many"], "samples"),
        (["--states", "3", "--features", "4"], "more features than states"),
        (["--ensemble", "papper"], "did you mean 'paper'"),
        (["--law", "gauss"], "feature law"),
        (["--gamma", "1"], "gamma"),
        (["--gamma", "one"], "not a number"),
        (["--windows", "0"], "window"),
        (["--seed", "-1"], "seed"),
        (["--workers", "0"], "workers"),
        (["--store", "/proc/nowhere/x.sqlite"], "store: /proc/nowhere"),
        (["--cluster", "tcp://127.0.0.1:9", "--workers", "2"], "give one of them"),
    ],
)
def test_every_mistake_is_one_line(run, arguments, said):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("theory: error: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_store_of_another_version_is_one_line(run, tmp_path):
    import sqlite3

    assert run(*SMALL, "--store", "s.sqlite")[0] == 0
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        db.execute("UPDATE about SET version = 'older'")
    db.close()
    code, _, err = run(*SMALL, "--store", "s.sqlite")
    assert (code, err.count("\n")) == (2, 1)
    assert "written by older" in err


def test_quantiles_say_of_which_radius_they_are(run):
    for arguments, radius in (((), "quantiles of ρ(γΠP):"), (("--n", "3"), "quantiles of ρ(γⁿΠPⁿ), n = 3:")):
        code, out, _ = run(*SMALL, "--quantiles", *arguments)
        assert code == 0
        assert radius in out
