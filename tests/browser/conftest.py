"""One explorer on loopback for the tests of this folder; the Chromium is everybody's."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPLORE = [sys.executable, "-c", "from theory.commands.explore import command; command()", "--headless"]


def start_explorer():
    """The command in a process of its own, and the address that it prints."""
    process = subprocess.Popen(EXPLORE, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    words = process.stdout.readline().split()
    address = next((word for word in words if word.startswith("http")), None)
    if address is None:
        process.kill()
        pytest.fail(f"theory explore printed {words}: {process.communicate()[1]}")
    return process, address


def stop(process):
    """Ctrl-C, and what came of it: exit code and standard error."""
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, errors


def seen(locator):
    """Whether it is visible before the page's patience ends."""
    return _in_time(locator.wait_for, state="visible")


def gone(locator):
    """Whether it has left the page before its patience ends."""
    return _in_time(locator.wait_for, state="detached")


def comes_true(page, expression, arg=None):
    """Whether an expression of JavaScript is true before the page's patience ends."""
    return _in_time(page.wait_for_function, expression, arg=arg)


def _in_time(wait, *arguments, **named):
    from playwright.sync_api import TimeoutError  # late: where there is no Playwright, these tests are skipped

    try:
        wait(*arguments, **named)
    except TimeoutError:
        return False
    return True


@pytest.fixture(scope="session")
def explorer():
    process, address = start_explorer()
    yield address
    stop(process)


@pytest.fixture(scope="session")
def open_page(chromium, explorer):
    """Opens the explorer with a query; at the end checks that no request left the machine."""
    requests = []
    context = chromium.new_context(viewport={"width": 1280, "height": 1500}, color_scheme="light")
    context.set_default_timeout(20_000)

    def open_page(query=""):
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{explorer}&{query.removeprefix('?')}")
        page.get_by_role("tab", name="Export").wait_for()
        return page

    yield open_page
    context.close()
    host = explorer.partition("?")[0]
    own = (host, host.replace("http", "ws"), "data:", "blob:")
    assert requests
    assert not {url for url in requests if not url.startswith(own)}


@pytest.fixture(scope="session")
def page(open_page):
    """One open page for the tests that do not care where they start: loading it is what takes time."""
    return open_page()


@pytest.fixture
def screenshots(tmp_path):
    """Where pictures go: a folder of the machine's choice, or one that is thrown away."""
    folder = Path(os.environ.get("THEORY_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
