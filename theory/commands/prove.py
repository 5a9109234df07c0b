"""``theory prove``: an identity of one's own between the paper's letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import json_option, print_json

if TYPE_CHECKING:
    from theory.symbolic import Claim, Outcome


class _WithLetters(click.Command):
    """A command whose help lists the letters."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from theory.propositions.identities import LETTERS
        from theory.text.words import meaning

        with formatter.section("Letters"):
            formatter.write_dl([(name, meaning(name)) for name in LETTERS])


@click.command("prove", cls=_WithLetters)
@click.argument("identity")
@click.option("--assume", multiple=True, metavar="IDENTITY", help="Take this for granted; may be given often.")
@click.option("--latex", is_flag=True, help="Print the certificate as a LaTeX align*.")
@json_option
def command(identity: str, assume: tuple[str, ...], latex: bool, as_json: bool) -> None:
    """Prove an identity for all dimensions and all k, or refute it by exact matrices.

    Products are written beside each other, with ^T or .T, ^-1, ^k or a number as power: theory prove "Pi P Pi = P Pi"
    --assume "P Phi = Pi P Phi". What the search finds is accepted by the kernel and checked again by SymPy. Exit
    code 1: refuted or open.
    """
    from theory.propositions.identities import decide_identity
    from theory.symbolic import Proved

    claim, outcome = decide_identity(identity, assume)
    if isinstance(outcome, Proved):
        outcome.certificate.recheck()
    if as_json:
        print_json(document(claim, outcome, assume))
    elif latex:
        click.echo(outcome.certificate.latex() if isinstance(outcome, Proved) else f"% {outcome!r}\n{claim.latex()}")
    else:
        click.echo(str(outcome))
        if isinstance(outcome, Proved):
            click.echo(str(outcome.certificate))
    if not isinstance(outcome, Proved):
        click.get_current_context().exit(1)


def document(claim: Claim, outcome: Outcome, assume: tuple[str, ...]) -> dict[str, Any]:
    """The verdict with its certificate or its witness."""
    from theory.symbolic import Proved, Refuted

    found: dict[str, Any] = {
        "identity": claim.name,
        "assume": list(assume),
        "result": outcome.verdict,
        "latex": claim.latex(),
        "scope": None,
        "uses": [],
        "certificate": None,
        "witness": None,
    }
    if isinstance(outcome, Proved):
        return found | {
            "scope": outcome.scope,
            "uses": list(outcome.uses),
            "certificate": outcome.certificate.to_dict(),
        }
    if isinstance(outcome, Refuted):
        return found | {"witness": outcome.witness.to_dict()}
    return found | {"reason": outcome.reason}
