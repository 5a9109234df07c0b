"""Intervals of γ proved by one matrix each: against the exact intervals, and where they must stop."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import exact_problems
from theory.certified.answers import NO, YES
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import identity
from theory.exact.polynomials import characteristic_polynomial, half_planes
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.thresholds.discounts import LAST, chain_threshold, td_stable_intervals
from theory.thresholds.inequalities import Piece, Prover, Resolvent, cover

WIDTH = fmpq(1, 10**9)


def prover(problem):
    m = exact_model(problem)
    return m, Prover(Resolvent.straight(m.X, -m.Y, identity(m.rank)), "mean", LAST)


def count_left(m, gamma):
    found = half_planes(characteristic_polynomial(m.X - gamma * m.Y))
    return found.left, found.axis


@settings(max_examples=40, deadline=None)
@given(problem=exact_problems(), exponent=st.integers(0, 15))
def test_pieces_count_the_eigenvalues_left_of_the_axis(problem, exponent):
    """Also where one feature is longer than the others by a factor that doubles cannot bridge."""
    Phi = problem.exact.Phi.copy()
    Phi[:, 0] = Phi[:, 0] * Fraction(10) ** exponent
    if not Phi.any():
        return
    m, proofs = prover(problem.with_features(Phi))
    pieces = cover(proofs, WIDTH, 2.0)
    for piece in pieces:
        for share in (fmpq(0), fmpq(3, 10), fmpq(5, 7), fmpq(1)):
            assert count_left(m, piece.low + share * (piece.high - piece.low)) == (piece.wrong, 0)
    assert all(a.high < b.low for a, b in pairwise(pieces))


@settings(max_examples=25, deadline=None)
@given(problem=exact_problems())
def test_brackets_agree_with_the_exact_intervals(problem):
    """What is claimed is true, and what is unknown is no more than the crossings, ties and the last 10⁻¹²."""
    exact, rough = td_stable_intervals(problem), td_stable_intervals(problem, longest=-1)
    for interval in rough.intervals:
        low, high = interval.certified
        assert any(a.exact <= low and high <= b.exact for a, b in exact.intervals)
    assert all(high - low <= fmpq(1, 10**5) for low, high in rough.unknown)
    for low, high in rough.intervals:
        for end in (low, high):
            if end.exact is None and end.low is not None and end.high is not None:
                assert any(end.low <= x.exact <= end.high for pair in exact.intervals for x in pair)


def test_a_crossing_is_never_covered():
    """Twostate's A = 5/2 − 3γ vanishes at 5/6."""
    problem = Problem.from_matrices("0.5", Phi=[[1], [2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"])
    _, proofs = prover(problem)
    pieces = cover(proofs, WIDTH, 5.0)
    assert [p.stable for p in pieces] == [True, False]
    assert pieces[0].high < fmpq(5, 6) < pieces[1].low
    assert pieces[1].low - pieces[0].high <= WIDTH
    assert pieces[-1].high == LAST
    assert proofs.around(fmpq(5, 6)) is None


def test_two_proofs_that_contradict_each_other_are_not_joined():
    from theory.thresholds.inequalities import insert

    with pytest.raises(ArithmeticError, match="contradict"):
        insert([Piece(fmpq(0), fmpq(1, 2), 0, np.inf, -np.inf)], Piece(fmpq(1, 3), fmpq(1), 1, np.inf, -np.inf))


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
            if end.exact is None and end.low is not None and end.high is not None:
                sides = [td_stable(problem.with_gamma(Fraction(str(x)))).holds for x in (end.low, end.high)]
                assert sides == [below, above]
    chain = chain_threshold(problem)
    if chain.high is not None and chain.low is not None:
        sides = [chain_unbiased(problem.with_gamma(Fraction(str(x)))).holds for x in (chain.low, chain.high)]
        assert sides == [YES, NO]
