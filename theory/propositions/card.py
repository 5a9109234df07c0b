"""A finding as a page shows it: what the paper says, what is true, and how that is shown."""

from __future__ import annotations

import re

from theory.propositions.statement import Finding
from theory.symbolic import Proved, Refuted

_MARKS = {"proved": "●", "checked": "◐", "refuted": "■", "open": "○"}


def statement_card(finding: Finding) -> str:
    """The statement in Markdown, with every proof, check and counterexample."""
    s = finding.statement
    lines = [f"### {s.id}: {s.title}", ""]
    if s.latex:
        lines += [f"$$ {s.latex} $$", ""]
    lines += [f"*The paper:* {_plain(s.paper)}", "", f"*What is true:* {_plain(s.precise)} — **{s.verdict}**", ""]
    if s.where:
        lines += [f"*Letters:* {_plain(s.where)}.", ""]
    if s.assumptions:
        lines += [f"*Assumes:* {_plain('; '.join(s.assumptions))}. *Holds for:* {_plain(s.scope)}.", ""]
    proofs = "".join(f"\n- {_outcome(o)}" for o in finding.outcomes)
    lines += [f"{_MARKS[finding.result]} **{_plain(finding.words)}** in {finding.seconds:.2f} s{proofs}", ""]
    if s.cites:
        lines += [f"*Cited, not algebra:* {_plain('; '.join(s.cites))}.", ""]
    if finding.checks:
        passed = sum(check.passes for check in finding.checks)
        error = "exactly" if finding.max_error == 0 else f"with errors up to {finding.max_error:.2g}"
        lines += [f"{passed} of {len(finding.checks)} checks on concrete problems agree {error}.", ""]
    for example in finding.counterexamples:
        word = "" if example.confirmed else " **(not confirmed)**"
        lines += [f"- {_plain(example.heading)}: {_plain(example.text)}{word}"]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text in which Markdown finds nothing to set; as entities, since a backslash before a bracket opens a formula."""
    return re.sub(r"[*_|`\\\[\]~$<&]", lambda match: f"&#{ord(match[0])};", text)


def _outcome(outcome: object) -> str:
    if isinstance(outcome, Proved):
        uses = ", ".join(f"`{use}`" for use in outcome.uses) or "nothing but algebra"
        return f"`{outcome.name}` proved {outcome.scope}, from {uses}"
    if isinstance(outcome, Refuted):
        return f"`{outcome.name}` refuted: {' '.join(str(outcome.witness).split())}"
    return f"`{getattr(outcome, 'name', '')}` open"
