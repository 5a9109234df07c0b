"""Statements are found from their files, and each comes out as it should; naming them imports none of them."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import theory.propositions
from theory.propositions.registry import IDS, statement
from theory.propositions.statement import Statement, verify

RESULTS = {"claim-grid": "refuted", "claim-v": "checked", "example-twostate": "checked"}  # the others are proved
MEASURED = ("claim-normalise", "extra-transient", "conjecture", "extra-noise-gain", "field-9")  # also in floats
FOLDER = Path(theory.propositions.__file__).parent


def test_ids_and_places_are_those_that_the_files_declare():
    modules = [import_module(f"theory.propositions.{path.stem}") for path in FOLDER.glob("*.py")]
    declared = [thing for m in modules for thing in vars(m).values() if isinstance(thing, Statement)]
    assert sorted(s.id for s in declared) == sorted(IDS)
    assert all(statement(s.id) is s for s in declared)
    places = [statement(id).place for id in IDS]
    assert places == sorted(set(places))
    for id in IDS:
        room = (statement(id).place > 1000) + (statement(id).place > 2000)
        assert room == (id.startswith(("extra-", "field-")) + id.startswith("field-"))
    assert IDS[0] == "eq-td"


def test_naming_the_statements_imports_none_of_them():
    code = "import sys, theory.propositions.registry; print('theory.propositions.prop_2' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_the_engine_knows_no_statement_and_statements_write_their_identities():
    engine = FOLDER.parent / "symbolic"
    for path in engine.glob("*.py"):
        assert "theory.propositions" not in path.read_text().replace("`theory.propositions.theories`", ""), path
    for id in IDS:
        source = import_module(statement(id).claims.__module__)
        if list(statement(id).claims()):
            text = Path(source.__file__).read_text()
            assert all(f'"{claim.name}"' in text for claim in statement(id).claims()), id
            assert f"{id}: " in source.__doc__


@pytest.mark.parametrize("id", IDS)
def test_statement_comes_out_as_expected_and_its_certificates_recheck(id):
    finding = verify(statement(id), strict=True)
    assert finding.ok
    assert finding.result == RESULTS.get(id, "proved")
    assert finding.counterexamples
    assert finding.checks or id == "claim-grid"
    if id not in MEASURED:
        assert all(check.error == 0 == check.bound for check in finding.checks)
