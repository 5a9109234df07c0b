"""Interquartile means, tolerance intervals and paired differences, each against a second way to have it."""

from math import comb, inf, isnan

import numpy as np
import pytest
from scipy import stats

from theory.experiments.over_seeds import SHARE, interquartile_mean, paired_difference, tolerance_interval


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 30, 101])
def test_the_interquartile_mean_is_the_trimmed_one(n):
    values = np.random.default_rng(n).standard_cauchy(n)
    assert interquartile_mean(values) == pytest.approx(stats.trim_mean(values, 0.25))


def test_the_interquartile_mean_is_rliable_s():
    metrics = pytest.importorskip("rliable.metrics")
    values = np.random.default_rng(0).standard_cauchy((37, 1))
    assert interquartile_mean(values[:, 0]) == pytest.approx(metrics.aggregate_iqm(values))


def test_a_quarter_of_lost_seeds_leaves_the_middle():
    assert interquartile_mean(np.array([1.0, 2.0, 3.0, inf])) == 2.5
    assert interquartile_mean(np.array([1.0, 2.0, inf, inf])) == inf


@pytest.mark.parametrize("n", [2, 5, 10, 45, 46, 60, 92, 93, 100, 500])
def test_a_tolerance_interval_holds_what_it_says(n):
    """By the binomial: the chance that 2m seeds or more fall outside a share; with m + 1 it would be too small."""
    found = tolerance_interval(np.arange(n, dtype=float))
    m = round(found.low) + 1
    assert found.high == n - m

    def confidence(m, share):
        return sum(comb(n, i) * (1 - share) ** i * share ** (n - i) for i in range(2 * m, n + 1))

    assert confidence(m, found.share) >= 0.95 - 1e-9
    if n >= 46:
        assert found.share == SHARE
        assert confidence(m + 1, SHARE) < 0.95
    else:
        assert m == 1
        assert confidence(1, found.share) == pytest.approx(0.95)


def test_tolerance_intervals_cover_in_95_of_100_samples():
    rng = np.random.default_rng(1)
    held = []
    for _ in range(2000):
        found = tolerance_interval(rng.exponential(size=30))
        held.append(np.exp(-found.low) - np.exp(-found.high) >= found.share)
    assert abs(np.mean(held) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 2000)


def test_one_seed_has_no_tolerance_interval_and_a_lost_one_is_its_end():
    assert tolerance_interval(np.array([1.0])) is None
    assert tolerance_interval(np.array([1.0, inf, 2.0])).high == inf


def test_pairing_sees_what_two_intervals_apart_do_not():
    rng = np.random.default_rng(2)
    shared = 100 * rng.exponential(size=20)
    found = paired_difference(rng, shared + 0.1 + 0.01 * rng.standard_normal(20), shared, "td")
    assert found.low > 0
    assert found.word == "higher"
    assert (found.lower, found.higher, found.seeds) == (0, 20, 20)
    assert found.mean == pytest.approx(0.1, abs=0.01)
    turned = paired_difference(rng, shared, shared + 0.1, "td")
    assert turned.word == "lower"


def test_a_lost_seed_leaves_counts_alone():
    found = paired_difference(np.random.default_rng(0), np.array([1.0, inf, inf]), np.array([2.0, 2.0, inf]), "td")
    assert isnan(found.mean)
    assert found.word == ""
    assert (found.lower, found.higher) == (1, 1)


def test_the_paired_interval_covers():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(400):
        ours, theirs = rng.standard_normal(40) + 1, rng.standard_normal(40)
        found = paired_difference(rng, ours, theirs, "td")
        held += found.low <= 1 <= found.high
    assert held / 400 > 0.89  # the percentile bootstrap of 40 seeds is a little short of 95%
