"""``theory table1`` and ``theory figure`` from the command line, on a scale of milliseconds."""

import json
from functools import partial

import pytest

from tests.command_line import run
from tests.experiments.test_table1 import TINY
from theory.experiments.table1 import PROFILES
from theory.figures import names


@pytest.fixture
def theory(monkeypatch, capsys):
    monkeypatch.setitem(PROFILES, "quick", TINY)
    monkeypatch.delitem(PROFILES, "tiny", raising=False)  # the report's tests may have left theirs
    return partial(run, capsys)


def test_json_has_all_cells_and_the_store_makes_the_second_run_the_same(theory, tmp_path):
    store, into = str(tmp_path / "s.sqlite"), tmp_path / "out"
    arguments = ("table1", "--store", store, "--workers", "1", "--into", str(into), "--json")
    code, out, _ = theory(*arguments)
    found = json.loads(out)
    assert (code, len(found["cells"])) == (0, 48)
    assert {"learner", "problem", "gamma", "rmse", "paper", "config", "mark", "ci95"} <= set(found["cells"][0])
    assert "curves" not in found
    assert not next(p for p in found["impossible"] if p["gamma"] == 0.99)["possible"]
    assert (into / "table1.md").read_text().startswith("# Table 1")
    assert theory(*arguments)[1] == out
    # For people, from the same store; the quick profile says so.
    code, out, _ = theory("table1", "--store", store, "--workers", "1")
    assert code == 0
    assert "QUICK profile" in out
    # The learning curves come from the same units.
    code, out, _ = theory(
        "figure", "learning-curves", "--store", store, "--workers", "1", "--into", str(into), "--json"
    )
    files = json.loads(out)["files"]
    assert (code, len(files)) == (0, 6)
    assert all((into / name.rsplit("/", 1)[1]).stat().st_size > 1000 for name in files)


def test_figure_writes_png_svg_and_csv(theory, tmp_path):
    code, out, _ = theory("figure", "expected-updates", "--into", str(tmp_path), "--json")
    found = json.loads(out)
    assert code == 0
    assert found["figure"] == "expected-updates"
    assert [name.rsplit(".", 1)[1] for name in found["files"]] == ["png", "svg", "csv"]


def test_all_figures_of_the_issue_are_there():
    assert set(names()) >= {"success-rate", "expected-updates", "learning-curves", "n-step-chains", "transient"}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["table1", "--profile", "slow"], "profile: no profile named 'slow'; there are quick, full"),
        (["table1", "--repetitions", "0"], "repetitions: must be an integer of 1 or more, got 0"),
        (["table1", "--seed", "-1"], "seed: must be an integer of 0 or more, got -1"),
        (["figure", "learning-curve"], "no figure named 'learning-curve'; did you mean 'learning-curves'?"),
        (["figure", "transient", "--profile", "slow"], "--profile: quick or full, got 'slow'"),
    ],
)
def test_bad_requests_are_one_line_and_exit_2(theory, arguments, line):
    code, out, err = theory(*arguments)
    assert (code, out, err) == (2, "", f"theory: error: {line}\n")


def test_no_workers_is_one_line(theory, tmp_path):
    code, _, err = theory("table1", "--workers", "0", "--store", str(tmp_path / "s.sqlite"))
    assert (code, err) == (2, "theory: error: workers: must be at least 1, got 0\n")
