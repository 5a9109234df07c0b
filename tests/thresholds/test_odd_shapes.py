"""Thresholds at odd scales and shapes: what once was wrong, or took minutes."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpq_poly

from theory.certified.answers import NO, UNDECIDED, YES
from theory.exact.algebraic import algebraic_rational, real_roots
from theory.exact.polynomials import half_planes
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.thresholds.curves import affine_curve, split, stable_values
from theory.thresholds.discounts import chain_threshold, from_pieces, from_spans, td_stable_intervals
from theory.thresholds.inequalities import Piece
from theory.thresholds.results import (
    Interval,
    StableIntervals,
    Threshold,
    certified_part,
    exactly,
    stable_text,
    unbiased_text,
    unknown_text,
    unstable_text,
)


def piece(low, high, stable):
    return Piece(low, high, int(not stable), np.inf, -np.inf)


def corridor(n, ratio, number=float):
    """i → i + 1, the last stays, every state its own feature, and visits fall off geometrically."""
    P = np.eye(n, dtype=int)[[min(i + 1, n - 1) for i in range(n)]]
    weights = [number(1) / ratio**i for i in range(n)]
    d = [w / sum(weights) for w in weights]
    Phi = [[number(int(i == j)) for j in range(n)] for i in range(n)]
    return Problem.from_matrices(number(9) / 10, Phi=Phi, P_pi=P.tolist(), d_mu=d)


@pytest.mark.parametrize("problem", [corridor(84, 1.9), corridor(32, Fraction(19, 10), Fraction)])
def test_corridors_work_for_every_discount(problem):
    """Π = I, and A is an M-matrix: once a bracket closed where certification gave up, at 0.5985915 and at 1/3."""
    assert chain_threshold(problem).exact == 1
    assert td_stable_intervals(problem).threshold.reason == "TD is stable for every γ in [0, 1)"


def test_transitions_in_doubles_are_not_quite_stochastic_and_that_is_said():
    """ρ(P) is between the smallest and the largest sum of a row."""
    P = np.array([[1 / 3] * 3, [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    found = chain_threshold(Problem.from_matrices(0.9, Phi=np.eye(3), P_pi=P, d_mu=[0.2, 0.3, 0.5]))
    assert found.exact is None
    assert found.low <= 1 <= found.high
    assert found.high - found.low < fmpq(1, 10**15)
    assert unbiased_text(found, str).startswith("every γ")


def test_aggregated_states_are_safe_whatever_the_groups_and_signs():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 5, size=12)
    groups[:5] = range(5)
    values = [Fraction(10) ** 40, Fraction(-3), Fraction(1, 10**30), Fraction(7), Fraction(-1)]
    Phi = [[values[g] if g == f else Fraction(0) for f in range(5)] for g in groups]
    P = [[Fraction(int(x), int(row.sum())) for x in row] for row in rng.integers(1, 9, size=(12, 12))]
    d = rng.integers(1, 9, size=12)
    problem = Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=[Fraction(int(x), int(d.sum())) for x in d])
    assert chain_threshold(problem).exact == 1
    assert td_stable_intervals(problem).threshold.reason == "TD is stable for every γ in [0, 1)"


def scattered(seed, S, F, spread):
    """Features of very different scale, rare states."""
    rng = np.random.default_rng(seed)
    P, d = rng.uniform(size=(S, S)) ** 8, rng.uniform(size=S) ** 8
    Phi = rng.normal(size=(S, F)) * 10.0 ** rng.uniform(-spread, spread, size=F)
    return Problem.from_matrices(0.9, Phi=Phi, P_pi=P / P.sum(axis=1, keepdims=True), d_mu=d / d.sum())


def count_left(m, gamma):
    return half_planes((m.X - gamma * m.Y).charpoly())


@pytest.mark.parametrize("seed", range(3))
def test_scattered_scales_end_where_the_exact_count_says(seed):
    """Every certified stretch has the side that Sturm counts at its ends and within; brackets are narrow."""
    problem = scattered(seed, 11, 10, 2)
    found = td_stable_intervals(problem, longest=-1)
    assert found.intervals
    m = exact_model(problem)
    for interval in found.intervals:
        low, high = interval.certified
        for share in (fmpq(0), fmpq(1, 3), fmpq(1)):
            assert count_left(m, low + share * (high - low))[:2] == (0, 0)
        if interval.high.value is not None and interval.high.exact is None:
            assert interval.high.high - interval.high.low < fmpq(1, 10**9)
            assert count_left(m, interval.high.high).left > 0
    assert sum(high - low for low, high in found.unknown) < fmpq(1, 10**8)


def hidden_nilpotent(n, seed=0):
    """X = 2/3·I and Y nilpotent in a basis that hides it: the only eigenvalue of X − γY is 2/3."""
    rng = np.random.default_rng(seed)
    shift = fmpq_mat([[int(j == i + 1) for j in range(n)] for i in range(n)])
    lower = np.tril(rng.integers(-1, 2, size=(n, n)), -1) + np.eye(n, dtype=int)
    upper = np.triu(rng.integers(-1, 2, size=(n, n)), 1) + np.eye(n, dtype=int)
    T = fmpq_mat((lower @ upper).tolist())
    return fmpq_mat([[fmpq(2, 3) * (i == j) for j in range(n)] for i in range(n)]), T * shift * T.inv()


def test_a_nilpotent_slope_never_crosses():
    """Once three contradictory ends near 0.198."""
    X, Y = hidden_nilpotent(32)
    factors = [f for f, _ in split(affine_curve(X, -Y))]
    assert [len(f) - 1 for f in factors] == [1]
    assert str(stable_values(factors, False, fmpq(0), fmpq(1), high_open=True)) == "[0, 1)"


def test_what_is_unstable_is_told_from_what_is_unknown():
    """Rounded inwards, and a stretch that six digits do not show is counted."""
    third, tiny = fmpq(1, 3), fmpq(1, 10**7)
    ends = [(fmpq(0), third, True), (third + tiny, third + 2 * tiny, False), (fmpq(2, 3), 1 - tiny, False)]
    found = from_pieces([piece(*each) for each in ends], "for the test")
    assert unstable_text(found) == "(0.666667, 1 − 1e-07) and 1 shorter stretches"
    assert unknown_text(found) == "unknown from 0.333333 to 0.666667, beyond γ = 1 − 1e-07"
    near = from_pieces([piece(fmpq(0), 1 - tiny, True), piece(1 - tiny, fmpq(1), False)], None)
    assert unstable_text(near) == "(1 − 1e-07, 1)"
    assert unstable_text(from_pieces([], None)) is None


def test_an_unconfirmed_change_ends_what_is_certified():
    found = from_pieces([piece(fmpq(0), fmpq(1, 4), True), piece(fmpq(1, 2), fmpq(3, 4), True)], "for the test")
    assert stable_text(found, str) == "[0, 0.250000] and [0.500000, 0.750000]"
    assert unknown_text(found) == "unknown from 0.250000 to 0.500000, beyond γ = 0.750000"
    assert unstable_text(found) is None
    assert [found.holds_at(x) for x in ("1/8", "1/3", "5/8", "7/8")] == [YES, UNDECIDED, YES, UNDECIDED]
    assert found.threshold.value is None
    assert found.threshold.to_dict()["interval"] == ["1/4", None]


def test_intervals_cannot_be_built_in_disorder():
    half, one, zero = (exactly(algebraic_rational(x)) for x in (fmpq(1, 2), 1, 0))
    StableIntervals((Interval(zero, half), Interval(half, one)))
    overlapping, descending = (Interval(zero, one), Interval(half, one)), (Interval(half, one), Interval(zero, half))
    for intervals in ((Interval(half, zero),), overlapping, descending):
        with pytest.raises(ValueError, match="interval"):
            StableIntervals(intervals)
    with pytest.raises(ValueError, match="in order"):
        Threshold(None, fmpq(1), fmpq(0))
    with pytest.raises(ValueError, match="exact"):
        StableIntervals((Interval(zero, Threshold(None, fmpq(1, 2), fmpq(3, 4))),), complete=True)


def test_the_threshold_decides_on_both_sides_and_not_between():
    found = Threshold(None, fmpq(1, 3), fmpq(1, 2))
    assert [found.is_above(x) for x in ("1/4", "1/3", "2/5", "1/2")] == [YES, UNDECIDED, UNDECIDED, NO]
    assert Threshold(None, fmpq(1, 3), None).is_above("1/2") is UNDECIDED
    assert certified_part(Threshold(None, fmpq(1, 3), None)) == ([(0, fmpq(1, 3))], [(fmpq(1, 3), 1)])
    assert unbiased_text(Threshold(None, fmpq(1, 3), None), str) == "every γ up to 0.333333 at least"


@pytest.mark.parametrize("exponent", [0, 30, 150])
def test_small_exact_problems_of_any_scale_match_roots_isolated_on_their_own(exponent):
    """TD's first end against the real roots of det A and of the trace, for two features of scales 1 and 10^exponent."""
    rng = np.random.default_rng(exponent)
    for _ in range(15):
        S = int(rng.integers(2, 5))
        P = [[Fraction(int(x), int(row.sum())) for x in row] for row in rng.integers(1, 9, size=(S, S))]
        w = [Fraction(int(x)) / Fraction(10) ** int(rng.integers(0, exponent + 1)) for x in rng.integers(1, 9, size=S)]
        scale = Fraction(10) ** exponent
        Phi = [[Fraction(int(a)), int(b) * scale] for a, b in rng.integers(-4, 5, size=(S, 2))]
        problem = Problem.from_matrices("1/2", Phi=Phi, P_pi=P, d_mu=[x / sum(w) for x in w])
        m = exact_model(problem)
        if m.rank < 2:
            continue
        x, y = m.X, m.Y

        def entry(i, j, x=x, y=y):
            return fmpq_poly([x[i, j], -y[i, j]])

        det, trace = entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(1, 0), entry(0, 0) + entry(1, 1)
        roots = sorted(r for p in (det, trace) for r in (real_roots(p) if p.degree() > 0 else []) if 0 < r < 1)
        crossings = [r for r in roots if not _stable(x, y, r, 1) or not _stable(x, y, r, -1)]
        first = next(iter(crossings), None)
        end = td_stable_intervals(problem).threshold
        assert end.exact == first if first is not None else end.reason.startswith("TD is stable for every")


def _stable(X, Y, root, side):
    """Just beside a root: for two features trace and determinant decide."""
    low, high = root.interval(fmpq(1, 10**400))
    at = (low if side < 0 else high) + side * fmpq(1, 10**390)
    A = X - at * Y
    return bool(A.det() > 0 and A[0, 0] + A[1, 1] > 0)


@pytest.mark.parametrize("exponent", [20, 60, 300])
def test_crossings_next_to_zero_and_one_stay_inside(exponent):
    """One eigenvalue, square − γ²: it crosses at an irrational γ, a hair below 1 or above 0."""
    tiny = fmpq(1, 10**exponent)
    for square in (1 - tiny, tiny / 3, fmpq(1, 2)):
        curve = [fmpq_poly([-square, 0, 1]), fmpq_poly([1])]
        found = from_spans(stable_values([curve], False, fmpq(0), fmpq(1), high_open=True))
        ((low, high),) = found.intervals
        assert (low.exact, found.complete) == (0, True)
        assert high.exact == next(x for x in real_roots(fmpq_poly([-square, 0, 1])) if x > 0)
        assert 0 <= found.intervals[0].certified[0] < found.intervals[0].certified[1] < 1


def test_factors_with_coefficients_beyond_machine_integers_are_told_apart():
    """Two blocks, one rotated into the other, whose factors differ by 10⁻⁴⁰ only."""
    big = 10**40
    X, Y = fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[fmpq(big + 1, big), 1], [0, fmpq(big + 3, big)]])
    curve = affine_curve(X, -Y)
    assert len(split(curve)) == 2
    found = stable_values([curve], False, fmpq(0), fmpq(1), high_open=True)
    assert [span.high for span in found.spans] == [fmpq(big, big + 3)]


def test_an_exact_crossing_next_to_one_is_found_and_shown_by_its_distance():
    """One state visited once in 10²³ steps leads to a larger one; A is an M-matrix only up to 1 − 6·10⁻²⁴, about."""
    rare = Fraction(1, 10**23)
    problem = Problem.from_matrices("1/2", Phi=[[2], [1]], P_pi=[[1, 0], [rare, 1 - rare]], d_mu=[rare, 1 - rare])
    X, Y = 4 * rare + (1 - rare), 4 * rare + (1 - rare) * (2 * rare + (1 - rare))
    found = td_stable_intervals(problem)
    assert found.complete
    assert found.threshold.exact == X / Y
    assert stable_text(found, str) == "[0, 1 − 1e-23)"
    assert unbiased_text(chain_threshold(problem), str) == "γ < 1 − 1e-23"
