r"""How seeds of the sequential chain scatter: the exact standard deviation of a seed's own mean square.

A seed's mean of q_t(k) over the n moves of the last half is Q = 1/n Σ_t w_t c_t, with c_t the error of the head in
training after move t and w_t the number of moves that see it (`theory.noise.windows`). With the sum Q_t so far,

    Y₄ = E[y⊗y⊗y⊗y],   Z = E[Q y⊗y]:   Y₄' = L₄Y₄,   Z' = L₂Z + wE[c' y'⊗y'],   E[Q'²] = E[Q²] + 2w f·L₂Z + w²E[c'²]

in each move, and both go through windows as second moments do; a window without weights is one matrix, W₂ or W₄. What
head k began with, where late moves still see it, was drawn apart from all that trains before head k.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt

import numpy as np

from theory.noise.settings import SettingMoments, Spread
from theory.noise.windows import WindowMoments, last_trained
from theory.problems.numbers import FloatArray


def window_spread(
    moments: WindowMoments,
    alpha: float,
    window: int,
    k: int,
    last: int = 256,
    steps: int = 100_000,
    scale: float = 100.0,
    after: str = "wrap",
) -> Spread:
    """Expectation and standard deviation of a seed's mean of q_t(k) over the last half; ∞ where they overflow."""
    seen = last_trained(k, last, window, steps, after)[steps // 2 + 1 :]
    weights = np.bincount(seen, minlength=steps + 1) / len(seen)
    first, training = _Moves(moments.first, alpha), _Moves(moments.training, alpha)
    (enter2, leave2), (enter4, leave4) = (moments.enter_and_leave(order) for order in (2, 4))
    across2, across4 = (moments.across(np.array([alpha]), window, order)[0] for order in (2, 4))
    with np.errstate(over="ignore", invalid="ignore"):
        start = first.begin(moments.first.start(scale, 4))
        own = first.weighed(start, weights[0])
        now = first.moved(own if k == 0 else start, weights[1 : window + 1])
        for at in range(window + 1, int(np.flatnonzero(weights)[-1]) + 1, window):
            counted = weights[at : at + window]
            if counted.any():
                now = training.moved(now.through(enter4, enter2), counted).through(leave4, leave2)
            else:
                now = now.through(across4, across2)
        apart = _Sums(start.fourth, start.mixed, 0.0, 0.0) if k == 0 else own
        mean, variance = now.mean + apart.mean, now.variance + apart.variance
    if not isfinite(variance):
        return Spread(mean if isfinite(mean) else inf, inf)
    return Spread(mean, sqrt(max(variance, 0.0)))


@dataclass(frozen=True, eq=False)
class _Sums:
    """Along a run: the fourth moments, those of the sum Q so far with two coordinates, and E[Q], E[Q²]."""

    fourth: FloatArray
    mixed: FloatArray
    mean: float
    square: float

    @property
    def variance(self) -> float:
        return self.square - self.mean**2

    def through(self, fourth: FloatArray, mixed: FloatArray) -> _Sums:
        """From one set of coordinates to another, or over a window that adds nothing to Q."""
        return replace(self, fourth=fourth @ self.fourth, mixed=mixed @ self.mixed)


class _Moves:
    """What moves do to the sums, at one step size."""

    def __init__(self, moments: SettingMoments, alpha: float) -> None:
        a = np.array([alpha])
        self.second_map, self.fourth_map = (moments.matrices(a, order=order)[0] for order in (2, 4))
        self.form2, self.form4 = moments.form(), moments.form(order=4)
        self.times_error = moments.times_error()
        self.mean_of = self.form2 @ moments.second_from_fourth()

    def begin(self, fourth: FloatArray) -> _Sums:
        """With Q = 0."""
        return _Sums(fourth, np.zeros(len(self.form2)), 0.0, 0.0)

    def weighed(self, now: _Sums, weight: float) -> _Sums:
        """Q ← Q + weight·c."""
        if weight == 0:
            return now
        Y = now.fourth
        mean = now.mean + weight * float(self.mean_of @ Y)
        square = now.square + 2 * weight * float(self.form2 @ now.mixed) + weight**2 * float(self.form4 @ Y)
        return _Sums(Y, now.mixed + weight * (self.times_error @ Y), mean, square)

    def moved(self, now: _Sums, weights: Iterable[float]) -> _Sums:
        """Move by move, each with its weight."""
        for weight in weights:
            now = self.weighed(now.through(self.fourth_map, self.second_map), weight)
        return now
