"""Results in γ: one threshold, and the set of discounts for which TD is stable.

For which values of a parameter something converges: intervals of real values, or ranges of whole ones.

Discounts in words. What is not known is not claimed: an interval whose end is unknown stops where proofs stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
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
        return self.text("n") if self.ranges or self.unknown else "none"

    def text(self, letter: str) -> str:
        """``n = 2 or n ≥ 4``."""
        known, unknown = (" or ".join(_range_text(letter, *r) for r in x) for x in (self.ranges, self.unknown))
        return (known or f"no {letter}") + (f"; unknown {unknown}" if unknown else "")

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


def _range_text(letter: str, first: int, last: int | None) -> str:
    if last is None:
        return f"{letter} ≥ {first}"
    return f"{letter} = {first}" if first == last else f"{first} ≤ {letter} ≤ {last}"


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


EndText = Callable[[Threshold], str]  # how a place writes a number
_SHOWN = 4  # unknown stretches listed, the widest
_NARROW = fmpq(1, 10**5)
_NEAR = 1 - fmpq(1, 10**6)


def stable_text(found: StableIntervals, end: EndText) -> str:
    """Where TD is stable: ``[0, 5/6 ≈ 0.833333)``; all intervals but the first are open on the left."""
    if not found.intervals:
        return "a neighbourhood of 0; how far was not found"

    def at(place: Threshold) -> str:
        return _near_one(place) or end(place)

    def text(low: Threshold, high: Threshold) -> str:
        begin = "[0" if _is(low, 0) else f"({at(low)}" if low.value is not None else f"[{_short(low.high, up=True)}"
        close = f"{at(high)})" if high.value is not None else f"{_short(high.low, up=False)}]"
        return f"{begin}, {close}"

    return " and ".join(text(low, high) for low, high in found.intervals)


def unknown_text(found: StableIntervals) -> str | None:
    """What is not known about TD: stretches between equal sides, and beyond the last; None where all is."""
    ends = {(end.low, end.high) for pair in found.intervals for end in pair}
    gaps = [(low, high) for low, high in found.unknown if (low, high) not in ends]
    if not gaps:
        return None
    shown = sorted(sorted(gaps, key=lambda gap: gap[0] - gap[1])[:_SHOWN])
    parts = [_certain_text(low, high) for low, high in shown]
    more = f" and {len(gaps) - len(shown)} shorter stretches" if len(gaps) > len(shown) else ""
    return f"unknown {', '.join(parts)}{more}"


def unstable_text(found: StableIntervals) -> str | None:
    """Where TD is surely not stable, rounded inwards: ``(0.833334, 1)``; None where that is nowhere."""
    others = [*found.unknown, (fmpq(1), fmpq(1))]
    for low, high in found.intervals:
        first = low.high if low.exact is None else low.low
        last = high.low if high.exact is None else high.high
        assert first is not None  # an interval is made of something certain
        assert last is not None
        others.append((first, last))
    gaps, reached = [], fmpq(0)
    for first, last in sorted(others):
        if first > reached:
            gaps.append((reached, first))
        reached = max(reached, last)
    wide = [(low, high) for low, high in gaps if high == 1 or high - low > _NARROW]  # others vanish in six digits
    shown = sorted(sorted(wide, key=lambda gap: gap[0] - gap[1])[:_SHOWN])
    parts = [f"({_short(low, up=True)}, {'1' if high == 1 else _short(high, up=False)})" for low, high in shown]
    if len(gaps) > len(shown):
        parts.append(f"{len(gaps) - len(shown)} shorter stretches")
    return " and ".join(parts) or None


def is_wide(found: StableIntervals) -> bool:
    """Is something unknown that is worth going on for?"""
    ends = {(end.low, end.high) for pair in found.intervals for end in pair}
    return any(high - low > _NARROW for low, high in found.unknown if (low, high) not in ends)


def _certain_text(low: fmpq, high: fmpq) -> str:
    if high == 1:
        return f"beyond γ = {_short(low, up=False)}"
    if high - low > _NARROW:
        return f"from {_short(low, up=False)} to {_short(high, up=True)}"
    middle, reach = arb((low + high) / 2), arb(high - low)
    return f"within {significant(reach, 1)} of {significant(middle, 12)}"


def unbiased_text(chain: Threshold, end: EndText) -> str:
    """Where the chain is unbiased: ``γ < 5/6 ≈ 0.833333``."""
    if chain.exact is not None:
        return "every γ in [0, 1)" if chain.exact >= 1 else f"γ < {_near_one(chain) or end(chain)}"
    if chain.low is None or chain.low >= 1:
        return "every γ in [0, 1)"
    if chain.high is None or chain.high >= 1:
        known = f"every γ up to {_short(chain.low, up=False)} at least"
        return known if chain.low > 0 else "γ = 0; how far was not found"
    return f"γ < {end(chain)}"


def certified_part(chain: Threshold) -> tuple[list[tuple[fmpq, fmpq]], list[tuple[fmpq, fmpq]]]:
    """Where the chain is certainly unbiased, and where it is not known."""
    zero, one = fmpq(0), fmpq(1)
    low = one if chain.low is None else min(one, chain.low)
    high = one if chain.high is None else min(one, chain.high)
    return [(zero, low)], [(low, high)]


def bracket_text(end: Threshold) -> str:
    """The certain digits of an end that is known on both sides; both ends where they leave too few."""
    assert end.low is not None  # the caller has asked
    assert end.high is not None
    if end.high - end.low > fmpq(1, 10**5):
        return f"{_short(end.low, up=False)}…{_short(end.high, up=True)}"
    return end.text


def _near_one(end: Threshold) -> str | None:
    """``1 − 5.7e-24``, where digits of the number itself would show a 1."""
    if end.exact is None or not _NEAR < end.exact < 1:
        return None
    low, high = end.exact.interval(1 - _NEAR)
    while 10**6 * (high - low) > 1 - high:
        low, high = end.exact.interval((high - low) / 16)
    return f"1 − {significant(arb(1 - high).union(arb(1 - low)), 6)}"


def _is(end: Threshold, number: int) -> bool:
    return end.exact is not None and end.exact == number


def _short(x: fmpq | None, *, up: bool) -> str:
    """Six digits, rounded up or down, by the distance from 1 where that is shorter.

    >>> _short(fmpq(2, 3), up=False), _short(1 - fmpq(1, 3 * 10**9), up=False)
    ('0.666666', '1 − 3.4e-10')
    >>> _short(1 - fmpq(99999, 10**15), up=False)
    '1 − 1e-10'
    """
    assert x is not None  # the certain end
    rest, exponent = 1 - x, 0
    if not 0 < rest < fmpq(1, 10**5):
        scaled = x * 10**6
        return f"{int(scaled.ceil() if up else scaled.floor()) / 10**6:.6f}"
    while rest < 1:
        rest, exponent = 10 * rest, exponent + 1
    tenths = int((10 * rest).floor() if up else (10 * rest).ceil())
    if tenths == 100:
        tenths, exponent = 10, exponent - 1
    return f"1 − {tenths / 10:.3g}e-{exponent:02d}"


def end_text(end: Threshold) -> str:
    """A threshold as exact as fits into a line, with its decimals."""
    if end.exact is None:
        return bracket_text(end)
    text = str(end.exact)
    if end.exact.degree == 1 and (end.exact in (0, 1) or len(text) > 24):
        return text if end.exact in (0, 1) else f"{end.value:.12g}"
    return f"{text} ≈ {end.value:.6g}" if len(text) <= 40 else f"{end.value:.12g}"
