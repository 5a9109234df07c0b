"""What Coq said is kept for one version of code and proofs, and shown by the report and the explorer."""

import sqlite3
from contextlib import closing

import pytest

from theory.coq.run import Report, Word, theorem_of
from theory.explorer.proofs import Shown, _unfolded, proofs_shown, summary
from theory.propositions import kernel_checked
from theory.propositions.document import finding_document
from theory.propositions.registry import IDS, statement
from theory.propositions.statement import verify
from theory.report.verification import kernel_amount, kernel_sentence, statement_section


def said(ids=IDS, **changes):
    words = {
        id: Word("checked-citing" if t.cites else "checked", t, (), t.cites, 1)
        if (t := theorem_of(id))
        else Word("checked-citing", None, (), ("Gelfand",), 1)
        for id in ids
    }
    facts = {"certificates": 139, "rejected": 0, "theorems": 35, "axioms": (), "seconds": 80.0, "errors": {}}
    return Report(words, **facts | changes)


@pytest.fixture
def memory(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kernel_checked, "coq_version", lambda: "8.16.1")
    return tmp_path


def test_what_was_said_about_all_statements_is_kept(memory):
    assert kernel_checked.remembered() is None
    kept = kernel_checked.remember(said())
    assert kernel_checked.remembered() == kept
    assert kept["statements"]["prop-2"]["text"] == "kernel-checked, no axioms"


def test_what_was_said_about_some_is_not(memory):
    kernel_checked.remember(said(IDS[:3]))
    assert kernel_checked.remembered() is None


def test_another_version_of_the_proofs_finds_nothing(memory, monkeypatch):
    kernel_checked.remember(said())
    monkeypatch.setattr(kernel_checked, "library", lambda: {"Powers": "(** changed *)"})
    assert kernel_checked.remembered() is None


def test_what_was_edited_is_not_believed(memory):
    kernel_checked.remember(said())
    [path] = (memory / "chained-td").iterdir()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE results SET value = replace(value, 'Gelfand', '')")
    assert kernel_checked.remembered() is None


def test_the_explorer_shows_it_or_says_how_to_get_it(memory):
    found = [Shown("prop-2", "Bias", "holds", "proved", True, "", ""), Shown("prop-1", "", "", "", False, "", "")]
    assert "theory verify --coq" in summary(found, None)
    kept = kernel_checked.remember(said())
    assert summary(found, kept).startswith("1 of 2 statements verified as expected just now. The kernel of Coq 8.16.1")
    shown = "".join(part.text for part in proofs_shown(found))
    assert "prop-2" in shown
    coq = {"text": "`kernel-checked`", "theorem": "prop_2", "file": "Chain.v"}
    assert "Coq: kernel-checked (prop_2 in Chain.v)." in _unfolded(found[0], coq).text


def test_the_report_counts_theorems_and_axioms(memory):
    ids = ["prop-2", "extra-light-cone", "conjecture"]
    found = [finding_document(verify(statement(id))) for id in ids]
    kept = kernel_checked.remember(said(ids))
    text = kernel_sentence(found, kept)
    assert "Coq 8.16.1 accepts 2 of 3 statements as one theorem each, 1 of them the paper’s, with no axioms" in text
    assert "; 1 more up to a theorem that is cited." in text
    assert "the axioms choice" in kernel_sentence(found, kernel_checked.remember(said(axioms=("choice",))))
    assert "was not asked" in kernel_sentence(found, None)
    assert kernel_amount(kept) == "35 theorems, 139 distinct certificates, Coq 8.16.1"
    story = statement_section(found[0], kept)
    assert "kernel-checked, no axioms" in story
    assert "`prop_2` in `Chain.v`" in story
