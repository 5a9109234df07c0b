"""``theory inspect``: the whole catalogue, ties and extremes, narrow terminals, and who is told to wait."""

import json
import os
import resource
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.command_line import run
from theory.certified.answers import UNDECIDED
from theory.certified.recheck import checker as recheck
from theory.cli import THREADS
from theory.experiments.inspection import inspect_problem
from theory.problems import Problem, open_problem
from theory.problems.catalogue import problem_names
from theory.problems.files import write_problem

TWO = {"P_pi": [[0, 1], [0, 1]], "d_mu": ["1/2", "1/2"]}
SWAP = {"P_pi": [[0, 1], [1, 0]], "d_mu": ["9/10", "1/10"]}
EPS = Fraction(1, 10**40)


def looked_at(capsys, tmp_path, problem, *arguments):
    path = tmp_path / "problem.json"
    write_problem(problem, path)
    code, screen, err = run(capsys, "inspect", str(path), *arguments)
    assert (code, err) == (0, "")
    code, out, _ = run(capsys, "inspect", str(path), "--json", *arguments)
    assert code == 0
    return json.loads(out), screen


@pytest.mark.parametrize("name", problem_names())
def test_the_whole_catalogue_is_certified(capsys, name):
    code, out, _ = run(capsys, "inspect", name, "--json")
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
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_problems_are_decided_with_certificates(capsys, tmp_path, name):
    """Twostate at γ = 9/10 > 5/6 is unstable and biased."""
    found, _ = looked_at(capsys, tmp_path, EXTREMES[name])
    assert found["td"]["certified"]
    assert found["chain"]["certified"]
    assert found["target_network"]["certified"]
    expected = (
        "td-unstable/chain-biased" if name in ("duplicated features", "zero rewards") else ("td-stable/chain-unbiased")
    )
    assert found["quadrant"] == expected


def test_a_tiny_step_size_is_decided_at_once(capsys):
    code, out, _ = run(capsys, "inspect", "baird", "--step-size", "1e-300", "--json")
    network = json.loads(out)["target_network"]
    assert code == 0
    assert (network["stable"], network["certified"]) == (False, True)  # T updates of no size are TD


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
    ((low, high),) = found["td"]["stable_intervals"]["unknown"]
    assert (Fraction(high), 1 - Fraction(low)) == (1, Fraction(1, 2**40))  # all but the last discounts are proved
    assert "how far was not found" not in screen


@pytest.mark.parametrize("columns", [30, 60, 80, 200])
def test_the_ruler_fits_the_terminal(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = run(capsys, "inspect", "baird")
    lines = out.splitlines()
    rows = [
        line for line in lines if line.strip().startswith(("TD stable", "unbiased")) and ("█" in line or "·" in line)
    ]
    assert len(rows) == 2
    assert all(len(row) <= columns for row in rows)
    share = rows[0].count("█") / (rows[0].count("█") + rows[0].count("·"))
    assert share == pytest.approx(15 / 17, abs=1 / 18)  # a cell of the shortest ruler


def test_a_window_may_be_written_as_a_power_of_ten(capsys):
    _, short, _ = run(capsys, "inspect", "baird", "--window", "1e3", "--json")
    _, plain, _ = run(capsys, "inspect", "baird", "--window", "1000", "--json")
    assert short == plain
    assert json.loads(short)["target_network"]["window"] == 1000


@pytest.mark.parametrize("text", ["1.5", "1e-3", "0", "2e9", "x"])
def test_other_windows_get_one_line(capsys, text):
    code, out, err = run(capsys, "inspect", "baird", "--window", text)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--window" in err


def test_nothing_is_said_into_a_pipe(capsys):
    assert run(capsys, "inspect", "threestate")[2] == ""


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


@pytest.mark.parametrize(("size", "said"), [("1e-200", "so small that ΦᵀDΦ underflows"), ("1e200", "overflow double")])
def test_features_whose_moments_are_no_doubles_are_refused_in_one_line(capsys, tmp_path, size, said):
    path = tmp_path / "extreme.json"
    write_problem(Problem.from_matrices("9/10", Phi=[[size], [f"2{size[1:]}"]], r_pi=[1, 1], **TWO), path)
    for command in ("inspect", "compare"):
        code, out, err = run(capsys, command, str(path))
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1


@pytest.mark.parametrize("size", [-140, -60, 0, 60, 140])
def test_the_default_step_size_follows_the_features_to_any_scale(capsys, tmp_path, size):
    """X = 5/2·10^2s, so 1/(2X) < α ≤ 1/X; G_100 then is within a ball of 1 − (1 − αX)^100 of B = 3/5."""
    unit = Fraction(10) ** size
    problem = Problem.from_matrices("1/2", Phi=[[unit], [2 * unit]], r_pi=[1, 1], **TWO)
    found, screen = looked_at(capsys, tmp_path, problem)
    network, X = found["target_network"], Fraction(5, 2) * unit**2
    alpha = Fraction(network["step_size"])
    assert 1 / (2 * X) < alpha <= 1 / X
    assert (network["stable"], network["certified"]) == (True, True)
    assert network["rho"] == pytest.approx(0.6, abs=1e-12)  # (1/2)^100 and rounding
    assert "α = 0[" not in screen
    assert "α = 0\n" not in screen


def test_a_picture_is_drawn_at_any_scale(capsys, tmp_path):
    """Scaled features show the same radii, since only αX matters, and errors of Φθ⁰ that are as much larger."""
    from theory.experiments.inspection_plot import plot_data

    plain = Problem.from_matrices("1/2", Phi=[[1], [2]], **TWO)
    large = Problem.from_matrices("1/2", Phi=[[2**400], [2**401]], **TWO)
    a, b = plot_data(plain), plot_data(large)
    assert b.window_radii == pytest.approx(a.window_radii, rel=1e-12)
    assert b.transients == pytest.approx(a.transients + 400 * np.log10(2), abs=1e-9)
    looked_at(capsys, tmp_path, large, "--plot", str(tmp_path / "large.png"))
    assert (tmp_path / "large.png").stat().st_size > 0


@pytest.mark.parametrize("name", ["missing/picture.png", "picture.gif", "taken.png"])
def test_a_picture_that_cannot_be_written_is_an_error_before_the_page(capsys, tmp_path, name):
    (tmp_path / "taken.png").mkdir()
    code, out, err = run(capsys, "inspect", "baird", "--plot", str(tmp_path / name))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--plot" in err


def test_no_page_is_printed_where_drawing_fails(capsys, tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def full(self, path):
        raise OSError("no space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    code, out, err = run(capsys, "inspect", "baird", "--plot", str(tmp_path / "picture.png"))
    assert (code, out) == (2, "")
    assert "no space left" in err


@pytest.mark.parametrize("columns", [40, 80])
def test_no_number_is_cut_in_a_narrow_terminal(capsys, monkeypatch, tmp_path, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    problem = Problem.from_matrices("9/10", Phi=[[1], [2]], r_pi=["12345/9876", "123456/98765"], **TWO)
    _, screen = looked_at(capsys, tmp_path, problem)
    assert "…" not in screen
    rows = [line.split() for line in screen.splitlines() if line.split()[1:2] == ["1/2"]]
    assert [len(row) for row in rows] == [6, 6]  # every state in one line


def test_verdicts_are_aligned_whatever_the_window(capsys):
    _, out, _ = run(capsys, "inspect", "baird", "--window", "1e9")
    words = ("unstable", "unbiased", "stable", "not safe")
    lines = [line for line in out.splitlines() if line.endswith(tuple(f" {word}" for word in words))]
    assert len({line.index(f" {word}") for line, word in zip(lines, words, strict=True)}) == 1


def test_brackets_do_not_claim_the_last_discounts():
    """TD is stable on all of [0, 1), and so it is in any basis; pieces prove it up to 1 − 2⁻⁴⁰ only."""
    from theory.thresholds.discounts import td_stable_intervals
    from theory.thresholds.results import end_text, stable_text

    tabular = Problem.from_matrices("9/10", Phi=[[1, 0], [0, 1]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"])
    assert stable_text(td_stable_intervals(tabular), end_text) == "[0, 1)"
    mixed = tabular.with_features([[1, 1], [0, 1]])
    assert stable_text(td_stable_intervals(mixed), end_text) == "[0, 1)"
    assert stable_text(td_stable_intervals(mixed, longest=-1), end_text) == "[0, 1 − 9.1e-13]"


def test_one_feature_is_singular_in_words(capsys, tmp_path):
    _, screen = looked_at(capsys, tmp_path, Problem.from_matrices("9/10", Phi=[[0], [0]], r_pi=[1, 1], **TWO))
    assert "1 feature of rank 0: θ of least norm" in screen
    assert "1 features" not in screen


def test_exact_thresholds_can_be_insisted_on(capsys):
    code, out, _ = run(capsys, "inspect", "threestate", "--exact", "--json")
    assert code == 0
    assert json.loads(out)["td"]["stable_intervals"]["complete"]


def test_a_verdict_carried_along_gamma_says_by_what():
    """It has no certificate of its own: the words name the threshold, and the JSON has its document."""
    found = inspect_problem(open_problem("threestate"))
    bare = replace(found.chain, holds=UNDECIDED, evidence=None)
    carried = replace(found, chain=bare)
    said = carried.document()["chain"]
    assert said["unbiased"] == found.document()["chain"]["unbiased"]
    assert said["carried_by"] == "chain.gamma_threshold"
    assert said["reason"].startswith("carried along γ: ρ(γΠP) = γρ(ΠP), and γ is")
    assert said["rechecked"]
    assert recheck.check(json.loads(json.dumps(said["certificate"])))
    assert "carried_by" not in found.document()["chain"]
    td = replace(found, td=replace(found.td, holds=UNDECIDED, evidence=None)).document()["td"]
    assert td["stable"] == found.document()["td"]["stable"]
    assert td["carried_by"] == "td.stable_intervals"
    assert recheck.check(td["certificate"])


def test_many_more_features_than_states_are_reduced_first(capsys, tmp_path):
    """Matrices of F×F numbers took 12 GB of 2 states with 20,000 features."""
    rows = [[(i * 7) % 11 for i in range(20_000)], [(i * 5) % 13 for i in range(20_000)]]
    target = {"transitions": [[0, 1], [0, 1]]}
    tree = {"gamma": "9/10", "features": rows, "target": target, "behaviour": {"distribution": ["1/2", "1/2"]}}
    path = tmp_path / "many.json"
    path.write_text(json.dumps(tree))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code, out, _ = run(capsys, "inspect", str(path), "--json")
    assert (code, json.loads(out)["rank"]) == (0, 2)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
    for option in ("--flips", "--coq"):
        given = [str(tmp_path / "x.v")] if option == "--coq" else []
        code, _, err = run(capsys, "inspect", str(path), option, *given)
        assert (code, err.count("\n")) == (2, 1), err
