"""``theory verify``: prove and check the statements of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import Named, json_option, print_json, statement_ids, wide_option
from theory.text.progress import waiting

if TYPE_CHECKING:
    from theory.coq.run import Report
    from theory.propositions.statement import Statement


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
@wide_option
def command(
    ids: tuple[str, ...], as_json: bool, as_latex: bool, strict: bool, coq: str | None, coqchk: bool, wide: bool
) -> int:
    """Prove and check the statements of the paper, or those named.

    One statement is shown in full. Exit code 1 if anything that should hold does not.
    """
    from theory.propositions.pages import Findings
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
    findings = Findings()
    with waiting("verifying") as progress:
        for i, s in enumerate(statements):
            progress.say(f"{i + 1} of {len(statements)}: {s.id}")
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
    (findings[0].page() if len(findings) == 1 else findings.page(strict)).print(wide)
    if kernel is not None:
        from theory.commands.coq import coq_page

        click.echo()
        coq_page(kernel).print()
    return 0 if ok else 1


def _latex(statements: list[Statement], with_formulas: bool) -> None:
    for s in statements:
        if s.latex:
            click.echo(f"% {s.id}: {s.title}\n\\[ {s.latex} \\]")
    if with_formulas:
        from theory.propositions.formulas import formulas

        for formula in formulas():
            click.echo(f"% {formula.name}: {formula.note}\n\\[ {formula.latex} \\]")
