"""Exact thresholds in γ: stable and unbiased on one side, not on the other."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT, baird, middle_window, quadrant
from tests.strategies import exact_problems
from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.algebraic import algebraic_rational, real_roots
from theory.exact.matrices import fraction
from theory.model.linear_model import exact_moments
from theory.problems import Problem
from theory.thresholds.curves import affine_curve, pair_sums, point_between, products, split
from theory.thresholds.discounts import chain_threshold, td_stable_intervals


def ends(problem):
    return [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(problem).intervals]


def test_nilpotent_chain_has_no_threshold():
    threshold = chain_threshold(quadrant([[1], [0]]))
    assert (threshold.exact, threshold.value) == (None, None)
    assert threshold.reason == "ρ(ΠP) = 0: the chain is unbiased for every γ in [0, 1)"
    assert threshold.to_dict() == {"exact": None, "value": None, "interval": None, "reason": threshold.reason}


@EXACT
@given(exact_problems(max_features=4))
def test_verdicts_flip_at_the_chain_threshold(problem):
    exact = chain_threshold(problem).exact
    if exact is None:
        assert chain_unbiased(problem.with_gamma("999/1000")).proved
        return
    low, high = (fraction(x) for x in exact.interval(fmpq(1, 10**30)))
    tiny = Fraction(1, 10**30)
    if float(low - tiny) < 1:  # nearer to 1 a problem is refused
        assert chain_unbiased(problem.with_gamma(low - tiny)).proved
    if high + tiny < 1:
        assert chain_unbiased(problem.with_gamma(high + tiny)).refuted
    if exact.is_rational and exact < 1:
        assert chain_unbiased(problem.with_gamma(low)).refuted  # a tie


@EXACT
@given(exact_problems(max_features=4), st.integers(0, 199))
def test_stable_intervals_hold_exactly_the_stable_discounts(problem, n):
    # Independent verdicts at random γ, and 10⁻²⁰ on both sides of every end.
    intervals = td_stable_intervals(problem).intervals
    tiny = Fraction(1, 10**20)
    points = [Fraction(n, 200)]
    for _, end in intervals:
        if end.exact < 1:
            low, high = (fraction(x) for x in end.exact.interval(tiny))
            points += [low - tiny, high + tiny] if low != high else [low - tiny, low, low + tiny]
    for gamma in points:
        inside = any((low.exact < gamma or gamma == low.exact == 0) and gamma < high.exact for low, high in intervals)
        assert td_stable(problem.with_gamma(gamma)).holds == Answer.of(inside)


def islands():
    """TD is stable, unstable, stable and unstable again as γ grows: two intervals, from a random search."""
    P = np.eye(4, dtype=int)[[2, 1, 2, 0]]
    d = ["1/17", "8/17", "2/17", "6/17"]
    return Problem.from_matrices("9/10", Phi=[[-4, -3], [0, -4], [-2, 3], [-2, -2]], P_pi=P, d_mu=d)


def test_all_islands_of_stability_are_found():
    problem = islands()
    intervals = td_stable_intervals(problem).intervals
    assert len(intervals) == 2
    assert intervals[-1][1].exact < 1
    for (_, end), (begin, _) in pairwise(intervals):
        between = fraction(point_between(end.exact, begin.exact))
        assert td_stable(problem.with_gamma(between)).refuted
    for begin, end in intervals:
        inside = fraction(point_between(begin.exact, end.exact))
        assert td_stable(problem.with_gamma(inside)).proved


@pytest.mark.parametrize("problem", [baird(), quadrant([[1, 0], [3, 1]]), islands()])
def test_bracketing_agrees_with_the_exact_route_and_says_that_it_is_not_complete(problem):
    exact, rough = td_stable_intervals(problem), td_stable_intervals(problem, longest=-1)
    assert exact.complete
    assert not rough.complete
    assert "piece by piece" in rough.reason
    assert len(exact.intervals) == len(rough.intervals)
    for a, b in zip(exact.intervals, rough.intervals, strict=True):
        for sharp, wide in zip(a, b, strict=True):
            assert (wide.low or 0) <= sharp.exact <= (1 if wide.high is None else wide.high)
            assert (1 if wide.high is None else wide.high) - (wide.low or 0) <= fmpq(1, 10**12)
            assert wide.to_dict()["exact"] is not None or wide.reason is not None


def test_an_incomplete_search_does_not_claim_stability_everywhere():
    problem = quadrant([[1, 1], [-3, -2]])
    assert td_stable_intervals(problem).threshold.reason == "TD is stable for every γ in [0, 1)"
    rough = td_stable_intervals(problem, longest=-1)
    assert rough.threshold.exact is None
    assert rough.threshold.low < 1
    assert rough.threshold.high is None
    assert rough.unknown[-1][1] == 1


@pytest.mark.parametrize("problem", [islands(), middle_window()])
def test_bracketing_the_chain_threshold(problem):
    sharp, wide = chain_threshold(problem), chain_threshold(problem, longest=-1)
    assert wide.exact is None
    assert wide.low <= sharp.exact <= wide.high
    assert wide.high - wide.low <= fmpq(1, 10**12)
    assert wide.value == pytest.approx(sharp.value, abs=1e-12)
    assert wide.reason is not None


@EXACT
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6))
def test_pair_sums_from_known_roots(roots):
    p = fmpq_mat(len(roots), len(roots), [r if i == j else 0 for i, r in enumerate(roots) for j in range(len(roots))])
    product = 1
    for i, a in enumerate(roots):
        for b in roots[:i]:
            product *= a + b
    assert pair_sums(p.charpoly().coeffs()) == product


@EXACT
@given(exact_problems(max_features=4))
def test_crossing_polynomials_are_determinant_and_pair_sums_at_any_discount(problem):
    m = exact_moments(problem)
    if m.X.det() == 0:
        return
    found = [(*products(f, False), fmpq_poly([1]))[:2] for f, _ in split(affine_curve(m.X, -m.Y))]
    assert all(p(fmpq(0)) != 0 for pair in found for p in pair)
    for g in (fmpq(1, 3), fmpq(77, 10), fmpq(-2)):
        A = m.X - g * m.Y
        if len(found) == 1 and found[0][0].degree() == A.nrows():  # one irreducible factor
            assert abs(found[0][0](g)) == abs(A.det())
            assert found[0][1](g) == pair_sums(A.charpoly().coeffs())
        assert (A.det() == 0) == any(c(g) == 0 for c, _ in found)


def test_zero_features_are_stable_and_said_to_be_idle():
    problem = quadrant([[0], [0]])
    found = td_stable_intervals(problem)
    assert ends(problem) == [("0", "1")]
    assert "zero" in found.reason
    assert found.threshold.reason == "TD is stable for every γ in [0, 1)"
    assert chain_threshold(problem).exact is None


@pytest.mark.parametrize("scale", [Fraction(10) ** 300, Fraction(1, 10**300)])
def test_thresholds_do_not_depend_on_the_features_scale(scale):
    problem = islands()
    scaled = problem.with_features([[x * scale for x in row] for row in problem.exact.Phi.tolist()])
    assert ends(scaled) == ends(problem)
    assert chain_threshold(scaled).exact == chain_threshold(problem).exact


def test_points_between():
    assert point_between(algebraic_rational(0), algebraic_rational(1)) == fmpq(1, 2)
    close = real_roots(fmpq_mat([[0, 2], [1, 0]]).charpoly())[1]
    near = algebraic_rational(Fraction(close.decimal(30)))
    low, high = sorted([close, near])
    assert low < point_between(low, high) < high
