"""Compiled code never outlives what it was made from, and nothing is deleted for it."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from theory.machine_code import made_of, njit

HELPER = """
from theory.machine_code import njit

STEP = {step}

@njit(cache=True)
def inner(x):
    return {body}
"""
KERNEL = """
from theory.machine_code import njit
from {helper} import STEP, inner

@njit(cache=True)
def outer(x):
    return inner(x) + STEP
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Write a helper, and load it anew with the kernel that calls it: its value at 3, and whether code was found."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(step, body):
        (tmp_path / "helper_of_test.py").write_text(HELPER.format(step=step, body=body))
        if not (tmp_path / "kernel_of_test.py").exists():  # some versions of Numba ask the file's time
            (tmp_path / "kernel_of_test.py").write_text(KERNEL.format(helper="helper_of_test"))
        parts = {}
        for name in ("helper_of_test", "kernel_of_test"):
            spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            # Not by bytecode files, whose clock is coarser than this test.
            exec(compile((tmp_path / f"{name}.py").read_text(), tmp_path / f"{name}.py", "exec"), module.__dict__)
            monkeypatch.setitem(sys.modules, name, module)
            parts[name] = module
        outer = parts["kernel_of_test"].outer
        return outer(3), sum(outer.stats.cache_hits.values())

    return load


def test_kept_code_is_found_until_something_it_is_made_of_changes(program):
    """The kernel's own file is untouched throughout."""
    assert program(1, "x * x") == (10, 0)
    assert program(1, "x * x") == (10, 1)
    assert program(1, "x * x * x") == (28, 0)  # a function of another file
    assert program(2, "x * x * x") == (29, 0)  # a constant of another file
    assert program(1, "x * x") == (10, 1)  # kept code is kept


def test_importing_theory_asks_nothing_of_the_disk(tmp_path):
    code = "import sys, theory; print('numba' in sys.modules, 'theory.machine_code' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert out.stdout.split() == ["False", "False"]


def test_arrays_and_numbers_that_are_read_count():
    def reader(table, step):
        def read(i):
            return table[i] + step

        return made_of(njit(read))

    assert reader(np.arange(3.0), 1) == reader(np.arange(3.0), 1)
    assert len({reader(np.arange(3.0), 1), reader(np.arange(3.0), 2), reader(np.arange(4.0), 1)}) == 3
