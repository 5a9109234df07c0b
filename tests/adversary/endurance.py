"""Work that is killed, watched or goes on for long: ``python -m tests.adversary.endurance kills|silence|pages``.

* ``kills``: commands that keep what they have are killed (SIGKILL) at random moments and started again until they end;
  what they print must be what an undisturbed run prints.
* ``silence``: commands run at a terminal of their own, first runs that compile included; more than two seconds in which
  nothing is written is a fault.
* ``pages``: an explorer is asked for 20 pages, one after the other, and moved 500 times; its memory must be level.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

THEORY = [sys.executable, "-m", "theory"]
SILENT = 2.0  # seconds
LEVEL = 1.15  # of the memory after a third of the moves

KILLED = {
    "success-rate": "success-rate --states 10,20 --features S,S-1 --samples 60000 --chunk 500 --workers 1 --json",
    "methods": "success-rate --states 4 --features 3 --samples 20000 --chunk 100 --methods td,etd --workers 1 --json",
    "table1": "table1 --profile quick --workers 2 --json",
}
WATCHED = [
    "verify",
    "inspect garnet",
    "compare garnet",
    "noise baird",
    "noise random:states=6,features=3,seed=3",
    "noise random:states=4,features=4,seed=1 --json",
    "derive baird-star",
    "success-rate --states 10 --features S,S-1 --samples 100000",
    "inspect baird --flips",
    "search --td unstable --chain biased --states 4 --features 3",
    "learn threestate --learner tdc --step-size 0.01 --beta 0.01 --exact",
    "chain garnet --k 100000",
]


def kills(seed: int) -> int:
    """The number of commands whose output differs after kills."""
    rng, faults = random.Random(seed), 0
    for name, text in KILLED.items():
        with tempfile.TemporaryDirectory() as folder:
            whole = run(text, Path(folder) / "whole.sqlite")
            begun, killed = time.monotonic(), 0
            while True:
                ask = [*THEORY, *text.split(), "--store", str(Path(folder) / "killed.sqlite")]
                process = subprocess.Popen(
                    ask, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
                )
                try:
                    out, _ = process.communicate(timeout=rng.uniform(1, 6) + killed)
                    break
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.communicate()
                    killed += 1
            same = without_times(json.loads(out)) == whole
            print(
                f"{name:14} killed {killed} times in {time.monotonic() - begun:.0f} s: {'same' if same else 'DIFFERS'}"
            )
            faults += not same
    return faults


def run(text: str, store: Path) -> Any:
    """What an undisturbed run says."""
    ask = [*THEORY, *text.split(), "--store", str(store)]
    return without_times(json.loads(subprocess.run(ask, capture_output=True, check=True).stdout))


def without_times(value: Any) -> Any:
    """A document without what says how long something took, or where it was kept."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in ("seconds", "store", "workers")}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def silence(commands: list[str]) -> int:
    """The number of commands that said nothing for too long."""
    faults = 0
    with tempfile.TemporaryDirectory() as cache:
        for text in commands:
            longest, seconds, last = watch([*THEORY, *text.split()], os.environ | {"XDG_CACHE_HOME": cache})
            fault = longest > SILENT
            print(
                f"{longest:5.1f} s silent of {seconds:5.1f} s  {text}{f'  TOO LONG, after {last!r}' if fault else ''}"
            )
            faults += fault
    return faults


def watch(command: list[str], environment: dict[str, str]) -> tuple[float, float, str]:
    """The longest pause of a command at a terminal, how long it took, and what came before that pause."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(command, stdin=secondary, stdout=secondary, stderr=secondary, env=environment)
    os.close(secondary)
    begun = heard = time.monotonic()
    longest, said, before = 0.0, "", ""
    while True:
        ready, _, _ = select.select([primary], [], [], 0.1)
        now = time.monotonic()
        if now - heard > longest:
            longest, before = now - heard, said
        if ready:
            try:
                data = os.read(primary, 65536)
            except OSError:  # the other end is closed
                data = b""
            if not data:
                break
            heard, said = now, data.decode(errors="replace")[-60:]
    os.close(primary)
    process.wait()
    return longest, time.monotonic() - begun, before


def pages(count: int = 20, moves: int = 500) -> int:
    """1 if the explorer's memory grew."""
    import shutil

    from playwright.sync_api import sync_playwright

    from theory.explorer.links import MAX_LINK  # noqa: F401  fails early where marimo is missing

    process = subprocess.Popen([*THEORY, "explore", "--headless"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address, sizes = process.stdout.readline().split()[-1], []
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for number in range(count):
            page = browser.new_page()
            page.goto(f"{address}&problem={('baird', 'threestate', 'kolter')[number % 3]}", timeout=120_000)
            slider = page.get_by_role("slider").first
            slider.focus(timeout=120_000)
            for _ in range(moves // count):
                slider.press("ArrowLeft")
                page.wait_for_timeout(120)
            page.close()
            sizes.append(resident(process.pid))
            print(f"page {number + 1}: {sizes[-1] >> 20} MiB", flush=True)
        browser.close()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    third = max(sizes[: count // 3])
    print(f"{sizes[-1] / third:.2f} times the memory after {count // 3} pages")
    return int(sizes[-1] > LEVEL * third)


def resident(pid: int) -> int:
    """Bytes in memory of a process and its children."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(resident(int(child)) for child in children)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary.endurance", description=__doc__)
    parser.add_argument("task", choices=("kills", "silence", "pages"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("commands", nargs="*", help="of silence, others than its own")
    options = parser.parse_args()
    if options.task == "silence":
        return int(silence(options.commands or WATCHED) > 0)
    return int((kills(options.seed) if options.task == "kills" else pages()) > 0)


if __name__ == "__main__":
    sys.exit(main())
