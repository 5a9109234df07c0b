"""The table compares closed forms with the expected updates, and notices when they disagree."""

import json
from fractions import Fraction

import numpy as np
import pytest
from sympy import sympify

from tests.command_line import run
from theory.derivation.derive import derive
from theory.derivation.forms import GAMMA, Forms, K
from theory.derivation.iteration import compare
from theory.problems import InvalidProblem
from theory.problems.catalogue import problem_names
from theory.problems.sources import find_problem

SMALL = [n for n in problem_names() if n not in ("garnet", "random")]


@pytest.mark.parametrize("start", ["zero", "behaviour"])
def test_every_row_of_the_catalogue_is_right(start):
    for name in SMALL:
        problem = find_problem(name, None)
        if start == "behaviour" and problem.P_mu is None:
            continue
        rows = compare(Forms(problem, start), 3)
        assert len(rows) >= 3
        assert all(row.ok for row in rows), name
        assert all(row.room < 1e-30 * max(1, row.error) for row in rows), name


def test_a_wrong_form_is_noticed(monkeypatch, capsys):
    problem = find_problem("threestate", None)
    right = Forms.theta_at
    monkeypatch.setattr(Forms, "theta_at", lambda self, k, gamma: right(self, k, gamma) * (1 + (k == 2)))
    found = derive(problem, k=2)
    assert not found.ok
    assert [row.form for row in found.rows if not row.ok] == ["θᵏ, sequential", "θᵏ, concurrent"]
    code, out, _ = run(capsys, "derive", "threestate", "--k", "2")
    assert code == 1
    assert out.count("✗") == 2


def test_where_td_diverges_its_error_grows_as_predicted():
    row = compare(Forms(find_problem("baird-reward", None)), 2)[0]
    assert row.form == "θ_π"
    assert row.ok
    assert row.error > row.path.measured[0]
    assert "converges for no step size" in row.note


def test_a_singular_discount_is_compared_by_its_form_in_k():
    rows = compare(Forms(find_problem("twostate-reward", Fraction(5, 6))), 4)
    assert [row.form for row in rows] == ["θ_μ", "θᵏ, sequential", "θᵏ, concurrent"]
    assert all(row.ok for row in rows)
    assert rows[1].closed[0] == 3 * 4 / 5


def test_a_step_size_beyond_the_theory_is_refused():
    with pytest.raises(InvalidProblem, match="step sizes are those below"):
        derive(find_problem("twostate-reward", None), step_size=3)


def test_the_command_prints_one_document(capsys):
    code, out, _ = run(capsys, "derive", "twostate-reward", "--json", "--k", "3")
    found = json.loads(out)
    assert code == 0
    assert _read(found["theta_k"][0]) == _read("3*(1 - (6*gamma/5)**k)/(5 - 6*gamma)")
    assert _read(found["bias"][0]) == _read("-3*(6*gamma/5)**k/(5 - 6*gamma)")
    assert found["M"][1] == ["-3*gamma", "5/2", "0"]
    assert found["X"] == [["5/2"]]  # a matrix of one entry is a matrix
    assert {"form", "k", "closed", "iterated", "predicted_error", "error", "ok"} <= set(found["richardson"][0])
    assert found["thresholds"]["chain"]["exact"] == "5/6"


def test_the_page_reads_like_the_paper(capsys):
    text = run(capsys, "derive", "twostate-reward")[1]
    assert "θᵏ − θ_π = (6γ/5)ᵏ(θ⁰ − θ_π)" in text
    assert "TD is stable for γ in [0, 5/6" in text
    latex = run(capsys, "derive", "twostate-reward", "--latex")[1]
    assert r"\theta^k_* - \theta_\pi" in latex


def test_the_plot_has_a_panel_for_each_row(tmp_path, capsys):
    path = tmp_path / "two.png"
    code, out, _ = run(capsys, "derive", "twostate-reward", "--gamma", "1/2", "--plot", str(path))
    assert code == 0
    assert f"wrote {path}" in out
    assert path.read_bytes().startswith(b"\x89PNG")
    found = derive(find_problem("twostate-reward", Fraction(1, 2)), k=3, steps=20)
    figure = found.plot()
    assert len([axes for axes in figure.axes if axes.get_visible()]) == len(found.rows)
    for row in found.rows:  # what is drawn: measured errors lie on the predicted ones
        # 256 bits round at some 1e-77 of what was met on the way.
        assert np.allclose(row.path.measured, row.path.predicted, rtol=1e-9, atol=1e-70)
    for bad, words in ((tmp_path / "no/x.png", "there is no folder"), (tmp_path / "x.txt", "must end in")):
        code, out, error = run(capsys, "derive", "twostate-reward", "--plot", str(bad))
        assert (code, out) == (2, "")
        assert words in error


def _read(text):
    return sympify(text, locals={"gamma": GAMMA, "k": K})  # SymPy's own gamma is a function
