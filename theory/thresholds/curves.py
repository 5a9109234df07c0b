r"""For which values of one parameter do the eigenvalues of a matrix stay on the right side? Exactly.

Let det(zI − M(p)), times a number that is nowhere zero, have coefficients that are polynomials in p: a *curve*. Its
roots z leave the right half plane, or the unit disc, only through the border, where one of these vanishes:

    half plane   Π z_i  and  Π_{i<j} (z_i + z_j)
    disc         Π (1 − z_i),  Π (1 + z_i)  and  Π_{i<j} (1 − z_i z_j)

The product over pairs is, up to sign, the last but one Hurwitz determinant (Orlando's formula); the disc is the left
half plane of s, z = (1 + s)/(1 − s), and the last product is up to a factor that of s_i + s_j. Its values at enough
points give it by interpolation; its real roots cut the range of p into gaps, and one rational point in each decides.
At a root between two stable gaps two roots touch the border and turn back: it belongs to neither. A product that
vanishes for every p means a root on the border, or one on each side of it, for every p: nowhere stable.

Factors of the curve over ℚ[p] have products of their own, far shorter ones: an eigenvalue on the border and its
conjugate are roots of the same one. They are looked for only where they show at one rational p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, pairwise

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.budgets import CROSSINGS, FACTORED, ISOLATED
from theory.exact.algebraic import (
    AlgebraicNumber,
    algebraic_rational,
    real_roots,
    simplest_between,
    unit_roots,
)
from theory.exact.polynomials import interpolate, irreducible_factors, is_anti_hurwitz, is_schur, moebius, short_points
from theory.thresholds.results import Span, StableSet

GENERIC = fmpq(37, 89)  # a p at which factors show; that more of them show there costs only time
SHARP = fmpq(1, 10**15)  # how closely irrational crossings are isolated

Curve = list[fmpq_poly]  # the coefficients of z⁰, z¹, …, as polynomials in p


def affine_curve(M0: fmpq_mat, M1: fmpq_mat) -> Curve:
    """det(zI − M₀ − pM₁): the coefficient of z^{n−j} is a polynomial of degree j in p."""
    n = M0.nrows()
    samples = [(p, (M0 + p * M1).charpoly()) for p in islice(short_points(), n + 1)]
    return [interpolate([(p, c[j]) for p, c in samples[: n - j + 1]]) for j in range(n + 1)]


def stable_values(
    curves: Sequence[Curve],
    disc: bool,
    low: fmpq,
    high: fmpq | None,
    low_open: bool = False,
    high_open: bool = False,
    longest: float = CROSSINGS,
) -> StableSet | None:
    """The p from `low` to `high` (None: without end) at which all roots are on the right side; None: too long.

    >>> z_is = [fmpq_poly([1, -2]), fmpq_poly([1])]  # z = 2p − 1
    >>> print(stable_values([z_is], False, fmpq(0), fmpq(1)))
    (1/2, 1]
    """
    factors = [f for curve in curves for f, _ in split(curve) if len(f) > 1]  # others are nowhere zero
    if sum(curve_work(f, disc) for f in factors) > longest:
        return None
    found = [products(f, disc) for f in factors]
    if any(p.is_zero() for ps in found for p in ps):
        return StableSet(())
    borders = [p for ps in found for p in ps]
    if not _affordable(borders, low, high):
        return None
    return _spans(
        borders,
        lambda p: all(inside(f, disc, p) for f in factors),
        low,
        high,
        low_open,
        high_open,
    )


def nonsingular_values(
    determinant: fmpq_poly, low: fmpq, high: fmpq | None, low_open: bool = False, high_open: bool = False
) -> StableSet | None:
    """The p at which a determinant is not zero; None: too long."""
    if determinant.is_zero():
        return StableSet(())
    if not _affordable([determinant], low, high):
        return None
    return _spans([determinant], lambda p: determinant(p) != 0, low, high, low_open, high_open)


def _affordable(borders: list[fmpq_poly], low: fmpq, high: fmpq | None) -> bool:
    """Are their roots found in a short time? Those within (0, 1) are."""
    if low == 0 and high == 1:
        return True
    return all(p.degree() <= 1 or p.degree() * p.numer().height_bits() <= ISOLATED for p in borders)


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
    isolate = unit_roots if low == 0 and high == 1 else real_roots  # roots elsewhere cost nothing then
    inner = {x for p in borders for x in isolate(p) if x > low and (end is None or x < end)}
    cuts = [algebraic_rational(low), *sorted(inner)]
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


def inside(curve: Curve, disc: bool, p: fmpq) -> bool:
    """Are all roots at this p on the right side?"""
    at = fmpq_poly([c(p) for c in curve])
    return is_schur(at) if disc else is_anti_hurwitz(at)


def products(curve: Curve, disc: bool) -> list[fmpq_poly]:
    """The polynomials in p one of which vanishes where a root is on the border."""
    zero, pairs = fmpq_poly([0]), [_pair_product(curve, disc)] if len(curve) > 2 else []
    if not disc:
        return [curve[0], *pairs]
    return [sum(curve, zero), sum((c * (-1) ** j for j, c in enumerate(curve)), zero), *pairs]


def curve_work(curve: Curve, disc: bool) -> float:
    """What interpolating the last product and isolating its roots costs: degree³ times the bits of its values."""
    m = len(curve) - 1
    bits = max((int(p.numer().height_bits()) + int(p.denom().bit_length()) for p in curve), default=0)
    return float(_pair_degree(curve, disc) + 1) ** 3 * m * bits


def split(curve: Curve) -> list[tuple[Curve, int]]:
    """The different irreducible factors over ℚ[p], those that are found cheaply, and how often each divides it."""
    at = fmpq_poly([c(GENERIC) for c in curve]).numer()
    if len(curve) <= 2 or at.degree() * at.height_bits() > FACTORED:
        return [(curve, 1)]
    parts = at.factor()[1]
    return [(curve, 1)] if len(parts) == 1 and parts[0][1] == 1 else irreducible_factors(curve)


def _pair_product(curve: Curve, disc: bool) -> fmpq_poly:
    values = []
    for p in islice(short_points(), _pair_degree(curve, disc) + 1):
        at, m = [c(p) for c in curve], len(curve) - 1
        turned = moebius(fmpq_poly(at), m)
        values.append((p, pair_sums([turned[j] for j in range(m + 1)] if disc else at)))
    return interpolate(values)


def _pair_degree(curve: Curve, disc: bool) -> int:
    """At most the degree of the determinant: its m − 1 rows; or, as every term's indices add up to m(m − 1)/2, less."""
    m, degrees = len(curve) - 1, [c.degree() for c in reversed(curve)]
    most = (m - 1) * max(degrees)
    if disc or degrees[0] > 0:
        return most
    slope = max((-(-d // k) for k, d in enumerate(degrees) if k), default=0)
    return min(most, slope * m * (m - 1) // 2)


def pair_sums(coefficients: list[fmpq]) -> fmpq:
    """Π_{i<j} (λ_i + λ_j) of a monic polynomial's roots: the Hurwitz determinant Δ_{n−1} of the mirrored one.

    >>> pair_sums([fmpq(c) for c in (-6, 11, -6, 1)])  # roots 1, 2, 3: 3·4·5
    60
    """
    n = len(coefficients) - 1
    if n < 2:
        return fmpq(1)
    # p(−s)·(−1)ⁿ = sⁿ + a_1 sⁿ⁻¹ + …: a_j = e_j(λ), the roots' elementary symmetric functions.
    a = [coefficients[n - j] * (-1) ** j for j in range(n + 1)]
    hurwitz = [[a[2 * i - j + 1] if 0 <= 2 * i - j + 1 <= n else 0 for j in range(n - 1)] for i in range(n - 1)]
    return fmpq_mat(hurwitz).det()


def point_between(low: AlgebraicNumber, high: AlgebraicNumber) -> fmpq:
    """A short rational strictly between two different algebraic numbers."""
    width = fmpq(1, 16)
    while True:
        a, b = low.interval(width)[1], high.interval(width)[0]
        if a < b:
            third = (b - a) / 3
            return simplest_between(a + third, b - third)
        width *= width


def apart(x: AlgebraicNumber, numbers: list[AlgebraicNumber]) -> fmpq:
    """A width at which the isolating intervals of these numbers do not meet."""
    width, i = SHARP, numbers.index(x)
    for y in numbers[max(0, i - 1) : i + 2]:
        while y is not x and not (_below(x, y, width) or _below(y, x, width)):
            width *= width
    return width


def _below(x: AlgebraicNumber, y: AlgebraicNumber, width: fmpq) -> bool:
    return x.interval(width)[1] < y.interval(width)[0]
