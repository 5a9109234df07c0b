"""A sample of the seeded command ``python -m tests.certified.tamper``."""

from tests.certified.tamper import originals, run
from theory.certified.answers import Certificate
from theory.certified.recheck.given import EVIDENCE


def test_no_edited_certificate_is_accepted_unless_it_is_true():
    counts = run(1500, seed=1)
    assert counts["refused"] > 900
    assert counts["accepted, and true"] > 20


def test_documents_of_every_kind_are_tampered_with():
    kinds = {document["evidence"]["kind"] for document in originals()}
    assert kinds == set(EVIDENCE)
    assert all(Certificate.from_dict(document).to_dict() == document for document in originals())
