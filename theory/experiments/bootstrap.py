r"""Root mean squares over seeds, and how far they can be trusted.

A seed's squared errors are heavy-tailed where variance is, so beside √(mean over seeds) there are the median over
seeds and the 90% trimmed value, √(mean of what is left without the largest tenth). The interval is the percentile
bootstrap: seeds are drawn again with replacement, as many as there are, and the 2.5% and 97.5% quantiles of
the recomputed value are its ends. A seed that was lost has error ∞, and so has every resample that holds it.
"""

from __future__ import annotations

import numpy as np

from theory.problems.numbers import FloatArray

RESAMPLES = 1000
LEVEL = 0.95
BAND = f"{LEVEL:.0%} percentile bootstrap over seeds, {RESAMPLES} resamples"


def root_mean(squares: FloatArray) -> FloatArray:
    """√ of the mean over the first axis, the seeds."""
    return np.sqrt(squares.mean(axis=0))


def root_median(squares: FloatArray) -> float:
    """√ of the median over seeds: of two middle ones the upper, so that no infinity is averaged."""
    return float(np.sqrt(np.sort(squares)[len(squares) // 2]))


def root_trimmed(squares: FloatArray, share: float = 0.9) -> float:
    """√ of the mean of the smallest 90%, at least one."""
    kept = max(1, round(share * len(squares)))
    return float(np.sqrt(np.sort(squares)[:kept].mean()))


def bootstrap_band(rng: np.random.Generator, squares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Ends of the interval of `root_mean` for squares (seeds, …); nan where there is only one seed."""
    seeds = len(squares)
    if seeds < 2:
        nothing = np.full(squares.shape[1:], np.nan)
        return nothing, nothing.copy()
    means = resampled_means(rng, squares.reshape(seeds, -1))
    # "lower" and "higher" take a value that is there: between a number and ∞ there is nothing to interpolate.
    tail = (1 - LEVEL) / 2
    low = np.quantile(means, tail, axis=0, method="lower")
    high = np.quantile(means, 1 - tail, axis=0, method="higher")
    return np.sqrt(low).reshape(squares.shape[1:]), np.sqrt(high).reshape(squares.shape[1:])


def resampled_means(rng: np.random.Generator, values: FloatArray) -> FloatArray:
    """Means of the first axis of values (seeds, m), each over as many seeds drawn again: (resamples, m)."""
    seeds = len(values)
    weights = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=RESAMPLES) / seeds
    lost = ~np.isfinite(values)
    means = weights @ np.where(lost, 0.0, values)
    means[(weights @ lost.astype(np.float64)) > 0] = np.inf
    return means
