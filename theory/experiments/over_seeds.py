r"""What the seeds say, beside their mean: the middle of them, the range of nearly all, one learner against another.

A seed's worth is its RMSE over the last half of the run, xᵢ; n seeds in order are x₍₁₎ ≤ … ≤ x₍ₙ₎, and a lost one is ∞.

    interquartile mean    the mean without the ⌊n/4⌋ least and the ⌊n/4⌋ greatest
    tolerance interval    [x₍ₘ₎, x₍ₙ₊₁₋ₘ₎]: the share of *all* seeds, drawn or not, that fall into it is
                          Beta(n + 1 − 2m, 2m) whatever their distribution, if it is continuous. The largest m for which
                          that share is at least 90% with 95% confidence; where n < 46 is too few for any, m = 1
                          and the share that the range of n seeds does hold with that confidence
    paired difference     the mean of xᵢ − yᵢ for two learners on the same moves from the same starts, with its
                          percentile bootstrap interval, and on how many seeds the first was the better one

A confidence interval says where the mean lies, and shrinks with n; a tolerance interval says what a user with one seed
may meet, and does not.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv

from theory.experiments.bootstrap import LEVEL, resampled_means
from theory.problems.numbers import FloatArray

SHARE = 0.9


class Tolerance(NamedTuple):
    """Between `low` and `high` lies, with 95% confidence, at least this share of all seeds."""

    low: float
    high: float
    share: float

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict() | {"confidence": LEVEL}


class Paired(NamedTuple):
    """One learner's RMSE minus another's on the same seeds; not finite where a seed of one of them was lost."""

    against: str
    mean: float
    low: float
    high: float
    lower: int  # seeds on which the first was better
    higher: int
    seeds: int

    @property
    def word(self) -> str:
        """What the interval says, if it excludes 0."""
        if not isfinite(self.mean):
            return ""
        return "lower" if self.high < 0 else "higher" if self.low > 0 else "no clear difference"


def interquartile_mean(values: FloatArray) -> float:
    """The mean of the middle half.

    >>> interquartile_mean(np.array([9.0, 1.0, 2.0, 4.0, 100.0]))
    5.0
    """
    cut = len(values) // 4
    return float(np.sort(values)[cut : len(values) - cut].mean())


def tolerance_interval(values: FloatArray) -> Tolerance | None:
    """None for one seed.

    >>> tolerance_interval(np.arange(100.0))
    Tolerance(low=1.0, high=98.0, share=0.9)
    """
    n, order = len(values), np.sort(values)
    if n < 2:
        return None
    inside = [m for m in range(1, (n + 1) // 2) if betainc(n + 1 - 2 * m, 2 * m, SHARE) <= 1 - LEVEL]
    m = max(inside, default=1)
    share = SHARE if inside else float(betaincinv(n - 1, 2, 1 - LEVEL))
    return Tolerance(float(order[m - 1]), float(order[n - m]), share)


def paired_difference(rng: np.random.Generator, ours: FloatArray, theirs: FloatArray, against: str) -> Paired:
    """Of two learners' RMSEs a seed; two lost runs are alike."""
    lower, higher = int((ours < theirs).sum()), int((ours > theirs).sum())
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return Paired(against, np.nan, np.nan, np.nan, lower, higher, len(ours))
    apart = ours - theirs
    low, high = np.nan, np.nan
    if len(apart) > 1:
        tail = (1 - LEVEL) / 2
        low, high = np.quantile(resampled_means(rng, apart[:, None])[:, 0], (tail, 1 - tail))
    return Paired(against, float(apart.mean()), float(low), float(high), lower, higher, len(ours))
