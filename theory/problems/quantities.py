"""The letters of a problem, and what makes two sets of numbers the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.numbers import Array, freeze


@dataclass(frozen=True, eq=False)
class Quantities:
    """The letters of a problem, all as given, all exact, or all in floats."""

    gamma: Any
    Phi: Array  # (S, F)
    P_pi: Array  # (S, S)
    r_pi: Array  # (S,)
    d_mu: Array  # (S,)
    P_mu: Array | None = None  # (S, S)
    r_mu: Array | None = None  # (S,)

    def map(self, number: Any, array: Any) -> Quantities:
        """The same letters with `number` applied to γ and ``array(value, letter)`` to the others."""

        def each(letter: str) -> Any:
            value = getattr(self, letter)
            return None if value is None else array(value, letter)

        return Quantities(number(self.gamma), *(each(f.name) for f in fields(self)[1:]))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy or pickle is as read-only as what it was made of."""
        self.__dict__.update(state)
        freeze(*(getattr(self, f.name) for f in fields(self)[1:]))


def digest(parts: Iterable[Any]) -> str:
    """A fingerprint of arrays, numbers and texts: of every value, its kind and shape."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            total.update(repr(part.shape).encode() + part.astype("<f8").tobytes())
        else:
            total.update(repr(_plain(part)).encode())
        total.update(b"\0")
    return total.hexdigest()


def _plain(value: Any) -> Any:
    """Lists down to numbers; fractions in hexadecimal, whose length Python does not limit."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return f"{value.numerator:x}/{value.denominator:x}" if isinstance(value, Fraction) else value
