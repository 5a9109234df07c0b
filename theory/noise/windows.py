r"""The sequential chain and target-network TD at many settings: one window is one linear map, whatever comes after it.

While head k learns, the head before it is frozen: y = (p, e, 1) with p its error and e head k's. A hot start begins
head k + 1 where head k ended, p ← e. So at the begin of every window but the first p = e, and the second moments of
(e, 1) alone go from window to window by

    W = Π L^T E,        E: p = e,    L: a move of (p, e, 1),    Π: forget p,

head 0 by its own map in the first. How many heads there are does not matter to what the head in training does: with
"wrap" the last head takes the place of head 0, and the windows go on. A head that is not in training keeps its error,
so from the errors c_t of the head in training after each move all heads' errors follow:

    q_t(k) = c at the last move up to t that trained head k or handed over to it; before that, its start's error.

In mean square the windows shrink where ρ(W) < 1; per move that is ρ₂ = ρ(W)^(1/T), and ρ₄ likewise.

*How seeds scatter.* A seed's mean of q_t(k) over the n moves of the last half is Q = 1/n Σ_t w_t c_t, with w_t the
number of moves that see c_t. With the sum Q_t so far,

    Y₄ = E[y⊗y⊗y⊗y],   Z = E[Q y⊗y]:   Y₄' = L₄Y₄,   Z' = L₂Z + wE[c' y'⊗y'],   E[Q'²] = E[Q²] + 2w f·L₂Z + w²E[c'²]

in each move, and both go through windows as second moments do; a window without weights is one matrix, W₂ or W₄. What
head k began with, where late moves still see it, was drawn apart from all that trains before head k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt

import numpy as np

from theory.learners.sequential import SequentialChain
from theory.noise.errors import ErrorChain, step_maps
from theory.noise.moments import Moments
from theory.noise.runs import Spread, second_from_fourth, times_error
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


class WindowMoments:
    """The sequential chain with hot starts on a problem, at any step sizes, windows and heads."""

    def __init__(self, problem: Problem, weighting: str = "uniform") -> None:
        gamma = problem.exact.gamma if problem.is_exact else problem.gamma
        # Windows of two moves and heads 0 and 1 show every map there is, once without a handing over.
        maps = step_maps(SequentialChain(gamma, 1, 2, K=1, after="stop"), problem).measured(weighting, problem)
        D = maps.size // 2
        self.training = Moments(_part(maps, 1, range(2 * D)))
        self.first = Moments(_part(maps, 0, range(D)))

    def curves(
        self,
        alpha: FloatArray,
        window: int,
        steps: int,
        scale: float = 100.0,
        order: int = 2,
    ) -> tuple[FloatArray, float]:
        """(settings, steps): E[c^(order/2)] of the head in training after each move; and that before the first."""
        f, Y = self.first.form(order), self.first.start(scale, order)
        F, W = self._inside(alpha, window, f, order), self.across(alpha, window, order)
        L = self.first.matrices(alpha, order=order)
        y = np.broadcast_to(Y, (len(L), len(Y)))
        found = np.empty((len(L), steps + window))
        with np.errstate(over="ignore", invalid="ignore"):
            for t in range(window):
                y = (L @ y[:, :, None])[:, :, 0]
                found[:, t] = y @ f
            for at in range(window, steps, window):
                found[:, at : at + window] = (F @ y[:, :, None])[:, :, 0]
                y = (W @ y[:, :, None])[:, :, 0]
        found = found[:, :steps]
        return np.where(np.isfinite(found), np.maximum(found, 0.0), np.inf), float(f @ Y)

    def last_half(
        self,
        alpha: FloatArray,
        window: int,
        heads: Sequence[int],
        last: int = 256,
        steps: int = 100_000,
        scale: float = 100.0,
        after: str = "wrap",
    ) -> FloatArray:
        """(settings, heads): the mean of E[q_t(k)] over the last half, for each of some heads k of 0..last."""
        curves, start = self.curves(alpha, window, steps, scale)
        with_start = np.concatenate([np.full((len(curves), 1), start), curves], axis=1)
        late = np.arange(steps // 2 + 1, steps + 1)
        with np.errstate(over="ignore"):
            found = [with_start[:, last_trained(k, last, window, steps, after)[late]].mean(axis=1) for k in heads]
        return np.stack(found, axis=1)

    def radius(self, alpha: FloatArray, window: int, order: int = 2) -> FloatArray:
        """(settings,): ρ₂ or ρ₄ per move, from window to window."""
        W = self.across(alpha, window, order, constant=False)
        return np.abs(np.linalg.eigvals(W)).max(axis=1) ** (1 / window)

    def _inside(self, alpha: FloatArray, window: int, f: FloatArray, order: int) -> FloatArray:
        """(settings, T, n): the rows f·ΠLʲE for j = 1..T."""
        enter, leave = self.enter_and_leave(order)
        L = self.training.matrices(alpha, order=order)
        rows = np.zeros((len(L), window, enter.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            row = np.broadcast_to(f @ leave, (len(L), 1, len(enter)))
            for j in range(window):
                row = row @ L
                rows[:, j] = row[:, 0] @ enter
        return rows

    def across(self, alpha: FloatArray, window: int, order: int = 2, constant: bool = True) -> FloatArray:
        """(settings, n, n): W, of (e, 1), or of e alone as if no constant drove it."""
        enter, leave = self.enter_and_leave(order, constant)
        power, t = self.training.matrices(alpha, order=order, constant=constant), window
        W = np.broadcast_to(leave, (len(power), *leave.shape))
        with np.errstate(over="ignore", invalid="ignore"):
            while t:
                W = W @ power if t & 1 else W
                power, t = power @ power if t > 1 else power, t >> 1
            return W @ enter

    def enter_and_leave(self, order: int, constant: bool = True) -> tuple[FloatArray, FloatArray]:
        """E and Π between the moments of (e, 1) and of (p, e, 1)."""
        one, pair = self.first.numbered(order, constant), self.training.numbered(order, constant)
        D = self.first.size
        enter, leave = np.zeros((len(pair), len(one))), np.zeros((len(one), len(pair)))
        for row, (node, monomial) in enumerate(pair.first):
            enter[row, one.place(node, tuple(sorted(a if a < D else a - D for a in monomial)))] = 1
        for row, (node, monomial) in enumerate(one.first):
            leave[row, pair.place(node, tuple(a + D for a in monomial))] = 1
        return enter, leave


def last_trained(k: int, last: int, window: int, steps: int, after: str = "wrap") -> Array:
    """(steps + 1,): for each t the last move up to t that changed head k; 0 where there is none.

    >>> last_trained(1, 2, 2, 10).tolist()
    [0, 0, 2, 3, 4, 4, 6, 7, 8, 8, 10]
    """
    t = np.arange(1, steps + 1)
    turn, left = np.divmod(t - 1, window)
    if after == "stop":
        head, goes_to = turn, np.where(turn < last, turn + 1, -1)
    else:
        head = np.where(turn == 0, 0, (turn - 1) % last + 1)
        goes_to = head % last + 1
    changed = (head == k) | ((left == window - 1) & (goes_to == k))
    if k == 0 and after != "stop":  # the last head's values take its place
        changed |= (left == window - 1) & (head == last)
    return np.concatenate([[0], np.maximum.accumulate(np.where(changed, t, 0))])


def _part(maps: ErrorChain, head: int, x: range) -> ErrorChain:
    """The moves that train a head without handing over, on some of the coordinates, as a chain of its own."""
    D, memory = maps.size // 2, (head, 0)
    node = [i for i, (_, m) in enumerate(maps.nodes) if m == memory]
    number = {maps.nodes[i][0]: at for at, i in enumerate(node)}
    chosen = [m for m, i in enumerate(maps.node) if maps.nodes[i][1] == memory]
    begin = [i for i, (_, m) in enumerate(maps.nodes) if m == (0, 0)]  # both by place
    read = maps.read[node][:, :, D:]  # head 1 predicts
    if head == 1:
        read = np.concatenate([0 * read[:, :, :-1], read], axis=2)
    return replace(
        maps.restricted(x),
        node=np.array([number[maps.nodes[i][0]] for i in maps.node[chosen]]),
        next_node=np.array([number[maps.nodes[i][0]] for i in maps.next_node[chosen]]),
        probability=maps.probability[chosen],
        parts=maps.restricted(x).parts[:, chosen],
        first=maps.first[begin],
        law=maps.d_mu[[maps.nodes[i][0][0] for i in begin]],
        read=read,
        nodes=tuple((place, ()) for place in number),
    )


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

    def __init__(self, moments: Moments, alpha: float) -> None:
        a = np.array([alpha])
        self.second_map, self.fourth_map = (moments.matrices(a, order=order)[0] for order in (2, 4))
        self.form2, self.form4 = moments.form(), moments.form(4)
        self.times_error = times_error(moments)
        self.mean_of = self.form2 @ second_from_fourth(moments)

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
