"""Ctrl-C is neither lost nor does it leave a lock held."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from theory.montecarlo.executors import results, uninterrupted


def interrupt():
    """To this very thread: the process's signal may be taken by a thread that runs only after the test has ended."""
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block():
    reached = []

    @uninterrupted()
    def block():
        interrupt()
        reached.append("end")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert reached == ["end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_blocks_may_be_nested():
    reached = []

    @uninterrupted()
    def block():
        with uninterrupted():
            interrupt()
        reached.append("outer")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert reached == ["outer"]


def test_an_error_in_the_block_is_not_hidden():
    with pytest.raises(ZeroDivisionError), uninterrupted():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_and_ignored_interrupts_are_left_alone():
    seen = []

    def elsewhere():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            interrupt()
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_process_started_in_the_block_is_spared():
    with uninterrupted():
        child = subprocess.Popen([sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"], stdout=-1)
    try:
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.5)
    finally:
        child.kill()
        child.communicate()


class Remembering(ThreadPoolExecutor):
    """Keeps its futures."""

    def __init__(self):
        super().__init__(2)
        self.futures = []

    def submit(self, *arguments):
        self.futures.append(super().submit(*arguments))
        return self.futures[-1]


def interrupt_at(line):
    """A tracer that interrupts at the given line, counted from now on, of our code or of the library's futures."""
    left = [line]

    def trace(frame, event, _):
        if not frame.f_code.co_filename.endswith(("running.py", "_base.py", "futures/thread.py")):
            return None
        left[0] -= event == "line"
        if left[0] == 0:
            left[0] = -1
            signal.raise_signal(signal.SIGINT)
        return trace

    return trace


def is_free(future):
    if free := future._condition.acquire(timeout=2):
        future._condition.release()
    return free


@pytest.mark.parametrize("begin", range(1, 800, 80))
def test_wherever_it_comes_no_future_stays_locked(begin):
    """Whoever cancels the others would wait forever; ``concurrent.futures.wait`` locks all of them at once."""
    seen = 0
    with ThreadPoolExecutor(1) as other:
        for line in range(begin, begin + 80, 3):
            pool = Remembering()
            sys.settrace(interrupt_at(line))
            try:
                list(results(iter(range(12)), str, pool))
            except KeyboardInterrupt:
                seen += 1
            finally:
                sys.settrace(None)
            held = [future for future in pool.futures if not other.submit(is_free, future).result()]
            for future in held:
                future._condition.release()  # so that the pool can end
            pool.shutdown()
            assert not held
    assert seen > 0 or begin > 400
