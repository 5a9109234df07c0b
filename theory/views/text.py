"""Pages as text that fits: no line is longer than the screen, no table is broken.

A table that is too wide first moves columns below their rows, then leaves columns out and says so, and last wraps its
cells. Prose is wrapped. Into a pipe or a file a screen has 100 columns, unless COLUMNS says otherwise.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from theory.views.page import Block, Column, Lines, Page, Prose, Table, style_of

PIPED = 100  # columns of what is no terminal
WIDE = 10**5
INDENT = 4
_GAP = 2
_STYLES = {"good": "green", "bad": "red", "unsure": "yellow", "dim": "dim", "strong": "bold"}


def screen_width() -> int:
    """Columns of the terminal, those of COLUMNS, or 100."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    return shutil.get_terminal_size((PIPED, 24)).columns if sys.stdout.isatty() else PIPED


def plain_text(page: Page, width: int | None = None) -> str:
    """Without colours and without blanks at the ends of lines."""
    lines = page_lines(page, screen_width() if width is None else width)
    return "\n".join(line.plain.rstrip() for line in lines)


def print_page(page: Page, wide: bool = False) -> None:
    """On standard output; `wide` prints all columns of a table, while prose still fits the screen."""
    console = Console(file=sys.stdout, highlight=False, width=WIDE)
    for line in page_lines(page, screen_width(), wide):
        line.rstrip()
        console.print(line, no_wrap=True, crop=False, overflow="ignore", soft_wrap=True)


def page_lines(page: Page, width: int, wide: bool = False) -> Iterator[Text]:
    """Line by line."""
    for block in page.blocks:
        yield from _block_lines(block, width, wide)


def _block_lines(block: Block, width: int, wide: bool) -> Iterator[Text]:
    if isinstance(block, Prose):
        yield from _wrapped(_joined(block.parts), width, block.hang)
    elif isinstance(block, Lines):
        yield from (_styled(line) for line in block.at(width))
    else:
        yield from _table_lines(block, WIDE if wide else width)


def _styled(text: str) -> Text:
    return Text(str(text), style=_STYLES.get(style_of(text), ""))


def _joined(parts: Sequence[str]) -> Text:
    return Text.assemble(*((str(part), _STYLES.get(style_of(part), "")) for part in parts))


def _wrapped(text: Text, width: int, hang: int = 0) -> list[Text]:
    """At most `width` columns a line; those after the first are indented by `hang`."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    hang = min(hang, width // 2)
    found: list[Text] = []
    for paragraph in text.split("\n", allow_blank=True) or [text]:
        first, *rest = paragraph.wrap(console, width) or [Text("")]
        found.append(first)
        if rest:
            after = paragraph[len(first.plain) :]
            after = after[len(after.plain) - len(after.plain.lstrip()) :]
            found += [Text(" " * hang) + line for line in after.wrap(console, width - hang)]
    return found


def _table_lines(table: Table, width: int) -> Iterator[Text]:
    table, notes = _with_footnotes(table, width)
    shown, below, dropped = _fitted(table, width)
    widths = _widths(table, shown)
    words = {i: max(_longest_word(row[i]) for row in (*table.rows, _headings(table))) for i in shown}
    while sum(widths.values()) + _GAP * (len(shown) - 1) > max(width, 4 * len(shown)):  # last, cells are wrapped
        widths[max(shown, key=lambda i: (widths[i] > words[i], widths[i]))] -= 1
    headings = [(Text(table.columns[i].heading, style="bold"), i) for i in shown]
    if any(table.columns[i].heading for i in shown):
        yield from _row(headings, table.columns, widths)
    for row in table.rows:
        yield from _row([(_styled(row[i]), i) for i in shown], table.columns, widths)
        under = [(table.columns[i].heading, row[i]) for i in below if row[i] not in ("", "–")]
        if under:
            text = Text(" " * INDENT + "; ".join(f"{heading} {cell}".lstrip() for heading, cell in under), style="dim")
            yield from _wrapped(text, width, INDENT + 2)
    for number, note in notes.items():
        yield from _wrapped(Text(f"{number:>3}  {note}", style="dim"), width, 5)
    if dropped:
        names = ", ".join(table.columns[i].heading for i in dropped)
        yield from _wrapped(Text(f"Left out at this width: {names} (--wide).", style="dim"), width)


def _headings(table: Table) -> tuple[str, ...]:
    return tuple(column.heading for column in table.columns)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _fits(table: Table, shown: Sequence[int], width: int) -> bool:
    return sum(_widths(table, shown).values()) + _GAP * (len(shown) - 1) <= width


def _with_footnotes(table: Table, width: int) -> tuple[Table, dict[int, str]]:
    """Where the table is too wide, its notes as numbers, and the notes by number."""
    every, at = range(len(table.columns)), [i for i, c in enumerate(table.columns) if c.note]
    if not at or _fits(table, every, width):
        return table, {}
    notes = list(dict.fromkeys(row[i] for row in table.rows for i in at))

    def cell(i: int, text: str) -> str:
        return str(notes.index(text) + 1) if i in at else text

    rows = tuple(tuple(cell(i, text) for i, text in enumerate(row)) for row in table.rows)
    return Table(table.columns, rows), dict(enumerate(notes, start=1))


def _fitted(table: Table, width: int) -> tuple[list[int], list[int], list[int]]:
    """Which columns stand in the rows, below them, and nowhere."""
    shown = list(range(len(table.columns)))
    below: list[int] = []
    dropped: list[int] = []
    wide = _widths(table, shown)
    for i in sorted((i for i, c in enumerate(table.columns) if c.below), key=lambda i: -wide[i]):
        if not _fits(table, shown, width):
            shown.remove(i)
            below.append(i)
    for i in sorted((i for i in shown if table.columns[i].drop), key=lambda i: -table.columns[i].drop):
        if not _fits(table, shown, width):
            shown.remove(i)
            dropped.append(i)
    return shown, sorted(below), sorted(dropped)


def _widths(table: Table, shown: Sequence[int]) -> dict[int, int]:
    def widest(text: str) -> int:
        return max((cell_len(line) for line in text.split("\n")), default=0)

    return {i: max([widest(table.columns[i].heading), *(widest(row[i]) for row in table.rows)]) for i in shown}


def _row(cells: list[tuple[Text, int]], columns: Sequence[Column], widths: dict[int, int]) -> Iterator[Text]:
    """A row, of as many lines as its highest cell."""
    parts = [_wrapped(cell, widths[i]) for cell, i in cells]
    for at in range(max(map(len, parts), default=0)):
        line = Text("")
        for (_, i), part in zip(cells, parts, strict=True):
            text = part[at].copy() if at < len(part) else Text("")
            text.rstrip()
            pad = " " * (widths[i] - cell_len(text.plain))
            line += Text(" " * _GAP if line else "") + (text + Text(pad) if columns[i].left else Text(pad) + text)
        yield line
