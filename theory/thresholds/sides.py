r"""What is known of TD's side on all of [0, 1], and how the parts of a problem join.

A `Sides` lists stretches, ascending and apart, on each of which one matrix X − γY is surely stable or surely not. The
gaps between them are unknown, but for those that are one exact crossing. TD is stable where every block of the problem
is, and not where one block is not: so known stretches intersect where stable and unite where unstable, and an exact
crossing of one block stays where the others are stable around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from flint import fmpq

from theory.certified.answers import Answer
from theory.exact.algebraic import AlgebraicNumber, algebraic_rational
from theory.thresholds.results import Interval, StableIntervals, Threshold, exactly


@dataclass(frozen=True)
class Stretch:
    """All γ with low < γ < high, and 0 where it begins there, are on one side."""

    low: fmpq
    high: fmpq
    stable: bool


@dataclass(frozen=True)
class Sides:
    """Stretches, and the exact crossings in the gaps that hold one each."""

    stretches: tuple[Stretch, ...]
    crossings: dict[tuple[fmpq, fmpq], AlgebraicNumber] = field(default_factory=dict)  # by the gap (low, high)

    def __post_init__(self) -> None:
        if any(a.high > b.low for a, b in pairwise(self.stretches)):
            raise ValueError("stretches are sorted and apart")


def everywhere(stable: bool, last: fmpq) -> Sides:
    """One side on all of [0, last)."""
    return Sides((Stretch(fmpq(0), last, stable),))


def joined(parts: list[Sides]) -> Sides:
    """The sides of what is stable where every part is."""
    cuts = sorted({x for part in parts for s in part.stretches for x in (s.low, s.high)} | {fmpq(0), fmpq(1)})
    stretches: list[Stretch] = []
    for low, high in pairwise(cuts):
        states = {_state(part, low, high) for part in parts}
        if Answer.UNDECIDED in states and Answer.NO not in states:
            continue
        stable = Answer.NO not in states
        crossed = any((low, low) in part.crossings for part in parts)
        if stretches and stretches[-1].high == low and stretches[-1].stable == stable and not (crossed and stable):
            stretches[-1] = Stretch(stretches[-1].low, high, stable)
        else:
            stretches.append(Stretch(low, high, stable))
    gaps = {(a.high, b.low) for a, b in pairwise(stretches)}
    return Sides(tuple(stretches), {gap: x for part in parts for gap, x in part.crossings.items() if gap in gaps})


def _state(part: Sides, low: fmpq, high: fmpq) -> Answer:
    known = (Answer.of(s.stable) for s in part.stretches if s.low <= low and high <= s.high)
    return next(known, Answer.UNDECIDED)


def stable_intervals(sides: Sides, reason: str | None) -> StableIntervals:
    """The stable stretches as intervals, with what is certain about their ends.

    An end is exact, or a bracket between a stable and an unstable stretch; beside anything else it is not known.
    """
    found = sides.stretches
    gaps = [(fmpq(0), found[0].low)] if found else [(fmpq(0), fmpq(1))]
    gaps += [(a.high, b.low) for a, b in pairwise(found)]
    gaps += [(found[-1].high, fmpq(1))] if found else []
    intervals = []
    for i, stretch in enumerate(found):
        if not stretch.stable:
            continue
        falls = i > 0 and not found[i - 1].stable
        rises = i + 1 < len(found) and not found[i + 1].stable
        low = _end(sides, gaps[i], falls, fmpq(0), begins=True)
        high = _end(sides, gaps[i + 1], rises, fmpq(1), begins=False)
        intervals.append(Interval(low, high))
    unknown = tuple((low, high) for low, high in gaps if low < high and (low, high) not in sides.crossings)
    complete = not unknown and all(end.exact is not None for pair in intervals for end in pair)
    return StableIntervals(tuple(intervals), complete, reason, unknown)


def _end(sides: Sides, gap: tuple[fmpq, fmpq], opposite: bool, border: fmpq, *, begins: bool) -> Threshold:
    low, high = gap
    if low == high == border:
        return exactly(algebraic_rational(border))
    if gap in sides.crossings:
        return Threshold(sides.crossings[gap], low, high)
    if opposite:
        return Threshold(None, low, high, "between certified verdicts, stable on one side and not on the other")
    if begins:
        return Threshold(None, None, high, "nothing is known just below")
    return Threshold(None, low, None, "nothing is known just beyond")
