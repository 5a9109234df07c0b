"""How many moves and seeds the figures beyond the paper run learners for, and the windows they try."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Moves, seeds and step sizes of a profile."""

    steps: int
    seeds: int
    step_sizes: tuple[float, ...]


SIZES = {
    "quick": Size(20_000, 20, tuple(2.0 ** (-i / 3) for i in range(1, 41, 3))),
    "full": Size(100_000, 100, tuple(2.0 ** (-i / 3) for i in range(1, 41))),
}
WINDOWS = tuple(2**i for i in range(13))
