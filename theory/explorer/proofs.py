"""What the Coq kernel has said about the statements behind the page, as it was kept by ``theory verify --coq``."""

from __future__ import annotations

from html import escape

from theory.propositions.kernel_checked import remembered
from theory.propositions.registry import statement
from theory.views.html import rows_html


def proofs_card() -> str:
    """A line a statement: what Coq says, which theorem, and what is left to Python."""
    kept = remembered()
    if kept is None:
        return (
            "<p>The Coq kernel has not been asked about this version on this machine; "
            "<code>theory verify --coq</code> asks it, and what it says is shown here.</p>"
        )
    words, totals = kept["statements"], kept["totals"]
    one = sum(word["status"] == "checked" for word in words.values())
    axioms = escape(", ".join(totals["axioms"])) or "no axioms"
    about = (
        f"<p>The kernel of Coq {escape(kept['coq'])} accepts {one} of {len(words)} statements as one theorem each, "
        f"{axioms}, and {totals['certificates']} distinct certificates; it rejects {len(totals['errors'])} files.</p>"
    )
    rows = [
        (
            id,
            statement(id).title,
            word["text"].replace("`", ""),
            f"{word['theorem']} in {word['file']}" if word["theorem"] else "–",
            (word["leaves"] or "–").replace("`", ""),
        )
        for id, word in words.items()
    ]
    return about + rows_html(("statement", "title", "Coq", "theorem", "left to Python"), rows)
