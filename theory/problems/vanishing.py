r"""Can a formula be zero somewhere in the ranges of its letters? Decided exactly, or said to be undecided.

*One letter*: Sturm's theorem counts the roots in the interval (SymPy). *Several*: over a box [0, 1]ⁿ a polynomial

    p(x) = Σ_i b_i Π_j C(n_j, i_j) x_j^{i_j} (1 − x_j)^{n_j − i_j}

with Bernstein's coefficients b_i ≥ 0, not all zero, is positive inside (all terms are ≥ 0, one is not); so on each face
that belongs to the box, by the same test of p there. Where coefficients of both signs remain, the box is halved;
opposite signs at two points prove a zero between them. Infinite ends come to [0, 1] by x = ±t/(1 − t), times (1 − t)^n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod
from typing import Any

from theory.problems.expressions import Formula
from theory.problems.ranges import Range

MOST_BOXES, MOST_COEFFICIENTS = 600, 600
Terms = dict[tuple[int, ...], Fraction]  # powers of the letters -> coefficient


def vanishes(formula: Formula, spans: Mapping[str, Range]) -> bool | None:
    """True: it has a zero there; False: it has none; None: not decided.

    >>> from theory.problems.expressions import parse_formula
    >>> unit = Range(Fraction(0), Fraction(1))
    >>> [vanishes(parse_formula(text), {"p": unit, "x": Range()})
    ...  for text in ("1 - p", "x", "x^2 + 1", "p + (1 - p)*x^2", "x - p", "x*x - 2*x*p + p*p")]
    [False, True, False, False, True, None]
    """
    if formula.operation in ("*", "/", "^", "negative"):  # zero exactly where a part of it is
        parts = formula.parts if formula.operation == "*" else formula.parts[:1]
        found = [vanishes(part, spans) for part in parts]
        return True if True in found else None if None in found else False
    import sympy

    letters = {name: sympy.Symbol(name) for name in formula.names}
    value = formula.value(letters, lambda x: sympy.Rational(x.numerator, x.denominator))
    above = sympy.expand(sympy.fraction(sympy.together(value))[0])
    return polynomial_vanishes(above, spans)


def polynomial_vanishes(p: Any, spans: Mapping[str, Range]) -> bool | None:
    """The same of a SymPy polynomial in symbols of these names."""
    import sympy

    used = sorted(p.free_symbols, key=str)
    if not used:
        return bool(p == 0)
    poly, ranges = sympy.Poly(p, *used), [spans[letter.name] for letter in used]
    if len(used) == 1:
        return _has_root(poly, ranges[0])
    if _both_signs(poly, ranges):
        return True
    return _in_box({powers: Fraction(int(c.p), int(c.q)) for powers, c in poly.terms()}, ranges)


def _both_signs(poly: Any, spans: list[Range]) -> bool:
    """Opposite signs at two points of a fixed sample: found in floats, confirmed exactly."""
    import numpy as np
    import sympy

    rng = np.random.default_rng(0)
    ends = [span.cut(Fraction(8)) for span in spans]
    sample = [[low + (high - low) * Fraction(int(i), 64) for i in rng.integers(1, 64, 200)] for low, high in ends]
    values = np.broadcast_to(
        sympy.lambdify(poly.gens, poly.as_expr(), "numpy")(*(np.array([float(x) for x in row]) for row in sample)), 200
    )
    found = []
    for i in (int(np.argmin(values)), int(np.argmax(values))):
        at = [sympy.Rational(row[i].numerator, row[i].denominator) for row in sample]
        found.append(poly.eval(tuple(at)))
    return bool(found[0] <= 0 <= found[1])


def _has_root(poly: Any, span: Range) -> bool:
    """A root of a polynomial in one letter in the interval."""
    import sympy

    ends = [None if x is None else sympy.Rational(x.numerator, x.denominator) for x in (span.low, span.high)]
    open_ends = [e for e, closed in zip(ends, (span.closed_low, span.closed_high), strict=True) if not closed]
    outside = sum(poly.eval(end) == 0 for end in open_ends if end is not None)
    return bool(poly.count_roots(*ends) > outside)


# Several letters


@dataclass(frozen=True)
class _Box:
    """Bernstein coefficients over [0, 1]ⁿ, and which faces (letter, end) belong to it."""

    shape: tuple[int, ...]  # degree + 1 in each letter
    b: tuple[Fraction, ...]
    faces: frozenset[tuple[int, int]]


def _in_box(terms: Terms, spans: list[Range]) -> bool | None:
    coefficients = prod(max(powers[i] for powers in terms) + 1 for i in range(len(spans)))
    if coefficients > MOST_COEFFICIENTS:
        return None
    waiting = _unit_boxes(terms, spans)
    signs: set[bool] = set()
    for _ in range(min(MOST_BOXES, MOST_BOXES * 30 // coefficients)):
        if not waiting:
            return False
        box = waiting.pop(0)
        if not any(box.b):
            return True
        inside = _value_at_centre(box)
        if inside == 0:
            return True
        signs.add(inside > 0)
        if len(signs) == 2:  # the box of all letters is connected
            return True
        if all(x >= 0 for x in box.b) or all(x <= 0 for x in box.b):
            waiting += [face for axis, end in sorted(box.faces) if (face := _face(box, axis, end)) is not None]
        else:
            waiting += _halves(box)
    return None


def _unit_boxes(terms: Terms, spans: list[Range]) -> list[_Box]:
    """The box of all letters as unit boxes: an infinite line in two halves."""
    pieces: list[list[tuple[Any, frozenset[int]]]] = []
    for span in spans:
        if span.low is not None and span.high is not None:
            ends = frozenset(e for e, closed in enumerate((span.closed_low, span.closed_high)) if closed)
            pieces.append([((span.low, span.high - span.low, False), ends)])
        elif span.low is not None:
            pieces.append([((span.low, Fraction(1), True), frozenset({0} if span.closed_low else ()))])
        elif span.high is not None:
            pieces.append([((span.high, Fraction(-1), True), frozenset({0} if span.closed_high else ()))])
        else:  # zero belongs to the first half
            whole = Fraction(0), Fraction(1)
            pieces.append([((*whole, True), frozenset({0})), ((whole[0], -whole[1], True), frozenset())])
    boxes = []
    for choice in product(*pieces):
        moved, faces = terms, set()
        for axis, ((origin, scale, infinite), ends) in enumerate(choice):
            moved = _moved(moved, axis, origin, scale, infinite)
            faces |= {(axis, end) for end in ends}
        boxes.append(_bernstein(moved, len(spans), frozenset(faces)))
    return boxes


def _moved(terms: Terms, axis: int, origin: Fraction, scale: Fraction, infinite: bool) -> Terms:
    """x = origin + scale·t, or origin + scale·t/(1 − t) times (1 − t)^n, on one axis."""
    n = max(powers[axis] for powers in terms)
    out: Terms = {}
    for powers, c in terms.items():
        m = powers[axis]
        for j in range(m + 1):  # (origin + scale·s)^m
            weight = c * comb(m, j) * origin ** (m - j) * scale**j
            rest = n - j if infinite else 0  # s^j = t^j (1 − t)^{n−j} / (1 − t)^n
            for i in range(rest + 1):
                key = (*powers[:axis], j + i, *powers[axis + 1 :])
                out[key] = out.get(key, Fraction(0)) + weight * comb(rest, i) * (-1) ** i
    return {key: c for key, c in out.items() if c} or {tuple(0 for _ in next(iter(terms))): Fraction(0)}


def _bernstein(terms: Terms, axes: int, faces: frozenset[tuple[int, int]]) -> _Box:
    degrees = tuple(max(powers[a] for powers in terms) for a in range(axes))
    shape = tuple(n + 1 for n in degrees)
    b = []
    for index in product(*map(range, shape)):
        total = Fraction(0)
        for powers, c in terms.items():
            weight = c
            for i, j, n in zip(index, powers, degrees, strict=True):
                weight *= Fraction(comb(i, j), comb(n, j))
            total += weight
        b.append(total)
    return _Box(shape, tuple(b), faces)


def _lines(box: _Box, axis: int) -> list[list[int]]:
    """The places of coefficients along an axis."""
    stride = 1
    for size in box.shape[axis + 1 :]:
        stride *= size
    size = box.shape[axis]
    return [[start + k * stride for k in range(size)] for start in range(len(box.b)) if (start // stride) % size == 0]


def _halves(box: _Box) -> list[_Box]:
    """Cut across the axis along which the coefficients differ most; the cut belongs to the first half."""

    def varies(axis: int) -> Fraction:
        return max(abs(box.b[i] - box.b[j]) for line in _lines(box, axis) for i, j in [(line[0], k) for k in line])

    axis = max(range(len(box.shape)), key=varies)
    low, high = list(box.b), list(box.b)
    for line in _lines(box, axis):
        values = [box.b[i] for i in line]
        for k in range(len(line)):  # de Casteljau
            low[line[k]] = values[0]
            high[line[-1 - k]] = values[-1]
            values = [(x + y) / 2 for x, y in pairwise(values)]
    first = frozenset({(axis, 1), *(f for f in box.faces if f != (axis, 1))})
    second = frozenset(f for f in box.faces if f != (axis, 0))
    return [_Box(box.shape, tuple(low), first), _Box(box.shape, tuple(high), second)]


def _face(box: _Box, axis: int, end: int) -> _Box | None:
    """The polynomial on a face, as a box of one axis less; None where that is a single point that is not zero."""
    b = tuple(box.b[line[-end]] for line in _lines(box, axis))
    shape = (*box.shape[:axis], *box.shape[axis + 1 :])
    faces = frozenset((a - (a > axis), e) for a, e in box.faces if a != axis)
    return None if not shape and b[0] else _Box(shape, b, faces)


def _value_at_centre(box: _Box) -> Fraction:
    b = list(box.b)
    total = Fraction(0)
    for index, c in zip(product(*map(range, box.shape)), b, strict=True):
        weight = c
        for i, size in zip(index, box.shape, strict=True):
            weight *= Fraction(comb(size - 1, i), 2 ** (size - 1))
        total += weight
    return total
