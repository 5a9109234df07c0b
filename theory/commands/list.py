"""``theory list``: what there is to name."""

from __future__ import annotations

import click

from theory.commands.common import json_option, print_json


@click.command("list")
@json_option
def command(as_json: bool) -> None:
    """Catalogue of problems, with parameters and what they are famous for; statements of the paper; learners."""
    from theory.learners.families import learners
    from theory.problems.catalogue import catalogue
    from theory.propositions.registry import IDS, statement

    entries = catalogue().values()
    if as_json:
        problems = [
            {
                "name": e.name,
                "title": e.title,
                "source": e.source,
                "famous_for": e.famous_for,
                "parameters": {k: {"default": p.default, "meaning": p.meaning} for k, p in e.parameters.items()},
            }
            for e in entries
        ]
        statements = [{"id": s.id, "title": s.title, "paper_verdict": s.verdict} for s in map(statement, IDS)]
        print_json({"problems": problems, "statements": statements, "learners": list(learners())})
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for e in entries:
        parameters = ",".join(f"{k}={p.default}" for k, p in e.parameters.items())
        console.print(Text.assemble((e.name, "bold"), (f":{parameters}", "dim")), soft_wrap=True)
        console.print(Padding(Text(e.famous_for), (0, 0, 0, 4)))
    console.print("\n[bold]statements[/bold] for theory verify: " + ", ".join(IDS))
    console.print("\n[bold]learners[/bold] for theory learn: " + ", ".join(learners()))
    console.print(
        "\nParameters shown with their defaults; give those you change: theory inspect kolter:p=3/5\n"
        "PROBLEM may also be a file (JSON, .npz, - for standard input) or gymnasium:FrozenLake-v1."
    )
