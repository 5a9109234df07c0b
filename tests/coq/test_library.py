"""Coq accepts every hand-written file, without an axiom or an admitted step."""

import re

import pytest

from tests.coq.identities import FILE, identities_file
from tests.coq.trusted import documented, table
from theory.coq.compiler import LIBRARY, compile_files, library, requires


@pytest.mark.slow
def test_coq_accepts_every_file_of_the_library(compiled):
    _, results = compiled
    assert {name: r.error for name, r in results.items() if not r.accepted} == {}


@pytest.mark.parametrize("name", sorted(library()))
def test_a_file_begins_with_its_mathematics_and_admits_nothing(name):
    text = (LIBRARY / f"{name}.v").read_text()
    assert text.startswith("(** ")
    assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort|Hint Extern)\b", text)
    assert set(requires(text)) <= set(library())


def test_the_identities_are_those_of_the_certificates():
    assert FILE.read_text() == identities_file()


def test_the_docs_say_in_one_place_what_is_to_be_believed_and_how_long_it_is():
    assert documented() == table()


@pytest.mark.slow
def test_what_needs_a_rejected_file_is_not_tried(compiled):
    directory, _ = compiled
    texts = {"Wrong": "Lemma wrong : 0 = 1. Proof. reflexivity. Qed.", "Later": "From theory Require Import Wrong."}
    results = compile_files(texts, directory / "rejected")
    assert not results["Wrong"].accepted
    assert "Unable to unify" in results["Wrong"].error
    assert results["Later"].error == "it needs Wrong, which was rejected"
