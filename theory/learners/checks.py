"""One-line complaints about a learner's settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theory.problems import InvalidProblem


def positive(rule: Any, *fields: str) -> None:
    """Step sizes: finite and above zero."""
    for field in fields:
        value = getattr(rule, field)
        if not 0 < value < float("inf"):
            raise InvalidProblem(f"must be positive and finite, got {value}", field.rstrip("_"))


def fraction_of_one(rule: Any, *fields: str) -> None:
    """Trace parameters: in [0, 1]."""
    for field in fields:
        value = getattr(rule, field)
        if not 0 <= value <= 1:
            raise InvalidProblem(f"must lie in [0, 1], got {value}", field.rstrip("_"))


def count(value: Any, least: int, field: str) -> int:
    """An integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidProblem(f"must be an integer of {least} or more, got {value!r}", field)
    return int(value)


def one_of(value: Any, words: Sequence[str], field: str) -> None:
    """A reading or variant by its word."""
    if value not in words:
        raise InvalidProblem(f"must be one of {', '.join(words)}, got {value!r}", field)
