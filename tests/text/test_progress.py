"""One line for those who watch: how far, how fast, how long still; nothing for pipes, nothing left behind."""

import time
from types import SimpleNamespace

import pytest

from theory.text import progress as lines
from theory.text.progress import Counting, Waiting
from theory.text.words import duration


@pytest.fixture
def clock(monkeypatch):
    """Stands still until it is set."""
    found = SimpleNamespace(now=0.0)
    monkeypatch.setattr(lines, "time", SimpleNamespace(monotonic=lambda: found.now))
    return found


def test_counts_say_how_far_how_fast_and_how_long_still(clock):
    progress = Counting("problems", rate=True)
    progress.say("compiling")
    assert progress.text == "compiling …"
    clock.now = 100.0  # compiling does not count
    progress(1000, 31_000, 1000)
    assert progress.text == "1,000 of 31,000 problems · starting · 2 min …"
    clock.now = 110.0
    progress(11_000, 31_000, 1000)
    assert progress.text == "11,000 of 31,000 problems · 1,000/s · 2 min, 20 s left …"


def test_rounds_add_up_and_each_has_its_own_pace(clock):
    progress = Counting("units")
    progress(0, 2, 0)
    clock.now = 1000.0
    progress(2, 2, 0)
    progress(1, 5, 1)
    clock.now = 1010.0
    progress(2, 5, 1)
    assert progress.text == "4 of 7 units · 17 min, 30 s left …"


def test_shares_say_how_long_still(clock):
    line = Waiting("eigenvalues")
    assert line.text == "eigenvalues …"
    clock.now = 30.0
    line(0.25)
    assert line.text == "eigenvalues · 25% · 30 s, 2 min left …"


def test_seconds_move_while_nothing_is_told(clock):
    line = Waiting("eigenvalues")
    clock.now = 7.0
    assert line.text == "eigenvalues · 7 s …"
    line(0.5)
    clock.now = 10.0
    assert line.text == "eigenvalues · 50% · 10 s, 4 s left …"


def test_the_terminal_sees_them_move(watched):
    terminal = watched()
    line = Waiting("eigenvalues")
    begun = time.monotonic()
    while "eigenvalues · 1 s …" not in terminal.getvalue() and time.monotonic() - begun < 20:
        time.sleep(0.05)
    line.close()
    assert "eigenvalues · 1 s …" in terminal.getvalue()


def test_the_terminal_gets_the_line_and_loses_it_again(watched):
    terminal = watched()
    line = Waiting("eigenvalues")
    line.say("thresholds")
    line.close()
    shown = terminal.getvalue()
    assert "eigenvalues …" in shown
    assert "thresholds …" in shown
    assert shown.endswith("\x1b[2K")  # erased
    assert "\x1b[?25h" in shown  # and the cursor is back


def test_a_narrow_terminal_is_not_filled_with_lines(watched):
    terminal = watched(columns=20)
    line = Waiting("the nearest flips of a problem with a very long name")
    line.close()
    assert "the nearest flips o…" in terminal.getvalue()


def test_nothing_is_shown_where_nothing_is_to_be_done(watched):
    terminal = watched()
    progress = Counting("units")
    progress(0, 0, 0)
    progress.close()
    assert terminal.getvalue() == ""


def test_nothing_is_shown_into_a_pipe_or_after_the_end(capsys, watched):
    progress = Counting("units")
    progress(1, 2, 0)
    progress.close()
    assert capsys.readouterr().err == ""
    terminal = watched()
    progress = Counting("units")
    progress.close()
    progress(1, 2, 0)
    assert terminal.getvalue() == ""


def test_durations_are_words():
    assert [duration(x) for x in (3.2, 200, 7200, 10**6)] == ["3 s", "3 min", "2 h", "more than a day"]
