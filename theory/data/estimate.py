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

from theory.problems.data.table import Table
from theory.problems.numbers import FloatArray

RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Estimate:
    """Sums a trajectory, in r independent features."""

    table: Table
    V: FloatArray  # (F, r), an orthonormal basis of the features' row space
    X: FloatArray  # (C, r, r), each trajectory's sum over the mean number of moves in one
    Y: FloatArray  # (C, r, r)
    b: FloatArray  # (C, r)

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

    @cached_property
    def lengths(self) -> FloatArray:
        """(C,), moves in each trajectory."""
        return np.bincount(self.table.episode, minlength=self.n).astype(np.float64)


def estimate(table: Table) -> Estimate:
    """The sums of each trajectory."""
    scale = float(np.abs(table.phi).max()) or 1.0
    _, s, Vt = np.linalg.svd(table.phi / scale, full_matrices=False)
    kept = s > 1e-10 * s.max(initial=1e-300)
    V = np.eye(table.n_features) if kept.sum() == table.n_features else Vt[kept].T
    phi, phi_next = table.phi @ V, table.phi_next @ V
    C, r = table.n_episodes, V.shape[1]
    moves = len(table) / C
    X, Y, b = np.zeros((C, r, r)), np.zeros((C, r, r)), np.zeros((C, r))
    order = np.argsort(table.episode, kind="stable")
    starts = np.searchsorted(table.episode[order], np.arange(C + 1))
    for c in range(C):
        rows = order[starts[c] : starts[c + 1]]
        f, rho = phi[rows], table.ratio[rows]
        X[c], Y[c] = f.T @ f / moves, f.T @ (rho[:, None] * phi_next[rows]) / moves
        b[c] = f.T @ (rho * table.reward[rows]) / moves
    return Estimate(table, V, X, Y, b)


def bound(sums: FloatArray, delta: float) -> FloatArray:
    """How far each entry's mean may be from the truth, all at once with probability 1 − δ, for independent sums."""
    n = len(sums)
    if n < 2:
        return np.full(sums.shape[1:], np.inf)
    log = np.log(4 * sums[0].size / delta)
    spread = 2 * np.abs(sums).max(axis=0)
    found: FloatArray = np.sqrt(2 * sums.var(axis=0, ddof=1) * log / n) + 7 * spread * log / (3 * (n - 1))
    return found
