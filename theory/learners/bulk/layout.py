"""How kernels are laid out in memory: lanes, blocks, cache lines, and what counts as zero and as lost."""

from __future__ import annotations

import numpy as np

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


def aligned(shape: tuple[int, ...], dtype: str) -> Array:
    """Zeros that begin on a cache line: rows of whole lines then never straddle two, which halves the time."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + LINE, dtype=np.uint8)
    begin = -raw.ctypes.data % LINE
    return raw[begin : begin + size].view(dtype).reshape(shape)


def padded(n: int) -> int:
    """The next multiple of `LANES`."""
    return -(-n // LANES) * LANES
