"""``theory explore``: the explorer in the browser, served on loopback until Ctrl-C."""

from __future__ import annotations

import click


@click.command("explore")
@click.option("--port", type=click.IntRange(1, 65535), help="Port on 127.0.0.1; a free one by default.")
@click.option("--headless", is_flag=True, help="Print the address, open no browser.")
def command(port: int | None, headless: bool) -> None:
    """The explorer: see where a problem falls, and drag it across the line."""
    from theory.explorer.server import leave, listen, serve

    bound = listen(port)
    address = "http://{}:{}".format(*bound.getsockname())
    click.echo(f"The explorer is at {address}  (Ctrl-C stops it)")
    if not headless:
        import webbrowser

        webbrowser.open(address)  # it waits in the queue until the server answers
    serve(bound)
    leave()
