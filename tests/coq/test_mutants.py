"""Coq rejects wrong certificates; the whole lot by ``python -m tests.coq.mutants``."""

import itertools

import pytest

from tests.coq.mutants import certificate_mutants, rejected_certificates, surviving_theorems
from tests.coq.theorem_mutants import MUTANTS, TheoremMutant, without_mutant


@pytest.mark.slow
def test_coq_rejects_a_sample_of_mutated_certificates(compiled):
    directory, _ = compiled
    sample = list(itertools.islice(certificate_mutants(), 0, None, 97))
    assert len(sample) >= 8
    files, errors = rejected_certificates(sample, directory / "mutants")
    assert (files, errors) == (1, [])


@pytest.mark.slow
def test_coq_rejects_a_theorem_with_a_wrong_sign_a_wrong_index_or_without_a_hypothesis(compiled):
    directory, _ = compiled
    sample = [m for m in MUTANTS if m.statement == "prop-2"]
    assert {m.kind for m in sample} == {"sign", "index", "hypothesis"}
    assert surviving_theorems(sample, directory) == []


@pytest.mark.slow
def test_a_theorem_that_is_still_true_survives(compiled):
    directory, _ = compiled
    same = TheoremMutant("eq-zp", "nothing", "B ^^ k.+1", "B ^^ k.+1")
    assert surviving_theorems([same], directory) == [str(same)]


def test_every_final_theorem_has_a_mutant_and_there_are_enough_certificates():
    assert without_mutant() == []
    assert len(MUTANTS) >= 30
    assert len(list(certificate_mutants())) >= 200
