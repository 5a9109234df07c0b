"""How soon the explorer answers a change of γ: on the server, and in a browser from the key to the new verdict.

`server_ms`: percentiles over catalogue problems with S ≤ 10, panels and moves of γ of what the kernel computes for one
change: the new view, verdicts, ruler and the open panel. `browser_ms`: percentiles of the time from a key on the γ
slider to the new headline, and to the new picture, in headless Chromium; `browser_over_bare` divides the median by
that of a page with one slider and one line of text, measured in the same run: what is left of marimo's and the
browser's own time. The browser's part is left out where there is none.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

PROBLEMS = (
    "baird",
    "threestate",
    "kolter",
    "random-walk",
    "random:states=10,features=5",
    "random:states=10,features=9",
)
BROWSED = ("baird", "threestate", "random:states=10,features=9")
MOVES = 12
LIMIT_MS = 300.0

# Stamps of the last key and of the first change of the watched element after it.
WATCH = """selector => {
  window.stamps = [];
  const text = () => document.querySelector(selector)?.outerHTML ?? "";
  let pressed = null, before = text();
  document.addEventListener("keydown", () => { pressed = performance.now(); before = text(); }, true);
  const look = () => {
    if (pressed !== null && text() !== before) { window.stamps.push(performance.now() - pressed); pressed = null; }
    requestAnimationFrame(look);
  };
  look();
}"""
BARE = """import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    return (mo,)

@app.cell
def _(mo):
    slider = mo.ui.slider(0, 1, 0.001, value=0.9)
    slider
    return (slider,)

@app.cell
def _(mo, slider):
    mo.Html(f'<section aria-label="Verdicts">{slider.value}</section>')
    return
"""


def on_the_server(specs: tuple[str, ...] = PROBLEMS, moves: int = MOVES) -> dict[str, Any]:
    """Milliseconds for one move of γ, over all panels; and the slowest pair by its median."""
    from theory.explorer import cards
    from theory.explorer.panels import PANELS
    from theory.explorer.slow import Parts
    from theory.explorer.sources import open_source
    from theory.explorer.view import open_view

    page = Parts(lambda job: None)
    times: dict[tuple[str, str], list[float]] = {}
    for spec in specs:
        view = open_view(*open_source(spec))
        for name in PANELS:
            for i in range(moves + 1):
                begun = perf_counter()
                moved = view.change(gamma=view.gamma * Fraction(999 - i, 1000))
                cards.verdict_card(moved), page.ruler(moved), page.panel(moved, name)
                if i:  # the first move fills the caches that no later one has to fill
                    times.setdefault((spec, name), []).append(1e3 * (perf_counter() - begun))
    slowest = max(times, key=lambda key: float(np.median(times[key])))
    return percentiles([t for row in times.values() for t in row]) | {"slowest_panel": " ".join(slowest)}


def in_the_browser(specs: tuple[str, ...] = BROWSED, moves: int = MOVES) -> dict[str, Any] | None:
    """Milliseconds from a key to the page's answer, or None without a browser."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    from theory.explorer.server import PAGE

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        (explorer, stop), (empty, stop_empty) = serve_beside(PAGE), serve_beside(bare)
        by_problem = {
            spec: keys(browser, f"{explorer}&problem={spec}", "[aria-label=Verdicts]", moves) for spec in specs
        }
        picture = keys(browser, f"{explorer}&problem={specs[0]}", 'svg[role="img"]', moves)
        floor = keys(browser, empty, "[aria-label=Verdicts]", moves)
        browser.close()
        stop(), stop_empty()
    verdicts = [t for times in by_problem.values() for t in times]
    return {
        "verdict": percentiles(verdicts),
        "picture": percentiles(picture),
        "bare": percentiles(floor),
        "browser_over_bare": float(np.median(verdicts) / np.median(floor)),
        "median_by_problem": {spec: round(float(np.median(times)), 1) for spec, times in by_problem.items()},
    }


def serve_beside(notebook: Path) -> tuple[str, Callable[[], None]]:
    """The address of a page served from a thread of this process, and what ends that with its kernels."""
    import asyncio

    import uvicorn

    from theory.explorer.server import address, application, listen

    bound = listen()
    port, found = bound.getsockname()[1], address(bound)
    server = uvicorn.Server(uvicorn.Config(application(notebook, port), log_level="error", lifespan="on"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[bound])), daemon=True)
    thread.start()

    def stop() -> None:
        server.should_exit = True
        thread.join(timeout=20)

    return found, stop


def keys(browser: Any, address: str, selector: str, moves: int) -> list[float]:
    """Times of single presses of the left arrow on the page's first slider."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(address)
    page.locator(selector).first.wait_for()
    slider = page.get_by_role("slider").first
    slider.focus()
    page.evaluate(WATCH, selector)
    for i in range(moves + 2):
        slider.press("ArrowLeft")
        page.wait_for_function(f"window.stamps.length > {i}")
        page.wait_for_timeout(150)  # what the change still draws is not the next one's
    times: list[float] = page.evaluate("window.stamps")[2:]  # the first two warm the page up
    page.close()
    return times


def percentiles(times: list[float]) -> dict[str, float]:
    found = {f"p{q}": round(float(np.percentile(times, q)), 1) for q in (50, 90, 99)}
    return found | {"share_within_300_ms": round(float(np.mean(np.array(times) < LIMIT_MS)), 4), "n": len(times)}


def main(quick: bool = False) -> None:
    few = [(PROBLEMS[:1], 1), (BROWSED[:1], 1)] if quick else [(PROBLEMS, MOVES), (BROWSED, MOVES)]
    found = {"server_ms": on_the_server(*few[0]), "browser_ms": in_the_browser(*few[1])}
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(quick=sys.argv[1:] == ["quick"])
