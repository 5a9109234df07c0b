r"""What transitions say about X, Y and b, and how sure that is.

    X̂ = mean of φφᵀ        Ŷ = mean of ρφφ'ᵀ        b̂ = mean of ρrφ        over all moves

A trajectory c gives the sums X_c, Y_c, b_c; trajectories are independent, rows within one are not. Two ways to be sure:

*Bootstrap*: draw as many trajectories again, with replacement, and look at the estimates that come out. Good when there
are many trajectories; an approximation.

*Bound*: if no trajectory can have a larger entry in its sum than the largest seen, in absolute value R/2, then with
probability 1 − δ every one of m entries obeys at once (Maurer and Pontil 2009, empirical Bernstein inequality; n
trajectories, sample variance V̂)

    |mean − truth|  ≤  √(2 V̂ ln(4m/δ)/n) + 7 R ln(4m/δ)/(3(n − 1)) .

No approximation, and much wider. Features that are dependent are seen through their row space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theory.problems.data import Table
from theory.problems.numbers import Array, FloatArray

RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Estimate:
    """Sums a trajectory, in r independent features."""

    table: Table
    V: FloatArray  # (F, r), an orthonormal basis of the features' row space
    X: FloatArray  # (C, r, r), each trajectory's sum over the mean number of moves in one
    Y: FloatArray  # (C, r, r)
    b: FloatArray  # (C, r)
    lengths: FloatArray  # (C,), moves in each trajectory
    weights: FloatArray | None = None  # (C,), sums of products of several ratios, where Y is made of such

    @property
    def n(self) -> int:
        """Trajectories."""
        return len(self.b)

    @cached_property
    def mean(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """X̂, Ŷ, b̂."""
        return self.X.mean(axis=0), self.Y.mean(axis=0), self.b.mean(axis=0)

    def resampled(self, seed: int, size: int = RESAMPLES) -> tuple[FloatArray, FloatArray]:
        """X and Y of so many bootstrap samples, (size, r, r) each."""
        rng = np.random.default_rng(seed)
        weights = rng.multinomial(self.n, np.full(self.n, 1 / self.n), size) / self.n
        lengths = weights @ (self.lengths / self.lengths.mean())
        X, Y = (np.tensordot(weights, sums, axes=1) / lengths[:, None, None] for sums in (self.X, self.Y))
        return X, Y


def estimate(table: Table) -> Estimate:
    """The sums of each trajectory."""
    scale = float(np.abs(table.phi).max()) or 1.0
    _, s, Vt = np.linalg.svd(table.phi / scale, full_matrices=False)
    kept = s > 1e-10 * s.max(initial=1e-300)
    V = np.eye(table.n_features) if kept.sum() == table.n_features else Vt[kept].T
    order = in_order(table)
    rho = table.ratio[order]
    moves = table.phi[order] @ V, rho[:, None] * (table.phi_next[order] @ V), rho * table.reward[order]
    return summed(table, V, order, *moves)


def in_order(table: Table) -> Array:
    """The rows, trajectory after trajectory, each in its own order."""
    return np.argsort(table.episode, kind="stable")


def trajectories_cut_off(table: Table) -> int:
    """How many do not end with an end."""
    order = in_order(table)
    last = np.append(np.flatnonzero(np.diff(table.episode[order])), len(table) - 1)
    return int((~table.done[order][last]).sum())


def summed(
    table: Table,
    V: FloatArray,
    rows: Array,
    phi: FloatArray,
    ahead: FloatArray,
    returns: FloatArray,
    weight: FloatArray | None = None,
) -> Estimate:
    """Sums of φφᵀ, φ·aheadᵀ and φ·return over some rows of each trajectory, those without a row left out."""
    trajectories, starts = np.unique(table.episode[rows], return_index=True)
    ends = np.append(starts[1:], len(rows))
    C, r, moves = len(trajectories), V.shape[1], len(rows) / len(trajectories)
    X, Y, b = np.zeros((C, r, r)), np.zeros((C, r, r)), np.zeros((C, r))
    for c in range(C):
        here = slice(starts[c], ends[c])
        f = phi[here]
        X[c], Y[c], b[c] = f.T @ f / moves, f.T @ ahead[here] / moves, f.T @ returns[here] / moves
    weights = None if weight is None else np.add.reduceat(weight, starts)
    return Estimate(table, V, X, Y, b, (ends - starts).astype(np.float64), weights)


def bound(sums: FloatArray, delta: float) -> FloatArray:
    """How far each entry's mean may be from the truth, all at once with probability 1 − δ, for independent sums."""
    n = len(sums)
    if n < 2:
        return np.full(sums.shape[1:], np.inf)
    log = np.log(4 * sums[0].size / delta)
    spread = 2 * np.abs(sums).max(axis=0)
    return np.sqrt(2 * sums.var(axis=0, ddof=1) * log / n) + 7 * spread * log / (3 * (n - 1))
