"""The final theorems: one a statement, in the library, and closed under the global context."""

from pathlib import Path

import pytest

from theory.coq.compiler import assumptions, compile_files, library
from theory.coq.run import THEOREMS, final_file, table
from theory.propositions.registry import IDS


def test_a_theorem_belongs_to_a_statement_and_is_in_its_file():
    texts = library()
    assert [t.statement for t in THEOREMS] == [i for i in IDS if i in {t.statement for t in THEOREMS}]
    for theorem in THEOREMS:
        assert f"Theorem {theorem.name} " in texts[theorem.file] or f"Theorem {theorem.name}:" in texts[theorem.file]


def test_the_documented_table_is_the_one_that_is_checked():
    assert table() in (Path(__file__).parents[2] / "docs" / "how_do_we_know.md").read_text()


@pytest.mark.slow
def test_no_final_theorem_rests_on_an_axiom(compiled):
    directory, _ = compiled
    result = compile_files({"Final": final_file()}, directory)["Final"]
    assert result.accepted, result.error
    assert assumptions(result.output) == [()]


@pytest.mark.slow
def test_an_axiom_under_any_of_several_theorems_is_seen(compiled):
    directory, _ = compiled
    final = final_file()
    text = final.replace("Definition together", "Axiom wish : 1 = 2.\nDefinition together").replace(
        " := (", " := (wish, "
    )
    result = compile_files({"Wish": text}, directory)["Wish"]
    assert assumptions(result.output) == [("wish",)]
