"""``theory search``: finds a small exact problem with a wanted property, and proves that it has it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import ExactNumber, ProblemType, json_option, print_json
from theory.text.progress import Line
from theory.text.words import STABLE, UNBIASED, count

if TYPE_CHECKING:
    from theory.experiments.search import SearchResult


class _Asked(click.Command):
    """``--method NAME --stable`` says the same as ``--stable NAME``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [part for word in args for part in (word.split("=", 1) if word.startswith("--method=") else [word])]
        for i in range(len(words) - 3, -1, -1):
            if words[i] == "--method" and words[i + 2] in ("--stable", "--unstable"):
                words[i : i + 3] = [words[i + 2], words[i + 1]]
        return super().parse_args(ctx, words)


def _no_side(ctx: click.Context, option: click.Parameter, names: tuple[str, ...]) -> None:
    if names:
        raise click.UsageError(f"--method {names[0]}: name --stable or --unstable behind it")


@click.command("search", cls=_Asked)
@click.option("--td", type=click.Choice(STABLE), help="Off-policy TD.")
@click.option("--chain", type=click.Choice(UNBIASED), help="Chained TD in the limit.")
@click.option("--stable", multiple=True, metavar="METHOD", help="A method that converges: soft:tau=1/10, tdc:ratio=2.")
@click.option("--unstable", multiple=True, metavar="METHOD", help="A method that does not; both may be given often.")
@click.option(
    "--method",
    multiple=True,
    metavar="METHOD",
    callback=_no_side,
    expose_value=False,
    help="The same in other words: --method soft --stable --method chain --unstable.",
)
@click.option("--windows", is_flag=True, help="Both fail, and yet some target-network windows T are stable.")
@click.option("--largest-rho", is_flag=True, help="ρ(γΠP) as large as possible within the two limits below.")
@click.option("--family", metavar="FAMILY", type=ProblemType(), help="Among the members of a family, at its own γ.")
@click.option("--states", type=int, help="Number of states; without it the fewest.")
@click.option("--features", type=int, help="Number of features, of full rank; without it the fewest.")
@click.option("--fewest", is_flag=True, help="Take --states and --features as upper limits.")
@click.option("--gamma", type=ExactNumber(), help="The discount; free without it.")
@click.option(
    "--max-denominator",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Of probabilities, for --largest-rho.",
)
@click.option(
    "--max-entry", type=click.IntRange(1), default=10, show_default=True, help="Of features, for --largest-rho."
)
@click.option("--rounds", type=int, default=6, show_default=True, help="Effort; the shortest of all rounds is shown.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--time", "seconds", type=float, default=120.0, show_default=True, help="Safety stop in seconds.")
@click.option("-o", "--output", metavar="FILE", help="Write the problem, for `theory inspect FILE`.")
@json_option
def command(
    td: str | None,
    chain: str | None,
    stable: tuple[str, ...],
    unstable: tuple[str, ...],
    windows: bool,
    largest_rho: bool,
    family: str | None,
    states: int | None,
    features: int | None,
    fewest: bool,
    gamma: Fraction | None,
    max_denominator: int,
    max_entry: int,
    rounds: int,
    seed: int,
    seconds: float,
    output: str | None,
    as_json: bool,
) -> None:
    """Find a short exact problem with a wanted property, certified.

    With --family the letters of a family are drawn from their ranges; else problems of a size are made up. The same
    seed and rounds give the same problem, unless --time ends the search early. Exit code 1: not found, or impossible,
    with the reason.
    """
    from theory.experiments.search import Wanted, find_wanted
    from theory.problems.files import write_problem

    methods = tuple([(m, True) for m in stable] + [(m, False) for m in unstable])
    if td is None and chain is None and not windows and not largest_rho and not methods:
        raise click.UsageError(
            "nothing is wanted: name --td, --chain, --stable, --unstable, --windows or --largest-rho"
        )
    if not seconds > 0:
        raise click.UsageError(f"--time must be positive, got {seconds:g}")
    wanted = Wanted(td, chain, windows, gamma, largest_rho, max_denominator, max_entry, methods)
    progress = Rounds()
    try:
        result, before = find_wanted(
            wanted, states, features, fewest=fewest, family=family, seed=seed, rounds=rounds, time_limit=seconds,
            progress=progress,
        )  # fmt: skip
    finally:
        progress.close()
    if result.problem is not None and output is not None:
        write_problem(result.problem, output)
    if as_json:
        print_json(document(result, seed))
    else:
        result.page().print()
        for one in before:
            size = f"{count(one.states, 'state')}, {count(one.features, 'feature')}"
            click.echo(f"{size}: {'impossible' if one.impossible else 'not found'}")
        if result.problem is not None and output is not None:
            click.echo(f"Written: theory inspect {output}")
    if result.problem is None:
        click.get_current_context().exit(1)


def document(result: SearchResult, seed: int) -> dict[str, Any]:
    """The problem's document with the certificates beside it, or why there is none."""
    from theory.problems.files import problem_document

    effort = {"seed": seed, "rounds": result.rounds, "stopped": result.stopped, "best_margin": result.best_margin}
    if result.drawn is not None:
        effort["drawn"] = result.drawn
    if result.problem is None or result.proof is None:
        reason = result.impossible or f"not found in {result.tried}"
        return {"found": False, "impossible": result.impossible is not None, "reason": reason, "search": effort}
    proof, middle = result.proof, result.proof.middle
    verdicts = {"td": proof.td, "chain": proof.chain}
    search: dict[str, Any] = {"found": True, **effort, "rho": result.rho}
    if middle is not None:
        verdicts["target_network"] = middle.verdict
        search |= {"window": middle.window, "step_size": middle.step_size, "stable_windows": list(middle.stable)}
    others = {text: found.verdict for text, found in proof.methods.items()}
    verdicts |= {text: verdict for text, verdict in others.items() if verdict is not None}
    proofs = {k: None if v.certificate is None else v.certificate.to_dict() for k, v in verdicts.items()}
    return {**problem_document(result.problem), "certificate": proofs, "search": search}


class Rounds(Line):
    """How far the search is at one size."""

    def __call__(self, states: int, features: int, done: int, of: int, margin: float) -> None:
        size = f"{count(states, 'state')}, {count(features, 'feature')}"
        self.show(f"{size}: round {done} of {of} · best margin {margin:.3g}")
