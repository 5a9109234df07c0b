"""The page in Chromium: nothing is fetched, nothing sticks out, matrices have brackets, dark and print are readable."""

import re

import pytest

from theory.figures import figure_specs

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(chromium, written):
    """Opens the page in a window; at the end checks that it asked for nothing but itself."""
    contexts, requests, address = [], [], (written[0] / "report.html").as_uri()

    def opened(width=1280, scheme="light"):
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=True, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert {url for url in requests if not url.startswith("data:")} == {address}


@pytest.mark.parametrize("width", [1280, 800, 390])
def test_the_page_never_scrolls_sideways(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_all_pictures_are_drawn(opened):
    page = opened()
    sizes = page.evaluate("[...document.images].map(i => [i.complete, i.naturalWidth])")
    assert len(sizes) == len(figure_specs())
    assert all(complete and width > 0 for complete, width in sizes)


def test_the_success_rates_open_the_page_and_the_answers_follow_on_the_first_screen(opened):
    page = opened()
    figure, answers = page.locator("figure").first.bounding_box(), page.locator("table").first.bounding_box()
    assert figure["y"] + figure["height"] <= answers["y"] <= 850
    assert page.locator("table").first.locator("tbody tr").count() == 6


def test_contents_are_beside_the_text_on_a_wide_screen_and_after_the_summary_on_a_phone(opened):
    wide, narrow = opened(1280), opened(390)
    assert wide.locator("nav").bounding_box()["y"] == 0
    assert narrow.locator("nav").bounding_box()["y"] > narrow.locator("table").first.bounding_box()["y"]


def test_matrices_have_brackets_as_high_as_they_are(opened):
    page = opened()
    widths = page.evaluate(
        "[...document.querySelectorAll('mtable.round')].map(m => parseFloat(getComputedStyle(m).borderLeftWidth))"
    )
    assert len(widths) >= 20
    assert min(widths) > 0.5
    assert page.evaluate("getComputedStyle(document.querySelector('mo.drawn')).display") == "none"


def test_dark_pages_are_light_on_dark_and_figures_stay_on_white(opened):
    colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    for scheme in ("light", "dark"):
        page = opened(scheme=scheme)
        ink, paper = (_luminance(colour) for colour in page.evaluate(colours))
        assert (ink < paper) == (scheme == "light")
        # Contrast as WCAG has it; 7 is its highest demand for text.
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) > 7
        card = page.evaluate("getComputedStyle(document.images[0]).backgroundColor")
        assert card == "rgb(255, 255, 255)"


def test_the_keyboard_reaches_the_text_and_the_tables(opened):
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")


def test_no_table_is_wider_than_its_box_on_a_wide_screen(opened):
    wide = opened(1280).evaluate(
        "[...document.querySelectorAll('.scroll:has(table)')].filter(e => e.scrollWidth > e.clientWidth)"
        ".map(e => e.getAttribute('aria-label'))"
    )
    assert wide == []


def test_on_a_phone_what_scrolls_can_be_focused_has_a_name_and_shows_it(opened):
    page = opened(390)
    boxes = page.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => e.scrollWidth > e.clientWidth + 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX))"
        ".map(e => [e.tabIndex, e.getAttribute('role'), e.getAttribute('aria-label'),"
        " getComputedStyle(e).backgroundImage])"
    )
    assert boxes
    assert all(tab == 0 and role and label and "gradient" in image for tab, role, label, image in boxes)


def test_on_a_phone_only_a_matrix_is_wider_than_the_screen(opened):
    """A formula that could be broken is."""
    page = opened(390)
    wide = page.evaluate(
        "[...document.querySelectorAll('.formula')].filter(e => e.scrollWidth > e.clientWidth)"
        ".map(e => e.querySelectorAll('mtable').length)"
    )
    assert all(wide)


def test_nothing_is_cut_off_on_paper(opened):
    page = opened(700)
    page.emulate_media(media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > document.body.clientWidth + 1).length"
    )
    assert wide == 0


def _luminance(colour):
    parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
