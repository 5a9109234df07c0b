r"""The Markdown of the report as one HTML page that needs nothing else: no network, no script, no font.

markdown-it-py parses; this module adds formulas (``$…$`` and fences marked ``math``, as MathML), puts pictures into
the page as data, gives headings the anchors that code hosts give them, marks up pictures with captions and the list of
contents as what they are, and lets wide tables and formulas scroll by themselves. Both files come from one text, so
they cannot disagree.

The report's style sheet: one column to read, light and dark, screen, phone and paper; no font is loaded.

Where a displayed formula may be broken: browsers do not break formulas, so on a phone their ends would be hidden.

A formula is cut, outside of all brackets and environments, after a comma with a wide space, which separates two
formulas, and before a relation, a plus or a minus, where a line may end. Pieces stand side by side where there is
room and below each other where there is none.
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

from theory.report.markdown import slug
from theory.report.mathml import mathml

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


CSS = """\
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --rule: #d0d7de; --tint: #f4f6f8; --link: #0550ae; --card: #ffffff;
  --shade: #8c959f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --soft: #a0a9b3; --paper: #15191e; --rule: #3a424b; --tint: #1e242b; --link: #7cb7ff;
    --shade: #768390;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif;
}
main { max-width: 50rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, nav, table, figcaption, .skip { font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 1rem 0 0.75rem; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 3rem 0 0.75rem; padding-top: 0.75rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.1rem; line-height: 1.3; margin: 2rem 0 0.5rem; }
p, ul, ol { margin: 0.7rem 0; }
li { margin: 0.25rem 0; }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 0.06em; }
a:focus-visible, .scroll:focus-visible { outline: 0.15rem solid var(--link); outline-offset: 0.15rem; }
a.anchor { color: var(--soft); text-decoration: none; opacity: 0; margin-left: 0.35em; font-weight: 400; }
:is(h2, h3):hover a.anchor, a.anchor:focus { opacity: 1; }
:target { background: var(--tint); box-shadow: -0.5rem 0 0 var(--tint), -0.7rem 0 0 var(--link); }
.skip { position: absolute; left: -99rem; padding: 0.5rem 0.8rem; background: var(--paper); z-index: 2; }
.skip:focus { left: 0.5rem; top: 0.5rem; }
code { font: 0.86em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  background: var(--tint); padding: 0.08em 0.3em; border-radius: 0.25em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
td code { white-space: nowrap; }
td a code { white-space: normal; }
td code.long { white-space: normal; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1rem 0; scrollbar-width: thin;
  background: linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 2.5rem 100% local,
    linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 2.5rem 100% local,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 0.9rem 100% scroll,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 0.9rem 100% scroll;
  background-repeat: no-repeat; }
.scroll.within { display: inline-block; max-width: 100%; margin: 0; overflow-y: hidden; vertical-align: bottom; }
table { border-collapse: collapse; font-size: 0.86rem; line-height: 1.4; min-width: min(100%, 24rem); }
th, td { padding: 0.35rem 0.45rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--soft); vertical-align: bottom; font-weight: 600; }
td { font-variant-numeric: tabular-nums; }
th.right, td.right { text-align: right; }
td.right { white-space: nowrap; }
th.center, td.center { text-align: center; }
figure { margin: 1.5rem 0; }
figure img { display: block; width: 100%; max-width: var(--width, 100%); height: auto; margin: 0 auto;
  background: var(--card); border: 1px solid var(--rule); border-radius: 0.4rem; padding: 0.6rem; }
figcaption { font-size: 0.88rem; line-height: 1.45; color: var(--soft); margin-top: 0.5rem; }
figcaption strong { color: var(--ink); }
math { font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", "Libertinus Math", math, serif; }
.formula { display: flex; flex-wrap: wrap; justify-content: safe center; gap: 0.3em 1.6em; padding: 0.2em 0; }
.formula .one { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15em 0; }
.formula math { font-size: 1.06em; width: max-content; }
mo.drawn { display: none; }
mtable.matrix { margin: 0 0.15em; padding: 0.15em 0.3em; border: 0 solid; border-width: 0 0.09em; }
mtable.round { border-radius: 0.75em / 50%; }
mtable.square { border-width: 0; padding: 0.15em 0.4em;
  --bar: linear-gradient(currentColor, currentColor);
  background: var(--bar) 0 0 / 0.09em 100%, var(--bar) 100% 0 / 0.09em 100%, var(--bar) 0 0 / 0.35em 0.09em,
    var(--bar) 100% 0 / 0.35em 0.09em, var(--bar) 0 100% / 0.35em 0.09em, var(--bar) 100% 100% / 0.35em 0.09em;
  background-repeat: no-repeat; }
mtable.matrix mtd { padding: 0.2em 0.4em; }
nav { font-size: 0.92rem; line-height: 1.4; }
nav h2 { margin-top: 2rem; }
nav ul { padding-left: 1.2rem; }
@media (min-width: 78rem) {
  body { padding-left: 17rem; }
  nav { position: fixed; top: 0; left: 0; bottom: 0; width: 17rem; overflow-y: auto; padding: 1.5rem 1rem 1.5rem 1.5rem;
    border-right: 1px solid var(--rule); background: var(--tint); }
  nav h2 { margin-top: 0; border: 0; padding: 0; font-size: 1rem; }
  nav ul { list-style: none; padding: 0; }
  nav ul ul { padding-left: 0.9rem; }
  main { max-width: 54rem; }
}
@media (max-width: 40rem) {
  .prose table, .prose tbody, .prose tr, .prose td { display: block; }
  .prose thead { position: absolute; left: -99rem; }
  .prose tr { padding: 0.6rem 0; border-bottom: 1px solid var(--rule); }
  .prose td { border: 0; padding: 0.1rem 0; }
  .prose td::before { content: attr(data-label) ": "; color: var(--soft); }
  .prose td:first-child::before { content: none; }
  body { font-size: 1rem; }
  main { padding: 0.5rem 0.9rem 3rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
  table { font-size: 0.8rem; } th, td { padding: 0.3rem 0.45rem; }
  figure img { padding: 0.2rem; min-width: min(var(--width, 0px), 38rem); }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --rule: #999; --tint: #fff; --link: #000; }
  @page { margin: 17mm 15mm 18mm; }
  html { font-size: 12.6px; }
  body { font-size: 1rem; line-height: 1.42; padding: 0; }
  main { max-width: none; padding: 0; }
  .skip, a.anchor { display: none; }
  nav { position: static; width: auto; padding: 0; border: 0; background: none; }
  h2 { margin-top: 1.6rem; } h3 { margin-top: 1.1rem; }
  h1, h2, h3 { break-after: avoid; }
  figure, tr, .formula, .short { break-inside: avoid; }
  figure img { width: auto; min-width: 0; max-width: 100%; max-height: 8.6cm; }
  p:has(+ .scroll) { break-after: avoid; }
  figcaption { break-before: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  .scroll { background: none; }
  .formula math { font-size: 0.95em; }
  table { font-size: 0.79rem; width: 100%; }
  th, td { padding: 0.2rem 0.35rem; overflow-wrap: break-word; }
  code { background: none; padding: 0; }
  a { text-decoration: none; }
  main a[href^="http"]::after { content: " (" attr(href) ")"; font-size: 0.85em; overflow-wrap: anywhere; }
}
"""


_TOKEN = re.compile(r"\\begin\{\w+\}|\\end\{\w+\}|\\[A-Za-z]+|\\.|\s+|.", re.S)
_OPEN, _CLOSE = frozenset(("{", "(", "[", r"\{", r"\lbrace")), frozenset(("}", ")", "]", r"\}", r"\rbrace"))
_SPACES = frozenset((r"\quad", r"\qquad"))
_BREAKS = frozenset(("=", r"\iff", r"\Rightarrow", r"\le", r"\approx", "+", "-"))
_BARS = frozenset((r"\|", "|"))
SHORTEST = 12  # letters; a line is not ended for less


def pieces(latex: str) -> list[list[str]]:
    r"""Formulas, each in pieces.

    >>> pieces(r"X = \Phi^\top D \Phi, \quad f(a + b, \quad c)")
    [['X = \\Phi^\\top D \\Phi,'], ['f(a + b, \\quad c)']]
    >>> pieces(r"\theta^k_* - \theta_\pi = \gamma^k (X^{-1} Y)^k")
    [['\\theta^k_* - \\theta_\\pi', '= \\gamma^k (X^{-1} Y)^k']]
    """
    out: list[list[str]] = [[""]]
    depth, within, last = 0, False, ""  # brackets open, and whether a norm or a modulus is
    for token in _TOKEN.findall(latex.strip()):
        depth += (token in _OPEN or token.startswith(r"\begin{")) - (token in _CLOSE or token.startswith(r"\end{"))
        within ^= depth == 0 and token in _BARS
        if depth or within:
            out[-1][-1] += token
        elif token in _SPACES and last in (",", ":"):
            out.append([""])
        elif token in _BREAKS and len(out[-1][-1].strip()) >= SHORTEST and last not in ("^", "_"):
            out[-1].append(token)
        else:
            out[-1][-1] += token
        last = last if token.isspace() or token == r"\ " else token
    return [[_trimmed(piece) for piece in formula] for formula in out if formula != [""]]


def _trimmed(piece: str) -> str:
    r"""Without blanks at its ends, nor ``\ ``."""
    return re.sub(r"^(?:\s|\\ )+|(?:\\ |\s)+$", "", piece)
