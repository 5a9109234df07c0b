"""Throw away compiled code that is older than the sources it was made from.

Numba keeps machine code beside the sources and looks at a function's own file only when it asks whether that code is
still true. Ours call functions of other files: after an update, old code would run under a new name. So whatever is
older than the newest source of its room goes, before anything is loaded.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

ROOMS = ("learners/kernels", "montecarlo")


def discard_stale(root: Path = Path(__file__).parent) -> list[Path]:
    """Delete the indices of stale machine code below `root`; Numba compiles anew what has none. Returns what went."""
    gone = []
    for room in ROOMS:
        newest = max((source.stat().st_mtime for source in (root / room).glob("*.py")), default=0.0)
        for index in (root / room / "__pycache__").glob("*.nbi"):
            # Another process may be faster, and a read-only installation has nothing stale.
            with suppress(OSError):
                if index.stat().st_mtime < newest:
                    index.unlink()
                    gone.append(index)
    return gone
