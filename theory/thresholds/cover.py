r"""The range of a parameter covered by pieces on which a method is proved to converge, or proved not to.

`cover` walks from 0 to the end. Every `Piece` (`theory.thresholds.inequalities`) reaches to where its matrix proves
nothing more, and forecasts the next crossing by a Newton step; the next proof is tried close before that, so that few
are needed even near a crossing. A crossing nearer than `width` is jumped over. Gaps between neighbours are then closed
as far as the budget allows: between equal ones by a proof in the middle, between a stable and an unstable one by
proofs on both sides of the forecast, until they are no more than `width` apart.

What stays uncovered is unknown, and nothing is claimed about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from flint import fmpq

from theory.exact.matrices import fraction

Kind = Literal["mean", "iteration", "direct"]  # all Re λ > 0, all |λ| < 1, det ≠ 0
Progress = Callable[[float], None]

_TRIES = 12  # jumps over one place, each longer than the last, before the rest is given up
_FILLS = 8  # proofs spent in vain on one gap
_MOST = 400  # proofs for one pair of matrices
_BOLD = fmpq(7, 8)  # how far ahead, of the way to the forecast crossing, the next proof is tried


@dataclass(frozen=True)
class Piece:
    """On all of [low, high] so many eigenvalues are on the wrong side of the border, and none on it."""

    low: fmpq
    high: fmpq
    wrong: int
    ahead: float  # where the next crossing seems to be, in doubles, or infinite
    behind: float  # and the last one

    @property
    def stable(self) -> bool:
        """Are all on the right side?"""
        return self.wrong == 0


class Proves(Protocol):
    """What proves pieces: `theory.thresholds.inequalities.Prover`."""

    cost: float
    proofs: int

    @property
    def last(self) -> fmpq:
        """Where the range ends."""

    @property
    def price(self) -> float:
        """About how many seconds the next proof takes."""

    def around(self, gamma: fmpq, /) -> Piece | None:
        """A piece around this value."""


def cover(prover: Proves, width: fmpq, budget: float, progress: Progress | None = None) -> list[Piece]:
    """Pieces in ascending order, neighbours joined where they touch; `budget` in seconds, about, by the work done."""
    pieces = _walk(prover, width, 0.8 * budget, progress)
    at, vain = 0, 0
    while at + 1 < len(pieces) and prover.cost + prover.price <= budget and prover.proofs < _MOST:
        below, above = pieces[at], pieces[at + 1]
        if vain >= _FILLS or (below.wrong != above.wrong and above.low - below.high <= width):
            at, vain = at + 1, 0
            continue
        found = prover.around(short(_between(below, above, width, vain)))
        if found is None:
            vain += 1
            continue
        gap = above.low - below.high
        insert(pieces, found)
        left = pieces[at + 1].low - pieces[at].high if at + 1 < len(pieces) else fmpq(0)
        vain = 0 if left < gap * fmpq(3, 4) else vain + 1
    return pieces


def insert(pieces: list[Piece], new: Piece) -> None:
    """Into its place, joined with all that it touches: they count the same eigenvalues."""
    touching = [p for p in pieces if p.low <= new.high and new.low <= p.high]
    for piece in touching:
        if piece.wrong != new.wrong:
            raise ArithmeticError(f"two proofs contradict each other near {float(fraction(new.low))!r}")
        pieces.remove(piece)
        first, last = min(piece, new, key=lambda p: p.low), max(piece, new, key=lambda p: p.high)
        new = Piece(first.low, last.high, new.wrong, last.ahead, first.behind)
    pieces.append(new)
    pieces.sort(key=lambda p: p.low)


def short(x: fmpq) -> fmpq:
    """Not above x, with a denominator of 2⁸⁰: far finer than brackets are, and it does not grow."""
    return fmpq((x * 2**80).floor(), 2**80)


def _walk(prover: Proves, width: fmpq, budget: float, progress: Progress | None) -> list[Piece]:
    pieces: list[Piece] = []
    reached, jump, tries, bold, length = fmpq(0), fmpq(0), 0, _BOLD, fmpq(1)
    most = 0.8 * _MOST
    while reached < prover.last and prover.cost + prover.price <= budget and tries < _TRIES and prover.proofs < most:
        at = min(prover.last, short(reached + (jump or min(_step(pieces, reached, width), 2 * length) * bold)))
        found = prover.around(at)
        if found is None or (found.high - reached < width / 4 and found.high < prover.last):
            if at > reached and not jump and bold:
                bold = fmpq(0)  # nearer first
            else:
                jump, tries = max(4 * jump, width / 2), tries + 1
            continue
        bold = _BOLD if found.low <= reached else bold / 4
        insert(pieces, found)
        length = found.high - max(at, found.low)
        reached, jump, tries = pieces[-1].high, fmpq(0), 0
        if progress is not None:
            progress(min(1.0, float(fraction(reached))))
    return pieces


def _step(pieces: list[Piece], reached: fmpq, width: fmpq) -> fmpq:
    """To the forecast crossing; beyond it where it is within the width, and not at all without a forecast."""
    if not pieces or not pieces[-1].ahead < 1.5:
        return fmpq(0)
    ahead = fmpq(*pieces[-1].ahead.as_integer_ratio()) - reached
    return max(width / 2, ahead)


def _between(below: Piece, above: Piece, width: fmpq, tries: int) -> fmpq:
    """Where to try next in a gap."""
    low, high = below.high, above.low
    middle = (low + high) / 2
    if below.stable == above.stable or tries % 4 == 3:
        return low + (high - low) * fmpq(1 + tries % 3, 4) if tries else middle
    # A forecast is right to second order: try on both sides of it, well within the width.
    forecasts = [fmpq(*x.as_integer_ratio()) for x in (below.ahead, above.behind) if 0 < x < 1]
    at = [x + side * width / 3 for x in forecasts for side in (-1, 1)]
    inside = [x for x in at if low < x < high]
    return inside[tries % len(inside)] if inside else middle
