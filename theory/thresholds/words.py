"""Discounts in words. What is not known is not claimed: an interval whose end is unknown stops where proofs stop."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, fmpq

from theory.text.numbers import significant
from theory.thresholds.results import StableIntervals, Threshold

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
    parts = [_gap_text(low, high) for low, high in shown]
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


def _gap_text(low: fmpq, high: fmpq) -> str:
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
