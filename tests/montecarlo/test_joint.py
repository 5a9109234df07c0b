"""All methods on the same random problems."""

import json

import numpy as np
import pytest

from tests.command_line import run
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.montecarlo.cells import Cell
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.joint import cause, decide, known_methods
from theory.montecarlo.study import Study, run_study
from theory.montecarlo.verdicts import NO, YES
from theory.problems import InvalidProblem
from theory.problems.ensembles import Batch
from theory.store import Store

NAMES = known_methods("td,chain,soft,td-lambda:0.9,n-step:8,etd,gtd2,tdc,tdrc,ridge-td")


def test_counts_of_td_and_chain_are_those_of_the_study():
    cell = Cell(6, 5)
    with Store(None) as store:
        (row,) = run_study(Study((cell,), 40, chunk=15, methods=NAMES), store)
    with Store(None) as store:
        (known,) = run_study(Study((cell,), 40, chunk=15), store)
    found = {m["method"]: m["converges"] for m in row["methods"]}
    assert found["td"] == 40 - known["td_unstable"]
    assert found["chain"] == 40 - known["chain_biased"]
    assert found["etd"] == found["gtd2"] == 40
    assert sum(entry["count"] for entry in row["joint"]) == 40
    i, j = NAMES.index("td"), NAMES.index("chain")
    assert row["rescued"][i][j] == known["td_unstable"] - known["both"]
    assert sum(row["causes"]["chain"].values()) == known["chain_biased"]


def test_floats_agree_with_certified_verdicts_one_by_one():
    cell = Cell(5, 4)
    batch = next(chunk_batches(cell, 1, 0, 12))
    names = ("soft:alpha=1/10", "td-lambda:1/2", "tdc", "tdrc", "n-step-chain:3", "damped-chain")
    for i in range(12):
        found = decide(names, batch, i, cell, {})
        exact = [outcome(find_method(name), batch.problem(i, cell.gamma)).holds for name in names]
        assert [a == YES for a in found] == [str(h) == "yes" for h in exact]


def test_ties_are_asked_exactly():
    """Twostate at γ = 5/6: A = 0, so GTD2's singular value is 0 and TDC's eigenvalue too."""
    batch = Batch(np.array([[[1.0], [2.0]]]), np.array([[[0.0, 1.0], [0.0, 1.0]]]), np.array([[0.5, 0.5]]))
    assert decide(("gtd2", "tdc", "lstd"), batch, 0, Cell(2, 1, gamma="5/6"), {}) == [NO, NO, NO]
    assert decide(("gtd2", "tdc", "lstd"), batch, 0, Cell(2, 1, gamma="3/4"), {}) == [YES, YES, YES]


def test_causes_have_their_names():
    from theory.montecarlo.joint import _model

    twostate = Batch(np.array([[[1.0], [2.0]]]), np.array([[[0.0, 1.0], [0.0, 1.0]]]), np.array([[0.5, 0.5]]))
    assert cause("chain", _model(twostate, 0, 0.99)) == "determinant"
    swap = Batch(np.array([[[1.0], [-3.0]]]), np.array([[[0.0, 1.0], [1.0, 0.0]]]), np.array([[0.9, 0.1]]))
    assert cause("chain", _model(swap, 0, 0.9)) == "negative"


def test_the_command_prints_keeps_and_draws(capsys, tmp_path):
    sizes = ["--states", "4", "--features", "S-1", "--samples", "20", "--workers", "1", "--chunk", "10"]
    store, picture = tmp_path / "j.sqlite", tmp_path / "j.png"
    arguments = [*sizes, "--methods", "td,chain,td-lambda:0.9", "--store", str(store)]
    code, out, _ = run(capsys, "success-rate", *arguments, "--json")
    first = json.loads(out)
    assert code == 0
    assert [m["method"] for m in first["rows"][0]["methods"]] == ["td", "chain", "td-lambda:0.9"]
    out = run(capsys, "success-rate", *arguments, "--plot", str(picture))[1]
    assert picture.stat().st_size > 1000
    assert "solved by" in out


def test_bad_wishes_get_one_line(capsys):
    with pytest.raises(InvalidProblem, match="twice"):
        known_methods("td,off-policy-td")
    code, out, err = run(capsys, "success-rate", "--methods", "nonsense", "--states", "3", "--samples", "1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    code, _, err = run(capsys, "success-rate", "--methods", "td", "--windows", "1", "--states", "3")
    assert (code, err.count("\n")) == (2, 1)
