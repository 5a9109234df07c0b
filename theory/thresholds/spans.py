"""For which values of a parameter something converges: intervals of real values, or ranges of whole ones."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from theory.certified.answers import Answer
from theory.exact.algebraic import AlgebraicNumber
from theory.exact.matrices import fraction


class Span(NamedTuple):
    """From `low` to `high` (None: without end), with or without the ends."""

    low: AlgebraicNumber
    high: AlgebraicNumber | None
    low_in: bool
    high_in: bool

    def __contains__(self, value: object) -> bool:
        assert isinstance(value, Fraction | int)
        above = self.low < value or (self.low_in and self.low == value)
        return above and (self.high is None or self.high > value or (self.high_in and self.high == value))

    def __str__(self) -> str:
        high = "∞" if self.high is None else number_text(self.high)
        return f"{'[' if self.low_in else '('}{number_text(self.low)}, {high}{']' if self.high_in else ')'}"


@dataclass(frozen=True)
class StableSet:
    """The values at which it converges, all of them: spans in ascending order, apart, in the `domain` asked about."""

    spans: tuple[Span, ...]
    domain: Span | None = None  # None only where there are no spans

    def __post_init__(self) -> None:
        for a, b in pairwise(self.spans):
            if a.high is None or a.high > b.low:
                raise ValueError("spans are sorted and apart")
        if self.spans and self.domain is None:
            raise ValueError("spans lie in a domain")

    def root(self, n: int) -> StableSet:
        """The numbers of 0 or more whose n-th powers are in the set."""

        def rooted(x: AlgebraicNumber) -> AlgebraicNumber:
            return x.root(n) if x > 0 else x

        def roots(span: Span) -> Span:
            return Span(rooted(span.low), None if span.high is None else rooted(span.high), span.low_in, span.high_in)

        return StableSet(tuple(map(roots, self.spans)), None if self.domain is None else roots(self.domain))

    def holds_at(self, value: Fraction | int) -> Answer:
        """Does it converge at this value?"""
        return Answer.of(any(value in span for span in self.spans))

    def __str__(self) -> str:
        return " and ".join(map(str, self.spans)) or "none"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; `stable` says on which side of the one threshold, or that there is none or more than one."""
        spans = [_span_document(s) for s in self.spans]
        side, end = self._side()
        exact = {"exact": None, "value": None} if end is None else end.to_dict()
        return {**exact, "stable": side, "intervals": spans, "unknown": [], "reason": None}

    def _side(self) -> tuple[str, AlgebraicNumber | None]:
        if len(self.spans) != 1:
            return ("between" if self.spans else "nowhere"), None
        (low, high, low_in, high_in), asked = self.spans[0], self.domain
        assert asked is not None
        # A value at the very end at which alone it fails leaves a threshold there.
        up = high_in == asked.high_in and (high is None or (asked.high is not None and high == asked.high))
        down = low_in == asked.low_in and low == asked.low
        if up and down:
            return "everywhere", None
        return ("above", low) if up else ("below", high) if down else ("between", None)


@dataclass(frozen=True)
class WholeSet:
    """Whole values from 1 on: ranges at which it converges, the last one perhaps without end, and what is not known."""

    ranges: tuple[tuple[int, int | None], ...]  # (first, last), both within; None: every one from there on
    unknown: tuple[tuple[int, int | None], ...] = ()
    reason: str | None = None

    @property
    def from_on(self) -> int | None:
        """The smallest value from which on every one is known to converge."""
        return self.ranges[-1][0] if self.ranges and self.ranges[-1][1] is None else None

    def holds_at(self, value: int) -> Answer:
        """Does it converge at this value?"""
        for ranges, answer in ((self.unknown, Answer.UNDECIDED), (self.ranges, Answer.YES)):
            if any(first <= value and (last is None or value <= last) for first, last in ranges):
                return answer
        return Answer.NO

    def __str__(self) -> str:
        known = ", ".join(_range_text(*r) for r in self.ranges) or "none"
        return known + (f"; unknown {', '.join(_range_text(*r) for r in self.unknown)}" if self.unknown else "")

    def to_dict(self) -> dict[str, Any]:
        """For JSON: `value` is the smallest from which on every one converges."""
        start = self.from_on
        sharp = start is not None and all(last is not None and last < start - 1 for _, last in self.unknown)
        side = "above" if start is not None else "nowhere" if not self.ranges and not self.unknown else "between"
        return {
            "exact": str(start) if sharp else None,
            "value": start,
            "stable": "everywhere" if start == 1 else side,
            "intervals": [_whole_document(*r) for r in self.ranges],
            "unknown": [_whole_document(*r) for r in self.unknown],
            "reason": self.reason,
        }


@dataclass(frozen=True)
class CoveredSet:
    """Stretches with a proof each, ascending and apart, both ends within; of what lies between nothing is known."""

    stretches: tuple[tuple[Fraction, Fraction | None, bool], ...]  # low, high (None: no end), does it converge there?
    domain: Span

    def __post_init__(self) -> None:
        for (_, a, _), (b, _, _) in pairwise(self.stretches):
            if a is None or a >= b:
                raise ValueError("stretches are sorted and apart")

    @property
    def gaps(self) -> list[tuple[Fraction, Fraction | None]]:
        """What is not known, without its ends; None: without end."""
        low = fraction(self.domain.low.low)  # ends of domains are rational
        last = None if self.domain.high is None else fraction(self.domain.high.low)
        inner = [(a, b) for (_, a, _), (b, _, _) in pairwise(self.stretches) if a is not None]
        first, end = self.stretches[0][0], self.stretches[-1][1]
        before = [(low, first)] if low < first else []
        return [*before, *inner, *([(end, last)] if end is not None and (last is None or end < last) else [])]

    def holds_at(self, value: Fraction | int) -> Answer:
        """Does it converge at this value?"""
        known = (
            Answer.of(stable)
            for low, high, stable in self.stretches
            if low <= value and (high is None or value <= high)
        )
        return next(known, Answer.UNDECIDED) if value in self.domain else Answer.UNDECIDED

    def __str__(self) -> str:
        stable = [self._stretch_text(low, high) for low, high, yes in self.stretches if yes]
        unknown = ", ".join(_gap_text(*gap) for gap in self.gaps)
        return f"{' and '.join(stable) or 'none'}, proved" + (f"; unknown {unknown}" if unknown else "")

    def _stretch_text(self, low: Fraction, high: Fraction | None) -> str:
        if high is None:
            return f"[{_end_text(low, ROUND_CEILING)}, ∞)"
        closed = "]" if high in self.domain else ")"
        return f"[{_end_text(low, ROUND_CEILING)}, {_end_text(high, ROUND_FLOOR)}{closed}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: an end is a bracket between a stable and an unstable stretch, or the last value that is proved."""
        answers = [yes for _, _, yes in self.stretches]
        changes = [
            (a, b, after) for (_, a, yes), (b, _, after) in pairwise(self.stretches) if a is not None and yes != after
        ]
        side = "between" if len(changes) > 1 or (not changes and answers[0]) else "nowhere"
        bracket: dict[str, Any] = {"exact": None, "value": None}
        if len(changes) == 1:
            low, high, above = changes[0]
            side, bracket = "above" if above else "below", _bracket_document(low, high)
        found = [(low, high) for low, high, yes in self.stretches if yes]
        return {
            **bracket,
            "stable": side,
            "intervals": [
                interval_document(_rational_end(a), _rational_end(b), True, b is not None and b in self.domain)
                for a, b in found
            ],
            "unknown": [interval_document(_rational_end(a), _rational_end(b), False, False) for a, b in self.gaps],
            "reason": "proved stretch by stretch; nothing is claimed about what is unknown",
        }


def number_text(x: AlgebraicNumber) -> str:
    """The number where that is short, and its first digits where not."""
    text = str(x) if x.degree <= 2 else ""
    return text if 0 < len(text) <= 10 else f"{float(x):.6g}"


def _range_text(first: int, last: int | None) -> str:
    if last is None:
        return f"all from {first} on"
    return str(first) if first == last else f"{first}…{last}"


def _gap_text(low: Fraction, high: Fraction | None) -> str:
    if high is None:
        return f"above {_end_text(low, ROUND_FLOOR)}"
    if f"{float(low):.6g}" == f"{float(high):.6g}":
        return f"near {float(low):.6g}"
    return f"({_end_text(low, ROUND_FLOOR)}, {_end_text(high, ROUND_CEILING)})"


def _end_text(x: Fraction, rounding: str) -> str:
    """The number where that is short; else six digits, rounded into what is proved."""
    if len(str(x)) <= 6:
        return str(x)
    with localcontext(prec=6, rounding=rounding):
        return f"{(Decimal(x.numerator) / x.denominator).normalize():f}"


def interval_document(low: Any, high: Any, low_in: bool, high_in: bool) -> dict[str, Any]:
    """An interval in JSON, of real or of whole values: ends as thresholds are written, a high of null is no end."""
    return {"low": low, "high": high, "closed": [low_in, high_in]}


def _span_document(span: Span) -> dict[str, Any]:
    high = None if span.high is None else span.high.to_dict()
    return interval_document(span.low.to_dict(), high, span.low_in, span.high_in)


def _rational_end(x: Fraction | int | None) -> dict[str, Any] | None:
    return None if x is None else {"exact": str(x), "value": x if isinstance(x, int) else float(x)}


def _whole_document(first: int, last: int | None) -> dict[str, Any]:
    return interval_document(_rational_end(first), _rational_end(last), True, last is not None)


def _bracket_document(low: Fraction, high: Fraction) -> dict[str, Any]:
    return {"exact": None, "value": float((low + high) / 2), "interval": [str(low), str(high)]}
