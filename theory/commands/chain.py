"""``theory chain``: the k-th value function of the chain, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import Count, ExactNumber, json_option, print_json, problem_argument, set_option
from theory.text.progress import waiting
from theory.text.words import count, duration

if TYPE_CHECKING:
    from theory.model.heads import ChainHead
    from theory.problems import Problem
    from theory.views.page import Page

MAX_K = 10**9
LIMIT = 20.0  # seconds that all digits may take before they have to be asked for
DIGITS = 30  # of a certified enclosure, at least
SHOWN = 12  # of these on the screen
WIDE = 64  # characters of a fraction outside of tables


@click.command("chain")
@problem_argument
@click.option("--k", type=Count(0, MAX_K), required=True, help="Which value function.")
@click.option(
    "--start",
    default="zero",
    show_default=True,
    metavar="zero|behaviour|a,b,…",
    help="θ⁰: zero, the behaviour's fixed point θ_μ, or one number per feature.",
)
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--exact", "insist", is_flag=True, help="All digits, however long they take.")
@set_option
@json_option
def command(problem: str, k: int, start: str, gamma: Any, letters: str | None, insist: bool, as_json: bool) -> None:
    """θᵏ*, its values Φθᵏ* and its bias, in exact arithmetic.

    Where all digits would take long, a certified enclosure of at least the first 30 is given instead, and a line says
    so; the screen shows 12 of them, --json all.
    """
    from theory.model.heads import chain_head, enclosed_head, head_seconds
    from theory.problems.sources import find_problem

    found = find_problem(problem, gamma, letters)
    first = start if start in ("zero", "behaviour") else read_start(start, found.n_features)
    seconds = head_seconds(found, k)
    reason = None
    with waiting(f"θᵏ for k = {k}, with all digits") as progress:
        if insist or seconds <= LIMIT:
            head = chain_head(found, k, first, progress)
        else:
            progress.say(f"θᵏ for k = {k}, in balls")
            head = enclosed_head(found, k, first, DIGITS, progress)
            how_long = f"{'about ' if seconds < 86400 else ''}{duration(seconds)}"
            reason = (
                f"all digits would take {how_long}: a certified enclosure of {head.digits} digits "
                f"(balls of {head.bits} bits); --exact computes them"
            )
    if as_json:
        print_json(document(found, k, start, head, reason))
    else:
        _page(found, k, start, head, reason).print()


def document(problem: Problem, k: int, start: str, head: ChainHead, reason: str | None) -> dict[str, Any]:
    """Exact numbers as ``"p/q"``; of an enclosure null, with the reason and the ends of every ball beside it."""
    parts: dict[str, Any] = {
        "theta": head.theta,
        "values": head.values,
        "bias": head.bias,
        "value_error": head.error,
    }
    found: dict[str, Any] = {"problem": problem.name, "gamma": str(problem.exact.gamma), "k": k, "start": start}
    if head.bits is None:
        # FLINT's own text: Python refuses to print integers of more than 4300 digits.
        texts = {key: None if m is None else [str(x) for x in m] for key, m in parts.items()}
        return {**found, **texts, "note": head.note}
    balls = {key: None if m is None else [_ends(x, head.digits) for x in m] for key, m in parts.items()}
    enclosure = {"digits": head.digits, "bits": head.bits, **balls}
    return {**found, **dict.fromkeys(parts), "note": head.note, "reason": reason, "enclosure": enclosure}


def _ends(ball: Any, digits: int) -> list[str]:
    """Decimals below and above; the digits that are certain and two more."""
    from theory.text.numbers import decimal_ends

    return list(decimal_ends(ball, max(40, digits + 2)))


def _page(problem: Problem, k: int, start: str, head: ChainHead, reason: str | None) -> Page:
    from theory.problems.numbers import show_number
    from theory.text.numbers import ball_text, digit_count, fraction_text
    from theory.views.page import Page, dim, prose, strong, table

    exact = head.bits is None

    def ball(x: Any) -> str:
        return ball_text(x, SHOWN)

    def about(x: Any) -> str:
        return ball(x) if x.is_exact() or x.contains(0) else f"≈ {ball(x)}"

    # In a table every enclosed number is marked; a vector of them has one mark.
    cell: Callable[[Any], str] = fraction_text if exact else about
    show: Callable[[Any], str] = (lambda x: fraction_text(x, WIDE)) if exact else ball
    title = f"  head k = {k}, started at {start}, γ = {show_number(problem.given.gamma)}"
    states = zip(problem.state_labels, head.values, head.error, strict=True)
    rows = ((label, cell(value), cell(miss)) for label, value, miss in states)
    said = []
    for name, vector in (("θᵏ", head.theta), ("θᵏ − θ_π", head.bias)):
        if vector is not None:
            sign = "=" if exact or all(x.is_exact() for x in vector) else "≈"
            said.append(prose(f"{name} {sign} ({', '.join(show(x) for x in vector)})", hang=2))
    longest = max((digit_count(x) for x in head.theta), default=0) if exact else 0
    shown = None if exact or reason is None else f"{reason}, --json prints those enclosed and this page {SHOWN} of them"
    digits = f"known exactly, with up to about {longest:,} digits above and below: --json prints them"
    notes = [digits if longest > 60 else None, shown, head.note]
    values = table(("state", "vᵏ = Φθᵏ", "vᵏ − v_π"), rows)
    return Page(
        (prose(strong(problem.name), title), prose(), values, prose(), *said, *(prose(dim(x)) for x in notes if x))
    )


def read_start(text: str, features: int) -> list[Any]:
    """``"1,-1/2,0"`` as exact numbers, one per feature."""
    from theory.problems.numbers import parse_number

    numbers = [parse_number(part, "--start", i) for i, part in enumerate(text.split(","))]
    if len(numbers) != features:
        raise click.BadParameter(
            f"expected {count(features, 'number')}, one per feature, got {len(numbers)}", param_hint="--start"
        )
    return numbers
