"""Small pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table; a bar inside a cell is escaped.

    >>> print(table(["a", "b"], [["1", "x|y"]]))
    | a | b |
    | --- | --- |
    | 1 | x\\|y |
    """
    lines = [_row(headings), _row(["---"] * len(headings)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in cells) + " |"
