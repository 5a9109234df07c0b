"""``theory explore [PROBLEM]``: the explorer in the browser, served on loopback until Ctrl-C."""

from __future__ import annotations

from typing import Any

import click

from theory.commands.common import ExactNumber


@click.command("explore")
@click.argument("problem", required=False)
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port on 127.0.0.1; 2788 by default, or a free one.")
@click.option("--headless", is_flag=True, help="Print the address, open no browser.")
def command(problem: str | None, gamma: Any, port: int | None, headless: bool) -> None:
    """The explorer: see where a problem falls, and drag it across the line.

    PROBLEM is what it opens: a name from `theory list`, a problem file, or gymnasium:ID.
    """
    from theory.explorer.server import address, leave, listen, serve

    query = _query(problem, gamma)
    bound = listen(port)
    click.echo(f"The explorer is at {address(bound, query)}")
    click.echo("Ctrl-C stops it. Opened once in a browser, it needs no token there any more, nor does a link to it.")
    if not headless:
        import webbrowser

        webbrowser.open(address(bound, query))  # it waits in the queue until the server answers
    serve(bound)
    leave()


def _query(problem: str | None, gamma: Any) -> str:
    """The address of a problem: by its name in the catalogue, or with all its numbers."""
    if problem is None and gamma is None:
        return ""
    from theory.explorer.links import to_query
    from theory.explorer.view import open_view
    from theory.problems.catalogue import catalogue
    from theory.problems.sources import find_problem, is_file

    spec = problem or "baird"
    found = find_problem(spec, gamma)
    named = spec.partition(":")[0] in catalogue() and not is_file(spec)
    return to_query(open_view(found, found.name if named else None))
