"""Coq rejects wrong certificates; the whole lot by ``python -m tests.coq.mutants``."""

import itertools

import pytest

from tests.coq.mutants import certificate_mutants, rejected_certificates, theorem_mutants
from theory.coq.theorems import THEOREMS


@pytest.mark.slow
def test_coq_rejects_a_sample_of_mutated_certificates(compiled):
    directory, _ = compiled
    sample = list(itertools.islice(certificate_mutants(), 0, None, 97))
    assert len(sample) >= 8
    files, errors = rejected_certificates(sample, directory / "mutants")
    assert (files, errors) == (1, [])


def test_every_final_theorem_has_a_mutant_and_there_are_enough_certificates():
    assert len(list(theorem_mutants())) == len(THEOREMS) >= 30
    assert len(list(certificate_mutants())) >= 200
