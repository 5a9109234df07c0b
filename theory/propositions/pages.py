"""Findings as pages: one statement in full, and a table of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from theory.problems import Problem
from theory.problems.numbers import show_number
from theory.symbolic.outcomes import Proved
from theory.text.words import count
from theory.views.page import Block, Column, Page, Styled, Viewable, answered, data_frame, hanging, prose, strong, table

if TYPE_CHECKING:
    from theory.propositions.statement import Finding

COLUMNS = (
    "<",
    "statement<",
    "result<",
    Column("the paper’s claim", left=True),
    Column("proofs", drop=2),
    Column("checks", drop=2),
    Column("counterexamples", drop=3),
    Column("s", drop=1),
    Column("title", left=True, drop=4),
)


class Findings(list["Finding"], Viewable):
    """Findings on several statements, as a table."""

    def page(self, strict: bool = False) -> Page:
        """A row a statement, and the count."""
        return table_page(self, strict)

    def __repr__(self) -> str:
        return f"<{count(len(self), 'finding')}, {sum(f.ok for f in self)} verified as expected>"

    def cards(self, *ids: str) -> Cards:
        """The statements with these ids, or all, each in full for a notebook."""
        return Cards([f for f in self if not ids or f.statement.id in ids])

    def to_pandas(self) -> Any:
        """A frame with a row a statement."""
        return data_frame(
            [
                {
                    "statement": f.statement.id,
                    "title": f.statement.title,
                    "paper_verdict": f.statement.verdict,
                    "result": f.result,
                    "words": f.words,
                    "ok": f.ok,
                    "certificates": f.certificates,
                    "checks": len(f.checks),
                    "counterexamples": len(f.counterexamples),
                    "seconds": f.seconds,
                }
                for f in self
            ]
        )


@dataclass(frozen=True, repr=False)
class Cards:
    """Findings in full: formulas in a notebook, pages when printed."""

    findings: list[Finding]

    def __repr__(self) -> str:
        return f"<Cards: {', '.join(f.statement.id for f in self.findings)}>"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.findings))

    def _repr_markdown_(self) -> str:
        return "\n\n".join(f._repr_markdown_() for f in self.findings)


def table_page(findings: Sequence[Finding], strict: bool = False) -> Page:
    """A row a statement, and what they come to."""
    rows = []
    for f in findings:
        s, shown = f.statement, (str(n or "–") for n in (f.certificates, len(f.checks), len(f.counterexamples)))
        result = "proved, citing" if f.words != f.result else f.result
        mark = answered("✓" if f.ok else "✗", f.ok)
        rows.append((mark, s.id, result, s.verdict, *shown, f"{f.seconds:.2f}", s.title))
    good, certificates = sum(f.ok for f in findings), sum(f.certificates for f in findings)
    checks = [c for f in findings for c in f.checks]
    citing = sum(f.words != f.result for f in findings)
    alone = sum(f.result == "proved" for f in findings) - citing
    text = (
        f"{good} of {count(len(findings), 'statement')} verified as expected: {count(certificates, 'certificate')}"
        + (", each re-checked by plain SymPy expansion" if strict else "")
        + f"; {count(len(checks), 'check')}, {sum(c.error == 0 for c in checks)} of them exact. Proved by certificates "
        f"alone: {alone}; citing a theorem for the last step: {citing} (verify ID names it)."
    )
    return Page((table(COLUMNS, rows), prose(), prose(text)))


def finding_page(finding: Finding) -> Page:
    """One statement with every proof, check and counterexample."""
    s = finding.statement
    facts = [("The paper", s.paper), ("Verdict", strong(s.verdict)), ("Precisely", s.precise)]
    facts += [("Assumes", "; ".join(s.assumptions)), ("Cites", "; ".join(s.cites)), ("Letters", s.where)]
    facts.append(("Scope", s.scope))
    blocks: list[Block] = [prose(strong(s.id), f"  {s.title}"), prose()]
    blocks += [prose(f"{label + ':':<12}", text, hang=12) for label, text in facts if text]
    blocks.append(prose())
    for outcome in finding.outcomes:
        blocks += hanging(str(outcome))
        if isinstance(outcome, Proved):
            blocks += [*hanging(f"  {outcome.certificate.equation}\n{outcome.certificate.derivation()}"), prose()]
    if finding.checks:
        passed = sum(c.passes for c in finding.checks)
        cases = count(len(finding.checks), "case")
        blocks += [prose(), prose(f"Checked on {cases}, {passed} pass; largest error {finding.max_error:.3g}.")]
        for check in (c for c in finding.checks if not c.passes):
            where = f" {check.case}: error {check.error}, allowed {check.bound} {check.detail}"
            blocks.append(prose("  ", Styled("failed", "bad"), where, hang=4))
    shown: dict[str, str] = {}  # matrices that were printed, and at which γ
    for c in finding.counterexamples:
        mark = "confirmed" if c.confirmed else Styled("NOT confirmed", "bad")
        blocks += [prose(), prose(f"{c.heading} (", mark, f"): {c.text}", hang=2)]
        if c.witness is not None:
            blocks.append(prose(f"  {_witness(c.witness, shown)}", hang=4))
    words = strong(finding.words)
    return Page((*blocks, prose(), prose(f"Result ({finding.seconds:.2f} s): ", words, hang=2)))


def _witness(witness: Any, shown: dict[str, str]) -> str:
    """A problem as its matrices where they fit a line or two, once; anything else as it prints itself."""
    if not isinstance(witness, Problem) or witness.n_states > 8:
        return str(witness)

    def text(value: Any) -> str:
        return f"[{', '.join(map(text, value))}]" if isinstance(value, list) else show_number(value)

    g = witness.given
    letters = {"Φ": g.Phi, "P_π": g.P_pi, "r_π": g.r_pi, "d_μ": g.d_mu, "P_μ": g.P_mu}
    gamma = f"γ = {show_number(g.gamma)}"
    matrices = ", ".join(f"{k} = {text(v.tolist())}" for k, v in letters.items() if v is not None)
    if matrices in shown:
        return f"{witness.name}: as above" + ("" if shown[matrices] == gamma else f", at {gamma}")
    shown[matrices] = gamma
    return f"{witness.name}: {gamma}, {matrices}"
