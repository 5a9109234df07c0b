"""``theory chain``: all digits where they are few, certified ones where they are many, and clear complaints."""

import json
from fractions import Fraction

import pytest

from tests.command_line import run
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads
from theory.problems.catalogue import catalogue_problem, problem_names


@pytest.mark.parametrize("name", problem_names())
def test_the_whole_catalogue_has_exact_heads(capsys, name):
    code, out, err = run(capsys, "chain", name, "--k", "6", "--json")
    assert (code, err) == (0, "")
    theta = chain_heads(exact_model(catalogue_problem(name)), 6)[-1]
    assert json.loads(out)["theta"] == [str(x) for x in theta.entries()]


def test_long_results_are_full_in_json_and_short_on_the_screen(capsys):
    """(6/5·99/100)^3000 has some 6000 digits above and below."""
    code, out, _ = run(capsys, "chain", "twostate-reward", "--k", "3000", "--json")
    assert code == 0
    text = json.loads(out)["theta"][0]
    assert len(text) > 10_000
    assert text == str(chain_heads(exact_model(catalogue_problem("twostate-reward")), 3000)[-1][0, 0])
    code, out, _ = run(capsys, "chain", "twostate-reward", "--k", "3000")
    assert code == 0
    assert max(map(len, out.splitlines())) < 200
    assert "e+224" in out  # 1.188³⁰⁰⁰ = 10^224.5
    assert "known exactly" in out


def test_digits_that_would_take_minutes_come_as_a_certified_enclosure(capsys):
    code, out, _ = run(capsys, "chain", "garnet", "--k", "100000", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["theta"] is None
    assert "certified enclosure" in found["reason"]
    assert found["enclosure"]["digits"] >= 30
    low, high = (Fraction(x) for x in found["enclosure"]["theta"][0])
    assert 0 < high - low < Fraction(1, 10**30)
    code, out, _ = run(capsys, "chain", "garnet", "--k", "100000")
    assert "--exact computes them" in " ".join(out.split())


def test_the_enclosure_holds_the_exact_head(capsys, monkeypatch):
    _, out, _ = run(capsys, "chain", "garnet", "--k", "6", "--json")
    exact = json.loads(out)
    monkeypatch.setattr("theory.commands.chain.LIMIT", 0.0)
    _, out, _ = run(capsys, "chain", "garnet", "--k", "6", "--json")
    balls = json.loads(out)["enclosure"]
    for key in ("theta", "values", "bias", "value_error"):
        for text, (low, high) in zip(exact[key], balls[key], strict=True):
            assert Fraction(low) <= Fraction(text) <= Fraction(high)


def test_all_digits_come_when_insisted_on(capsys, monkeypatch):
    monkeypatch.setattr("theory.commands.chain.LIMIT", 0.0)
    _, out, _ = run(capsys, "chain", "threestate", "--k", "5", "--exact", "--json")
    assert json.loads(out)["values"] == ["40951/10000"] * 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--k", "3", "--start", "1,2"], "--start: expected 3 numbers, one per feature, got 2"),
        (["--k", "3", "--start", "1,2,x"], "--start[2]: 'x' is not a number"),
        (["--k", "1.5"], "'1.5' is not a whole number"),
        (["--k", "-1"], "--k"),
        (["--k", "1e10"], "--k"),
    ],
)
def test_bad_options_are_named_in_one_line(capsys, arguments, said):
    code, out, err = run(capsys, "chain", "threestate", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_powers_of_ten_are_whole_numbers(capsys):
    assert run(capsys, "chain", "threestate", "--k", "1e3")[1] == run(capsys, "chain", "threestate", "--k", "1000")[1]


def test_an_enclosure_is_not_called_equal(capsys, monkeypatch):
    _, out, _ = run(capsys, "chain", "twostate-reward", "--k", "5")
    assert "θᵏ = (" in out
    monkeypatch.setattr("theory.commands.chain.LIMIT", 0.0)
    _, out, _ = run(capsys, "chain", "twostate-reward", "--k", "5")
    assert "θᵏ ≈ (" in out
    assert "θᵏ = (" not in out


def test_the_digits_that_are_announced_are_printed(capsys, monkeypatch):
    """Ends of an interval with n certain digits have at least n digits each."""
    monkeypatch.setattr("theory.commands.chain.LIMIT", 0.0)
    _, out, _ = run(capsys, "chain", "garnet", "--k", "6", "--json")
    found = json.loads(out)
    digits = found["enclosure"]["digits"]
    assert f"enclosure of {digits} digits" in found["reason"]
    for low, high in found["enclosure"]["theta"]:
        assert min(len(end.lstrip("-").partition("e")[0]) for end in (low, high)) >= digits


def test_no_head_is_cut_in_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run(capsys, "chain", "threestate", "--k", "5")
    assert "40951/10000" in out
    assert "…" not in out
