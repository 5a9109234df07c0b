"""``theory verify`` in the page: every statement with its verdict, proofs, checks, counterexamples, and Coq's word."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import marimo as mo

from theory.propositions.document import statement_card
from theory.propositions.kernel_checked import remembered
from theory.propositions.registry import IDS, statement
from theory.propositions.statement import verify
from theory.views.html import page_html


@dataclass(frozen=True)
class Shown:
    """A statement as it is shown: a line, its card in Markdown, and its derivation in HTML."""

    id: str
    title: str
    verdict: str
    result: str
    ok: bool
    card: str
    story: str


def verified() -> list[Shown]:
    """All statements, verified now: about ten seconds."""
    found = []
    for id in IDS:
        s = statement(id)
        f = verify(s)
        story = page_html(f.page())
        found.append(Shown(s.id, s.title, s.verdict, f.words, f.ok, statement_card(f), story))
    return found


def proofs_shown(found: list[Shown]) -> list[Any]:
    """How many came out as expected, what Coq says of them, and a fold for each."""
    kept = remembered()
    said = {} if kept is None else kept["statements"]
    folds = {_line(s): mo.lazy(lambda s=s: _unfolded(s, said.get(s.id))) for s in found}
    return [mo.Html(f"<p>{escape(summary(found, kept))}</p>"), mo.accordion(folds, multiple=True)]


def summary(found: list[Shown], kept: dict[str, Any] | None) -> str:
    """In words; `kept` is what Coq said, if it was asked."""
    good = sum(s.ok for s in found)
    head = f"{good} of {len(found)} statements verified as expected just now. "
    if kept is None:
        return head + "Coq has not been asked on this machine about this version: theory verify --coq asks it."
    one, totals = sum(word["status"] == "checked" for word in kept["statements"].values()), kept["totals"]
    axioms = ", ".join(totals["axioms"]) or "no axioms"
    return head + f"The kernel of Coq {kept['coq']} accepts {one} of them as one theorem each, {axioms}."


def _line(s: Shown) -> str:
    mark = "✓" if s.ok else "✗"
    return f"{mark} **{s.id}** — {s.title}: *{s.verdict}*, {s.result}"


def _unfolded(s: Shown, coq: dict[str, Any] | None) -> Any:
    theorem = "" if coq is None or not coq["theorem"] else f" ({coq['theorem']} in {coq['file']})"
    about = "" if coq is None else f"<p>Coq: {escape(coq['text'].replace('`', '') + theorem)}.</p>"
    details = f"<details><summary>Derivations, as theory verify {escape(s.id)} prints them</summary>{s.story}</details>"
    return mo.vstack([mo.md(s.card), mo.Html(about + details)])
