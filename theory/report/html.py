r"""The Markdown of the report as one HTML page that needs nothing else: no network, no script, no font.

markdown-it-py parses; this module adds formulas (``$…$`` and fences marked ``math``, as MathML), puts pictures into
the page as data, gives headings the anchors that code hosts give them, marks up pictures with captions and the list of
contents as what they are, and lets wide tables and formulas scroll by themselves. Both files come from one text, so
they cannot disagree.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from theory.report.css import CSS
from theory.report.markdown import slug
from theory.report.mathml import mathml
from theory.report.pieces import pieces

CONTENTS = "Contents"
LONG = 40  # letters of code that may be broken within a cell
BREAKABLE, WIDE = 50, 80  # letters of LaTeX that fit a line of a phone, and that may not even alone
SHORT = 16  # rows of a table that is kept on one page of paper
WORDY = 60  # letters of a cell that is text, not a number or a name
PIXELS = 1.6  # of the screen for a point of a figure
_ROLES = {"table_open": "table", "thead_open": "rowgroup", "tbody_open": "rowgroup", "tr_open": "row",
          "th_open": "columnheader", "td_open": "cell"}  # fmt: skip
_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="theory report">
<meta name="description" content="{description}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<main id="content">
{body}</main>
</body>
</html>
"""


def html_page(markdown: str, read: Callable[[str], bytes], description: str) -> str:
    """The page; `read` gives the bytes of a picture by the name that the Markdown uses."""
    parser = _parser()
    tokens = parser.parse(markdown)
    headings = [_words(tokens[i + 1]) for i, token in enumerate(tokens) if token.type == "heading_open"]
    body = _Body(parser, read).render(tokens)
    return _PAGE.format(title=escape(headings[0]), description=escape(description), style=CSS, body=body)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.add_render_rule("formula", lambda self, tokens, i, options, env: _inline(tokens[i].content))
    return parser


def _inline(latex: str) -> str:
    """A formula within a sentence; a long one in pieces between which a line may end."""
    parts = [piece for formula in pieces(latex) for piece in formula] if len(latex) > BREAKABLE else [latex]
    shown = [mathml(part, goes_on=i > 0) for i, part in enumerate(parts)]
    box = '<span class="scroll within" role="group" tabindex="0" aria-label="Formula">{}</span>'
    return "<wbr>".join(box.format(m) if len(part) > WIDE else m for part, m in zip(parts, shown, strict=True))


def _formula(state: StateInline, silent: bool) -> bool:
    """``$…$`` or ``$`…`$``; a dollar before a blank or without a partner is a dollar."""
    match = re.compile(r"\$`([^`]+)`\$|\$(?!\s)((?:[^$\\`]|\\.)+?)(?<!\s)\$").match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("formula", "math", 0).content = match[1] or match[2]
    state.pos = match.end()
    return True


class _Body:
    """Walks the tokens once, and leaves to the parser's own renderer whatever needs no care."""

    def __init__(self, parser: MarkdownIt, read: Callable[[str], bytes]) -> None:
        self.parser, self.read = parser, read
        self.heading, self.tables = "", 0

    def render(self, tokens: Sequence[Token]) -> str:
        out, i = [], 0
        while i < len(tokens):
            text, i = self._block(tokens, i)
            out.append(text)
        return "".join(out)

    def _block(self, tokens: Sequence[Token], i: int) -> tuple[str, int]:
        token, end = tokens[i], _end(tokens, i)
        part = list(tokens[i:end])
        if token.type == "heading_open":
            self.heading = _words(part[1])
            if self.heading == CONTENTS and end < len(tokens) and tokens[end].type == "bullet_list_open":
                last = _end(tokens, end)
                links = self._plain(list(tokens[end:last]))
                return f'<nav aria-labelledby="{slug(CONTENTS)}">\n{self._heading(part)}{links}</nav>\n', last
            return self._heading(part), end
        if token.type == "fence" and token.info.strip() == "math":
            return _formula_box(token.content), end
        if token.type == "table_open":
            return self._table(part), end
        if token.type == "paragraph_open" and _only_image(part[1]):
            caption, last = "", end
            if end < len(tokens) and tokens[end].type == "paragraph_open" and _begins_bold(tokens[end + 1]):
                last = _end(tokens, end)
                caption = f"<figcaption>{self._plain([tokens[end + 1]])}</figcaption>\n"
            assert part[1].children is not None  # it has the image
            image = self._image(part[1].children[0])
            return f"<figure>\n{_scrolling('Figure', image)}{caption}</figure>\n", last
        return self._plain(part), end

    def _heading(self, part: list[Token]) -> str:
        level, anchor = part[0].tag, slug(self.heading)
        text = self._plain([part[1]])
        mark = f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>' if level != "h1" else ""
        return f'<{level} id="{anchor}">{text}{mark}</{level}>\n'

    def _table(self, part: list[Token]) -> str:
        self.tables += 1
        label = escape(f"Table {self.tables}: {self.heading}")
        prose = _is_prose(part)
        _mark_table(part, prose=prose)
        kind = "scroll" + " prose" * prose + " short" * (sum(t.type == "tr_open" for t in part) <= SHORT)
        return f'<div class="{kind}" role="region" tabindex="0" aria-label="{label}">\n{self._plain(part)}</div>\n'

    def _image(self, token: Token) -> str:
        source = str(token.attrs["src"])
        kind, content = _TYPES[source.rpartition(".")[2]], self.read(source)
        # Lettering of one size in all figures: none is drawn larger than the others.
        width = re.search(rb'<svg[^>]* width="([0-9.]+)pt"', content)
        style = f' style="--width: {float(width[1]) * PIXELS:.0f}px"' if width else ""
        data = base64.b64encode(content).decode("ascii")
        return f'<img alt="{escape(token.content)}"{style} src="data:{kind};base64,{data}">'

    def _plain(self, tokens: list[Token]) -> str:
        for token in tokens:
            for child in token.children or ():
                if child.type == "code_inline" and len(child.content) > LONG:
                    child.attrSet("class", "long")
        text: Any = self.parser.renderer.render(tokens, self.parser.options, {})
        return str(text)


def _formula_box(latex: str) -> str:
    """The formulas in pieces that wrap; a piece too wide for the screen scrolls, by keyboard as well."""
    formulas = "".join(
        f'<span class="one">{"".join(mathml(p, display=True, goes_on=i > 0) for i, p in enumerate(formula))}</span>'
        for formula in pieces(latex)
    )
    return _scrolling("Formula", formulas, "formula")


def _scrolling(label: str, content: str, kind: str = "") -> str:
    """A box that scrolls sideways where it must, by keyboard as well."""
    return f'<div class="{f"scroll {kind}".strip()}" role="group" tabindex="0" aria-label="{label}">{content}</div>\n'


def _is_prose(part: list[Token]) -> bool:
    """Is it a table of sentences? On a narrow screen its rows become paragraphs."""
    return sum(len(t.content) > WORDY for t in part if t.type == "inline") > sum(t.type == "tr_open" for t in part) - 2


def _mark_table(part: list[Token], *, prose: bool) -> None:
    """Alignment as a class, headings for columns; where rows may become paragraphs, labels and the roles of a table."""
    headings = [part[i + 1].content for i, token in enumerate(part) if token.type == "th_open"]
    column = 0
    for token in part:
        if token.type == "tr_open":
            column = 0
        if token.type in ("th_open", "td_open"):
            style = str(token.attrs.pop("style", ""))
            if style:
                token.attrSet("class", style.removeprefix("text-align:"))
            if token.type == "th_open":
                token.attrSet("scope", "col")
            elif prose:
                token.attrSet("data-label", headings[column])
            column += 1
        if prose and token.type in _ROLES:
            token.attrSet("role", _ROLES[token.type])


def _end(tokens: Sequence[Token], i: int) -> int:
    """One past the token that closes the block which begins at i."""
    depth, j = int(tokens[i].nesting), i
    while depth > 0:
        j += 1
        depth += tokens[j].nesting
    return j + 1


def _words(token: Token) -> str:
    """The text of a heading, without marks."""
    return "".join(child.content for child in token.children or () if child.type in ("text", "code_inline", "formula"))


def _only_image(token: Token) -> bool:
    return [child.type for child in token.children or ()] == ["image"]


def _begins_bold(token: Token) -> bool:
    kinds = [child.type for child in token.children or () if child.content or child.nesting]
    return kinds[:1] == ["strong_open"]
