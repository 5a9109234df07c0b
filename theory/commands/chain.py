"""``theory chain``: the k-th value function of the chain, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import click

from theory.commands.common import ExactNumber, json_option, print_json, problem_argument

MAX_K = 100_000


@click.command("chain")
@problem_argument
@click.option("--k", type=click.IntRange(0, MAX_K), required=True, help="Which value function.")
@click.option(
    "--start",
    default="zero",
    show_default=True,
    metavar="zero|behaviour|a,b,…",
    help="θ⁰: zero, the behaviour's fixed point θ_μ, or one number per feature.",
)
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@json_option
def command(problem: str, k: int, start: str, gamma: Any, as_json: bool) -> None:
    """θᵏ*, its values Φθᵏ* and its bias, in exact arithmetic."""
    import numpy as np

    from theory.exact.chain import chain_head
    from theory.exact.matrices import fractions
    from theory.problems.numbers import show_number
    from theory.problems.sources import find_problem

    found = find_problem(problem, gamma)
    head = chain_head(found, k, start if start in ("zero", "behaviour") else read_start(start))
    if as_json:
        print_json(
            {
                "problem": found.name,
                "gamma": str(found.exact.gamma),
                "k": k,
                "start": start,
                # FLINT's own text: Python refuses to print integers of more than 4300 digits.
                "theta": [str(x) for x in head.theta.entries()],
                "values": [str(x) for x in head.values.entries()],
                "bias": None if head.bias is None else [str(x) for x in head.bias.entries()],
                "value_error": [str(x) for x in head.error.entries()],
                "note": head.note,
            }
        )
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    theta, values, error = (np.atleast_1d(fractions(m)) for m in (head.theta, head.values, head.error))
    bias = None if head.bias is None else np.atleast_1d(fractions(head.bias))
    console = Console(highlight=False)
    console.print(
        f"[bold]{escape(found.name)}[/bold]  head k = {k}, started at {start}, γ = {show_number(found.given.gamma)}\n"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("state", "vᵏ = Φθᵏ", "vᵏ − v_π"):
        table.add_column(heading, justify="right")
    for label, value, miss in zip(found.state_labels, values, error, strict=True):
        table.add_row(escape(label), show(value), show(miss))
    console.print(table)
    console.print("\nθᵏ = (" + ", ".join(show(x) for x in theta) + ")", soft_wrap=True)
    if bias is not None:
        console.print("θᵏ − θ_π = (" + ", ".join(show(x) for x in bias) + ")", soft_wrap=True)
    if head.note:
        console.print(head.note, style="dim", soft_wrap=True)


def read_start(text: str) -> list[Any]:
    """``"1,-1/2,0"`` as exact numbers."""
    from theory.problems.numbers import parse_number

    return [parse_number(part, "--start", i) for i, part in enumerate(text.split(","))]


def show(value: Fraction) -> str:
    """The fraction where it is short, with its decimal where that helps; a power of ten beyond double precision."""
    from theory.problems.numbers import is_short

    bits = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if value and abs(bits) > 1000:
        return f"{'-' if value < 0 else ''}10^{bits * math.log10(2):.0f} (about)"
    text = str(value) if is_short(value) else ""
    if text and (value.denominator == 1 or len(text) <= 7):
        return text
    return f"{text} ≈ {float(value):.6g}" if 0 < len(text) <= 24 else f"≈ {float(value):.12g}"
