"""The verification as a section: one line a statement, and what the paper says against what is true."""

from __future__ import annotations

from collections.abc import Sequence

from theory.propositions.statement import Finding
from theory.report.markdown import table


def verification_section(findings: Sequence[Finding]) -> str:
    """Markdown: the summary, the table, and each statement that is not simply true."""
    certificates = sum(f.certificates for f in findings)
    checks = sum(len(f.checks) for f in findings)
    exact = sum(c.error == 0 for f in findings for c in f.checks)
    counterexamples = sum(len(f.counterexamples) for f in findings)
    good = sum(f.ok for f in findings)
    summary = (
        f"{good} of {len(findings)} statements come out as they should: {certificates} certificates of the proof "
        f"engine, each checked by its kernel and again by plain SymPy expansion; {checks} checks, {exact} of them "
        f"exact in rational arithmetic; {counterexamples} confirmed counterexamples to the paper's wording or to a "
        "dropped assumption. Made by `theory verify --strict`."
    )
    rows = [
        [
            "✓" if f.ok else "✗",
            f"`{f.statement.id}`",
            f.statement.title,
            f.statement.verdict,
            f.result,
            str(f.certificates or "–"),
            str(len(f.checks) or "–"),
            str(len(f.counterexamples) or "–"),
        ]
        for f in findings
    ]
    headings = ["", "statement", "title", "the paper's claim", "result", "proofs", "checks", "counterexamples"]
    amended = [_amended(f) for f in findings if f.statement.verdict not in ("holds", "beyond the paper")]
    return "\n\n".join([summary, table(headings, rows), "### What has to be amended", *amended])


def _amended(finding: Finding) -> str:
    s = finding.statement
    lines = [f"- **{s.id}** ({s.verdict}). The paper: {s.paper}. Precisely: {s.precise}."]
    lines += [f"  - {_drops(c.drops)}: {c.text}." for c in finding.counterexamples]
    return "\n".join(lines)


def _drops(what: str) -> str:
    return "Counterexample to the wording" if what == "as stated" else f"Without “{what}”"
