"""``theory inspect`` of a large problem: on one screen what needs no matrix of S×S numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import print_json

if TYPE_CHECKING:
    from theory.experiments.large_inspection import LargeInspection, LargePoint


def inspect_command(
    problem: Any, needy: Mapping[str, Any], step_size: Any, window: int, progress: Any, as_json: bool
) -> None:
    """Inspect it and print; options that need a dense P are refused."""
    from theory.experiments.large_inspection import inspect_large

    for option, value in needy.items():
        if value:
            raise click.UsageError(f"{option} needs a dense P, and {problem.name} has {problem.n_states:,} states")
    found = inspect_large(problem, step_size, window, progress)
    progress.close()
    if as_json:
        print_json(found.document())
    else:
        _screen(found)


def _screen(found: LargeInspection) -> None:
    from rich.console import Console
    from rich.markup import escape

    from theory.commands.inspect import end_text
    from theory.text.numbers import short_text
    from theory.text.words import subject, word
    from theory.thresholds.results import stable_text, unbiased_text, unknown_text, unstable_text

    console = Console(highlight=False)
    problem = found.problem
    console.print(f"[bold]{escape(problem.name)}[/bold]  {problem.summary}\n", soft_wrap=True)
    asked = [(kind, v.holds, v.reason, v.how) for kind, v in found.verdicts.items()]
    asked.append(("uniform", found.safe.holds, found.safe.reason, "floats with bounds"))
    for kind, holds, reason, how in asked:
        said, colour = word(kind, holds.json), holds.pick("green", "red", "yellow")
        name = subject(kind, found.window)
        proof = f"{escape(reason)} [dim]({how})[/dim]"
        console.print(f"{name:<25} [{colour}]{said:<9}[/{colour}] {proof}", soft_wrap=True)
    alpha = short_text(found.step_size, longest=24)
    known = f"are doubles within {found.width:.1g} of the true ones, proved"
    console.print(
        f"[dim]moments X and Y {known if math.isfinite(found.width) else 'are not known'}; "
        f"target network at α = {alpha}[/dim]\n",
        soft_wrap=True,
    )
    if found.td_intervals is not None and found.chain_threshold is not None:
        unstable = unstable_text(found.td_intervals)
        beyond = "" if unstable is None else f"; unstable for γ in {unstable}"
        console.print(f"TD is stable for γ in {stable_text(found.td_intervals, end_text)}{beyond}", soft_wrap=True)
        unknown = unknown_text(found.td_intervals)
        if unknown:
            console.print(f"[dim]  {unknown}[/dim]", soft_wrap=True)
        console.print(f"The chain is unbiased for {unbiased_text(found.chain_threshold, end_text)}", soft_wrap=True)
        console.print(
            f"[dim]in floats: ρ(γΠP) = {found.rho:.6g}, TD's largest step size {found.step_limit:.6g}[/dim]\n",
            soft_wrap=True,
        )
    for letter, point in (("π", found.target), ("μ", found.behaviour)):
        if point is not None:
            _point(console, letter, point)


def _point(console: Any, letter: str, point: LargePoint) -> None:
    from rich.markup import escape

    v = point.true_values
    known = math.isfinite(point.true_bound)
    within = f"lies in [{v.min():.6g}, {v.max():.6g}], each value to {point.true_bound:.1g} (proved)"
    unknown = "is not known: nothing bounds it in doubles, because of very long episodes or of very large numbers"
    console.print(f"v_{letter} {escape(within) if known else unknown}", soft_wrap=True)
    if point.theta is None or point.bound is None or point.errors is None:
        console.print(f"θ_{letter}: {point.note}", soft_wrap=True)
        return
    shown = ", ".join(f"{x:.6g}" for x in point.theta[:6]) + (", …" if len(point.theta) > 6 else "")
    console.print(f"θ_{letter} = ({shown}), each entry to {point.bound.max():.1g} (proved)", soft_wrap=True)
    if not known:
        return
    mean, largest = point.errors
    console.print(f"Φθ_{letter} − v_{letter}: root mean square {mean:.6g}, largest {largest:.6g} (floats)\n")
