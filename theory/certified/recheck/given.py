"""The moments of a problem in a document, on the leftmost independent features, and what they presuppose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from theory.certified.recheck.integers import Matrix, matrix, number, row_space, times, transposed, unit, weighted

ROUNDED = Fraction(1, 10**8)  # how far a sum of doubles may be from one, powers of P included


class Moments(NamedTuple):
    """X̂ = CᵀDC, Ŷ = CᵀDPC and G = RRᵀ of Φ = CR, the columns of C independent."""

    X: Matrix
    Y: Matrix
    G: Matrix
    complete: bool  # as many independent features as states
    norm: Fraction  # ‖P‖ in the largest norm

    @property
    def rank(self) -> int:
        return len(self.X[0])

    def by(self, M: Matrix) -> Matrix:
        """GM; G is I for independent features."""
        return M if unit(self.rank) == self.G else times(self.G, M)


def moments(gamma: Fraction, features: Any, P: Matrix, d: Sequence[Fraction]) -> Moments:
    """Of a discounted problem that is visited everywhere; raises where it is none."""
    presupposed(gamma, P, d)
    Phi, norm = matrix(features), Fraction(max(map(sum, P[0])), P[1])
    if len(Phi[0]) != len(d):
        raise ValueError("as many rows of features as states")
    chosen, R = row_space(Phi)
    if not chosen:
        nothing: Matrix = ([], 1)
        return Moments(nothing, nothing, nothing, False, norm)
    C = [[row[j] for j in chosen] for row in Phi[0]], Phi[1]
    CD, one = transposed(weighted(d, C)), unit(len(chosen))
    G = one if one == R else times(R, transposed(R))
    return Moments(times(CD, C), times(CD, times(P, C)), G, len(chosen) == len(d), norm)


def transitions(question: Any) -> tuple[Matrix, list[Fraction]]:
    """P and d of a question."""
    return matrix(question["P"]), [number(x) for x in question["d"]]


def presupposed(gamma: Fraction, P: Matrix, d: Sequence[Fraction]) -> None:
    """Raise where this is no problem with finite values that is visited everywhere."""
    S = len(d)
    if not 0 <= gamma <= 1 or min(d) <= 0 or len(P[0]) != S or any(len(row) != S or min(row) < 0 for row in P[0]):
        raise ValueError("no problem")
    q = lcm(*(x.denominator for x in d))
    weights = [[int(x * q) for x in d]], q
    if abs(sum(weights[0][0]) - q) > _room(q) * q or any(sum(row) - P[1] > _room(P[1]) * P[1] for row in P[0]):
        raise ValueError("no probabilities")
    if gamma == 1 and not _all_end(P):
        raise ValueError("values are infinite")


def _room(below: int) -> Fraction:
    """How far a sum may be from one: rounding, where the numbers are doubles."""
    return ROUNDED if below & (below - 1) == 0 else Fraction(0)


def _all_end(P: Matrix) -> bool:
    """Can a row that sums to less than one be reached from every state?"""
    rows, below = P
    ends = {s for s, row in enumerate(rows) if below - sum(row) > _room(below) * below}
    more = ends
    while more:
        more = {s for s, row in enumerate(rows) if s not in ends and any(row[t] for t in more)}
        ends = ends | more
    return len(ends) == len(rows)
