r"""For which discounts does it work? Exact thresholds in γ, or what is certain about them.

**The chain** is unbiased in the limit exactly for γ < 1/ρ(ΠP), because ρ(γΠP) = γρ(ΠP). The value may be 1 or more, or
infinite; then the chain is unbiased for every γ in [0, 1). ρ(ΠP) is

- ρ(P), which is 1, where features tell all states apart: Π = I; rows of doubles sum to 1 only nearly, and to less
  where episodes end: then ρ(P) lies between the smallest and the largest of these sums;
- the largest of the blocks' (`pencil_blocks`). Of a block: the sum of the rows of a nonnegative matrix, where they have
  one, as with hard aggregation; or the largest root of det(λX − Y) in modulus;
- where that polynomial would take too long, between two opposite certified verdicts.

**TD** is stable where A(γ) = X − γY has all eigenvalues right of the imaginary axis: exact crossings
(`theory.thresholds.curves`), else stretches proved one by one (`theory.thresholds.inequalities`), and the rest is
unknown. γ = 1 is excluded, and A(1) is often singular, so these end at 1 − 2⁻⁴⁰. TD is stable on some [0, γ₁), since
A(0) = X. Tabular and aggregated features need none of it: there A(γ) has no positive entry off the diagonal and
A(γ)v > 0 for a v > 0, which makes it a nonsingular M-matrix, all of whose eigenvalues have positive real part.

Dependent features give A the eigenvalue 0 structurally, F − r times; those directions change no value and are divided
out: r = rank Φ.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import takewhile
from math import inf
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.budgets import COVER_IN_GAMMA, CROSSINGS_IN_GAMMA, PENCIL
from theory.certified.answers import Answer
from theory.certified.decide import decide
from theory.certified.questions import ChainUnbiased, Enclosed
from theory.exact.algebraic import AlgebraicNumber, Radius, algebraic_rational, largest_modulus, root_bounds
from theory.exact.matrices import identity, matrix, pencil_blocks, rational
from theory.exact.polynomials import pencil_polynomial, pencil_work
from theory.model.balls import BITS, UNRESOLVED, Bounded, as_bounded, given, nearest, precision
from theory.model.linear_model import ExactModel, exact_model, heights
from theory.problems import Problem
from theory.thresholds.curves import affine_curve, apart, stable_values
from theory.thresholds.inequalities import Piece, Progress, Prover, Resolvent, cover
from theory.thresholds.results import Interval, StableIntervals, StableSet, Threshold, exactly

__all__ = ["Interval", "StableIntervals", "Threshold", "chain_threshold", "td_stable_intervals"]

LAST = 1 - fmpq(1, 2**40)  # a double
WIDTHS = (60, fmpq(1, 10**12), fmpq(1, 10**7))  # how close to a crossing up to so many features, and beyond
CLOSE = range(1, 14)  # verdicts are asked for 10⁻ᵏ beside 1/ρ(ΠP), as long as they are proved
NOTHING = "all features are zero: no value ever changes"
BEYOND = "at least 1: the chain is unbiased for every γ in [0, 1)"
NEARLY = "A is an M-matrix up to there; the rows of P, in doubles, sum to 1 only nearly"
PIECES = "too many features or too long fractions for the exact crossings: each side proved piece by piece"
WITHIN = "moments known within bounds: each side proved stretch by stretch"


def chain_threshold(problem: Problem, *, insist: bool = False, longest: float = PENCIL) -> Threshold:
    """1/ρ(ΠP), the supremum of the γ for which the chain is unbiased in the limit.

    `insist` on an exact number, however long that takes.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> str(chain_threshold(twostate).exact)
    '5/6'
    """
    if problem.is_large:
        return _chain_within(problem)
    radius = _successor_radius(problem, inf if insist else longest)
    if radius is not None:
        return inverse_radius(radius)

    m = exact_model(problem)
    reason = f"the exact polynomial of {m.rank} features would take long"
    return _bracketed(
        nearest(m.X_hat), nearest(m.Y_hat), reason, lambda gamma: ChainUnbiased(problem.with_gamma(Fraction(gamma)))
    )


def _chain_within(problem: Problem) -> Threshold:
    """The same of moments that are known within bounds."""
    from theory.model.enclosed import enclosed

    model = enclosed(problem)
    if not model.resolved:
        return Threshold(None, fmpq(0), None, UNRESOLVED)
    if model.rank == 0:
        return Threshold(None, None, None, NOTHING)
    return _bracketed(as_bounded(model.X_hat), as_bounded(model.Y_hat), WITHIN)


def _bracketed(
    X: Bounded, Y: Bounded, reason: str, exactly: Callable[[float], ChainUnbiased] | None = None
) -> Threshold:
    """1/ρ(ΠP) between a γ that is proved to be below it and one that is not, as close as proofs are found."""

    def holds(gamma: float) -> Answer:
        quick = decide(Enclosed(ChainUnbiased, Y.scaled(gamma), X)).holds
        if quick is not Answer.UNDECIDED or gamma >= 1 or exactly is None:
            return quick
        return decide(exactly(gamma)).holds

    with np.errstate(all="ignore"):
        try:
            rho = float(np.abs(np.linalg.eigvals(np.linalg.solve(X.mid, Y.mid))).max(initial=0.0))
        except np.linalg.LinAlgError:
            rho = inf
    if holds(1.0) is Answer.YES:
        return Threshold(None, None, None, BEYOND)
    if not 0 < rho < inf:
        return Threshold(None, fmpq(0), None, "no bounds on ρ(ΠP) were found")
    below, above = ([(1 + sign * 10.0**-k) / rho for k in CLOSE] for sign in (-1, 1))
    low = list(takewhile(lambda x: holds(x) is Answer.YES, below))
    high = list(takewhile(lambda x: holds(x) is Answer.NO, above))
    ends = [rational(Fraction(x[-1])) if x else None for x in (low, high)]
    return Threshold(
        None, ends[0] or fmpq(0), ends[1], reason if low and high else f"{reason}; certified on one side only"
    )


def inverse_radius(radius: Radius, root: int = 1) -> Threshold:
    """(1/ρ)^(1/root) as a threshold for γ."""
    if radius.high == 0:
        return Threshold(None, None, None, "ρ(ΠP) = 0: the chain is unbiased for every γ in [0, 1)")
    if radius.exact is not None:
        number = radius.exact.reciprocal().root(root)
        return exactly(number, BEYOND if number >= 1 else None)
    low = root_bounds(1 / radius.high, 1 / radius.high, root, bits=128)[0] if root > 1 else 1 / radius.high
    high = None
    if radius.low > 0:
        high = root_bounds(1 / radius.low, 1 / radius.low, root, bits=128)[1] if root > 1 else 1 / radius.low
    return Threshold(None, low, high, f"{BEYOND}; {radius.reason}" if low >= 1 else radius.reason)


def _successor_radius(problem: Problem, longest: float) -> Radius | None:
    """ρ(ΠP), and in words what is special about it; None where it would take too long."""
    m = exact_model(problem)
    if m.rank == problem.n_states:
        return _of_transitions(problem)
    radii = []
    for X, Y in pencil_blocks(m.X_hat, m.Y_hat):
        known = _row_sum(X, Y)
        if known is None and max(float(X.nrows()) ** 5, pencil_work(X, Y)) > longest:
            return None
        radii.append(largest_modulus(pencil_polynomial(X, Y)) if known is None else known)
    low, high = (max((x[i] for x in ((r.low, r.high) for r in radii)), default=fmpq(0)) for i in range(2))
    if all(r.exact is not None or r.high < low for r in radii):
        best = max((r.exact for r in radii if r.exact is not None), default=algebraic_rational(0))
        return Radius(best, best.low, best.high)
    return Radius(None, low, high, next(r.reason for r in radii if r.exact is None))


def _of_transitions(problem: Problem) -> Radius:
    sums = [sum(row, fmpq(0)) for row in matrix(problem.given.P_pi).tolist()]
    low, high = min(sums), max(sums)
    if low == high:
        return Radius(algebraic_rational(low), low, high)
    why = "sum to at most 1, since episodes end" if problem.is_episodic else "given in doubles, sum to 1 only nearly"
    return Radius(None, low, high, f"Π = I, and the rows of P, {why}")


def _row_sum(X: fmpq_mat, Y: fmpq_mat) -> Radius | None:
    """ρ where X⁻¹Y is seen at once to be nonnegative, with rows of one sum: aggregated states."""
    ones = fmpq_mat(X.nrows(), 1, [1] * X.nrows())
    sums, weights = (Y * ones).entries(), (X * ones).entries()
    ratio = sums[0] / weights[0] if weights[0] != 0 else fmpq(-1)
    diagonal = all(X[i, j] == 0 for i in range(X.nrows()) for j in range(i))
    if not diagonal or min(Y.entries()) < 0 or any(y != ratio * x for x, y in zip(weights, sums, strict=True)):
        return None
    return Radius(algebraic_rational(ratio), ratio, ratio)


def n_step_threshold(problem: Problem, n: int) -> Threshold:
    """ρ(ΠPⁿ)^{−1/n}: the supremum of the γ for which the n-step chain is unbiased in the limit.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> str(n_step_threshold(twostate, 2).exact)  # P² = P, so √(5/6)
    'sqrt(30)/6'
    """
    m = exact_model(problem.in_steps_of(n))
    if m.rank == 0:
        return Threshold(None, None, None, NOTHING)
    return inverse_radius(largest_modulus(pencil_polynomial(m.X_hat, m.Y_hat)), n)


def td_stable_intervals(
    problem: Problem,
    *,
    insist: bool = False,
    longest: float = CROSSINGS_IN_GAMMA,
    progress: Progress | None = None,
) -> StableIntervals:
    """All maximal intervals of γ in [0, 1) on which off-policy TD is stable.

    `insist` on exact crossings, however long they take.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(twostate).intervals]
    [('0', '5/6')]
    """
    if problem.is_large:
        return _td_within(problem, progress)
    m = exact_model(problem)
    if m.rank == 0:
        return _everywhere(fmpq(1), NOTHING)
    safe = safe_up_to(problem, m)
    if safe == 1 or (safe >= LAST and not problem.is_exact):
        return _everywhere(safe, None if safe == 1 else NEARLY)
    X, Y = m.X, m.Y
    blocks = pencil_blocks(X, Y)
    if insist or all(_is_short(*pair, longest) for pair in blocks):
        curves = [affine_curve(A, -B) for A, B in blocks]
        exact = stable_values(curves, False, fmpq(0), fmpq(1), high_open=True, longest=inf if insist else longest)
        if exact is not None:
            return from_spans(exact)
    if safe >= LAST:
        return _everywhere(safe, "A is an M-matrix up to there; beyond, too long to be exact")
    return from_pieces(_pieces(X, Y, identity(X.nrows()), LAST, progress), PIECES)


def _is_short(X: fmpq_mat, Y: fmpq_mat, longest: float) -> bool:
    """May the crossings' polynomials be looked for at all?"""
    return float(X.nrows()) ** 4 * max(x.height_bits() for x in X.entries() + Y.entries()) <= longest / 30


def _td_within(problem: Problem, progress: Progress | None) -> StableIntervals:
    """The discounts at which X − γY, known within bounds, is surely stable, and those of which nothing is known."""
    from theory.model.enclosed import enclosed

    model = enclosed(problem)
    if not model.resolved:
        return from_pieces([], UNRESOLVED)
    if model.rank == 0:
        return _everywhere(fmpq(1), NOTHING)
    with precision(BITS):
        X, Y, n = as_bounded(model.X), as_bounded(model.Y), model.rank
    return from_pieces(_pieces(X, Y, given(np.eye(n), exact=False), fmpq(1), progress), WITHIN)


def _pieces(X: Any, Y: Any, one: Any, last: fmpq, progress: Progress | None) -> list[Piece]:
    """Stretches of [0, last) on which X − γY, exact or within bounds, is proved to be stable or not."""
    few, narrow, wide = WIDTHS
    width = narrow if X.nrows() <= few else wide
    return cover(Prover(Resolvent.straight(X, -1 * Y, one), "mean", last), width, COVER_IN_GAMMA, progress)


def safe_up_to(problem: Problem, m: ExactModel) -> fmpq:
    """TD is stable for every γ below this because A is an M-matrix; 0 where that is not seen."""
    v = heights(problem)
    if v is None:
        return fmpq(0)
    limit = fmpq(1)
    for i, row in enumerate(m.Y_hat.tolist()):
        scaled = [y * v[i] / w for y, w in zip(row, v, strict=True)]
        if any(y < 0 for j, y in enumerate(scaled) if j != i):
            return fmpq(0)
        total = sum(scaled, fmpq(0))
        if total > 0:
            limit = min(limit, m.X_hat[i, i] / total)
    return limit


def _everywhere(last: fmpq, reason: str | None) -> StableIntervals:
    return from_pieces([Piece(fmpq(0), last, 0, inf, -inf)], reason)


def from_spans(found: StableSet) -> StableIntervals:
    """Exact crossings, isolated apart from each other."""
    ends = sorted({x for span in found.spans for x in (span.low, span.high) if x is not None})

    def end(x: AlgebraicNumber) -> Threshold:
        return exactly(x) if x == 0 or x == 1 else Threshold(x, *x.interval(apart(x, ends)))

    return StableIntervals(tuple(Interval(end(s.low), end(s.high)) for s in found.spans if s.high is not None))


def from_pieces(found: list[Piece], reason: str | None) -> StableIntervals:
    """The stable pieces as intervals: an end is a bracket between a stable and an unstable one, or not known."""
    pieces = [p for p in found if p.low < p.high]
    lows, highs = [fmpq(0), *(p.high for p in pieces)], [*(p.low for p in pieces), fmpq(1)]
    gaps = list(zip(lows, highs, strict=True))
    intervals = []
    for i, piece in enumerate(pieces):
        if piece.stable:
            falls = i > 0 and not pieces[i - 1].stable
            rises = i + 1 < len(pieces) and not pieces[i + 1].stable
            intervals.append(Interval(_end(gaps[i], falls, 0), _end(gaps[i + 1], rises, 1)))
    unknown = tuple((low, high) for low, high in gaps if low < high)
    complete = not unknown and all(end.exact is not None for pair in intervals for end in pair)
    return StableIntervals(tuple(intervals), complete, reason, unknown)


def _end(gap: tuple[fmpq, fmpq], opposite: bool, border: int) -> Threshold:
    low, high = gap
    if low == high == border:
        return exactly(algebraic_rational(border))
    if opposite:
        return Threshold(None, low, high, "between certified verdicts, stable on one side and not on the other")
    if border == 0:
        return Threshold(None, None, high, "nothing is known just below")
    return Threshold(None, low, None, "nothing is known just beyond")
