"""Pages as HTML, for notebooks, the explorer and the report; every text is escaped, for a file's author wrote some.

Colours are those of every figure (`theory.views.colours`); beside a colour there is always the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from theory.views.colours import BAD, GOOD, UNSURE
from theory.views.page import Column, Lines, Page, Prose, Table, style_of

PRE = 80  # columns of what is set in one width
_CSS = {
    "good": f"color:{GOOD};font-weight:600",
    "bad": f"color:{BAD};font-weight:600",
    "unsure": f"color:{UNSURE};font-weight:600",
    "dim": "opacity:.75",
    "strong": "font-weight:700",
}


def page_html(page: Page) -> str:
    """One ``<div>`` with all blocks."""
    parts = []
    for block in page.blocks:
        if isinstance(block, Table):
            parts.append(table_html(block))
        elif isinstance(block, Lines):
            parts.append(f'<pre style="line-height:1.2">{"<br>".join(map(text_html, block.at(PRE)))}</pre>')
        elif any(block.parts):
            parts.append(f'<p style="margin:.3rem 0">{prose_html(block)}</p>')
    return f"<div>{''.join(parts)}</div>"


def table_html(table: Table) -> str:
    """A table that scrolls by itself; its first column heads the rows."""
    head = "".join(_cell("th", column.heading, column, ' scope="col"') for column in table.columns)
    rows = "".join(
        "<tr>"
        + "".join(
            _cell("td" if i else "th", cell, column, "" if i else ' scope="row"')
            for i, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        )
        + "</tr>"
        for row in table.rows
    )
    named = f"<thead><tr>{head}</tr></thead>" if any(column.heading for column in table.columns) else ""
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;font-size:.92em">'
        f"{named}<tbody>{rows}</tbody></table></div>"
    )


def rows_html(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, flush left."""
    return table_html(Table(tuple(Column(h, left=True) for h in headings), tuple(map(tuple, rows))))


def prose_html(block: Prose) -> str:
    """A paragraph's content."""
    return "".join(map(text_html, block.parts)).replace("\n", "<br>")


def text_html(text: str) -> str:
    """An escaped text in its style."""
    style = _CSS.get(style_of(text))
    return f'<span style="{style}">{escape(text)}</span>' if style else escape(text)


def _cell(tag: str, text: str, column: Column, scope: str) -> str:
    style = f"text-align:{'left' if column.left else 'right'};padding:.1rem .6rem .1rem 0;vertical-align:top"
    return f'<{tag}{scope} style="{style}">{text_html(text)}</{tag}>'
