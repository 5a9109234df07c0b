"""What the Coq kernel has said about the statements behind the page, as it was kept by ``theory verify --coq``."""

from __future__ import annotations

from html import escape

from theory.propositions.kernel_checked import remembered
from theory.propositions.registry import statement


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
    heads = "".join(f"<th>{name}</th>" for name in ("statement", "title", "Coq", "theorem", "left to Python"))
    rows = "".join(_row(id, word) for id, word in words.items())
    return f"{about}<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _row(id: str, word: dict) -> str:
    where = f"<code>{escape(word['theorem'])}</code> in {escape(word['file'])}" if word["theorem"] else "–"
    cells = (escape(id), escape(statement(id).title), escape(word["text"]), where, escape(word["leaves"]) or "–")
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
