"""``theory verify``: the identity and its derivation, the certificates, and *proved* apart from *cited*."""

import json

import pytest

from tests.command_line import run
from theory.symbolic import Certificate
from theory.symbolic.recheck import recheck_proof


def test_one_statement_prints_the_identity_and_its_derivation(capsys):
    code, out, _ = run(capsys, "verify", "prop-2")
    assert code == 0
    assert "theta_k - theta_pi = gamma_k·R_k·(theta0 - theta_pi)" in out
    assert "where A = X - gamma·Y" in out
    assert "assuming [A theta_pi = b]: A·theta_pi = b" in out
    assert "step, at k+1: left - right = [Xi X = 1]·theta_pi - Xi·[A theta_pi = b]" in out
    assert " s): proved\n" in out


def test_json_holds_certificates_that_stand_on_their_own(capsys):
    code, out, _ = run(capsys, "verify", "eq-geometric", "--json")
    assert code == 0
    (row,) = json.loads(out)["statements"]
    assert (row["result"], row["cites"]) == ("proved", [])
    for entry in row["certificates"]:
        Certificate.from_dict(entry["certificate"]).check()
        assert recheck_proof(entry["certificate"]) is True
        assert entry["certificate"]["proof"]["claim"]["left"]
    assert row["certificates"][0]["identity"] == "W_k·Xi·A = 1 - B_k"


def test_a_statement_that_needs_a_theorem_says_so(capsys):
    code, out, _ = run(capsys, "verify", "lemma-1")
    assert code == 0
    assert " s): proved, citing det(UV) = det U · det V" in out
    code, out, _ = run(capsys, "verify", "lemma-1", "--json")
    (row,) = json.loads(out)["statements"]
    assert (row["result"], row["cites"]) == ("proved", ["det(UV) = det U · det V"])


def test_the_table_keeps_proved_and_cited_apart(capsys):
    _, out, _ = run(capsys, "verify", "lemma-1", "eq-geometric", "claim-grid")
    lines = {line.split()[1]: line for line in out.splitlines() if line.startswith("✓")}
    assert "proved, citing" in lines["lemma-1"]
    assert "citing" not in lines["eq-geometric"]
    assert "Proved by certificates alone: 1; citing a theorem for the last step: 1" in out.replace("\n", " ")


@pytest.mark.parametrize("extra", [[], ["--strict"]])
def test_strict_changes_no_verdict(capsys, extra):
    code, out, _ = run(capsys, "verify", "eq-zp", "--json", *extra)
    assert code == 0
    assert json.loads(out)["statements"][0]["result"] == "proved"
