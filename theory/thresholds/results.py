"""Results in γ: one threshold, and the set of discounts for which TD is stable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from theory.exact.algebraic import AlgebraicNumber
from theory.exact.matrices import fraction
from theory.text.numbers import significant


@dataclass(frozen=True)
class Threshold:
    """A discount: exactly, or in a certified interval with the reason; an end that is not known is None."""

    exact: AlgebraicNumber | None
    low: fmpq | None
    high: fmpq | None
    reason: str | None = None

    @property
    def value(self) -> float | None:
        """The nearest double, or the middle of the interval."""
        if self.exact is not None:
            return float(self.exact)
        if self.low is None or self.high is None:
            return None
        return float(fraction((self.low + self.high) / 2))

    @property
    def text(self) -> str:
        """The digits that the interval leaves certain; nothing where there is no number."""
        if self.low is None or self.high is None:
            return ""
        low, high = arb(self.low), arb(self.high)
        return significant(low.union(high), 15)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; exact is null where there is no exact form or no number, with the reason beside it."""
        reason = {} if self.reason is None else {"reason": self.reason}
        if self.exact is not None:
            return self.exact.to_dict() | reason
        interval = None if self.low is None or self.high is None else [str(self.low), str(self.high)]
        return {"exact": None, "value": self.value, "interval": interval} | reason


@dataclass(frozen=True)
class StableIntervals:
    """The discounts in [0, 1) for which TD is stable: the first interval holds 0, all others are open.

    `complete` says that there is no other interval. Without it every end is an interval with certified verdicts on both
    sides, and `reason` says where further crossings are not excluded.
    """

    intervals: tuple[tuple[Threshold, Threshold], ...]
    complete: bool = True
    reason: str | None = None

    @property
    def threshold(self) -> Threshold:
        """The end of the first interval: below it TD is stable; no number where that is all of [0, 1)."""
        end = self.intervals[0][1]
        if end.exact is not None and end.exact == 1:
            reason = "TD is stable for every γ in [0, 1)" if self.complete else f"no crossing found; {self.reason}"
            return Threshold(None, None, None, reason)
        return end

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        ends = [[low.to_dict(), high.to_dict()] for low, high in self.intervals]
        return {"intervals": ends, "complete": self.complete, "reason": self.reason}


def exactly(number: AlgebraicNumber, reason: str | None = None) -> Threshold:
    """A threshold known exactly."""
    return Threshold(number, number.low, number.high, reason)
