"""What there is to see of a result: a page of prose, verbatim lines and tables, before any width or format is known.

Texts may carry a style (`good`, `bad`, `unsure`, `dim`, `strong`), which a terminal shows as a colour and HTML as a
class; without it they read the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class Styled(str):
    """A text with a style."""

    style: str

    def __new__(cls, text: str, style: str) -> Styled:
        made = super().__new__(cls, text)
        made.style = style
        return made


def style_of(text: str) -> str:
    """Empty for a plain text."""
    return text.style if isinstance(text, Styled) else ""


def dim(text: str) -> Styled:
    """What a reader may skip."""
    return Styled(text, "dim")


def strong(text: str) -> Styled:
    """A name, a heading."""
    return Styled(text, "strong")


def answered(text: str, holds: bool | None) -> Styled:
    """The word for an answer as JSON has it: yes, no, undecided.

    >>> answered("stable", True).style, answered("undecided", None).style
    ('good', 'unsure')
    """
    return Styled(text, "unsure" if holds is None else "good" if holds else "bad")


@dataclass(frozen=True)
class Prose:
    """A paragraph; its lines after the first are indented by `hang`."""

    parts: tuple[str, ...]
    hang: int = 0


@dataclass(frozen=True)
class Lines:
    """Lines that are not to be wrapped, as they are (a matrix) or drawn for a width (a ruler)."""

    lines: tuple[str, ...] | Callable[[int], tuple[str, ...]]

    def at(self, width: int) -> tuple[str, ...]:
        """The lines for a screen of so many columns."""
        return self.lines(width) if callable(self.lines) else self.lines


@dataclass(frozen=True)
class Column:
    """A column of a table. Where room is short a `note` becomes a number and a footnote, then those with `below` move
    under their row, then those with `drop` leave, the largest first; 0 stays.
    """

    heading: str
    left: bool = False
    note: bool = False
    below: bool = False
    drop: int = 0


@dataclass(frozen=True)
class Table:
    """Rows of texts under their columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Prose | Lines | Table


def prose(*parts: str, hang: int = 0) -> Prose:
    """A paragraph of texts, joined without blanks."""
    return Prose(parts, hang)


def hanging(text: str) -> list[Prose]:
    """Lines with their own indentation, which what is wrapped of them exceeds by four."""
    return [prose(line, hang=len(line) - len(line.lstrip()) + 4) for line in text.splitlines()]


def table(columns: Iterable[Column | str], rows: Iterable[Sequence[str]]) -> Table:
    """A column given as a text is flush right, and one whose text ends in ``<`` flush left."""
    made = tuple(c if isinstance(c, Column) else Column(c.removesuffix("<"), left=c.endswith("<")) for c in columns)
    return Table(made, tuple(tuple(row) for row in rows))


@dataclass(frozen=True)
class Page:
    """Blocks below each other; `prose()` without a text is an empty line."""

    blocks: tuple[Block, ...]

    def text(self, width: int | None = None) -> str:
        """Plain text that fits a width, by default the screen's."""
        from theory.views.text import plain_text

        return plain_text(self, width)

    def html(self) -> str:
        """For a notebook or a page."""
        from theory.views.html import page_html

        return page_html(self)

    def print(self, wide: bool = False) -> None:
        """On standard output, in colours where that is a terminal; `wide` leaves nothing out."""
        from theory.views.text import print_page

        print_page(self, wide)


class Viewable:
    """What a public function returns: one line at a prompt, its page when printed, HTML in a notebook."""

    def page(self) -> Page:
        """All there is to see."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.page().text()

    def _repr_html_(self) -> str:
        return self.page().html()


def data_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a pandas frame; an import error that says what to install where pandas is missing."""
    from importlib import import_module

    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from None
    return pandas.DataFrame.from_records(list(rows))
