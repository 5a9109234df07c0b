"""Ctrl-C is neither lost nor does it leave a lock held."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from theory.montecarlo.interrupts import uninterrupted
from theory.montecarlo.running import results


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


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


def test_whenever_it_comes_all_futures_can_still_be_cancelled():
    """With ``concurrent.futures.wait``, which locks every future, one run in a few dozen hung here."""
    rng = random.Random(0)
    for _ in range(150):
        pool = ThreadPoolExecutor(2)
        timer = threading.Timer(rng.uniform(0, 0.01), interrupt)
        try:
            timer.start()
            for _ in results(iter([1e-4] * 10**6), time.sleep, pool):
                pass
        except KeyboardInterrupt:
            pass
        ending = threading.Thread(target=pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        ending.start()
        ending.join(20)
        assert not ending.is_alive()
