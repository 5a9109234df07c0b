"""Results in γ: one threshold, and the set of discounts for which TD is stable."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb, fmpq

from theory.certified.answers import Answer
from theory.exact.algebraic import AlgebraicNumber
from theory.exact.matrices import fraction, rational
from theory.text.numbers import significant


@dataclass(frozen=True)
class Threshold:
    """A discount: exactly, or between two certified ends with the reason; an end that is not known is None.

    Of an end of a stable interval the side beyond `high` is certified too, or else `high` is None: what is known then
    stops at `low`. Where an interval begins it is the other way round.
    """

    exact: AlgebraicNumber | None
    low: fmpq | None
    high: fmpq | None
    reason: str | None = None

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"a threshold's ends are in order, got {self.low} above {self.high}")

    @property
    def value(self) -> float | None:
        """The nearest double, or the middle of the interval."""
        if self.exact is not None:
            return float(self.exact)
        if self.low is None or self.high is None:
            return None
        return float(fraction((self.low + self.high) / 2))

    def is_above(self, gamma: Any) -> Answer:
        """γ < threshold? A threshold without any number is above every γ in [0, 1)."""
        at = gamma if isinstance(gamma, fmpq) else rational(Fraction(gamma))
        if self.exact is not None:
            return Answer.of(self.exact > at)
        if self.low is None and self.high is None:
            return Answer.YES
        if self.low is not None and at < self.low:
            return Answer.YES
        return Answer.NO if self.high is not None and at >= self.high else Answer.UNDECIDED

    @property
    def text(self) -> str:
        """The digits that the interval leaves certain; nothing where there is no number."""
        if self.low is None or self.high is None:
            return ""
        low, high = arb(self.low), arb(self.high)
        return significant(low.union(high), 15)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; exact is null where there is no exact form or no number, with the reason beside it.

        An interval of which one end is unknown has null there.
        """
        reason = {} if self.reason is None else {"reason": self.reason}
        if self.exact is not None:
            return self.exact.to_dict() | reason
        ends = [None if x is None else str(x) for x in (self.low, self.high)]
        return {"exact": None, "value": self.value, "interval": None if ends == [None, None] else ends} | reason


class Interval(NamedTuple):
    """Discounts between two thresholds: open at both ends, but for 0, which belongs to it."""

    low: Threshold
    high: Threshold

    @property
    def certified(self) -> tuple[fmpq, fmpq]:
        """The part that is surely within."""
        low, high = self.low.high, self.high.low
        assert low is not None  # an interval is made of something certain
        assert high is not None
        return low, high


@dataclass(frozen=True)
class StableIntervals:
    """The discounts in [0, 1) for which TD is stable: in ascending order, apart, the first from 0.

    `complete` says that there is no other interval and that every end is exact. Without it the ends are certified
    on both sides where both are given; `unknown` lists the stretches of which nothing is known, ascending, the brackets
    of the ends among them, and `reason` says so in words.
    """

    intervals: tuple[Interval, ...]
    complete: bool = True
    reason: str | None = None
    unknown: tuple[tuple[fmpq, fmpq], ...] = ()

    def __post_init__(self) -> None:
        for interval in self.intervals:
            low, high = interval.certified
            if not 0 <= low < high <= 1:
                raise ValueError(f"not an interval of discounts: {low} to {high}")
        for before, after in pairwise(self.intervals):
            if before.high.exact is not None and after.low.exact is not None:
                apart = before.high.exact <= after.low.exact
            else:
                apart = before.certified[1] <= after.certified[0]
            if not apart:
                raise ValueError("intervals of discounts are sorted and apart")
        for (_, high), (low, _) in pairwise(self.unknown):
            if high > low:
                raise ValueError("unknown stretches are sorted and apart")
        if self.complete and (self.unknown or any(end.exact is None for pair in self.intervals for end in pair)):
            raise ValueError("what is complete has exact ends and nothing unknown")

    @property
    def threshold(self) -> Threshold:
        """The end of the first interval: below it TD is stable; no number where that is all of [0, 1)."""
        if not self.intervals:
            return Threshold(None, None, None, self.reason)
        end = self.intervals[0].high
        if end.exact is not None and end.exact == 1:
            return Threshold(None, None, None, "TD is stable for every γ in [0, 1)")
        return end

    def holds_at(self, gamma: Any) -> Answer:
        """Is TD stable at this γ? Exact crossings are ties, and not stable; γ = 1 is not looked at."""
        at = gamma if isinstance(gamma, fmpq) else rational(Fraction(gamma))
        if at >= 1:
            return Answer.UNDECIDED
        if any(low <= at <= high for low, high in self.unknown):
            return Answer.YES if at == 0 else Answer.UNDECIDED
        for low, high in self.intervals:
            begun = at == 0 or (low.exact is not None and low.exact < at) or (low.high is not None and low.high < at)
            if begun and high.is_above(at) is Answer.YES:
                return Answer.YES
        return Answer.NO

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "intervals": [[low.to_dict(), high.to_dict()] for low, high in self.intervals],
            "complete": self.complete,
            "unknown": [[str(low), str(high)] for low, high in self.unknown],
            "reason": self.reason,
        }


def exactly(number: AlgebraicNumber, reason: str | None = None) -> Threshold:
    """A threshold known exactly."""
    return Threshold(number, number.low, number.high, reason)
