r"""Where a line of problems crosses TD's boundary or the chain's, exactly, and all of it.

A line moves one number: an entry of Φ by t, or mass t from one state to another. Either moves X and Y in one row and
one column, or by a matrix of rank two, so every coefficient of det(λI − A(t)) and of det(λX(t) − γY(t)) is a
polynomial in t of degree at most two: three exact evaluations give it. The side changes only where an eigenvalue is
on the boundary,

    TD       at 0:  c(t) = 0,            or as a pair ±iω:       h(t) = Π_{i<j} (λ_i + λ_j) = 0
    chain    at ±1: det(±X − γY) = 0,    or as a pair e^{±iφ}:   the same h after λ = (1 + s)/(1 − s)

and h, a Hurwitz determinant of size m − 1, has degree at most 2(m − 1) in t. All real roots of these polynomials are
isolated; between neighbours one rational point decides, by an exact count of roots. So the first change of side on a
line is the first. Where one of the polynomials vanishes identically some eigenvalue is on the boundary, or beyond
it, all along.

Dependent features: zeros that every A(t) has from ker Φ(t) are divided out; of the chain's pencil the columns are
kept that are independent for almost all t. At the t where the rank drops, a verdict may differ from those around: a
single point is not a change of side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.algebraic import AlgebraicNumber, algebraic_rational, real_roots
from theory.exact.matrices import (
    columns,
    entry_length,
    fraction,
    independent_columns,
    matrix,
    rational,
    scaled_rows,
)
from theory.exact.polynomials import is_anti_hurwitz, moebius, spectral_radius_side
from theory.exact.rational_functions import interpolate, short_points
from theory.exact.reduced import reduced
from theory.problems import Problem
from theory.thresholds.crossings import pair_sums, point_between

GENERIC = fmpq(99991, 1000003)  # a t where the rank is what it is almost everywhere
_PRIMES = (GENERIC, fmpq(-1000003, 99991), fmpq(31337, 271))


@dataclass(frozen=True, eq=False)
class Change:
    """At t = `at` the side changes: it is the old one on (`before`, at) and the new one on (at, `after`)."""

    at: AlgebraicNumber
    before: AlgebraicNumber  # the last place before at which it might have changed, or where the line begins
    after: AlgebraicNumber  # the next one, or where the line ends


@dataclass(frozen=True, eq=False)
class _Boundary:
    """Polynomials in t that vanish where the side may change, and the side at one t."""

    cuts: list[fmpq_poly]
    holds: Callable[[fmpq], bool]


class FeatureLine:
    """Φ[s, f] + t."""

    def __init__(self, problem: Problem, state: int, feature: int) -> None:
        self._Phi, self._d, self._place = matrix(problem.given.Phi), matrix(problem.given.d_mu), (state, feature)
        self.last = feature

    def at(self, t: fmpq) -> tuple[fmpq_mat, list[fmpq]]:
        """Φ and d."""
        Phi = fmpq_mat(self._Phi)
        Phi[self._place] = Phi[self._place] + t
        return Phi, self._d.entries()


class MassLine:
    """d_i − t and d_j + t."""

    def __init__(self, problem: Problem, giver: int, taker: int) -> None:
        self._Phi, self._d, self._pair = matrix(problem.given.Phi), matrix(problem.given.d_mu), (giver, taker)
        self.last = problem.n_features - 1

    def at(self, t: fmpq) -> tuple[fmpq_mat, list[fmpq]]:
        """Φ and d."""
        d = self._d.entries()
        d[self._pair[0]] -= t
        d[self._pair[1]] += t
        return self._Phi, d


def first_changes(
    problem: Problem, line: FeatureLine | MassLine, low: Fraction, high: Fraction, holds: dict[str, bool]
) -> dict[str, list[Change]]:
    """For each boundary in `holds`, with the problem's own side, the first change on each side of t = 0, if any."""
    P, gamma = matrix(problem.given.P_pi), rational(Fraction(problem.given.gamma))
    rank = max(line.at(t)[0].rank() for t in _PRIMES)
    samples = [line.at(t) for t in (fmpq(0), fmpq(1), fmpq(-1))]
    moments = [_moments(Phi, d, P) for Phi, d in samples]
    found: dict[str, list[Change]] = {}
    for name, side in holds.items():
        if rank == 0:
            found[name] = []
            continue
        if name == "td":
            boundary = _td(moments, gamma, rank)
        else:
            Phi = line.at(GENERIC)[0]
            order = [f for f in range(Phi.ncols()) if f != line.last] + [line.last]
            kept = sorted(order[j] for j in independent_columns(columns(Phi, order)))
            boundary = _chain([(_part(X, kept), _part(Y, kept)) for X, Y in moments], gamma)
        ends = [algebraic_rational(low), algebraic_rational(0), algebraic_rational(high)]
        found[name] = _changes(boundary, ends, side)
    return found


def line_work(problem: Problem) -> float:
    """About how many seconds `first_changes` takes on one line."""
    m = reduced(problem)
    return 3e-3 + 6e-6 * m.rank**3 * entry_length(m.X, m.Y)


def beside(a: AlgebraicNumber, b: AlgebraicNumber, scale: Fraction, share: Fraction) -> tuple[Fraction, Fraction]:
    """An interval between two different numbers, close to the first: `share` of the scale away, or half the way."""
    width = rational(scale * share) / 1000
    while True:
        (a_low, a_high), (b_low, b_high) = a.interval(width), b.interval(width)
        gap = b_low - a_high if a_high < b_low else a_low - b_high
        if gap > 100 * width:
            break
        width /= 16
    reach = min(rational(scale * share), gap / 2)
    if a_high < b_low:
        return fraction(a_high + reach / 100), fraction(a_high + reach)
    return fraction(a_low - reach), fraction(a_low - reach / 100)


def _changes(boundary: _Boundary, ends: list[AlgebraicNumber], side: bool) -> list[Change]:
    low, zero, high = ends
    if any(p.is_zero() for p in boundary.cuts):  # then it never holds
        places: list[AlgebraicNumber] = []
        holds: Callable[[fmpq], bool] = lambda t: False  # noqa: E731
    else:
        places = sorted({x for p in boundary.cuts if p.degree() > 0 for x in real_roots(p)})
        holds = boundary.holds
    out = []
    for end in (low, high):
        way = [x for x in places if zero < x < high] if end is high else [x for x in places[::-1] if low < x < zero]
        stops = [zero, *way, end]
        if zero == end:
            continue
        for i, (a, b) in enumerate(pairwise(stops)):
            at = point_between(a, b) if end is high else point_between(b, a)
            if holds(at) is not side:
                out.append(Change(a, stops[max(0, i - 1)], b))
                break
    return out


def _td(moments: list[tuple[fmpq_mat, fmpq_mat]], gamma: fmpq, rank: int) -> _Boundary:
    polynomials = [(X - gamma * Y).charpoly() for X, Y in moments]
    structural = moments[0][0].nrows() - rank
    q = _in_t([p.right_shift(structural) for p in polynomials], rank)
    return _Boundary([q[0], _pairs(q)], lambda t: is_anti_hurwitz(fmpq_poly([c(t) for c in q])))


def _chain(moments: list[tuple[fmpq_mat, fmpq_mat]], gamma: fmpq) -> _Boundary:
    n = moments[0][0].nrows()
    polynomials = [_determinant(X, gamma * Y) for X, Y in moments]
    q = _in_t(polynomials, n)
    mapped = _in_t([_padded_moebius(p, n) for p in polynomials], n)
    ends = [sum((c * s**j for j, c in enumerate(q)), fmpq_poly([0])) for s in (1, -1)]
    return _Boundary(
        [*ends, q[n], _pairs(mapped)], lambda t: spectral_radius_side(fmpq_poly([c(t) for c in q])) < 0
    )  # fmt: skip


def _in_t(polynomials: list[fmpq_poly], degree: int) -> list[fmpq_poly]:
    """The coefficients of λ⁰, …, λ^degree as polynomials in t, from those at t = 0, 1, −1."""
    points = (fmpq(0), fmpq(1), fmpq(-1))
    return [interpolate([(t, p[j]) for t, p in zip(points, polynomials, strict=True)]) for j in range(degree + 1)]


def _pairs(q: list[fmpq_poly]) -> fmpq_poly:
    """The Hurwitz determinant of size m − 1, as a polynomial in t."""
    m = len(q) - 1
    if m < 2:
        return fmpq_poly([1])
    return interpolate([(t, pair_sums([c(t) for c in q])) for t in islice(short_points(), 2 * (m - 1) + 1)])


def _determinant(X: fmpq_mat, Y: fmpq_mat) -> fmpq_poly:
    """det(λX − Y), also where X is singular."""
    return interpolate([(g, (g * X - Y).det()) for g in islice(short_points(), X.nrows() + 1)])


def _padded_moebius(p: fmpq_poly, n: int) -> fmpq_poly:
    """(1 − s)ⁿ p((1 + s)/(1 − s)), of a polynomial of degree n or less."""
    missing = n - int(p.degree())
    return fmpq_poly([0]) if p.is_zero() else moebius(p) * fmpq_poly([1, -1]) ** missing


def _moments(Phi: fmpq_mat, d: list[fmpq], P: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
    weighted = scaled_rows(d, Phi).transpose()
    return weighted * Phi, weighted * (P * Phi)


def _part(m: fmpq_mat, kept: list[int]) -> fmpq_mat:
    rows = m.tolist()
    return fmpq_mat([[rows[i][j] for j in kept] for i in kept])
