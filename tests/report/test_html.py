"""The page's own markup: pictures within, captions, contents, tables that a screen reader and a phone can use."""

import base64
import re

from tests.report.page import Page
from theory.report.html import html_page

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="360pt" height="100pt"/>'
LONG = "a sentence that is long enough to be told from a number or from a name, by far"
MARKDOWN = f"""\
# Title

## Contents

- [Part](#part)

## Part

![What is to be seen, "quoted" & more](x.svg)

**Figure 1.** Caption.

| a | b |
| --- | ---: |
| {LONG} | 1 |

| a |
| ---: |
| 2 |
"""


def page():
    return html_page(MARKDOWN, {"x.svg": SVG}.__getitem__, "about")


def test_pictures_are_data_with_their_text_and_caption():
    text = page()
    (image,) = Page(text).images
    assert image["alt"] == 'What is to be seen, "quoted" & more'
    assert base64.b64decode(image["src"].partition("base64,")[2]) == SVG
    assert "--width" in image["style"]
    assert re.search(r"<figure>.*<figcaption><strong>Figure 1.</strong> Caption.</figcaption>\s*</figure>", text, re.S)


def test_contents_are_navigation():
    text = page()
    assert re.search(r'<nav aria-labelledby="contents">.*<a href="#part">Part</a>.*</nav>', text, re.S)
    assert 'id="contents"' in text


def test_tables_have_headings_for_columns_and_can_be_scrolled_by_keyboard():
    tags = Page(page()).tags
    assert all(attributes["scope"] == "col" for tag, attributes in tags if tag == "th")
    regions = [a for tag, a in tags if a.get("role") == "region"]
    assert len({a["aria-label"] for a in regions}) == 2
    assert all(a["tabindex"] == "0" for a in regions)
    assert [a.get("class") for tag, a in tags if tag == "td"] == [None, "right", "right"]


def test_tables_of_sentences_keep_their_meaning_where_rows_become_paragraphs():
    tags = Page(page()).tags
    assert [a["data-label"] for tag, a in tags if tag == "td" and "data-label" in a] == ["a", "b"]
    assert [a["role"] for tag, a in tags if tag in ("table", "tr", "td") and "role" in a] == [
        "table", "row", "row", "cell", "cell",
    ]  # fmt: skip


def test_markup_in_the_text_is_text():
    text = html_page("# Title\n\n<script>alert(1)</script>\n", lambda name: b"", '"><b>')
    assert "<script>" not in text
    assert "<b>" not in text
