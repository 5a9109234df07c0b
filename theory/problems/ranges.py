r"""The intervals that a family's letters come from, and whether a polynomial has a zero in them.

*One letter*: Sturm's theorem counts the roots in the interval (SymPy). *Several*: each interval is mapped to (0, ∞), by
x = (a + bt)/(1 + t) from (a, b), by x = a ± t from a half-line. If all coefficients of the numerator in the new
letters have one sign, the polynomial has no zero inside (they are Bernstein's coefficients, up to positive factors);
the ends that belong to an interval are the same question with a letter less. Where coefficients of both signs remain,
an interval is halved; values of opposite signs at two points prove a zero between them. What remains after
`MOST_HALVINGS` is undecided.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theory.problems.errors import InvalidProblem
from theory.problems.numbers import parse_number

if TYPE_CHECKING:
    from theory.problems.expressions import Formula

MOST_HALVINGS = 6  # of the box of all letters: 64 boxes take about a second
SAMPLED = 60  # points at which signs are compared

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

    @property
    def closed_ends(self) -> list[Fraction]:
        """The ends that belong to it."""
        ends = ((self.low, self.closed_low), (self.high, self.closed_high))
        return [end for end, closed in ends if end is not None and closed]

    def halves(self, middle: Fraction) -> tuple[Range, Range]:
        """Below and above a number in it, which belongs to the first."""
        return (
            Range(self.low, middle, self.closed_low, closed_high=True),
            Range(middle, self.high, closed_high=self.closed_high),
        )

    def __str__(self) -> str:
        low, high = ("−∞" if self.low is None else self.low), ("∞" if self.high is None else self.high)
        return f"{'[' if self.closed_low else '('}{low}, {high}{']' if self.closed_high else ')'}"


DISCOUNTS = Range(Fraction(0), Fraction(1), closed_low=True)


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


def vanishes(formula: Formula, spans: Mapping[str, Range]) -> bool | None:
    """Is a formula zero for some values of its letters? True, False, or None where that is not decided.

    >>> from theory.problems.expressions import parse_formula
    >>> unit = Range(Fraction(0), Fraction(1))
    >>> [vanishes(parse_formula(text), {"p": unit, "x": Range()})
    ...  for text in ("1 - p", "x", "x^2 + 1", "p + (1 - p)*x^2", "x - p", "x*x - 2*x*p + p*p")]
    [False, True, False, False, True, None]
    """
    if formula.operation in ("*", "/", "^", "negative"):  # zero exactly where a part of it is
        parts = formula.parts if formula.operation == "*" else formula.parts[:1]
        return _any(vanishes(part, spans) for part in parts)
    import sympy

    letters = {name: sympy.Symbol(name) for name in formula.names}
    value = formula.value(letters, lambda x: sympy.Rational(x.numerator, x.denominator))
    return polynomial_vanishes(sympy.expand(sympy.fraction(sympy.together(value))[0]), spans)


def polynomial_vanishes(p: Any, spans: Mapping[str, Range]) -> bool | None:
    """The same of a SymPy polynomial in symbols of these names."""
    return _vanishes(p, {letter: spans[letter.name] for letter in p.free_symbols}, MOST_HALVINGS)


def _vanishes(p: Any, spans: dict[Any, Range], halvings: int) -> bool | None:
    import sympy

    used = sorted(p.free_symbols, key=str)
    if not used:
        return bool(p == 0)
    if len(used) == 1:
        return _has_root(sympy.Poly(p, *used), spans[used[0]])
    if _both_signs(sympy.Poly(p, *used), [spans[x] for x in used]):
        return True
    if _one_sign_inside(p, spans):
        return _any(_vanishes(p.subs(x, _rational(end)), spans, halvings) for x in used for end in spans[x].closed_ends)
    whole = next((x for x in used if spans[x] == Range()), None)
    if whole is None and halvings == 0:
        return None
    x = whole or used[halvings % len(used)]
    parts = spans[x].halves(Fraction(0) if whole else spans[x].inside)
    return _any(_vanishes(p, spans | {x: part}, halvings - (whole is None)) for part in parts)


def _any(found: Any) -> bool | None:
    """Is one of these answers yes? Undecided where it hangs on one that is."""
    answers = list(found)
    return True if True in answers else None if None in answers else False


def _has_root(poly: Any, span: Range) -> bool:
    """Has a polynomial in one letter a root in the interval?"""
    ends = [None if end is None else _rational(end) for end in (span.low, span.high)]
    open_ends = [end for end, closed in zip(ends, (span.closed_low, span.closed_high), strict=True) if not closed]
    outside = sum(poly.eval(end) == 0 for end in open_ends if end is not None)
    return bool(poly.count_roots(*ends) > outside)


def _both_signs(poly: Any, spans: list[Range]) -> bool:
    """Is it zero, or of opposite signs, at points of a fixed sample?"""
    import numpy as np

    shares = np.random.default_rng(0).integers(1, 64, (SAMPLED, len(spans))).tolist()
    points = []
    for i, row in enumerate(shares):  # near the finite end of a half-line, and far from it
        ends = [span.cut(Fraction(8 ** (i % 4))) for span in spans]
        points.append([low + (high - low) * Fraction(share, 64) for share, (low, high) in zip(row, ends, strict=True)])
    values = [poly.eval(tuple(map(_rational, point))) for point in points]
    return bool(min(values) <= 0 <= max(values))


def _one_sign_inside(p: Any, spans: dict[Any, Range]) -> bool:
    """Have the coefficients over (0, ∞)ⁿ one sign? (Never over a whole line.)"""
    import sympy

    mapped = {}
    for x in p.free_symbols:
        span = spans[x]
        if span.low is not None and span.high is not None:
            mapped[x] = (_rational(span.low) + _rational(span.high) * x) / (1 + x)
        elif span.low is not None:
            mapped[x] = _rational(span.low) + x
        elif span.high is not None:
            mapped[x] = _rational(span.high) - x
        else:
            return False
    numerator = sympy.fraction(sympy.together(p.subs(mapped, simultaneous=True)))[0]
    coefficients = sympy.Poly(numerator, *mapped).coeffs()
    return all(c > 0 for c in coefficients) or all(c < 0 for c in coefficients)


def _rational(x: Fraction) -> Any:
    import sympy

    return sympy.Rational(x.numerator, x.denominator)
