"""The command line: finds the command, and turns every bad input into one line and exit code 2.

Commands live in `theory.commands`, one file each, and are imported only when they run, so that
``theory --help`` answers at once.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from theory import __version__

# The matrices here are small: threads cost more than they save, and sum in another order. What the user has set stays.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

# name -> what `theory --help` says of it
COMMANDS = {
    "list": "Catalogue of problems, statements, learners and methods.",
    "verify": "Prove and check the statements of the paper.",
    "prove": "Prove an identity of your own between the paper's letters.",
    "inspect": "Everything about one problem.",
    "compare": "Every method on one problem: who solves it?",
    "trajectory": "Expected updates of one method from a start.",
    "derive": "Closed forms in γ and k, checked against Richardson iteration.",
    "chain": "The k-th value function of the chain, exactly.",
    "search": "Find a small exact problem with a wanted property, certified.",
    "learn": "Run a learner and plot its error.",
    "noise": "Largest step sizes in mean square and exact errors of learners.",
    "table1": "The paper's Table 1, beside the paper's numbers.",
    "figure": "Draw one figure into reports/.",
    "success-rate": "How often does TD diverge and the chain fail, on random problems?",
    "explore": "Open the explorer in the browser.",
    "report": "Write what has been computed into reports/.",
    "completion": "Print the shell completion script.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"theory.commands.{name.replace('-', '_')}")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(COMMANDS)}"
            ctx.fail(f"no such command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="theory", message="%(prog)s %(version)s")
def cli() -> None:
    """A workbench for the theory of off-policy value prediction.

    PROBLEM is a name from `theory list` (with parameters: kolter:p=1/3), a file, or
    gymnasium:ID. Exit code 0: fine; 1: a check failed; 2: bad input.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    code: object = 0
    if sys.stdout is None:
        _fail("standard output is closed")
    _speak_utf8()
    if not any(name in os.environ for name in THREADS):  # read when NumPy is first imported
        os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        code = cli.main(arguments, prog_name="theory", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as stop:
        # Commands return their code; click itself exits with 1 when the reader (`| head`) went away.
        code = 0 if stop.code == 1 else stop.code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(2)
    except click.ClickException as error:
        _fail(error.format_message())
    except BrokenPipeError:
        # The reader has what it wanted; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError as error:
        _fail("the memory of this machine does not hold what the problem takes: try fewer states", error)
    except OverflowError as error:
        _fail(f"a number is beyond double precision ({error})", error)
    except (ValueError, OSError) as error:
        _fail(str(error), error)
    except (KeyboardInterrupt, click.Abort):
        click.echo("theory: interrupted", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _speak_utf8() -> None:
    """What is printed is mathematics in UTF-8, whatever the locale: half a page would be worse than odd letters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(encoding="utf-8")


def _fail(message: str, cause: Exception | None = None) -> NoReturn:
    if cause is not None and os.environ.get("THEORY_TRACEBACK"):
        traceback.print_exception(cause)
    click.echo(f"theory: error: {' '.join(message.split())}", err=True)
    sys.exit(2)
