r"""For which values of one parameter do the eigenvalues of a matrix stay on the right side? Exactly.

Let det(zI − M(p)), times a number that is nowhere zero, have coefficients that are polynomials in p. Its roots z leave
the right half plane, or the unit disc, only through the border, where one of these vanishes:

    half plane   Π z_i  and  Π_{i<j} (z_i + z_j)
    disc         Π (1 − z_i),  Π (1 + z_i)  and  Π_{i<j} (1 − z_i z_j)

The disc is the left half plane of s, z = (1 + s)/(1 − s), and the last product is up to a factor that of s_i + s_j, a
Hurwitz determinant (`theory.thresholds.crossings`). Its values at enough points give it by interpolation; its real
roots cut the range of p into gaps, and one rational point in each decides. At a root between two stable gaps two
roots touch the border and turn back: it belongs to neither. A product that vanishes for every p means a root on
the border, or one on each side of it, for every p: nowhere stable.

Factors of the polynomial over ℚ[p] have products of their own, far shorter ones.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from flint import fmpq, fmpq_poly

from theory.exact.algebraic import MAX_FACTORED, algebraic_rational, real_roots
from theory.exact.polynomials import is_anti_hurwitz, is_schur
from theory.exact.rational_functions import interpolate
from theory.exact.two_variables import irreducible_factors
from theory.thresholds.crossings import Factor, pair_sums, point_between
from theory.thresholds.spans import Span, StableSet

MAX_WORK = 30_000_000_000  # of all factors, by `curve_work`: half a second, about
GENERIC = fmpq(37, 89)  # a p at which factors show; that more of them show there costs only time


def stable_values(
    curve: Factor, disc: bool, low: fmpq, high: fmpq | None, low_open: bool = False, high_open: bool = False
) -> StableSet | None:
    """The p from `low` to `high` (None: without end) at which all roots are on the right side; None: too long.

    >>> z_is = [fmpq_poly([1, -2]), fmpq_poly([1])]  # z = 2p − 1
    >>> print(stable_values(z_is, False, fmpq(0), fmpq(1)))
    (1/2, 1]
    """
    factors = split(curve)
    if sum(map(curve_work, factors)) > MAX_WORK:
        return None
    found = [products(f, disc) for f in factors]
    if any(p.is_zero() for ps in found for p in ps):
        return StableSet(())

    def stable(p: fmpq) -> bool:
        at = [fmpq_poly([c(p) for c in f]) for f in factors]
        return all(is_schur(f) if disc else is_anti_hurwitz(f) for f in at)

    return _spans([p for ps in found for p in ps], stable, low, high, low_open, high_open)


def nonsingular_values(
    determinant: fmpq_poly, low: fmpq, high: fmpq | None, low_open: bool = False, high_open: bool = False
) -> StableSet:
    """The p at which a determinant is not zero."""
    if determinant.is_zero():
        return StableSet(())
    return _spans([determinant], lambda p: bool(determinant(p) != 0), low, high, low_open, high_open)


def _spans(
    borders: list[fmpq_poly],
    stable: Callable[[fmpq], bool],
    low: fmpq,
    high: fmpq | None,
    low_open: bool,
    high_open: bool,
) -> StableSet:
    """The gaps between the roots of the borders in which one point is stable."""
    end = None if high is None else algebraic_rational(high)
    inside = {x for p in borders for x in real_roots(p) if x > low and (end is None or x < end)}
    cuts = [algebraic_rational(low), *sorted(inside)]
    points = [point_between(a, b) for a, b in pairwise([*cuts, *([] if end is None else [end])])]
    if end is None:
        points.append(cuts[-1].interval(fmpq(1))[1] + 1)
    spans = []
    for i, p in enumerate(points):
        if stable(p):
            last = i + 1 == len(points)
            begins = i == 0 and not low_open and stable(low)
            ends = last and high is not None and not high_open and stable(high)
            spans.append(Span(cuts[i], end if last else cuts[i + 1], begins, ends))
    return StableSet(tuple(spans), Span(cuts[0], end, not low_open, high is not None and not high_open))


def products(factor: Factor, disc: bool) -> list[fmpq_poly]:
    """The polynomials in p one of which vanishes where a root is on the border."""
    one, m = fmpq_poly([0]), len(factor) - 1
    if not disc:
        return [factor[0], _pair_product(factor, disc)] if m > 1 else [factor[0]]
    at_one = sum(factor, one)
    at_minus_one = sum((c * (-1) ** j for j, c in enumerate(factor)), one)
    return [at_one, at_minus_one, _pair_product(factor, disc)] if m > 1 else [at_one, at_minus_one]


def curve_work(factor: Factor) -> float:
    """What interpolating the last product and isolating its roots costs: degree³ times the bits of its values."""
    m, degree = len(factor) - 1, _degree(factor)
    bits = max((int(p.numer().height_bits()) + int(p.denom().bit_length()) for p in factor), default=0)
    return float((m - 1) * degree + 1) ** 3 * m * bits


def split(curve: Factor) -> list[Factor]:
    """The different irreducible factors over ℚ[p] that depend on z; looked for only where they show at one p."""
    at = fmpq_poly([c(GENERIC) for c in curve]).numer()
    if len(curve) <= 2 or int(at.degree()) * int(at.height_bits()) > MAX_FACTORED:
        return [curve]
    parts = at.factor()[1]
    if len(parts) == 1 and parts[0][1] == 1:
        return [curve]
    return [factor for factor, _ in irreducible_factors(curve) if len(factor) > 1]  # others are nowhere zero


def _pair_product(factor: Factor, disc: bool) -> fmpq_poly:
    m, degree = len(factor) - 1, _degree(factor)
    values = []
    for p in (fmpq(j) for j in range((m - 1) * degree + 1)):
        at = [c(p) for c in factor]
        if disc:
            at = moebius_coefficients(at)
        values.append((p, pair_sums(at)))
    return interpolate(values)


def moebius_coefficients(at: list[fmpq]) -> list[fmpq]:
    """(1 − s)ᵐ f((1 + s)/(1 − s)), with its leading zeros."""
    m = len(at) - 1
    shifted = fmpq_poly(at)(fmpq_poly([-1, 2]))
    turned = fmpq_poly([shifted[m - j] for j in range(m + 1)])(fmpq_poly([1, -1]))
    return [turned[j] for j in range(m + 1)]


def _degree(factor: Factor) -> int:
    return max(int(c.degree()) for c in factor)
