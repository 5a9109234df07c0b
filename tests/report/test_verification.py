"""The report says of a statement what is true and what it takes; its proofs are what ``theory verify ID`` prints."""

from theory.propositions.document import finding_document
from theory.propositions.registry import statement
from theory.propositions.statement import verify
from theory.report.verification import statement_section


def test_a_story_has_the_verdict_the_result_and_the_counterexamples():
    found = [finding_document(verify(statement(id))) for id in ("prop-2", "lemma-1")]
    story = statement_section(found[0])
    assert "- **The paper** (holds with an added assumption): " in story
    assert "- **Result:** proved, all dimensions, all k ≥ 0" in story
    assert "- **Without “Aθ_π = b is solvable”:** " in story
    assert "**Result:** proved, citing det(UV) = det U · det V" in statement_section(found[1])
