"""The explorer in a real browser: what a visitor does in the first minutes."""

import json
import re
from fractions import Fraction
from urllib.parse import parse_qsl

import pytest

from tests.browser.conftest import comes_true, gone, seen, start_explorer, stop
from tests.cases import SWAP
from theory.explorer.panels import GROUPS, group_of

pytestmark = pytest.mark.slow

# γ in the address, as a number
GAMMA = "((a, b) => a / (b ?? 1))(...new URLSearchParams(location.search).get('gamma').split('/').map(Number))"


def brightness(page):
    """Of the page's ground, from 0 to 1, however the browser spells the colour."""
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    parts = [float(part) for part in re.findall(r"[0-9.]+", ground)[:3]]
    return sum(parts) / 3 / (1 if ground.startswith("color") else 255)


def verdict(page, text):
    """Whether the page comes to say it in its headline."""
    return seen(page.get_by_role("heading", name=text))


def open_tab(page, name):
    """A view below the verdicts, by way of its group."""
    group = group_of(name)
    if page.locator("[data-tab]").get_attribute("data-tab") == name:
        return
    page.get_by_role("tab", name=group, exact=True).click()
    if len(GROUPS[group]) > 1:
        assert seen(page.get_by_role("tab", name=GROUPS[group][-1], exact=True))
        page.get_by_role("tab", name=name, exact=True).click()
    assert comes_true(page, "name => document.querySelector('[data-tab]')?.dataset.tab === name", arg=name)


def show(page, spec, text):
    """Another problem in the open page."""
    page.get_by_role("tab", name="Catalogue").click()
    parameters = page.get_by_label("with parameters")
    if parameters.input_value() == spec:  # what is there already is no wish
        parameters.fill("")
        parameters.press("Enter")
    parameters.fill(spec)
    parameters.press("Enter")
    assert verdict(page, text)


def test_baird_flips_when_gamma_crosses_15_17(page):
    show(page, "twostate", "TD unstable, chain biased at γ = 99/100")
    page.get_by_label("Problem", exact=True).click()
    page.get_by_role("option", name="baird – ").click()
    assert verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(17):
        slider.press("ArrowLeft")
    assert verdict(page, "TD unstable, chain unbiased at γ = 883/1000")  # 15/17 = .88235…
    slider.press("ArrowLeft")
    assert verdict(page, "TD stable, chain unbiased at γ = 441/500")
    exactly = page.get_by_label("γ exactly")
    exactly.fill("15/17")
    exactly.press("Enter")
    assert verdict(page, "TD unstable, chain unbiased at γ = 15/17")
    assert seen(page.get_by_text("tie: the smallest Re λ is 0 exactly"))
    exactly.fill("__import__('os')")
    exactly.press("Enter")
    assert seen(page.get_by_text("is not a number"))
    assert verdict(page, "TD unstable, chain unbiased at γ = 15/17")


def query(page):
    return dict(parse_qsl(page.evaluate("location.search.slice(1)")))


def address_says(page, **wanted):
    """Whether the address comes to have these fields."""
    texts = " && ".join(f"new URLSearchParams(location.search).get({k!r}) === {v!r}" for k, v in wanted.items())
    return comes_true(page, texts)


def test_the_address_follows_the_view_and_back_and_forward_go_through_the_problems(open_page):
    page = open_page()
    assert address_says(page, problem="baird", gamma="9/10")
    entries = page.evaluate("history.length")
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(18):
        slider.press("ArrowLeft")
    assert address_says(page, problem="baird", gamma="441/500")
    page.wait_for_timeout(1500)
    assert page.evaluate("history.length") == entries + 1  # one movement, however many steps
    open_tab(page, "Why")
    assert address_says(page, gamma="441/500", tab="Why")
    show(page, "twostate", "TD unstable, chain biased at γ = 99/100")
    assert address_says(page, problem="twostate")
    page.go_back()
    assert verdict(page, "TD stable, chain unbiased at γ = 441/500")
    assert seen(page.locator("[role=tab][data-state=active]", has_text="Why"))
    page.go_back()
    assert seen(page.locator("[role=tab][data-state=active]", has_text="Overview"))
    page.go_back()
    assert verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    for _ in range(3):
        page.go_forward()
        page.wait_for_timeout(500)
    assert verdict(page, "TD unstable, chain biased at γ = 99/100")
    assert address_says(page, problem="twostate")
    page.reload()
    assert verdict(page, "TD unstable, chain biased at γ = 99/100")
    page.close()


def test_the_ruler_and_the_phase_diagram_can_be_dragged(page):
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    open_tab(page, "Phase")
    assert seen(page.get_by_text("Click or drag in the plane"))
    assert seen(page.get_by_text("TD's exact line"))  # they come later than the pixels, and stay
    plane = page.locator("[data-drag=plane]")
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + box["height"] * 0.375, steps=4)
    page.mouse.up()
    assert verdict(page, "TD unstable, chain biased")  # Φ = (1, 2) has 5/6 for its threshold
    assert comes_true(page, f"Math.abs({GAMMA} - 0.94) < 0.02")
    value = Fraction(query(page)["value"])
    assert abs(value - 1) < Fraction(1, 5)  # three eighths down from 4 is 1; the edge is half a cell beyond
    ruler = page.locator("[data-drag=ruler]")
    ruler.scroll_into_view_if_needed()
    box = ruler.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + 0.7 * box["height"])
    assert verdict(page, "TD stable, chain unbiased")
    assert comes_true(page, f"Math.abs({GAMMA} - 0.25) < 0.01")


def test_a_large_problems_slow_parts_show_that_they_work_and_block_nothing(page):
    show(page, "random:states=60,features=40,seed=3", "chain")
    open_tab(page, "Exact")
    assert seen(page.get_by_text("Working on the exact numbers"))
    before = page.locator("[data-view]").get_attribute("data-view")
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowLeft")
    assert comes_true(page, "before => document.querySelector('[data-view]').dataset.view !== before", arg=before)
    # The verdict did not wait for the numbers: they are worked on still, or have come since.
    working, come = (page.get_by_text(x) for x in ("Working on the exact numbers", "Certificate of the verdict on TD"))
    assert seen(working.or_(come).first)
    assert seen(page.get_by_text("Certificate of the verdict on TD"))
    assert gone(page.get_by_text("Working on").first)


def test_every_control_has_a_name_and_every_picture_a_text(page):
    show(page, "threestate", "TD unstable, chain unbiased at γ = 9/10")
    roles = {"slider", "textbox", "combobox", "spinbutton", "button", "tab", "tablist", "link", "image", "img"}
    for source in ("Catalogue", "File", "Gymnasium", "Random", "Search", "Edit numbers"):
        page.get_by_role("tab", name=source, exact=True).click()
        page.wait_for_timeout(1500)  # names that marimo leaves out are given a moment after the control is there
        session = page.context.new_cdp_session(page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        named = [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored") and node.get("role", {}).get("value") in roles
        ]
        assert len(named) > 20
        # A chart's inner <svg> is part of the picture that has the text.
        assert not [role for role, name in named if not name.strip()], source
        assert not [name for _, name in named if "<" in name and "span" in name], source
    page.get_by_role("tab", name="Catalogue").click()


def test_the_keyboard_alone_moves_gamma_and_changes_the_panel(page):
    show(page, "baird", "TD unstable, chain unbiased at γ = 9/10")
    page.get_by_role("tab", name="Overview", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert seen(page.locator("[role=tab][data-state=active]", has_text="Spectra"))
    for _ in range(60):  # backwards from the panels to the slider of γ
        page.keyboard.press("Shift+Tab")
        name = page.evaluate(
            "(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) "
            "e = e.shadowRoot.activeElement; return e?.getAttribute('aria-valuemax') })()"
        )
        if name == "0.999":
            break
    page.keyboard.press("ArrowLeft")
    assert verdict(page, "at γ = 899/1000")


def focused(page):
    """Role and name of what has the keyboard's focus, through all shadow roots."""
    return page.evaluate(
        "(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; "
        "return [e.getAttribute('role') ?? e.localName, e.getAttribute('role') === 'tab' ? e.textContent : '']; })()"
    )


def test_slow_presses_of_tab_go_through_the_page_and_open_nothing(open_page):
    page = open_page()
    assert verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    assert seen(page.get_by_text("Phase diagram; the cross is this problem"))
    passed = []
    while ["tab", "Overview"] not in passed:
        assert len(passed) < 30, passed
        page.keyboard.press("Tab")
        page.wait_for_timeout(800)  # longer than the page takes to draw a part anew
        passed.append(focused(page))
        assert page.locator("[role=tab][data-state=active]").all_inner_texts() == ["Catalogue", "Overview"]
    assert passed[0] == ["tab", "Catalogue"]
    assert ["body", ""] not in passed
    assert [role for role, _ in passed].count("slider") == 7  # γ, an entry, α, T, τ, k, n
    page.keyboard.press("Shift+Tab")
    assert focused(page) == ["slider", ""]
    page.close()


def test_arrows_between_sources_and_a_problem_chosen_by_keyboard_keep_the_focus(open_page):
    page = open_page()
    assert verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    assert seen(page.get_by_text("Phase diagram; the cross is this problem"))
    page.keyboard.press("Tab")
    for name in ("File", "Gymnasium", "Random", "Search", "Edit numbers", "Catalogue"):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(800)
        assert focused(page) == ["tab", name]
    while focused(page)[0] != "input":  # past the list to the field for parameters
        page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("twostate")
    page.keyboard.press("Enter")
    assert verdict(page, "TD unstable, chain biased at γ = 99/100")
    page.wait_for_timeout(800)
    assert focused(page)[0] == "input"
    page.keyboard.press("Shift+Tab")
    assert focused(page)[0] == "button"  # the list
    page.close()


def test_markup_in_a_states_name_is_shown_as_it_is_written(page):
    page.get_by_role("tab", name="File").click()
    named = SWAP | {"name": "<b>n</b>", "states": ["<img src=x onerror=document.title='gone'>", "*b*"]}
    file = {"name": "n.json", "mimeType": "application/json", "buffer": json.dumps(named).encode()}
    page.locator("input[type=file]").set_input_files(file)
    assert seen(page.get_by_text("<b>n</b>: 2 states"))
    assert seen(page.get_by_text("φ0 of state <img src=x"))
    for name in ("Phase", "Graphs", "Exact", "Export"):
        open_tab(page, name)
        page.wait_for_timeout(700)
        assert page.locator("img[src=x]").count() == 0
    assert page.title() != "gone"
    open_tab(page, "Overview")


def test_a_good_file_is_shown_and_a_bad_one_leaves_it_standing(page):
    page.get_by_role("tab", name="File").click()
    upload = page.locator("input[type=file]")
    good = {"name": "swap.json", "mimeType": "application/json", "buffer": json.dumps(SWAP).encode()}
    upload.set_input_files(good)
    assert verdict(page, "TD stable, chain biased at γ = 9/10")
    assert seen(page.get_by_text("swap: 2 states, 1 feature, exact"))
    bad = SWAP | {"target": {"transitions": [[0, 1], [1, 1]]}}
    upload.set_input_files(good | {"name": "bad.json", "buffer": json.dumps(bad).encode()})
    assert seen(page.get_by_text("target.transitions[1]"))
    assert verdict(page, "TD stable, chain biased at γ = 9/10")
    upload.set_input_files(good)
    assert gone(page.get_by_text("target.transitions[1]"))


def test_a_shared_link_makes_the_same_view_again(open_page):
    page = open_page("?problem=kolter:p=3/5&gamma=1/2&T=7&k=5&state=1&value=3/4")
    assert verdict(page, "at γ = 1/2")
    assert seen(page.get_by_text("Target network T = 7"))
    assert seen(page.get_by_text("φ0 of state 2", exact=True))
    open_tab(page, "Export")
    link = page.get_by_role("link", name="?problem=kolter").first.get_attribute("href")
    assert "gamma=1/2" in link
    assert "value=3/4" in link
    again = open_page("?" + link.partition("?")[2])
    assert verdict(again, "at γ = 1/2")
    assert seen(again.get_by_text("Target network T = 7"))
    page.close()
    again.close()


def test_numbers_are_edited_in_a_grid_and_a_row_that_is_no_distribution_is_refused(page):
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    page.get_by_role("tab", name="Edit numbers").click()
    assert seen(page.get_by_role("columnheader", name="d_μ"))
    features = page.locator("table input")
    assert features.first.input_value() == "1"  # Φ = (1, 2)
    features.first.fill("1/3")
    page.get_by_role("button", name="Apply").click()
    # X = (1/9 + 4)/2, Y = (2/3 + 4)/2, so TD is stable for γ < X/Y = 37/42.
    assert seen(page.get_by_text("37/42").first)
    page.locator("table input").nth(1).fill("1/2")
    page.get_by_role("button", name="Apply").click()
    assert seen(page.get_by_text(re.compile("→ of state .*sum to")))
    assert seen(page.get_by_text("37/42").first)


def test_every_panel_draws_itself(page):
    show(page, "threestate", "TD unstable, chain unbiased at γ = 9/10")
    for name, title in {
        "Overview": "γΠP: the chain is unbiased inside the circle",
        "Spectra": "A: TD is stable right of the axis",
        "Phase": "Phase diagram; the cross is this problem",
        "Bias": "Bias of the k-th head",
        "Comparison": "are those of the sliders",
        "Why": "the target of state",
        "Target network": "From TD to the chain",
        "Transients": "Errors of all heads at once",
        "Trajectories": "Expected updates",
        "Noise": "Over the last half of 2,000 moves",
        "Graphs": "Moves of μ, the behaviour",
        "Exact": "Certificate of the verdict on TD",
        "Export": "Link to this view",
        "Proofs": "statements verified as expected",
    }.items():
        open_tab(page, name)
        assert seen(page.get_by_text(title).first)


def test_noise_follows_the_step_size_and_sampled_runs_say_what_their_mean_square_does(page):
    """Twostate's heads bear α < 5/17: 1/4 is chosen for it, one stop of the slider further they do not."""
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    open_tab(page, "Noise")
    assert seen(page.get_by_text(re.compile(r"At α = 1/4, .*chain, head 12 [^(]+ \(stable in mean square")))
    slider = page.locator("marimo-slider").filter(has_text="Step size α").get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    assert seen(page.get_by_text(re.compile(r"At α = 1/2, .*chain, head 12 [^(]+ \(NOT stable in mean square")))
    open_tab(page, "Trajectories")
    page.get_by_role("button", name="Sample 20 runs").click()
    assert seen(page.get_by_text(re.compile(r"NOT stable in mean square at this step size: .*the chain \(ρ₂ = ")))


def test_sampled_runs_say_where_their_mean_square_is_not_known(page):
    show(page, "garnet", "at γ = 99/100")
    open_tab(page, "Trajectories")
    page.get_by_role("button", name="Sample 20 runs").click()
    unknown = r"NOT KNOWN whether this step size is stable in mean square: the target network \(.* too many\)"
    assert seen(page.get_by_text(re.compile(unknown)))


def test_the_nearest_flip_is_found_and_one_can_go_there(page):
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    open_tab(page, "Flip")
    page.get_by_role("button", name="Nearest flips").click()
    assert seen(page.get_by_text("γ = 4/5 → 5/6").first)
    page.get_by_label("Go beyond the line").select_option(label="1. " + page.locator("option").nth(1).inner_text()[3:])
    assert gone(page.get_by_role("heading", name="TD stable, chain unbiased at γ = 4/5"))
    assert verdict(page, "TD unstable, chain biased")


def test_a_searched_problem_can_be_shown(page):
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("button", name="Search").click()
    found = page.get_by_role("button", name="Show it")
    assert seen(found)
    below = found.bounding_box()["y"] - page.get_by_role("button", name="Search").bounding_box()["y"]
    assert 0 < below < 200  # under the form
    found.click()
    assert verdict(page, "TD unstable, chain unbiased")
    assert seen(page.get_by_text("found-td-unstable-chain-unbiased: 3 states, 2 features, exact"))


def test_what_a_theorem_forbids_is_not_searched(page):
    page.get_by_role("tab", name="Search").click()
    page.get_by_label("does not").click()
    page.get_by_role("option", name="etd", exact=True).click()
    page.get_by_role("button", name="Search").click()
    assert seen(page.get_by_text("etd always converges"))
    page.get_by_role("tab", name="Catalogue").click()


def test_a_changed_problem_keeps_its_name_and_can_be_reset(page):
    show(page, "twostate", "TD unstable, chain biased at γ = 99/100")
    reset = page.get_by_role("button", name="Reset")
    assert reset.is_disabled()
    slider = page.locator("marimo-slider").filter(has_text="φ0 of state").get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    assert seen(page.get_by_text("twostate, changed: 2 states"))
    reset.click()
    assert seen(page.get_by_text("twostate: 2 states"))
    assert address_says(page, problem="twostate", gamma="99/100")


def test_numbers_are_pasted_and_states_added(page):
    show(page, "twostate:gamma=4/5", "TD stable, chain unbiased at γ = 4/5")
    page.get_by_role("tab", name="Edit numbers").click()
    page.get_by_label("Numbers to paste").fill("[[1. 0.]\n [2. 1.]]")
    page.get_by_role("button", name="Paste").click()
    assert seen(page.get_by_text("twostate, changed: 2 states, 2 features"))
    page.get_by_role("button", name="Add a state").click()
    assert seen(page.get_by_text("twostate, changed: 3 states, 2 features"))
    page.get_by_role("button", name="Reset").click()
    assert seen(page.get_by_text("twostate:gamma=4/5: 2 states, 1 feature"))


def test_logged_data_and_any_environment_are_opened(page):
    page.get_by_role("tab", name="File").click()
    rows = "\n".join(f"{i // 10},1,2,{i % 3},1" for i in range(200))
    log = f"episode,phi_0,next_phi_0,reward,ratio\n{rows}\n".encode()
    page.locator("input[type=file]").set_input_files({"name": "walk.csv", "mimeType": "text/csv", "buffer": log})
    assert seen(page.get_by_text(re.compile("What walk.csv says at γ")))
    page.get_by_role("tab", name="Gymnasium").click()
    field = page.get_by_label("or any tabular one")
    field.fill("CliffWalking-v1,features=aggregated,groups=3")
    field.press("Enter")
    assert seen(page.get_by_text("CliffWalking-v1: "))


def test_nothing_below_the_verdicts_moves_while_a_slider_does(page):
    show(page, "baird", "TD unstable, chain unbiased at γ = 9/10")
    open_tab(page, "Overview")
    places = set()
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(25):
        slider.press("ArrowLeft")
        page.wait_for_timeout(120)
        places.add((slider.bounding_box()["y"], page.locator("[data-name='Groups of views']").bounding_box()["y"]))
    assert len(places) == 1
    assert re.fullmatch(r"TD \w+, chain \w+ at γ = 0\.\d{3}", page.get_by_role("heading", name="TD ").inner_text())
    assert verdict(page, "TD stable, chain unbiased at γ = 7/8")


def test_a_stopped_server_is_said_in_words(chromium):
    process, address = start_explorer()
    page = chromium.new_page()
    page.goto(address)
    page.get_by_role("tab", name="Export").wait_for(timeout=180_000)
    stop(process)
    page.locator("#stopped").wait_for(timeout=60_000)
    assert "theory explore" in page.locator("#stopped").inner_text()
    page.close()


def test_it_looks_right_on_a_desk_on_a_phone_and_in_the_dark(page, screenshots):
    show(page, "baird", "TD unstable, chain unbiased at γ = 9/10")
    open_tab(page, "Overview")
    for name, width, height, dark in (
        ("desk", 1280, 1000, False),
        ("phone", 390, 2200, False),
        ("dark", 1280, 1000, True),
    ):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        assert seen(page.get_by_text("the chain is unbiased inside the circle"))
        assert comes_true(page, f"(matchMedia('(prefers-color-scheme: dark)').matches) === {str(dark).lower()}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out sideways
        assert (brightness(page) < 0.3) == dark
        page.screenshot(path=screenshots / f"{name}.png")


def test_the_picture_of_the_readme_is_wide_and_light(open_page, screenshots):
    """With THEORY_SCREENSHOTS=reports this writes reports/explorer.png."""
    page = open_page("?problem=baird")
    assert verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    assert seen(page.get_by_text("Phase diagram; the cross is this problem"))
    assert seen(page.get_by_text("TD is stable for γ in [0, 15/17").first)
    bottom = page.locator("[data-drag=plane]").evaluate("e => e.closest('svg[role]').getBoundingClientRect().bottom")
    assert bottom < 1100  # the main pictures are on the first screen of a desk
    picture = page.screenshot(path=screenshots / "explorer.png", clip={"x": 0, "y": 0, "width": 1280, "height": bottom})
    assert len(picture) < 250_000
    page.close()


# A tab, a word of it once it is drawn, and how much of it is shown.
PICTURES = {"Phase": ("Phase diagram", 495), "Comparison": ("tdc", 560), "Why": ("state", 490)}


def test_pictures_of_the_docs_are_small(open_page, screenshots):
    """With THEORY_SCREENSHOTS=reports this writes reports/explorer-phase.png and its kin."""
    page = open_page("?problem=baird")
    assert verdict(page, "TD unstable, chain unbiased at γ = 9/10")
    for name, (word, height) in PICTURES.items():
        open_tab(page, name)
        assert seen(page.locator("[data-cell-name=_panel]").get_by_text(word).first)
        top = page.locator("[data-name=Views]").bounding_box()["y"]
        picture = page.screenshot(
            path=screenshots / f"explorer-{name.lower()}.png",
            clip={"x": 0, "y": max(top - 10, 0), "width": 1280, "height": height},
            full_page=True,
        )
        assert len(picture) < 200_000
    page.close()
