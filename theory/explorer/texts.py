"""Texts that others wrote, made fit for a page: names for Markdown, and numbers too long for a line."""

from __future__ import annotations

import re
from fractions import Fraction

from theory.exact.matrices import rational
from theory.problems import Problem
from theory.text.numbers import fraction_text

_NUMBER = re.compile(r"(=?)( ?)(-?\d+(?:/\d+)?)")
_LONG = 24  # letters


def literal(text: str) -> str:
    """The text for a place that reads Markdown or HTML: every sign in it becomes a character reference.

    marimo reads a control's label as Markdown, in which a backslash would not stop HTML, mathematics or emoji.

    >>> literal("<b>a_1</b>")
    '&#60;b&#62;a&#95;1&#60;&#47;b&#62;'
    """
    return "".join(c if c.isalnum() or c == " " or ord(c) > 127 else f"&#{ord(c)};" for c in text)


def short(text: object) -> str:
    """The text, or the number, with every long exact number in it abbreviated.

    >>> short("baird:gamma=1/" + "1" + 400 * "0"), short(Fraction(15, 17))
    ('baird:gamma≈1e-400', '15/17')
    """
    return _NUMBER.sub(_shorter, str(text))


def changed(problem: Problem, name: str) -> Problem:
    """A problem with other numbers than the one of that name: it may not bear the name, nor a γ that can still move.

    >>> from theory.problems.catalogue import catalogue_problem
    >>> changed(catalogue_problem("kolter:p=3/5,gamma=1/2"), "kolter:gamma=1/2,p=3/5").name
    'kolter:p=3/5, changed'
    """
    if name.endswith(", changed"):
        return problem.relabelled(name=name)
    entry, _, rest = name.partition(":")
    kept = ",".join(part for part in rest.split(",") if part and not part.startswith("gamma="))
    return problem.relabelled(name=f"{entry}:{kept}, changed" if kept else f"{entry}, changed")


def _shorter(found: re.Match[str]) -> str:
    _, space, number = found.groups()
    if len(number) <= _LONG:
        return found[0]
    try:
        value = fraction_text(rational(Fraction(number))).removeprefix("≈ ")
    except (ValueError, ZeroDivisionError):  # a name may hold digits that are no number, or thousands of them
        return f"{found[0][:_LONG]}…"
    return f"≈{space}{value}" if found[1] else f"{space}≈{value}"


def side_by_side(*parts: str, least: str = "20rem") -> str:
    """Beside each other where the page is wide enough, below each other on a phone."""
    cells = "".join(f'<div style="flex:1 1 {least};min-width:0">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:1rem;align-items:center">{cells}</div>'
