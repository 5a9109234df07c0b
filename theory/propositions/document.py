"""A finding as plain data: what ``theory verify --json`` prints and what the report stores and is written from."""

from __future__ import annotations

import re
from typing import Any

from theory.problems import Problem
from theory.problems.files import problem_document
from theory.propositions.statement import Counterexample, Finding
from theory.symbolic import Proved, Refuted


def finding_document(finding: Finding) -> dict[str, Any]:
    """One statement with all that verifying it brought to light."""
    s, checks = finding.statement, finding.checks
    witnesses = [o.witness for o in finding.outcomes if isinstance(o, Refuted)]
    return {
        "id": s.id,
        "title": s.title,
        "paper": s.paper,
        "paper_verdict": s.verdict,
        "precise": s.precise,
        "latex": s.latex,
        "where": s.where,
        "assumptions": list(s.assumptions),
        "cites": list(s.cites),
        "result": finding.result,
        "words": finding.words,
        "ok": finding.ok,
        "scope": s.scope,
        "certificates": [_certificate(o) for o in finding.outcomes if isinstance(o, Proved)],
        "witness": witnesses[0].to_dict() if witnesses else None,
        "witnesses": [str(witness) for witness in witnesses],
        "counterexamples": [_counterexample(c) for c in finding.counterexamples],
        "numeric": {
            "cases": len(checks),
            "passed": sum(c.passes for c in checks),
            "exact": sum(c.error == 0 for c in checks),
            "max_error": finding.max_error,
        },
        "seconds": round(finding.seconds, 3),
    }


def _certificate(outcome: Proved) -> dict[str, Any]:
    """What was claimed, what it rests on, and the stored certificate (see `theory.symbolic.stored`)."""
    certificate = outcome.certificate
    return {
        "claim": outcome.name,
        "identity": certificate.equation,
        "latex": certificate.claim_latex(),
        "derivation": f"{outcome.name}: {certificate}",
        "scope": outcome.scope,
        "induction": certificate.core.index,
        "uses": list(outcome.uses),
        "assumptions": list(certificate.assumptions),
        "certificate": certificate.to_dict(),
    }


def _counterexample(c: Counterexample) -> dict[str, Any]:
    witness = problem_document(c.witness) if isinstance(c.witness, Problem) else c.witness
    return {"drops": c.drops, "heading": c.heading, "text": c.text, "confirmed": c.confirmed, "witness": witness}


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
