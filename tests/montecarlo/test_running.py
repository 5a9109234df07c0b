"""Tasks through a function: every result once, here or on an executor."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from theory.montecarlo.executors import results


def square(x):
    return x * x


def test_every_task_comes_back_once_with_its_result():
    expected = [(x, x * x) for x in range(200)]
    assert list(results(iter(range(200)), square)) == expected
    with ThreadPoolExecutor(3) as pool:
        assert sorted(results(iter(range(200)), square, pool)) == expected


def test_whoever_stops_asking_cancels_what_has_not_begun():
    begun, gate = [], threading.Event()

    def wait(x):
        begun.append(x)
        if x:
            gate.wait(10)
        return x

    with ThreadPoolExecutor(1) as pool:
        stream = results(iter(range(50)), wait, pool)
        assert next(stream) == (0, 0)
        stream.close()
        gate.set()
    assert len(begun) <= 2


def test_an_error_reaches_whoever_asked():
    with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
        list(results(iter([1, 0]), lambda x: 1 / x, pool))
