"""Root mean squares over seeds: the interval against the exact resampling distribution, and what infinity does."""

import numpy as np
import pytest

from theory.experiments.bootstrap import bootstrap_band, root_mean, root_median, root_trimmed


def rng():
    return np.random.default_rng(0)


def test_interval_of_two_seeds_is_the_exact_one():
    """Resampled means of (0, 4) are 0, 2, 4 with probabilities 1/4, 1/2, 1/4: the 2.5% and 97.5% quantiles are 0, 4.

    A thousand resamples show fewer than 25 of either end with probability below 10⁻¹⁰⁰.
    """
    low, high = bootstrap_band(rng(), np.array([0.0, 4.0]))
    assert (low, high) == (0.0, 2.0)


def test_equal_seeds_have_no_spread():
    low, high = bootstrap_band(rng(), np.full((5, 3), 9.0))
    np.testing.assert_allclose(low, 3.0, rtol=1e-15)
    np.testing.assert_allclose(high, 3.0, rtol=1e-15)


def test_a_lost_seed_makes_the_upper_end_infinite_and_no_nan():
    """One of ten is missing from a resample with probability .9¹⁰ ≈ .35: the lower end is finite."""
    low, high = bootstrap_band(rng(), np.array([1.0] * 9 + [np.inf]))
    assert low == pytest.approx(1.0, rel=1e-12)
    assert high == np.inf


def test_one_seed_has_no_band():
    low, high = bootstrap_band(rng(), np.array([[1.0, 2.0]]))
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_median_and_trimmed_ignore_the_tail_and_the_mean_does_not():
    squares = np.array([4.0] * 9 + [np.inf])
    assert root_median(squares) == 2.0
    assert root_trimmed(squares) == 2.0
    assert root_mean(squares) == np.inf


def test_trimmed_drops_exactly_the_largest_tenth():
    squares = np.arange(1.0, 21.0)
    assert root_trimmed(squares) == pytest.approx(np.sqrt(sum(range(1, 19)) / 18), rel=1e-15)
