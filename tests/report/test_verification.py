"""The report shows each identity as it was claimed, and the sum that proves it."""

from theory.propositions.document import finding_document
from theory.propositions.registry import statement
from theory.propositions.statement import verify
from theory.report.html import html_page
from theory.report.verification import derivation_section, statement_story


def test_identities_and_derivations_are_shown():
    found = [finding_document(verify(statement(id))) for id in ("prop-2", "lemma-1", "neumann")]
    story = statement_story(found[0])
    assert r"$\theta^k_* - \theta_{\pi} = B^k \left(\theta^0 - \theta_{\pi}\right)$ (“bias”)" in story
    assert "Result: proved, citing det(UV) = det U · det V" in statement_story(found[1])
    derivations = "\n\n".join(derivation_section(found))
    assert "bias: theta_k - theta_pi = B_k·(theta0 - theta_pi)\n" in derivations
    assert derivations.count("```\n") == 5
    page = html_page("\n\n".join(("# Report", story, derivations)), lambda path: b"", "a page")
    assert "[A theta_pi = b]: A·theta_pi = b" in page
