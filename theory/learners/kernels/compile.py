"""How kernels are compiled: once per shape and number type, without the GIL, kept on disk.

Numba keeps machine code beside the source where that is writable and in the user's cache directory where it is not
(an installed package); `NUMBA_CACHE_DIR` overrides both. Where nothing is writable the kernel is compiled anew in each
process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from theory.problems.numbers import Array

# Settings are padded to a multiple of this, so that vector loops have no scalar tail: 16 doubles are four vectors.
LANES = 16

# Bytes of a cache line.
LINE = 64

# Settings handled together: seven rows of errors with their coefficients stay in a 32 KiB first-level cache.
BLOCK = 160

# Every so many events dead settings are retired and denormals flushed.
ROUND = 64

# Up to this many rows the loop over rows is unrolled inside the loop over settings; beyond it, row after row.
UNROLLED = 12


# What counts as zero and as lost, per number type: an error below the first is flushed to 0 long before it or its
# square becomes denormal (denormals cost a hundred times a normal number), a squared error above the second retires
# the setting. Runs that end well peak far below it: at 5e8, squared 3e17, in the paper's protocol.
TINY = {"float64": 1e-100, "float32": 1e-15}
LOST = {"float64": 1e200, "float32": 1e36}


def compiled(function: Callable[..., Any]) -> Any:
    """`function` compiled on first call."""
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # "cannot cache function": no writable place at all
        return njit(nogil=True)(function)


def aligned(shape: tuple[int, ...], dtype: str) -> Array:
    """Zeros that begin on a cache line: rows of whole lines then never straddle two, which halves the time."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + LINE, dtype=np.uint8)
    begin = -raw.ctypes.data % LINE
    return raw[begin : begin + size].view(dtype).reshape(shape)


def padded(n: int) -> int:
    """The next multiple of `LANES`."""
    return -(-n // LANES) * LANES
