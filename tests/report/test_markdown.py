"""What is written as plain text comes out as it went in, and links lead to the anchors that headings get."""

from hypothesis import given
from hypothesis import strategies as st

from tests.report.page import Page
from theory.propositions.registry import IDS, statement
from theory.report.html import html_page
from theory.report.markdown import display, inline, link, plain, slug
from theory.text.tables import markdown_table


def rendered(markdown):
    return Page(html_page(f"# Title\n\n{markdown}\n", lambda name: b"", ""))


def shown(markdown):
    return rendered(markdown).text.split("Title", 2)[2].strip()


def test_the_words_of_every_statement_survive_markdown():
    for s in map(statement, IDS):
        for text in (s.title, s.paper, s.precise, s.scope):
            assert shown(f"text {plain(text)} end") == f"text {text} end"


@given(st.text(st.sampled_from("ab θ*_^[]()<>|`$#~\\!&1."), min_size=1, max_size=30))
def test_any_text_survives_markdown(text):
    inner = " ".join(f"x{text}x".split())
    assert shown(plain(inner)) == inner


@given(st.text(st.sampled_from("ab θ*_^[]()<>|`$#~\\!&1."), min_size=1, max_size=30))
def test_any_text_survives_a_cell(text):
    inner = " ".join(f"x{text}x".split())
    assert shown(markdown_table(["heading"], [[plain(inner)]])).split("\n")[-1] == inner


def test_formulas_become_mathematics_in_text_cells_and_lines():
    parts = inline(r"\gamma < 1"), markdown_table(["a"], [[inline(r"a\,b")]]), display(r"x \\ y")
    markdown = "\n\n".join(parts)
    maths = [attributes for tag, attributes in rendered(markdown).tags if tag == "math"]
    assert [m["alttext"] for m in maths] == [r"\gamma < 1", r"a\,b", r"x \\ y"]
    assert [m["display"] for m in maths] == ["inline", "inline", "block"]


def test_a_formula_with_escapes_stands_between_backquotes():
    assert inline(r"\{a\}") == r"$`\{a\}`$"
    assert inline(r"|a|") == r"$`|a|`$"


def test_a_lone_dollar_is_a_dollar():
    assert shown(r"3 \$ and 4") == "3 $ and 4"
    assert shown("3 $ and 4 $ more") == "3 $ and 4 $ more"


def test_links_lead_to_headings():
    heading = "How often? (γ = .99)"
    page = rendered(f"## {heading}\n\n{link(heading)}")
    assert f"#{slug(heading)}" in page.links
    assert slug(heading) in page.ids
