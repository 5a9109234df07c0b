"""The narrating notebooks as apps in a real browser: everything is there, nothing failed, nothing left the machine."""

import subprocess
import sys

import pytest

from tests.browser.conftest import ROOT, seen, stop

pytestmark = pytest.mark.slow

SERVE = (
    "import sys; from pathlib import Path; from theory.explorer.server import address, leave, listen, serve; "
    "bound = listen(); print(address(bound), flush=True); serve(bound, Path(sys.argv[1]).resolve()); leave()"
)


@pytest.fixture
def open_notebook(chromium):
    opened = []
    requests = []

    def open_notebook(name):
        command = [sys.executable, "-c", SERVE, f"analysis_notebooks/{name}.py"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = process.stdout.readline().strip()
        context = chromium.new_context(viewport={"width": 1280, "height": 1000})
        context.set_default_timeout(240_000)
        opened.append((process, context, address))
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        return page

    yield open_notebook
    for process, context, address in opened:
        context.close()
        assert stop(process)[0] == 0
        assert not {url for url in requests if not url.startswith((address.partition("?")[0], "data:", "blob:"))}


def assert_no_cell_failed(page):
    assert page.locator(".marimo-error, [data-testid=error-output]").count() == 0
    assert page.get_by_text("An internal error occurred").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_the_propositions_are_proved_and_a_readers_identity_is_decided(open_notebook):
    page = open_notebook("verify_propositions")
    field = page.get_by_label("Your identity")
    assert seen(field)
    for n in range(1, 10):
        assert page.get_by_role("heading", name=f"prop-{n}:").count() == 1
    assert seen(page.get_by_text("Refuted", exact=True).first)  # Π P = P Π, with its matrices
    field.fill("Pi Pi = Pi")
    field.press("Enter")
    assert seen(page.get_by_text("The certificate was checked again by SymPy"))
    field.fill("Pi ? P = P")
    field.press("Enter")
    assert seen(page.get_by_text("is not in the grammar"))
    assert_no_cell_failed(page)


def test_the_map_of_success_rates_follows_its_controls(open_notebook):
    page = open_notebook("success_rate")
    assert seen(page.get_by_text("F = S − 1: how often each fails"))
    page.get_by_label("Features", exact=True).select_option(label="F = S/2")
    assert seen(page.get_by_text("F = S/2: how often each fails"))
    assert seen(page.get_by_text("F = S, the paper's setting: the bias is zero by algebra"))
    assert_no_cell_failed(page)


def test_the_counterexamples_show_themselves(open_notebook):
    page = open_notebook("explore_counterexamples")
    assert seen(page.get_by_text("quadrant-unstable-unbiased").first)
    assert seen(page.get_by_text("off-policy TD").first)
    assert seen(page.get_by_role("img", name="Eigenvalues, bias, windows and transients"))
    assert_no_cell_failed(page)


def test_closed_forms_are_told_from_twostate_to_baird(open_notebook):
    page = open_notebook("derive")
    assert seen(page.get_by_text("θᵏ − θ_π = (6γ/5)ᵏ(θ⁰ − θ_π)").first)
    assert seen(page.get_by_role("img", name="Iterations of Twostate against their closed forms"))
    assert seen(page.get_by_role("img", name="Who fails where over x and p"))
    assert seen(page.get_by_role("heading", name="Baird's star"))
    assert_no_cell_failed(page)


def test_the_learners_are_shown_against_their_means(open_notebook):
    page = open_notebook("learners")
    assert seen(page.get_by_role("img", name="Three panels"))
    assert seen(page.get_by_role("img", name="Error against the true values over moves"))
    assert seen(page.get_by_role("img", name="Stable windows of the target network"))
    assert seen(page.get_by_role("heading", name="Table 1"))
    assert_no_cell_failed(page)
