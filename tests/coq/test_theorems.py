"""The final theorems: one a statement, in the library, and closed under the global context."""

import pytest

from theory.coq.compiler import assumptions, compile_files, library
from theory.coq.theorems import THEOREMS, final_file
from theory.propositions.registry import IDS


def test_a_theorem_belongs_to_a_statement_and_is_in_its_file():
    texts = library()
    assert [t.statement for t in THEOREMS] == [i for i in IDS if i in {t.statement for t in THEOREMS}]
    for theorem in THEOREMS:
        assert f"Theorem {theorem.name} " in texts[theorem.file] or f"Theorem {theorem.name}:" in texts[theorem.file]


@pytest.mark.slow
def test_no_final_theorem_rests_on_an_axiom(compiled):
    directory, _ = compiled
    result = compile_files({"Final": final_file()}, directory)["Final"]
    assert result.accepted, result.error
    assert dict(zip(THEOREMS, assumptions(result.output), strict=True)) == dict.fromkeys(THEOREMS, ())
