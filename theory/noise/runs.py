r"""Runs from the protocol's start, at many settings at once: errors over the last half, at marks, and between seeds.

With Y(t) = L^t Y(0) (`theory.noise.moments`) the error of a run of N moves over its last half is

    q̄ = 1/n Σ_{t > N/2} f·L^t Y(0) = 1/n f·(I + L + … + L^(n−1)) · L^(N−n+1) Y(0),      n = N − ⌊N/2⌋ moves.

L^(2ᵏ) by squaring; the row f·(I + … + L^(2ᵏ−1)) doubles with it, g ← g + gL^(2ᵏ), so that a setting costs 17 products
of matrices and some of vectors for 10⁵ moves.

*How an average of seeds scatters.* Of a seed's own q̄ = 1/n Σ q_t the variance is finite-dimensional, too: along with
Y₄ = E[y⊗y⊗y⊗y] and the sum Q_t of the q_s so far go Z_t = E[Q_t y⊗y] and E[Q_t²], by one linear map,

    Z' = L₂Z + E[q' y'⊗y'],     E[Q'²] = E[Q²] + 2f·L₂Z + E[q'²],     the terms with q' being linear in Y₄' = L₄Y₄.

The standard error of a *mean square* over n seeds is √(Var q̄/n), exactly; that of its root, an RMSE, is
√(Var q̄/n)/(2·RMSE) to first order (the delta method): small against the RMSE, or it means little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.noise.moments import FLUSH, Moments
from theory.problems.numbers import Array, FloatArray


@dataclass(frozen=True, eq=False)
class Spread:
    """The mean square of a seed over the last half: its expectation and its standard deviation from seed to seed."""

    square: float
    deviation: float

    def z(self, rmse: float, seeds: int) -> float:
        """How many standard errors of a mean over that many seeds a sampled RMSE lies from the expectation."""
        return (rmse**2 - self.square) / (self.deviation / np.sqrt(seeds))


def last_half(
    moments: Moments,
    alpha: FloatArray,
    beta: FloatArray | None = None,
    steps: int = 100_000,
    scale: float = 100.0,
) -> FloatArray:
    """(settings,): the mean of E[q_t] over the last half of a run; ∞ where it passes the range of doubles."""
    f, Y = moments.form(), moments.start(scale)
    late = max(steps - steps // 2, 1)
    found = [late_sum(L, f[None], Y, steps - late + 1, late)[:, 0, 0] / late for L in moments.chunks(alpha, beta)]
    return errors(np.concatenate(found))


def curve(
    moments: Moments,
    marks: Array,
    alpha: FloatArray,
    beta: FloatArray | None = None,
    scale: float = 100.0,
    order: int = 2,
) -> FloatArray:
    """(settings, marks): E[q_t^(order/2)] after some numbers of moves, increasing."""
    f, Y = moments.form(order), moments.start(scale, order)
    return errors(np.concatenate([_at_marks(L, f, Y, marks) for L in moments.chunks(alpha, beta, order)]))


def spread(
    moments: Moments, alpha: float, beta: float | None = None, steps: int = 100_000, scale: float = 100.0
) -> Spread:
    """Expectation and standard deviation of a seed's own mean square over the last half; ∞ where they overflow."""
    a, b = np.array([alpha]), None if beta is None else np.array([beta])
    with np.errstate(over="ignore", invalid="ignore"):
        L2, L4 = moments.matrices(a, b)[0], moments.matrices(a, b, order=4)[0]
        n4, n2 = len(L4), len(L2)
        f2, f4, times, second = moments.form(), moments.form(4), times_error(moments), second_from_fourth(moments)
        step = np.zeros((n4 + n2 + 2,) * 2)
        step[:n4, :n4] = L4
        step[n4 : n4 + n2, :n4], step[n4 : n4 + n2, n4 : n4 + n2] = times @ L4, L2
        step[-2, :n4], step[-2, -2] = f2 @ second @ L4, 1
        step[-1, :n4], step[-1, n4 : n4 + n2], step[-1, -1] = f4 @ L4, 2 * f2 @ L2, 1
        start, begin = np.zeros(len(step)), steps // 2
        start[:n4] = np.linalg.matrix_power(L4, begin) @ moments.start(scale, 4)
        late = steps - begin
        end = np.linalg.matrix_power(step, late) @ start
    total, square = end[-2] / late, end[-1] / late**2
    if not np.isfinite([total, square]).all():
        return Spread(float(total) if np.isfinite(total) else np.inf, np.inf)
    return Spread(float(total), float(np.sqrt(max(square - total**2, 0.0))))


def times_error(moments: Moments) -> FloatArray:
    """(n₂, n₄): E[q y⊗y] from the fourth moments."""
    four, two, form = moments.numbered(4), moments.numbered(2), moments.chain.in_floats.form
    found = np.zeros((len(two), len(four)))
    for row, (node, monomial) in enumerate(two.first):
        for i, j in zip(*np.nonzero(form[node]), strict=True):
            found[row, four.place(node, tuple(sorted((int(i), int(j), *monomial))))] += form[node, i, j]
    return found


def second_from_fourth(moments: Moments) -> FloatArray:
    """(n₂, n₄): E[y_a y_b] = E[y_a y_b·1·1]."""
    four, two, D = moments.numbered(4), moments.numbered(2), moments.size
    found = np.zeros((len(two), len(four)))
    for row, (node, monomial) in enumerate(two.first):
        found[row, four.place(node, (*monomial, D, D))] = 1
    return found


def late_sum(L: FloatArray, f: FloatArray, Y: FloatArray, begin: int, count: int, blocks: int = 1) -> FloatArray:
    """(settings, blocks, rows): Σ f·L^t Y over `count` moves from `begin` on, and the blocks of as many after them."""
    settings = len(L)
    y = np.broadcast_to(Y[:, None], (settings, len(Y), 1))
    doubling = np.broadcast_to(f, (settings, *f.shape))  # f·(I + … + L^(2ᵏ−1))
    row = np.zeros((settings, *f.shape))
    ahead = np.broadcast_to(np.eye(len(Y)), L.shape)  # L^count, where there is more than one block
    bits = max(begin, count).bit_length()
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(bits):
            if begin >> k & 1:
                y = L @ y
            if count >> k & 1:
                row = doubling + row @ L
                ahead = ahead @ L if blocks > 1 else ahead
            doubling = doubling + doubling @ L
            if k + 1 < bits:
                L = _flushed(L @ L)
        found = [(row @ y)[:, :, 0]]
        for _ in range(blocks - 1):
            y = ahead @ y
            found.append((row @ y)[:, :, 0])
        return np.stack(found, axis=1)


def errors(found: FloatArray) -> FloatArray:
    """Not finite is ∞, and rounding leaves nothing below 0."""
    return np.where(np.isfinite(found), np.maximum(found, 0.0), np.inf)


def _at_marks(L: FloatArray, f: FloatArray, Y: FloatArray, marks: Array) -> FloatArray:
    """(settings, marks): f·L^t Y; powers of two are shared by all marks."""
    gaps = np.diff(np.concatenate([[0], np.asarray(marks)])).tolist()
    powers, y, found = [L], np.broadcast_to(Y[:, None], (len(L), len(Y), 1)), []
    with np.errstate(over="ignore", invalid="ignore"):
        for gap in gaps:
            for k in range(gap.bit_length()):
                if k == len(powers):
                    powers.append(_flushed(powers[-1] @ powers[-1]))
                if gap >> k & 1:
                    y = powers[k] @ y
            found.append((f @ y)[:, 0])
    return np.stack(found, axis=1)


def _flushed(L: FloatArray) -> FloatArray:
    L[np.abs(L) < FLUSH] = 0.0
    return L
