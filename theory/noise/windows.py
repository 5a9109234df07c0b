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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from theory.learners.sequential import SequentialChain
from theory.noise.settings import SettingMoments
from theory.noise.step_maps import StepMaps, step_maps
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


class WindowMoments:
    """The sequential chain with hot starts on a problem, at any step sizes, windows and heads."""

    def __init__(self, problem: Problem) -> None:
        gamma = problem.exact.gamma if problem.is_exact else problem.gamma
        # Windows of two moves and heads 0 and 1 show every map there is, once without a handing over.
        maps = step_maps(SequentialChain(gamma, 1, 2, K=1, after="stop"), problem)
        D = maps.block
        pair, single = np.arange(2 * D + 1), np.append(np.arange(D), 2 * D)
        self.training = SettingMoments(_part(maps, 1, pair))
        self.first = SettingMoments(_part(maps, 0, single))

    def curves(
        self,
        alpha: FloatArray,
        window: int,
        steps: int,
        scale: float = 100.0,
        weighting: str = "uniform",
        order: int = 2,
    ) -> tuple[FloatArray, float]:
        """(settings, steps): E[c^(order/2)] of the head in training after each move; and that before the first."""
        f, Y = self.first.form(weighting, order), self.first.start(scale, order)
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
        index, first = self.first.numbered(order, constant)
        pair_index, pair = self.training.numbered(order, constant)
        D = self.first.size
        enter, leave = np.zeros((len(pair), len(first))), np.zeros((len(first), len(pair)))
        for row, (node, monomial) in enumerate(pair):
            merged = tuple(sorted(a if a < D else a - D for a in monomial))
            enter[row, index[node, merged]] = 1
        for row, (node, monomial) in enumerate(first):
            leave[row, pair_index[node, tuple(a + D for a in monomial)]] = 1
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


def _part(maps: StepMaps, head: int, kept: Array) -> StepMaps:
    """The moves that train a head without handing over, on some of the coordinates, as a chain of its own."""
    chain, memory = maps.chain, (head, 0)
    node = [i for i, (_, m) in enumerate(maps.nodes) if m == memory]
    number = {maps.nodes[i][0]: at for at, i in enumerate(node)}
    chosen = [m for m, i in enumerate(chain.node) if maps.nodes[i][1] == memory]
    places = [(maps.nodes[chain.node[m]][0], maps.nodes[chain.next_node[m]][0]) for m in chosen]
    begin = [i for i, (_, m) in enumerate(maps.nodes) if m == (0, 0)]  # both by place
    x = kept[:-1]
    read = chain.read[node][:, :, np.arange(maps.block, 2 * maps.block + 1)]  # head 1 predicts
    if head == 1:
        read = np.concatenate([0 * read[:, :, :-1], read], axis=2)
    own = replace(
        chain,
        node=np.array([number[i] for i, _ in places]),
        next_node=np.array([number[j] for _, j in places]),
        probability=chain.probability[chosen],
        maps=chain.maps[chosen][:, kept][:, :, kept],
        first=chain.first[begin],
        law=chain.d_mu[[maps.nodes[i][0][0] for i in begin]],
        spread=chain.spread[x],
        centre=chain.centre[x],
        read=read,
    )
    parts = maps.parts[:, chosen][:, :, kept][:, :, :, kept]
    return StepMaps(own, parts, maps.block, maps.states, tuple((place, ()) for place in number))
