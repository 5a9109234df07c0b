"""``theory completion SHELL``: the script that makes the shell complete commands and problem names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script, e.g. eval "$(theory completion bash)"."""
    from theory.cli import cli

    make = get_completion_class(shell)
    if make is None:  # pragma: no cover  click knows all three
        raise click.ClickException(f"no completion for {shell}")
    click.echo(make(cli, {}, "theory", "_THEORY_COMPLETE").source())
