"""One profile for hypothesis: no deadlines on a noisy machine, and the same examples on every run. One Chromium, too.

``HYPOTHESIS_PROFILE=wild`` draws new examples each time, to look for what the fixed ones miss.
"""

import io
import os
import shutil
import signal
import sys

import pytest
from hypothesis import settings

# A suite that a shell started in the background has Ctrl-C ignored, and so have the processes that it starts and
# interrupts: they would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore = ["public_names.py"]  # a script that mypy reads

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

settings.register_profile("workbench", deadline=None, derandomize=True, database=None)
settings.register_profile("wild", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "workbench"))


@pytest.fixture(scope="session")
def chromium():
    """One for all: Playwright does not run twice in a process."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: nothing was tried in a browser")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def pytest_terminal_summary(terminalreporter):
    """Counts that a test recorded (the prover's mutants) are part of the output, also from other processes."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "mutants":
                terminalreporter.write_line(f"mutants of the proved identities: {value}")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def watched(monkeypatch):
    """Call it in the test: between fixtures and test pytest puts its own standard error back."""

    def begin(columns=100):
        terminal = Terminal()
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "stderr", terminal)
        return terminal

    return begin
