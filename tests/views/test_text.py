"""The renderer of tables: what moves, what is left out, and that nothing is lost without a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from theory.commands.common import jsonable
from theory.views.html import page_html
from theory.views.page import Column, Lines, Page, answered, dim, prose, table

WORDS = st.text("abc λγθᵏ", max_size=30)


@given(
    st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS), min_size=1, max_size=5),
    st.integers(20, 120),
)
def test_no_line_is_longer_than_asked_and_what_is_left_out_is_said(rows, width):
    columns = ("n<", Column("why", left=True, note=True), Column("for", left=True, below=True), Column("x", drop=1))
    lines = Page((table(columns, rows),)).text(width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert any(line.split()[-1:] == ["x"] for line in lines[:1]) or any("Left out" in line for line in lines)


def test_a_note_that_does_not_fit_becomes_a_footnote_once():
    rows = [("a", "a long reason that does not fit"), ("b", "a long reason that does not fit")]
    text = Page((table(("m<", Column("reason", left=True, note=True)), rows),)).text(20)
    assert text.splitlines() == ["m  reason", "a  1", "b  1", "  1  a long reason", "     that does not", "     fit"]


def test_prose_hangs_and_lines_stay():
    page = Page((prose("one two three four", hang=2), Lines(("a    b",))))
    assert page.text(10).splitlines() == ["one two", "  three", "  four", "a    b"]


def test_html_escapes_what_a_file_may_hold_and_keeps_styles():
    page = Page((prose(dim("<b>")), table(("x<",), [(answered("<i>", False),)])))
    html = page_html(page)
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;" in html
    assert "color:#D55E00" in html


class Found:
    def to_dict(self):
        return {"inner": [float("nan")]}


@pytest.mark.parametrize(
    ("value", "document"), [(Found(), {"inner": [None]}), ({"a": Found()}, {"a": {"inner": [None]}})]
)
def test_results_become_their_documents(value, document):
    assert jsonable(value) == document
