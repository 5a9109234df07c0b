import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linear.examples import baird, joint, random_problem, twostate
from theory.linear.spectra import (
    chain_step_sizes,
    head_step_sizes,
    largest_step_size,
    step_sizes,
)

stable_eigenvalues = st.builds(complex, st.floats(1e-3, 10), st.floats(-10, 10))
stable_spectra = st.lists(stable_eigenvalues, min_size=1, max_size=8).map(
    lambda half: np.array([*half, *np.conj(half)])
)


@given(stable_spectra, st.floats(0.01, 3))
def test_limit_separates_convergent_from_divergent_step_sizes(lam, factor):
    limit = largest_step_size(lam)
    alpha = limit * factor
    # |1−αλ|² − 1 = α|λ|²(α − limit_i): away from the limit the sign is beyond rounding.
    if abs(factor - 1) > 1e-6:
        assert (np.abs(1 - alpha * lam).max() < 1) == (factor < 1)


@settings(deadline=None)
@given(stable_spectra)
def test_no_step_size_on_a_fine_grid_beats_the_best(lam):
    best = step_sizes(lam).best
    rate = np.abs(1 - best * lam).max()
    grid = np.concatenate(
        [np.linspace(0, 2 * largest_step_size(lam), 2001), best * (1 + np.linspace(-1e-3, 1e-3, 201))]
    )
    assert rate <= np.abs(1 - grid[:, None] * lam).max(axis=1).min() + 1e-12
    assert 0 < best < largest_step_size(lam)
    # The rate of a slow spectrum is 1 − O(1e−6); it must still be seen below one.
    assert rate < 1


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=6))
def test_real_spectra_have_the_classical_optimum(eigenvalues):
    low, high = min(eigenvalues), max(eigenvalues)
    found = step_sizes(np.array(eigenvalues))
    assert found.best == pytest.approx(2 / (low + high), rel=1e-12)
    assert found.rate == pytest.approx((high - low) / (high + low), abs=1e-12)


def test_one_complex_pair_is_optimal_at_the_foot_of_the_perpendicular():
    found = step_sizes(np.array([1 + 2j, 1 - 2j]))
    assert found.best == pytest.approx(1 / 5)  # Re λ/|λ|²
    assert found.rate == pytest.approx(2 / math.sqrt(5))  # |Im λ|/|λ|


def test_unstable_and_boundary_spectra_have_no_step_size():
    for lam in ([1.0, -1e-9], [0.0, 1.0], [1j, -1j]):
        assert step_sizes(np.array(lam)) == step_sizes(np.array([-1.0]))
        assert step_sizes(np.array(lam)).limit == 0


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_step_sizes_are_inverse_to_the_square_of_the_features(scale):
    p = random_problem(1, 4, 2)
    plain, scaled = chain_step_sizes(p), chain_step_sizes(p.with_features(p.Phi * scale))
    assert scaled.limit * scale**2 == pytest.approx(plain.limit)
    assert scaled.best * scale**2 == pytest.approx(plain.best)
    assert scaled.rate == pytest.approx(plain.rate)


@pytest.mark.parametrize("K", [1, 5])
@pytest.mark.parametrize("problem", [random_problem(1, 4, 2), twostate("99/100")], ids=["random", "twostate"])
def test_one_step_size_serves_every_chain_length(problem, K):
    limit = chain_step_sizes(problem).limit
    M = joint(problem, K)[0]
    # M is defective: a block of size K+1 spreads eigenvalues by eps^(1/(K+1)), here at most 1e−3 of them.
    radius = lambda alpha: np.abs(np.linalg.eigvals(np.eye(len(M)) - alpha * M)).max()  # noqa: E731
    assert radius(0.98 * limit) < 1 < radius(1.02 * limit)


def test_baird_chain_limit_comes_from_the_largest_eigenvalue_of_X():
    # X has λ_max = 13/7 on Baird (trace and symmetry: 4/7 five times, 2/7 and 13/7).
    p = baird()
    assert head_step_sizes(p).limit == pytest.approx(2 / (13 / 7))
    assert chain_step_sizes(p).limit <= head_step_sizes(p).limit + 1e-12
