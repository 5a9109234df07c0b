"""The engine's ready-made theories, built once: statements that share letters share their models."""

from __future__ import annotations

from functools import cache

from theory.symbolic.chapters import CHAPTERS
from theory.symbolic.paper import Chapter


@cache
def chapter(name: str) -> Chapter:
    """The theory called `name` in `theory.symbolic.chapters`."""
    return CHAPTERS[name]()
