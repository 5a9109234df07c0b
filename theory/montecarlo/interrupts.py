"""Ctrl-C at a moment that suits us.

`KeyboardInterrupt` may be raised between any two steps, also while a future's lock is held: whoever needs that lock
later, to cancel the future, would wait forever. And a process that is still importing dies of it, with a traceback.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of the block. A process started in it has Ctrl-C blocked until it says otherwise."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # nothing would be raised here
        return
    seen: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append((number, frame)))
    mask = _block()
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if seen:
        before(*seen[0])


def _block() -> set[signal.Signals] | None:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        return None
    return signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # type: ignore[return-value]
