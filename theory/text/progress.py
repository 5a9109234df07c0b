"""One line on standard error, if someone is watching: what is being done, how far it is, how long still.

Into a pipe or a file nothing is said. rich draws the line, cuts it to the terminal's width, and takes it away.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from theory.text.words import duration


class Line:
    """A line that is written over and over; `text` is what it says."""

    def __init__(self) -> None:
        self.text = ""
        self._watched = sys.stderr.isatty()
        self._live: Any = None

    def show(self, text: str) -> None:
        """Say this instead."""
        self.text = text
        if not self._watched:
            return
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            console = Console(file=sys.stderr, highlight=False)
            # Redrawn when there is something new, by whoever says it: no thread of its own.
            self._live = Live(
                console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
            )
            self._live.start()
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    def close(self) -> None:
        """Remove the line; nothing is said after that."""
        self._watched = False
        if self._live is not None:
            self._live.stop()
            self._live = None


class Waiting(Line):
    """Work of which a share is done."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.say(title)

    def say(self, title: str) -> None:
        """Something else is being done."""
        self._title, self._begun = title, time.monotonic()
        self.show(f"{title} …")

    def __call__(self, share: float) -> None:
        """So much of it, from 0 to 1, is done."""
        passed = time.monotonic() - self._begun
        left = f" · {duration(passed * (1 - share) / share)} left" if share > 0 and passed > 1 else ""
        self.show(f"{self._title} · {share:.0%}{left} …")


class Counting(Line):
    """Work in units: how many are done, how fast where `rate` says so, how long still.

    Work may come in rounds, each of which begins by telling what it found; counts are of all rounds so far.
    """

    def __init__(self, noun: str, rate: bool = False) -> None:
        super().__init__()
        self.noun, self.rate = noun, rate
        self.done = self.total = 0
        self._earlier = (0, 0)
        self._begun = time.monotonic()

    def say(self, title: str) -> None:
        """What is done before units can be counted."""
        self.show(f"{title} …")

    def __call__(self, done: int, total: int, found: int) -> None:
        if done == found:  # a round begins, whose pace is its own
            self._earlier, self._begun = (self.done, self.total), time.monotonic()
        self.done, self.total = self._earlier[0] + done, self._earlier[1] + total
        if self.total:
            self.show(f"{self.count()} · {self._pace(total - done, done - found)}")

    def count(self) -> str:
        """``1,200 of 3,000 problems``."""
        return f"{self.done:,} of {self.total:,} {self.noun}"

    def _pace(self, missing: int, fresh: int) -> str:
        seconds = time.monotonic() - self._begun
        if not fresh or seconds <= 0:
            return "starting"
        left = f"{duration(missing * seconds / fresh)} left"
        return f"{fresh / seconds:,.0f}/s · {left}" if self.rate else left


@contextmanager
def waiting(title: str) -> Iterator[Waiting]:
    """Show what is being done until it is."""
    line = Waiting(title)
    try:
        yield line
    finally:
        line.close()
