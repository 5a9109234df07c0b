"""Intervals of γ proved by one matrix each: against the exact intervals, and where they must stop."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from tests.strategies import exact_problems
from theory.certified.answers import NO, YES
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.polynomials import characteristic_polynomial, half_planes
from theory.exact.reduced import reduced
from theory.problems import Problem
from theory.thresholds.bracketing import LAST, bracketed_intervals
from theory.thresholds.bracketing import _bounded as bounded
from theory.thresholds.cover import cover, proved_around
from theory.thresholds.discounts import chain_threshold, td_stable_intervals


def matrices(problem):
    m = reduced(problem)
    return m, bounded(m.G * m.X, m.G * m.Y)


def count_left(m, gamma):
    gamma = Fraction(gamma)
    at = m.G * (m.X - m.gamma.__class__(gamma.numerator, gamma.denominator) * m.Y)
    found = half_planes(characteristic_polynomial(at))
    return found.left, found.axis


@settings(max_examples=40, deadline=None)
@given(problem=exact_problems())
def test_pieces_count_the_eigenvalues_left_of_the_axis(problem):
    m, (X, Y) = matrices_or_none(problem)
    if m is None:
        return
    pieces = cover(X, Y, float(LAST), 1e-4, 60)
    for piece in pieces:
        for share in (0.0, 0.3, 0.71, 1.0):
            gamma = piece.low + share * (piece.high - piece.low)
            gamma = min(max(gamma, piece.low), piece.high)
            assert count_left(m, gamma) == (piece.left, 0)
    assert all(a.high < b.low for a, b in pairwise(pieces))


def matrices_or_none(problem):
    m = reduced(problem)
    return (m, bounded(m.G * m.X, m.G * m.Y)) if m.rank else (None, (None, None))


@settings(max_examples=25, deadline=None)
@given(problem=exact_problems())
def test_brackets_agree_with_the_exact_intervals(problem):
    exact = td_stable_intervals(problem)
    if reduced(problem).rank == 0:
        return
    rough = bracketed_intervals(problem, "for the test")
    assert len(rough.intervals) == len(exact.intervals)
    for (a, b), (low, high) in zip(exact.intervals, rough.intervals, strict=True):
        for truth, end in ((a, low), (b, high)):
            if end.exact is None:
                assert end.low <= truth.exact <= end.high
            else:
                assert end.exact == truth.exact


def test_a_crossing_is_never_covered():
    """Twostate's A = 5/2 − 3γ vanishes at 5/6."""
    problem = Problem.from_matrices("0.5", Phi=[[1], [2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"])
    _, (X, Y) = matrices(problem)
    pieces = cover(X, Y, float(LAST), 1e-6, 200)
    assert [p.stable for p in pieces] == [True, False]
    assert pieces[0].high < 5 / 6 < pieces[1].low
    assert pieces[1].low - pieces[0].high < 1e-4
    assert pieces[-1].high == float(LAST)
    assert proved_around(X, Y, 5 / 6, float(LAST)) is None


def large(rng, S, F):
    """Skewed transitions and visits, so that thresholds fall below one."""
    P, d = rng.uniform(size=(S, S)) ** 8, rng.uniform(size=S) ** 4
    return Problem.from_matrices(
        0.9, Phi=rng.normal(size=(S, F)), P_pi=P / P.sum(axis=1, keepdims=True), d_mu=d / d.sum(), name="large"
    )


@pytest.mark.slow
def test_many_features_get_certified_brackets():
    """Beyond the exact route: ends with certified verdicts on both sides, and what is between is proved."""
    rng = np.random.default_rng(5)
    problem = next(p for p in (large(rng, 80, 70) for _ in range(50)) if td_stable(p.with_gamma(0.999)).refuted)
    found = td_stable_intervals(problem)
    assert not found.complete
    assert "proved" in found.reason
    for low, high in found.intervals:
        for end, (below, above) in ((low, (NO, YES)), (high, (YES, NO))):
            if end.exact is None:
                sides = [td_stable(problem.with_gamma(Fraction(str(x)))).holds for x in (end.low, end.high)]
                assert sides == [below, above]
    chain = chain_threshold(problem)
    if chain.high is not None and chain.low is not None:
        sides = [chain_unbiased(problem.with_gamma(Fraction(str(x)))).holds for x in (chain.low, chain.high)]
        assert sides == [YES, NO]
