"""The explorer in a real browser: what a visitor does in the first minutes."""

import json
import re

import pytest

pytestmark = pytest.mark.slow

SWAP = {
    "name": "swap",
    "gamma": "9/10",
    "features": [[1], [-3]],
    "target": {"transitions": [[0, 1], [1, 0]], "rewards": [0, 0]},
    "behaviour": {"distribution": ["9/10", "1/10"]},
}


def brightness(page):
    """Of the page's ground, from 0 to 1, however the browser spells the colour."""
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    parts = [float(part) for part in re.findall(r"[0-9.]+", ground)[:3]]
    return sum(parts) / 3 / (1 if ground.startswith("color") else 255)


def verdict(page, text):
    page.get_by_role("heading", name=text).wait_for()


def show(page, spec, text):
    """Another problem in the open page."""
    page.get_by_role("tab", name="Catalogue").click()
    parameters = page.get_by_label("with parameters")
    parameters.fill(spec)
    parameters.press("Enter")
    verdict(page, text)


def test_baird_flips_when_gamma_crosses_15_17(page):
    show(page, "twostate", "TD unstable, chain biased at γ = 99/100")
    page.get_by_label("Problem", exact=True).click()
    page.get_by_role("option", name="baird – ").click()
    verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(17):
        slider.press("ArrowLeft")
    verdict(page, "TD unstable, chain unbiased at γ = 883/1000")  # 15/17 = .88235…
    slider.press("ArrowLeft")
    verdict(page, "TD stable, chain unbiased at γ = 441/500")
    exactly = page.get_by_label("γ exactly")
    exactly.fill("15/17")
    exactly.press("Enter")
    verdict(page, "TD unstable, chain unbiased at γ = 15/17")
    page.get_by_text("tie: the smallest Re λ is 0 exactly").wait_for()
    exactly.fill("__import__('os')")
    exactly.press("Enter")
    page.get_by_text("is not a number").wait_for()
    verdict(page, "TD unstable, chain unbiased at γ = 15/17")


def test_a_good_file_is_shown_and_a_bad_one_leaves_it_standing(page):
    page.get_by_role("tab", name="File").click()
    upload = page.locator("input[type=file]")
    good = {"name": "swap.json", "mimeType": "application/json", "buffer": json.dumps(SWAP).encode()}
    upload.set_input_files(good)
    verdict(page, "TD stable, chain biased at γ = 9/10")
    page.get_by_text("swap: 2 states, 1 feature, exact").wait_for()
    bad = SWAP | {"target": {"transitions": [[0, 1], [1, 1]]}}
    upload.set_input_files(good | {"name": "bad.json", "buffer": json.dumps(bad).encode()})
    page.get_by_text("target.transitions[1]").wait_for()
    verdict(page, "TD stable, chain biased at γ = 9/10")
    upload.set_input_files(good)
    page.get_by_text("target.transitions[1]").wait_for(state="detached")


def test_a_shared_link_makes_the_same_view_again(open_page):
    page = open_page("?problem=kolter:p=3/5&gamma=1/2&T=7&k=5&state=1&value=3/4")
    verdict(page, "at γ = 1/2")
    page.get_by_text("Target network, T = 7").wait_for()
    page.get_by_text("Feature 1 of state 2", exact=True).wait_for()
    page.get_by_role("tab", name="Export").click()
    link = page.get_by_role("link", name="?problem=kolter").first.get_attribute("href")
    assert "gamma=1/2" in link
    assert "value=3/4" in link
    again = open_page("?" + link.partition("?")[2])
    verdict(again, "at γ = 1/2")
    again.get_by_text("Target network, T = 7").wait_for()
    page.close()
    again.close()


def test_numbers_are_edited_in_a_grid_and_a_row_that_is_no_distribution_is_refused(page):
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    page.get_by_role("tab", name="Edit numbers").click()
    page.get_by_role("columnheader", name="d_μ").wait_for()
    features = page.locator("table input")
    assert features.first.input_value() == "1"  # Φ = (1, 2)
    features.first.fill("1/3")
    page.get_by_role("button", name="Apply").click()
    # X = (1/9 + 4)/2, Y = (2/3 + 4)/2, so TD is stable for γ < X/Y = 37/42.
    page.get_by_text("37/42").first.wait_for()
    page.locator("table input").nth(1).fill("1/2")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("P_pi[0]").wait_for()
    page.get_by_text("37/42").first.wait_for()


def test_every_panel_draws_itself(page):
    show(page, "threestate", "TD unstable, chain unbiased at γ = 9/10")
    for name, title in {
        "Spectra": "A: TD is stable right of the axis",
        "Phase": "Phase diagram; the cross is this problem",
        "Bias": "Bias of the k-th head",
        "Target network": "From TD to the chain",
        "Transients": "Errors of all heads at once",
        "Trajectories": "Expected updates",
        "Graphs": "Moves of μ, the behaviour",
        "Exact": "Certificate of the verdict on TD",
        "Export": "Link to this view",
    }.items():
        page.get_by_role("tab", name=name, exact=True).click()
        page.get_by_text(title).first.wait_for()


def test_the_nearest_flip_is_found_and_one_can_go_there(page):
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    page.get_by_role("tab", name="Flip").click()
    page.get_by_role("button", name="Nearest flips").click()
    page.get_by_text("γ from 0.8 across 5/6").first.wait_for()
    page.get_by_label("Go beyond the line").select_option(label="1. " + page.locator("option").nth(1).inner_text()[3:])
    page.get_by_role("heading", name="TD stable, chain unbiased at γ = 4/5").wait_for(state="detached")


def test_a_searched_problem_can_be_shown(page):
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("button", name="Search").click()
    page.get_by_role("button", name="Show it").click()
    verdict(page, "TD unstable, chain unbiased")
    page.get_by_text("found-td-unstable-chain-unbiased: 3 states, 2 features, exact").wait_for()


def test_it_looks_right_on_a_desk_on_a_phone_and_in_the_dark(page, screenshots):
    show(page, "baird", "TD unstable, chain unbiased at γ = 9/10")
    page.get_by_role("tab", name="Spectra").click()
    for name, width, height, dark in (
        ("desk", 1280, 1500, False),
        ("phone", 390, 2200, False),
        ("dark", 1280, 1500, True),
    ):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.get_by_text("the chain is unbiased inside the circle").wait_for()
        page.wait_for_function(f"(matchMedia('(prefers-color-scheme: dark)').matches) === {str(dark).lower()}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out sideways
        assert (brightness(page) < 0.3) == dark
        page.screenshot(path=screenshots / f"{name}.png")
