"""``theory inspect``: the whole catalogue, ties and extremes, narrow terminals, and who is told to wait."""

import io
import json
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from theory.cli import THREADS, main
from theory.commands.common import Waiting, duration
from theory.problems import Problem
from theory.problems.catalogue import problem_names
from theory.problems.files import write_problem

TWO = {"P_pi": [[0, 1], [0, 1]], "d_mu": ["1/2", "1/2"]}
SWAP = {"P_pi": [[0, 1], [1, 0]], "d_mu": ["9/10", "1/10"]}
EPS = Fraction(1, 10**40)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(["inspect", *arguments])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


def looked_at(capsys, tmp_path, problem, *arguments):
    path = tmp_path / "problem.json"
    write_problem(problem, path)
    code, screen, err = run(capsys, str(path), *arguments)
    assert (code, err) == (0, "")
    code, out, _ = run(capsys, str(path), "--json", *arguments)
    assert code == 0
    return json.loads(out), screen


@pytest.mark.parametrize("name", problem_names())
def test_the_whole_catalogue_is_certified(capsys, name):
    code, out, _ = run(capsys, name, "--json")
    found = json.loads(out)
    assert code == 0
    parts = [found[key] for key in ("td", "chain", "target_network", "uniform_safety")]
    assert all(part["certified"] for part in parts)
    assert found["td"]["eigenvalue_bounds"] is not None
    assert found["chain"]["eigenvalue_bounds"] is not None
    assert sum(x["count"] for x in found["td"]["eigenvalue_bounds"]) == found["rank"]


@pytest.mark.parametrize(
    ("problem", "td", "chain", "said"),
    [
        (Problem.from_matrices("5/6", Phi=[[1], [2]], **TWO), False, False, "at +1"),
        (Problem.from_matrices("3/5", Phi=[[1], [-3]], **SWAP), True, False, "at −1"),
    ],
)
def test_ties_are_decided_right(capsys, tmp_path, problem, td, chain, said):
    found, screen = looked_at(capsys, tmp_path, problem)
    assert (found["td"]["stable"], found["chain"]["unbiased"]) == (td, chain)
    assert "tie" in found["chain"]["reason"]
    assert said in screen


def test_two_problems_next_to_a_threshold_are_told_apart_with_right_digits(capsys, tmp_path):
    """At γ = 5/6 ∓ ε: A = ±3ε, ρ = 1 ∓ 6ε/5, and 2/A is the largest step size."""
    below, screen = looked_at(capsys, tmp_path, Problem.from_matrices(Fraction(5, 6) - EPS, Phi=[[1], [2]], **TWO))
    assert below["quadrant"] == "td-stable/chain-unbiased"
    assert "λ(A)  3e-40\n" in screen
    assert "1 − 1.2e-40" in screen
    assert "0 < α < 6.66667e+39" in screen
    low, high = (Fraction(x) for x in below["td"]["max_step_size_bounds"])
    assert low <= 2 / (3 * EPS) <= high
    assert high - low < low / 10**10
    above, screen = looked_at(capsys, tmp_path, Problem.from_matrices(Fraction(5, 6) + EPS, Phi=[[1], [2]], **TWO))
    assert above["quadrant"] == "td-unstable/chain-biased"
    assert "λ(A)  -3e-40\n" in screen
    assert "1 + 1.2e-40" in screen
    assert above["td"]["max_step_size"] is None


EXTREMES = {
    "one state": Problem.from_matrices("9/10", Phi=[[2]], P_pi=[[1]], d_mu=[1], r_pi=[1]),
    "more features than states": Problem.from_matrices("9/10", Phi=[[1, 2, 3], [0, 1, 5]], r_pi=[1, 2], **TWO),
    "no discount": Problem.from_matrices(0, Phi=[[1], [2]], r_pi=[1, 1], **TWO),
    "duplicated features": Problem.from_matrices("9/10", Phi=[[1, 1], [2, 2]], r_pi=[1, 1], **TWO),
    "zero features": Problem.from_matrices("9/10", Phi=[[0, 0], [0, 0]], r_pi=[1, 1], **TWO),
    "zero rewards": Problem.from_matrices("9/10", Phi=[[1], [2]], **TWO),
    "huge": Problem.from_matrices("9/10", Phi=[["1e300"], ["2e300"]], r_pi=["1e300", "-1e300"], **TWO),
    "tiny": Problem.from_matrices("9/10", Phi=[["1e-300"], ["2e-300"]], r_pi=["1e-300", 1], **TWO),
    "both": Problem.from_matrices("9/10", Phi=[["1e-300", "1e300"], [1, "1e-300"]], r_pi=[1, "1e300"], **TWO),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_problems_are_decided_with_certificates(capsys, tmp_path, name):
    """Scaling Φ by 10^±300 changes no verdict; twostate at γ = 9/10 > 5/6 is unstable and biased."""
    found, _ = looked_at(capsys, tmp_path, EXTREMES[name])
    assert found["td"]["certified"]
    assert found["chain"]["certified"]
    assert found["target_network"]["certified"]
    expected = (
        "td-unstable/chain-biased"
        if name in ("duplicated features", "zero rewards", "huge", "tiny")
        else ("td-stable/chain-unbiased")
    )
    assert found["quadrant"] == expected


def test_a_tiny_step_size_is_decided_at_once(capsys):
    code, out, _ = run(capsys, "baird", "--step-size", "1e-300", "--json")
    network = json.loads(out)["target_network"]
    assert code == 0
    assert (network["stable"], network["certified"]) == (False, True)  # T updates of no size are TD
    assert "balls of 128 bits" in network["method"]


@pytest.mark.slow
def test_two_hundred_states_and_more_features_than_before_are_bracketed(capsys, tmp_path):
    rng = np.random.default_rng(0)
    P, d = rng.uniform(size=(200, 200)), rng.uniform(size=200)
    problem = Problem.from_matrices(
        0.99, Phi=rng.normal(size=(200, 130)), P_pi=P / P.sum(axis=1, keepdims=True), d_mu=d / d.sum()
    )
    found, screen = looked_at(capsys, tmp_path, problem)
    assert found["td"]["certified"]
    assert found["chain"]["certified"]
    assert found["target_network"]["certified"]
    assert "proved: no crossing up to γ = 1 − 1e-12" in found["td"]["stable_intervals"]["reason"]
    assert "not computed" not in screen


@pytest.mark.parametrize("columns", [30, 60, 80, 200])
def test_the_ruler_fits_the_terminal(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = run(capsys, "baird")
    lines = out.splitlines()
    rows = [line for line in lines if line.strip().startswith(("TD stable", "unbiased"))]
    assert len(rows) == 2
    assert all(len(row) <= columns for row in rows)
    share = rows[0].count("█") / (rows[0].count("█") + rows[0].count("·"))
    assert share == pytest.approx(15 / 17, abs=1 / 18)  # a cell of the shortest ruler


def test_a_window_may_be_written_as_a_power_of_ten(capsys):
    _, short, _ = run(capsys, "baird", "--window", "1e3", "--json")
    _, plain, _ = run(capsys, "baird", "--window", "1000", "--json")
    assert short == plain
    assert json.loads(short)["target_network"]["window"] == 1000


@pytest.mark.parametrize("text", ["1.5", "1e-3", "0", "2e9", "x"])
def test_other_windows_get_one_line(capsys, text):
    code, out, err = run(capsys, "baird", "--window", text)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--window" in err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals_and_leaves_nothing_behind(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = Waiting("eigenvalues")
    line(0.5)
    line.say("thresholds")
    line.close()
    shown = terminal.getvalue()
    assert "eigenvalues · 50%" in shown
    assert "thresholds" in shown
    assert shown.endswith("\r\x1b[K")


def test_nothing_is_said_into_a_pipe(capsys):
    assert run(capsys, "threestate")[2] == ""


def test_durations_are_words():
    assert [duration(x) for x in (3.2, 200, 7200, 10**6)] == ["3 s", "3 min", "2 h", "more than a day"]


@pytest.mark.parametrize(("given", "expected"), [({}, "1"), ({"OMP_NUM_THREADS": "3"}, "3")])
def test_one_blas_thread_unless_the_user_says_otherwise(given, expected):
    environment = {k: v for k, v in os.environ.items() if k not in THREADS} | given
    code = (
        "import os, sys; from theory.cli import main\n"
        "try: main(['list', '--json'])\n"
        "except SystemExit: print(os.environ.get('OMP_NUM_THREADS'), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stderr.strip() == expected
