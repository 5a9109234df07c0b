"""``theory verify``: prove and check the statements of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import Named, json_option, print_json, statement_ids
from theory.text.progress import waiting
from theory.text.words import count

if TYPE_CHECKING:
    from theory.coq.run import Report
    from theory.propositions.statement import Finding, Statement


@click.command("verify")
@click.argument("ids", metavar="[ID]...", nargs=-1, type=Named(statement_ids))
@json_option
@click.option("--latex", "as_latex", is_flag=True, help="Print the statements and closed forms as LaTeX.")
@click.option("--strict", is_flag=True, help="Check every certificate again by the independent route.")
@click.option(
    "--coq",
    "coq",
    is_flag=False,
    flag_value="",
    metavar="[FILE.v]",
    help="Let the Coq kernel check theorems and certificates; or write the certificates as a Coq file.",
)
@click.option("--coqchk", is_flag=True, help="With --coq: coqchk checks all that was compiled again; minutes.")
def command(ids: tuple[str, ...], as_json: bool, as_latex: bool, strict: bool, coq: str | None, coqchk: bool) -> int:
    """Prove and check the statements of the paper, or those named.

    One statement gets its full story. Exit code 1 if anything that should hold does not.
    """
    from theory.propositions.registry import IDS, statement
    from theory.propositions.statement import verify

    if as_json and as_latex:
        raise click.UsageError("--json and --latex exclude each other")
    if coq and not coq.endswith(".v"):  # `verify --coq prop-2` names a statement, not a file
        ids, coq = (*ids, coq), ""
    if coqchk and coq != "":
        raise click.UsageError("--coqchk needs --coq")
    if coq == "":
        from theory.commands.coq import require_coq

        require_coq()
    statements = [statement(i) for i in dict.fromkeys(ids) or IDS]
    if as_latex:
        _latex(statements, with_formulas=not ids)
        return 0
    findings = []
    with waiting("verifying") as progress:
        for i, s in enumerate(statements):
            progress.show(f"{i + 1} of {len(statements)}: {s.id} …")
            findings.append(verify(s, strict=strict))
    ok = all(f.ok for f in findings)
    kernel: Report | None = None
    if coq is not None:
        from theory.commands.coq import ask_coq, write_coq

        if coq:
            write_coq(findings, coq)
        else:
            from theory.propositions.kernel_checked import remember

            kernel = ask_coq(findings, coqchk)
            remember(kernel)
            ok = ok and kernel.ok
    if as_json:
        from theory.propositions.document import finding_document

        rows = [finding_document(f) for f in findings]
        heading: dict[str, Any] = {"ok": ok, "strict": strict}
        if kernel is not None:
            heading["coq"] = kernel.to_dict()
            for row in rows:
                row["coq"] = kernel.words[row["id"]].to_dict()
        print_json({**heading, "statements": rows})
        return 0 if ok else 1
    if len(findings) == 1:
        _story(findings[0])
    else:
        _table(findings, strict)
    if kernel is not None:
        from theory.commands.coq import coq_lines

        click.echo("\n" + "\n".join(coq_lines(kernel)))
    return 0 if ok else 1


def _latex(statements: list[Statement], with_formulas: bool) -> None:
    for s in statements:
        if s.latex:
            click.echo(f"% {s.id}: {s.title}\n\\[ {s.latex} \\]")
    if with_formulas:
        from theory.propositions.formulas import formulas

        for formula in formulas():
            click.echo(f"% {formula.name}: {formula.note}\n\\[ {formula.latex} \\]")


def _table(findings: list[Finding], strict: bool) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    row = "{:<21}{:<15}{:<32}{:>7}{:>8}{:>17}{:>7}  {}".format
    heading = row("statement", "result", "the paper’s claim", "proofs", "checks", "counterexamples", "s", "title")
    console.print(f"  [bold]{heading}[/bold]", soft_wrap=True)
    for f in findings:
        mark, s = ("[green]✓[/green]" if f.ok else "[red]✗[/red]"), f.statement
        shown = (n or "–" for n in (f.certificates, len(f.checks), len(f.counterexamples)))
        result = "proved, citing" if f.words != f.result else f.result
        line = row(s.id, result, s.verdict, *shown, f"{f.seconds:.2f}", escape(s.title))
        console.print(f"{mark} {line}", soft_wrap=True)
    good, certificates = sum(f.ok for f in findings), sum(f.certificates for f in findings)
    inexact = sum(c.error != 0 for f in findings for c in f.checks)
    checks = sum(len(f.checks) for f in findings)
    console.print(
        f"\n{good} of {len(findings)} statements come out as they should: {count(certificates, 'certificate')}"
        + (", each re-checked by plain SymPy expansion" if strict else "")
        + f"; {checks} checks, {checks - inexact} of them exact. {_three_words(findings)}",
        soft_wrap=True,
    )


def _three_words(findings: list[Finding]) -> str:
    """How many are proved by certificates alone, and how many need a theorem that is cited."""
    citing = sum(f.words != f.result for f in findings)
    alone = sum(f.result == "proved" for f in findings) - citing
    return (
        f"{alone} are proved by certificates alone, {citing} citing a theorem for the last step (verify ID names it)."
    )


def _story(finding: Finding) -> None:
    from rich.console import Console
    from rich.markup import escape

    from theory.symbolic.outcomes import Proved

    s, console = finding.statement, Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{s.id}[/bold]  {escape(s.title)}\n")
    console.print(f"The paper:  {escape(s.paper)}")
    console.print(f"Verdict:    [bold]{s.verdict}[/bold]")
    console.print(f"Precisely:  {escape(s.precise)}")
    for label, items in (("Assumes", s.assumptions), ("Cites", s.cites)):
        if items:
            console.print(f"{label + ':':<12}{escape('; '.join(items))}")
    if s.where:
        console.print(f"Letters:    {escape(s.where)}")
    console.print(f"Scope:      {escape(s.scope)}\n")
    for outcome in finding.outcomes:
        console.print(escape(str(outcome)))
        if isinstance(outcome, Proved):
            console.print(escape(f"  {outcome.certificate.equation}\n{outcome.certificate.derivation()}\n"))
    if finding.checks:
        worst = max(finding.checks, key=lambda c: float(c.error))
        passed = sum(c.passes for c in finding.checks)
        console.print(
            f"\nChecked on {len(finding.checks)} cases, {passed} pass; largest error {float(worst.error):.3g}."
        )
        for check in (c for c in finding.checks if not c.passes):
            where = f"{check.case}: error {check.error}, allowed {check.bound} {check.detail}"
            console.print(f"  [red]fails[/red] {escape(where)}")
    shown: dict[str, str] = {}  # matrices that were printed, and at which γ
    for c in finding.counterexamples:
        mark = "confirmed" if c.confirmed else "[red]NOT confirmed[/red]"
        console.print(f"\n{escape(c.heading)} ({mark}): {escape(c.text)}")
        if c.witness is not None:
            console.print(f"  {escape(_witness(c.witness, shown))}")
    console.print(f"\nResult: [bold]{escape(finding.words)}[/bold], in {finding.seconds:.2f} s")


def _witness(witness: Any, shown: dict[str, str]) -> str:
    """A problem as its matrices where they fit a line or two, once; anything else as it prints itself."""
    from theory.problems import Problem
    from theory.problems.numbers import show_number

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
