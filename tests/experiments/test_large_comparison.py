"""`compare` on a sparse problem: every method's verdict, fixed point and error are the dense ones."""

import json

import numpy as np
import pytest

import theory
from tests.command_line import run
from tests.large import copies, kept_sparse
from theory.experiments.comparison import compare
from theory.methods.outcome import NOT_APPLICABLE
from theory.problems import open_problem
from theory.problems.catalogue import problem_names


def agree(dense, here):
    assert [row.method.name for row in here.rows] == [row.method.name for row in dense.rows]
    assert np.allclose(here.best_error.d_mu, dense.best_error.d_mu, atol=1e-6)
    assert np.allclose(here.best_error.uniform, dense.best_error.uniform, atol=1e-6)
    for known, found in zip(dense.rows, here.rows, strict=True):
        assert str(found.outcome.holds) in (str(known.outcome.holds), "undecided"), found.method
        if found.fixed_point.theta is not None:
            assert np.allclose(found.fixed_point.theta, known.fixed_point.theta.astype(float), atol=1e-6), found.method
            assert np.allclose(found.fixed_point.error.d_mu, known.fixed_point.error.d_mu, rtol=1e-6, atol=1e-6)
        if found.rate is not None and known.rate is not None:
            assert np.allclose(found.rate, known.rate, rtol=1e-5, atol=1e-6), found.method
    return sum(found.outcome.holds == known.outcome.holds for known, found in zip(dense.rows, here.rows, strict=True))


@pytest.mark.parametrize("name", [n for n in problem_names() if n not in ("garnet", "random", "w-to-2w")])
def test_every_method_answers_a_catalogue_problem_in_copies_as_it_does_the_problem(name):
    problem = open_problem(name)
    dense = compare(problem, sets=False)
    large = compare(copies(problem, 20), sets=False)
    applicable = [row for row in large.rows if row.outcome.how != NOT_APPLICABLE]  # the copies have no actions
    assert len(applicable) >= len(dense.rows) - 5
    assert agree(dense, large) >= len(applicable) - 1


def test_a_problem_in_doubles_kept_sparse_is_compared_as_the_dense_one():
    problem = open_problem("random:states=30,features=7,seed=3")
    dense = compare(problem, sets=False)
    assert agree(dense, compare(kept_sparse(problem), sets=False)) == len(dense.rows)


def test_long_resolvents_are_left_out_unless_they_are_asked_for_by_name(monkeypatch):
    monkeypatch.setattr("theory.model.enclosed.RESOLVENTS", 1)
    many = copies(open_problem("threestate"), 10)
    rows = {row.method.name: row for row in theory.compare(many).rows}
    assert rows["td-lambda"].outcome.reason.endswith("takes minutes: ask for it by name")
    assert rows["td-lambda"].rate is rows["td-lambda"].fixed_point.theta is None
    assert rows["etd"].outcome.holds.json is True
    (row,) = theory.compare(many, ["td-lambda"]).rows
    assert row.outcome.holds == compare(open_problem("threestate"), ["td-lambda"]).rows[0].outcome.holds


def test_dependent_features_leave_every_method_undecided():
    many = copies(open_problem("twostate"), 2500)
    one = np.random.default_rng(1).standard_normal((5000, 1))
    found = theory.compare(many.with_features(np.hstack([one, one])), ["td", "gtd2"])
    assert [str(row.outcome.holds) for row in found.rows] == ["undecided"] * 2


def test_the_command_prints_a_table_and_a_document(capsys, tmp_path):
    path = str(tmp_path / "large.npz")
    copies(open_problem("baird"), 300).save(path)
    code, out, err = run(capsys, "compare", path, "--methods", "td,chain,tdc")
    assert (code, err) == (0, "")
    assert "2,100 states" in out
    code, out, _ = run(capsys, "compare", path, "--methods", "td,chain,tdc", "--json")
    document = json.loads(out)
    assert [m["converges"] for m in document["methods"]] == [False, True, True]
    assert document["methods"][0]["fixed_point"]["values"] is None
    assert len(document["methods"][0]["fixed_point"]["theta"]) == 8
