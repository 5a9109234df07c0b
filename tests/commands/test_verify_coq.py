"""``theory verify --coq``: one line where Coq is missing, a file where one is asked for, and what the words mean."""

import json

import pytest

from tests.command_line import run
from theory import Theory
from theory.coq.compiler import Compiled
from theory.coq.run import Word, check_statements
from theory.propositions.registry import statement


def test_a_missing_coqc_is_one_line_and_exit_code_2(monkeypatch, capsys):
    monkeypatch.setattr("shutil.which", lambda name: None)
    code, out, err = run(capsys, "verify", "prop-2", "--coq")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "coqc was not found" in err
    assert "apt-get install coq libcoq-mathcomp-real-closed libcoq-mathcomp-algebra-tactics" in err


def test_a_statement_is_written_as_a_coq_file_with_what_it_needs(tmp_path, capsys):
    code, out, _ = run(capsys, "verify", "prop-2", "--json", "--coq", str(tmp_path / "bias.v"))
    assert code == 0
    assert json.loads(out)["ok"]
    assert "Theorem prop_2_bias (k : nat)" in (tmp_path / "bias.v").read_text()
    assert "Theorem cert" in (tmp_path / "Certify.v").read_text()


def test_a_statement_with_a_rejected_certificate_is_not_called_checked(monkeypatch, tmp_path):
    monkeypatch.setattr("theory.coq.run.find_coqc", lambda: "coqc")

    def compiler(texts, directory, **options):
        said = "Closed under the global context\n"
        return {name: Compiled(name, not name.startswith("Certificates"), said, "no", 0.0) for name in texts}

    monkeypatch.setattr("theory.coq.run.compile_files", compiler)
    proofs = {"prop-2": [o.certificate.to_dict() for o in statement("prop-2").prove()], "claim-v": []}
    report = check_statements(proofs, {}, directory=tmp_path)
    assert not report.ok
    assert report.words["prop-2"].status == "none"
    assert report.words["claim-v"].status == "checked"
    assert report.rejected == len(proofs["prop-2"])


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (Word("checked", None, (), (), 1), "kernel-checked, no axioms"),
        (Word("checked-citing", None, (), ("Vesentini",), 1), "kernel-checked, citing Vesentini"),
        (Word("none", None, (), (), 0), "Python kernel only"),
    ],
)
def test_three_words_say_what_coq_said(word, text):
    assert word.text == text


def test_coqchk_without_coq_is_refused(capsys):
    code, out, err = run(capsys, "verify", "prop-2", "--coqchk")
    assert (code, out) == (2, "")
    assert "--coqchk needs --coq" in err


def test_a_certificate_without_a_translation_stops_nothing_and_is_said(monkeypatch, tmp_path):
    """Long numbers make one; its statement stays with the Python kernel, the others go on."""
    monkeypatch.setattr("theory.coq.run.find_coqc", lambda: "coqc")
    said = "Closed under the global context\n"
    monkeypatch.setattr(
        "theory.coq.run.compile_files",
        lambda texts, directory, **options: {name: Compiled(name, True, said, "", 0.0) for name in texts},
    )
    T = Theory()
    A = T.op("A", "N -> N")
    long = T.prove("long", 10**4 * A - 3 * A, (10**4 - 3) * A)
    outcomes = {"prop-2": statement("prop-2").prove(), "extra-etd-moments": [long]}
    proofs = {id: [o.certificate.to_dict() for o in found] for id, found in outcomes.items()}
    report = check_statements(proofs, {}, directory=tmp_path)
    assert report.ok
    assert (report.rejected, report.untranslated) == (0, 1)
    assert report.words["prop-2"].text == "kernel-checked, no axioms"
    assert report.words["extra-etd-moments"].text == "Python kernel only"
