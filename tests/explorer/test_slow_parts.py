"""Slow questions are answered beside the page: by another process, in plain answers, and told when they are there."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, wait
from fractions import Fraction
from pathlib import Path

import pytest

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.explorer import background, rulers, slow
from theory.explorer.answers import answer
from theory.explorer.background import Job, ask_data, ask_flips, ask_other_side, ask_search, part
from theory.explorer.questions import Found
from theory.explorer.sources import open_source
from theory.explorer.view import open_view
from theory.explorer.worker import Worker

LARGE = "random:states=14,features=7"


def view_of(spec, **changes):
    return open_view(*open_source(spec)).change(**changes)


@pytest.fixture
def worker():
    made = Worker()
    yield made
    made.end()


def test_a_worker_is_another_process_and_answers_in_order(worker):
    first, second = worker.submit(os.getpid), worker.submit(abs, -3)
    assert first.result(60) != os.getpid()
    assert second.result(60) == 3


def test_an_error_there_is_an_error_here(worker):
    with pytest.raises(RuntimeError, match="invalid literal"):
        worker.submit(int, "no number").result(60)
    assert worker.submit(abs, -1).result(60) == 1


PARENT = """
import os, time
from theory.explorer.worker import Worker
worker = Worker()
print(worker.submit(os.getpid).result(60), flush=True)
worker.submit(pow, 3, 10**9)  # under the lock of the child's interpreter, for minutes
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends after its question")
def test_a_worker_ends_with_a_parent_that_is_killed(tmp_path):
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    child = Path(f"/proc/{parent.stdout.readline().strip()}/stat")
    assert child.exists()
    parent.kill()
    parent.communicate()
    end = time.monotonic() + 60
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z" and time.monotonic() < end:
        time.sleep(0.02)
    assert not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_worker_that_is_stopped_says_so_and_starts_again(worker):
    running = worker.submit(time.sleep, 600)
    while not running.running():
        time.sleep(0.01)
    worker.stop()
    # It may be stopped before the question reached the child: then the next child sleeps.
    while not running.done():
        worker.stop()
        wait([running], timeout=0.1)
    with pytest.raises(RuntimeError, match="ended early"):
        running.result()
    assert worker.submit(abs, -4).result(60) == 4


def test_a_question_given_up_before_its_turn_is_never_asked(worker, tmp_path):
    slow_one = worker.submit(time.sleep, 0.5)
    given_up = worker.submit(os.mkdir, str(tmp_path / "made"))
    assert given_up.cancel()
    slow_one.result(60)
    worker.submit(abs, 0).result(60)
    assert not (tmp_path / "made").exists()


def test_the_page_is_free_while_a_question_is_computed(worker):
    """The other process holds no lock of ours: our own thread gets nearly all of its steps."""
    view = view_of(LARGE)
    asked = worker.submit(rulers.find_ruler, rulers.without_gamma(view))
    longest = 0.0
    while not asked.done():
        begun = time.perf_counter()
        time.sleep(0.005)
        longest = max(longest, time.perf_counter() - begun)
    assert asked.result() == rulers.find_ruler(rulers.without_gamma(view))
    assert longest < 1.0  # a lock held by an exact computation would keep us for as long as that takes


def test_a_large_problems_parts_are_under_way_at_first_and_there_later():
    told = threading.Event()
    page = slow.Parts(lambda job: told.set())
    view = view_of(LARGE)
    html = page.exact(view)
    assert told.wait(120) or "Working on" not in html
    while "Working on" in (html := page.exact(view)):
        assert told.wait(120)
    assert "Certificate of the verdict on TD" in html


def test_what_was_shown_stays_dimmed_while_the_next_is_under_way(monkeypatch):
    monkeypatch.setattr(background, "PATIENCE", 0.0)
    page = slow.Parts(lambda job: None)
    page.last["exact"] = "<p>the numbers before</p>"
    html = page.exact(view_of(LARGE, gamma=Fraction(1, 7)))
    assert 'role="status"' in html
    assert 'aria-busy="true"' in html
    assert "the numbers before" in html


def test_a_small_problems_parts_are_there_at_once():
    asked = []
    page = slow.Parts(lambda job: asked.append(job.kind))
    for html in (page.ruler(view_of("baird")), page.exact(view_of("baird")), page.panel(view_of("baird"), "Overview")):
        assert "Working on" not in html
    assert set(asked) <= {"curves"}  # which come later, over pixels that are there


def test_the_same_part_is_asked_once():
    key = object()
    first = part("test", "a test", key, abs, -2)
    assert part("test", "a test", key, abs, -2) is first
    assert first.future.result(60) == 2


def test_one_like_a_problem_goes_when_the_problem_does():
    """The answer to “one like this” belongs to this: it is shown for any setting of it, and not for another."""
    done, session = Future(), object()
    done.set_result(Found(None, "tried"))
    view = view_of("twostate")
    job = Job("search", "a problem", done, view.problem.fingerprint)
    assert answer("Flip", job, view.change(window=7), session)
    assert answer("Flip", job, view_of("baird"), session) == []
    asked = Job("search", "a problem", done)  # by the search form: like none in particular
    assert answer("Search", asked, view, session)


def test_flips_and_neighbours_are_found_beside_the_page():
    view = view_of("twostate", gamma=Fraction(4, 5))
    flips, found = ask_flips(view).future.result(120), ask_other_side(view, "chain").future.result(120)
    assert any(flip.change == "γ = 4/5 → 5/6" for flip in flips)
    for flip in flips:
        side, word = flip.then.split(" becomes ")
        judged = td_stable(flip.problem) if side == "TD" else chain_unbiased(flip.problem)
        assert judged.holds == Answer.of(word in ("stable", "unbiased"))
    assert td_stable(found.problem).proved
    assert chain_unbiased(found.problem).refuted


def test_a_problem_that_cannot_be_is_answered_with_the_reason():
    """With as many features as states Π = I, so the chain is unbiased whatever the problem."""
    found = ask_search((("off-policy-td", False), ("chain", False)), 2, 2).future.result(120)
    assert found.problem is None
    assert found.text


def test_a_failed_question_is_one_line():
    job = ask_data("broken.csv", b"a,b\n1", Fraction(1, 2))
    job.future.exception(60)
    result, complaint = job.answer
    assert result is None
    assert complaint
    assert "\n" not in complaint
