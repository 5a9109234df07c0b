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

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.algebraic import AlgebraicNumber, algebraic_rational, real_roots
from theory.exact.matrices import (
    block,
    columns,
    entry_length,
    fraction,
    independent_columns,
    matrix,
    rational,
    scaled_rows,
)
from theory.exact.polynomials import interpolate, short_points
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.thresholds.curves import Curve, inside, point_between, products

GENERIC = fmpq(99991, 1000003)  # a t where the rank is what it is almost everywhere
_PRIMES = (GENERIC, fmpq(-1000003, 99991), fmpq(31337, 271))


@dataclass(frozen=True, eq=False)
class Change:
    """At t = `at` the side changes: it is the old one on (`before`, at) and the new one on (at, `after`)."""

    at: AlgebraicNumber
    before: AlgebraicNumber  # the last place before at which it might have changed, or where the line begins
    after: AlgebraicNumber  # the next one, or where the line ends


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
            curve = _td(moments, gamma, rank)
        else:
            Phi = line.at(GENERIC)[0]
            order = [f for f in range(Phi.ncols()) if f != line.last] + [line.last]
            kept = sorted(order[j] for j in independent_columns(columns(Phi, order)))
            parts = [(block(X, kept), block(Y, kept)) for X, Y in moments]
            curve = _in_t([_determinant(X, gamma * Y) for X, Y in parts], len(kept))
        ends = [algebraic_rational(low), algebraic_rational(0), algebraic_rational(high)]
        found[name] = _changes(curve, name != "td", ends, side)
    return found


def line_work(problem: Problem) -> float:
    """About how many seconds `first_changes` takes on one line."""
    m = exact_model(problem)
    return 2e-3 + 4e-9 * m.rank**5 * entry_length(m.X_hat, m.Y_hat)  # measured for 1 to 16 features


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


def _changes(curve: Curve, disc: bool, ends: list[AlgebraicNumber], side: bool) -> list[Change]:
    low, zero, high = ends
    cuts = [*products(curve, disc), curve[-1]]
    never = any(p.is_zero() for p in cuts)
    places = [] if never else sorted({x for p in cuts if p.degree() > 0 for x in real_roots(p)})
    out = []
    for end in (low, high):
        way = [x for x in places if zero < x < high] if end is high else [x for x in places[::-1] if low < x < zero]
        stops = [zero, *way, end]
        if zero == end:
            continue
        for i, (a, b) in enumerate(pairwise(stops)):
            at = point_between(a, b) if end is high else point_between(b, a)
            if (not never and inside(curve, disc, at)) is not side:
                out.append(Change(a, stops[max(0, i - 1)], b))
                break
    return out


def _td(moments: list[tuple[fmpq_mat, fmpq_mat]], gamma: fmpq, rank: int) -> Curve:
    polynomials = [(X - gamma * Y).charpoly() for X, Y in moments]
    structural = moments[0][0].nrows() - rank
    return _in_t([p.right_shift(structural) for p in polynomials], rank)


def _in_t(polynomials: list[fmpq_poly], degree: int) -> list[fmpq_poly]:
    """The coefficients of λ⁰, …, λ^degree as polynomials in t, from those at t = 0, 1, −1."""
    points = (fmpq(0), fmpq(1), fmpq(-1))
    return [interpolate([(t, p[j]) for t, p in zip(points, polynomials, strict=True)]) for j in range(degree + 1)]


def _determinant(X: fmpq_mat, Y: fmpq_mat) -> fmpq_poly:
    """det(λX − Y), also where X is singular."""
    return interpolate([(g, (g * X - Y).det()) for g in islice(short_points(), X.nrows() + 1)])


def _moments(Phi: fmpq_mat, d: list[fmpq], P: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
    weighted = scaled_rows(d, Phi).transpose()
    return weighted * Phi, weighted * (P * Phi)
