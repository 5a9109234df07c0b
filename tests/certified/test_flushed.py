"""A thread in which tiny numbers are zero proves nothing: it is noticed, and said in one line."""

import ctypes
import mmap
import platform
from contextlib import contextmanager

import pytest

import theory

FLUSH = 0x8040  # flush to zero, denormals are zero
pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="sets a register of x86")


@contextmanager
def flushed():
    """Inside, as with a library that was built with -ffast-math."""
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x0f\xae\x1f\xc3" + b"\x0f\xae\x17\xc3")  # stmxcsr [rdi]; ret; ldmxcsr [rdi]; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    store, load = (ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint32))(address + at) for at in (0, 4))
    usual = ctypes.c_uint32()
    store(ctypes.byref(usual))
    load(ctypes.byref(ctypes.c_uint32(usual.value | FLUSH)))
    try:
        yield
    finally:
        load(ctypes.byref(usual))


@pytest.mark.parametrize("ask", [theory.td_stable, theory.chain_unbiased, theory.inspect, theory.compare])
def test_a_process_that_flushes_tiny_numbers_is_refused(ask):
    problem = theory.open_problem("baird")
    with flushed(), pytest.raises(theory.InvalidProblem, match="takes tiny numbers for zero"):
        ask(problem)
    assert ask(problem) is not None
