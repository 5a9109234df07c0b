"""What balls claim is true, and they claim it where there is room."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from theory.certified.proofs import Candidate, Pencil, eigenbasis, is_signature, lyapunov, precise_eigenbasis
from theory.exact.matrices import geometric_sum, identity
from theory.model.balls import (
    balls,
    dyadic,
    is_positive_definite,
    nearest,
    precision,
    unit,
)


def proves(N, E, disc, K, signs, W):
    return is_signature(Pencil(disc, N, E), Candidate(K, signs, W))


def random(rng, n):
    return rng.normal(size=(n, n))


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_definiteness_is_told_on_both_sides_of_the_smallest_eigenvalue(n):
    rng = np.random.default_rng(n)
    R = random(rng, n)
    H = R @ R.T
    smallest = np.linalg.eigvalsh(H)[0]
    # eigvalsh is good to about n·eps·‖H‖, far below the 1% (of at least 1e−6 here) that we step aside.
    assert smallest > 1e-6
    assert is_positive_definite(balls(H - 0.99 * smallest * np.eye(n)))
    assert not is_positive_definite(balls(H - 1.01 * smallest * np.eye(n)))


@pytest.mark.parametrize(("disc", "with_E"), [(False, False), (True, False), (True, True)])  # the half plane's E is I
def test_signatures_count_the_eigenvalues_on_the_wrong_side(disc, with_E):
    rng = np.random.default_rng(3)
    for _ in range(20):
        N = 0.6 * random(rng, 6)
        E = random(rng, 6) if with_E else None
        values = np.linalg.eigvals(N if E is None else np.linalg.solve(E, N))
        margin = 1 - np.abs(values) if disc else values.real
        if np.abs(margin).min() < 1e-3:
            continue
        N_, E_ = balls(N), None if E is None else balls(E)
        for guess in (eigenbasis, lyapunov):
            K, signs, W = guess(N, E, disc)
            assert np.sum(signs < 0) == np.sum(margin < 0)
            assert proves(N_, E_, disc, K, signs, W)
            assert not proves(N_, E_, disc, K, -signs, W)
        with precision(200):
            K, signs, W = precise_eigenbasis(N_, E_, disc)
            assert proves(N_, E_, disc, K, signs, W)


def test_the_lyapunov_candidate_serves_defective_matrices():
    jordan = 0.5 * np.eye(8) + np.eye(8, k=1)
    assert proves(balls(jordan), None, True, *lyapunov(jordan, None, True))
    assert proves(balls(jordan), None, False, *lyapunov(jordan, None, False))


def test_high_precision_sees_what_doubles_cannot():
    tiny = fmpq(1, 10**40)
    for side in (-1, 1):
        m = fmpq_mat(2, 2, [1 + side * tiny, 3, 0, fmpq(1, 2)])
        with precision(256):
            N = balls(m)
            found = precise_eigenbasis(N, None, True)
            assert found is not None
            assert proves(N, None, True, *found)
            assert min(found[1]) == -side


@pytest.mark.parametrize("T", [1, 2, 3, 7, 8, 61])
def test_window_sums_enclose_the_exact_sum(T):
    X, alpha = fmpq_mat(2, 2, [2, fmpq(1, 3), fmpq(1, 3), 1]), fmpq(1, 5)
    step = identity(2) - alpha * X
    exact, power = fmpq_mat(2, 2), identity(2)
    for _ in range(T):
        exact, power = exact + alpha * power, power * step
    with precision(128):
        enclosure = arb(alpha) * geometric_sum(unit(2) - balls(alpha * X), T, unit(2))[1]
        assert enclosure.contains(balls(exact).mid()) or enclosure.overlaps(balls(exact))
        assert max(float(x.rad()) for x in enclosure.entries()) < 1e-30


def test_dyadic_midpoints_are_exact():
    assert dyadic(balls(np.array([[0.1, -3.0], [0.0, 1e-300]]))).tolist() == [
        [Fraction(0.1), Fraction(-3)],
        [Fraction(0), Fraction(1e-300)],
    ]


numbers = st.one_of(
    st.fractions(max_denominator=10**9),
    st.builds(lambda x, k: x * Fraction(10) ** k, st.fractions(-9, 9, max_denominator=99), st.integers(-700, 700)),
    st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
)


@given(numbers)
def test_the_nearest_doubles_are_within_their_bound_at_any_scale(true):
    found = nearest(fmpq_mat([[fmpq(true.numerator, true.denominator)]]))
    mid, rad = found.mid.item(), found.rad.item()
    if np.isfinite(mid):
        assert abs(Fraction(mid) - true) <= Fraction(rad) <= abs(true) / 2**50 + Fraction(1, 10**299)
    else:
        assert abs(true) > 2**1023
        assert not np.isfinite(rad)
