r"""How far a problem is on the wanted side, in floats and for many problems at once.

With D^½Φ = UΣVᵀ and N = D^½PD^−½, the chain's operator on span Φ and TD's key matrix in the basis V are

    B = γUᵀNU        A = Σ(I − B)Σ

and with α the largest power of two not above 1/λ_max(X), Q = (I − αΣ²)ᵀ, the target network's is G_T = Q + (I − Q)B.
Directions with σ = 0 are left out (structural zeros). Nothing here is proof: it only guides the search.

A margin is positive on the wanted side. For γ near 1 stable and unbiased problems are close to the boundary by
nature (tabular features have ρ = γ), so these two are measured in units of 1 − γ:

    stable      min Re λ(A)/((1 − γ)λ_max(X))        unstable    −min Re λ(A)/λ_max(X)
    unbiased    (1 − ρ(B))/(1 − γ)                   biased      ρ(B) − 1
    windows     max over T of 1 − ρ(G_T)

How far methods of the field are on the wanted side, problem by problem, in floats: it only guides the search.

A method's margin is that of `theory.methods.outcome`, negated where the method shall fail.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.experiments.search.wanted import Wanted
from theory.methods.family import find_method
from theory.methods.outcome import margin
from theory.model.linear_model import FloatModel
from theory.problems.numbers import Array, FloatArray

WINDOWS = np.unique(np.round(np.geomspace(2, 2048, 21)))
ENOUGH = 0.1  # margins beyond this are as good as this
_ZERO = 1e-10  # singular values below this times the largest belong to dependent features


@dataclass(frozen=True, eq=False)
class Batch:
    """N problems of one size."""

    Phi: FloatArray  # (N, S, F)
    P: FloatArray  # (N, S, S), or (S, S) for all
    d: FloatArray  # (N, S)
    gamma: FloatArray  # (N,)


@dataclass(frozen=True, eq=False)
class Sides:
    """What decides, for each problem of a batch."""

    td: FloatArray  # (N,) min Re λ(A)/λ_max(X)
    rho: FloatArray  # (N,) ρ(B)
    rank: Array  # (N,)
    B: FloatArray  # (N, m, m)
    sigma: FloatArray  # (N, m), largest 1; 0 for left-out directions
    scale: FloatArray  # (N,) λ_max(X)


def sides(batch: Batch) -> Sides:
    """Eigenvalues of both operators."""
    root = np.sqrt(batch.d)
    U, s, _ = np.linalg.svd(root[:, :, None] * batch.Phi, full_matrices=False)
    largest = np.where(s[:, :1] > 0, s[:, :1], 1.0)
    keep = s > _ZERO * largest
    U = np.ascontiguousarray(U * keep[:, None, :])
    ahead = root[:, :, None] * (batch.P @ (U / root[:, :, None]))  # D^½PD^−½U
    B = batch.gamma[:, None, None] * (U.transpose(0, 2, 1) @ ahead)
    # A left-out direction becomes a 1 on A's diagonal and a 0 on B's, neither of which decides.
    sigma = np.where(keep, s / largest, 1.0)
    A = sigma[:, :, None] * (np.eye(B.shape[1]) - B) * sigma[:, None, :]
    td, rho = np.linalg.eigvals(A).real.min(axis=1), np.abs(np.linalg.eigvals(B)).max(axis=1)
    return Sides(td, rho, keep.sum(axis=1), B, sigma * keep, largest[:, 0] ** 2)


def window_margins(found: Sides, which: Array) -> FloatArray:
    """1 − ρ(G_T) for some of the problems and every T of `WINDOWS`."""
    sigma, B, scale = found.sigma[which], found.B[which], found.scale[which]
    x = np.ldexp(scale, -np.ceil(np.log2(scale)).astype(int))[:, None] * sigma**2  # ασ²; the largest in (1/2, 1]
    q = np.where(sigma[:, None] > 0, (1 - x)[:, None, :] ** WINDOWS[:, None], 0.0)
    G = (1 - q)[..., None] * B[:, None] + q[..., None] * np.eye(B.shape[1])
    return 1 - np.abs(np.linalg.eigvals(G)).max(axis=2)


def margins(batch: Batch, wanted: Wanted) -> tuple[FloatArray, Sides]:
    """The smallest of the wanted margins for each problem, at most `ENOUGH`; −1 where the rank is not full."""
    found = sides(batch)
    total = np.full(len(batch.d), ENOUGH)
    unit = 1 - batch.gamma
    if wanted.td is not None:
        total = np.minimum(total, found.td / unit if wanted.td == "stable" else -found.td)
    if wanted.chain is not None:
        total = np.minimum(total, (1 - found.rho) / unit if wanted.chain == "unbiased" else found.rho - 1)
    if wanted.windows:
        # det A < 0 makes every T fail, and only just: without a penalty that is where the search would settle.
        total = np.where(np.linalg.det(np.eye(found.B.shape[1]) - found.B) > 0, total, np.minimum(total, -0.2))
        # Where TD is stable or the chain unbiased, that comes first.
        ready = np.flatnonzero(total > 0)
        total[ready] = np.minimum(total[ready], window_margins(found, ready).max(axis=1))
    if wanted.methods:
        ready = np.flatnonzero(total > 0)  # what TD and the chain shall do comes first: it is cheaper
        some = P if (P := batch.P).ndim == 2 else P[ready]
        near = method_margins(batch.Phi[ready], some, batch.d[ready], batch.gamma[ready], wanted.methods)
        total[ready] = np.minimum(total[ready], near)
    full = found.rank == min(batch.Phi.shape[1:])
    return np.where(full, np.maximum(total, -1.0), -1.0), found


def method_margins(
    Phi: FloatArray, P: FloatArray, d: FloatArray, gamma: FloatArray, wanted: tuple[tuple[str, bool], ...]
) -> FloatArray:
    """The smallest wanted margin of each problem; arrays as in a batch."""
    return np.array([_least(Phi[i], P if P.ndim == 2 else P[i], d[i], float(gamma[i]), wanted) for i in range(len(d))])


def _least(Phi: FloatArray, P: FloatArray, d: FloatArray, gamma: float, wanted: tuple[tuple[str, bool], ...]) -> float:
    S = len(Phi)
    model = FloatModel(gamma, Phi, P, np.zeros(S), d)
    top = float(np.linalg.eigvalsh((model.X + model.X.T) / 2)[-1])
    if not 1e-100 < top < 1e100:
        return -1.0
    alpha = 2.0 ** -np.ceil(np.log2(top))
    found = [margin(find_method(text, {"alpha": alpha}), model) * (1 if holds else -1) for text, holds in wanted]
    return min(found) if np.isfinite(found).all() else -1.0
