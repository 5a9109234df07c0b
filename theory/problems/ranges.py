"""The interval that a letter of a family comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.problems.errors import InvalidProblem
from theory.problems.numbers import parse_number

_INTERVAL = re.compile(r"\s*([\[(])\s*([^,]+?)\s*,\s*([^,]+?)\s*([\])])\s*")


@dataclass(frozen=True)
class Range:
    """The interval that a letter comes from; an end that is None is infinite."""

    low: Fraction | None = None
    high: Fraction | None = None
    closed_low: bool = False
    closed_high: bool = False

    def __contains__(self, x: Fraction) -> bool:
        above = self.low is None or x > self.low or (self.closed_low and x == self.low)
        return above and (self.high is None or x < self.high or (self.closed_high and x == self.high))

    def cut(self, most: Fraction) -> tuple[Fraction, Fraction]:
        """Its ends, infinite ones at a distance of `most` from the other, or from zero."""
        low = -most if self.low is None and self.high is None else self.low
        low = low if low is not None else self.high - most  # type: ignore[operator]
        return low, self.high if self.high is not None else (most if self.low is None else low + most)

    @property
    def inside(self) -> Fraction:
        """A number in it."""
        if self.low is None or self.high is None:
            return (self.low or Fraction(0)) + 1 if self.high is None else self.high - 1
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        low, high = ("−∞" if self.low is None else self.low), ("∞" if self.high is None else self.high)
        return f"{'[' if self.closed_low else '('}{low}, {high}{']' if self.closed_high else ')'}"


def parse_range(text: Any, *where: str | int) -> Range:
    """``real``, ``positive``, ``(0, 1)``, ``[-1, 2)``.

    >>> str(parse_range("(0, 1]")), Fraction(1) in parse_range("(0, 1]")
    ('(0, 1]', True)
    """
    if text == "real":
        return Range()
    if text == "positive":
        return Range(low=Fraction(0))
    match = _INTERVAL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidProblem(f"expected 'real', 'positive' or an interval such as '(0, 1)', got {text!r}", *where)
    low, high = parse_number(match[2], *where), parse_number(match[3], *where)
    if low >= high:
        raise InvalidProblem(f"{text!r} is empty", *where)
    return Range(low, high, match[1] == "[", match[4] == "]")


DISCOUNTS = Range(Fraction(0), Fraction(1), closed_low=True)
