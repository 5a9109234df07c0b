"""One line on standard error: what is being done, how far it is, how long it took and takes.

At a terminal rich draws the line once a second, so that its seconds move while a long step tells nothing, cuts it to
the terminal's width, and takes it away. Into a pipe or a file nothing is said, or where it is asked for a line every
two seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from theory.text.words import duration

EVERY = 2.0  # seconds between lines into a pipe


class Line:
    """A line that is written over and over. `piped`: also where no terminal shows it."""

    def __init__(self, piped: bool = False) -> None:
        self._said, self._at = "", 0.0
        self._left: float | None = None
        self._first: float | None = None
        self._watched = sys.stderr.isatty()
        self._live: Any = None
        self._piped, self._printed = piped and not self._watched, time.monotonic()

    @property
    def text(self) -> str:
        """What it says now: its text, the seconds since the first one, and those that are left where that is known."""
        now = time.monotonic()
        passed = 0.0 if self._first is None else now - self._first
        times = [duration(passed)] if passed >= 1 else []
        if self._left is not None:
            times.append(f"{duration(max(0.0, self._left - (now - self._at)))} left")
        return " · ".join([self._said, *([", ".join(times)] if times else [])]) + " …" * bool(self._said)

    def show(self, text: str, left: float | None = None) -> None:
        """Say this instead; about so many seconds are left."""
        self._said, self._left, self._at = text, left, time.monotonic()
        if self._first is None:
            self._first = self._at
        if self._piped and self._at - self._printed >= EVERY:
            print(self.text, file=sys.stderr, flush=True)
            self._printed = self._at
        if not self._watched:
            return
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            self._live = Live(
                console=Console(file=sys.stderr, highlight=False),
                get_renderable=lambda: Text(self.text, no_wrap=True, overflow="ellipsis"),
                transient=True,
                refresh_per_second=1,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.refresh()

    def close(self) -> None:
        """Remove the line; nothing is said after that."""
        self._watched = False
        if self._live is not None:
            self._live.stop()
            self._live = None


class Waiting(Line):
    """Work of which a share is done."""

    def __init__(self, title: str, piped: bool = False) -> None:
        super().__init__(piped)
        self.say(title)

    def say(self, title: str) -> None:
        """Something else is being done."""
        self._title, self._begun = title, time.monotonic()
        self.show(title)

    def __call__(self, share: float) -> None:
        """So much of it, from 0 to 1, is done."""
        passed = time.monotonic() - self._begun
        known = share > 0 and passed > 1
        self.show(f"{self._title} · {share:.0%}", passed * (1 - share) / share if known else None)


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
        self.show(title)

    def __call__(self, done: int, total: int, found: int) -> None:
        if done == found:  # a round begins, whose pace is its own
            self._earlier, self._begun = (self.done, self.total), time.monotonic()
        self.done, self.total = self._earlier[0] + done, self._earlier[1] + total
        seconds, fresh = time.monotonic() - self._begun, done - found
        if self.total and (not fresh or seconds <= 0):
            self.show(f"{self.count()} · starting")
        elif self.total:
            pace = f" · {fresh / seconds:,.0f}/s" if self.rate else ""
            self.show(f"{self.count()}{pace}", (total - done) * seconds / fresh)

    def count(self) -> str:
        """``1,200 of 3,000 problems``."""
        return f"{self.done:,} of {self.total:,} {self.noun}"


@contextmanager
def waiting(title: str, piped: bool = False) -> Iterator[Waiting]:
    """Show what is being done until it is."""
    line = Waiting(title, piped)
    try:
        yield line
    finally:
        line.close()
