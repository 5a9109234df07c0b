"""A sample of `python -m tests.symbolic.tampering`, which makes 10⁵ random edits of stored proofs and witnesses."""

from tests.symbolic.tampering import attack


def test_no_edit_makes_a_false_document_accepted_or_raises():
    counts, bad = attack(600, seed=7, every=5)
    assert not bad, (counts, bad[0])
    assert counts["refused"] > 500
    assert counts["accepted"] > 3  # a name changed, an unused letter dropped: still a proof
