r"""The family that joins off-policy TD and chained TD: T updates per target network.

T updates of θ ← θ + α(b + γYθ⁻ − Xθ) towards a fixed target network θ⁻ give, with Q = (I − αX)ᵀ (a power),

    hot start    e_{k+1} = G_T e_k ,        G_T = Q + (I−Q)B = I − S_T A ,        S_T = α Σ_{j<T} (I−αX)ʲ
    cold start   e_{k+1} = (I−Q)B e_k + Q(θ_cold − θ_π)

**T = 1 is off-policy TD (G_1 = I − αA) and T = ∞ is chained TD (G_∞ = B)** (extra-target-network). The
hot start is stable for that T exactly when ρ(G_T) < 1 and then reaches θ_π; the cold start when
ρ((I−Q)B) < 1, with a limit that is biased towards θ_cold.

In the `principal` coordinates of the values X is Σ², so Q is diagonal with entries
q = (1 − ασ²)ᵀ and 1 − q = −expm1(T log1p(−ασ²)) without cancellation, for every T up to ∞ and every α: no
matrix is powered. Structural zeros (ker Φ) are left out. At ασ² = 2 exactly, q keeps alternating and
T = ∞ has no limit; beyond it q grows: both give radius inf at T = ∞.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from theory.model.linear_model import FloatModel, value_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray

_CHUNK = 1 << 22  # matrix entries held at once


def window_radii(
    problem: Problem, alpha: float, windows: Sequence[float] | FloatArray, *, hot: bool = True
) -> FloatArray:
    """ρ(G_T), or ρ((I−Q)B) with a cold start, for each T in `windows`; `math.inf` is the chain.

    >>> tt = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> window_radii(tt, 0.1, [1, math.inf]).round(12).tolist()
    [0.9, 0.6]
    """
    T = check_windows(windows)
    check_alpha(alpha)
    model, sigma = principal(problem)
    q, rest = _powers(alpha * sigma**2, T)
    radii = np.zeros(len(T))
    block = max(1, _CHUNK // max(1, model.rank**2))
    for i in range(0, len(T), block):
        part = slice(i, i + block)
        radii[part] = _radii(q[part], rest[part], model.B, hot)
    return radii


def principal(problem: Problem) -> tuple[FloatModel, FloatArray]:
    """The model in coordinates of the values in which X is Σ², and the singular values Σ (r,) of D^½Φ."""
    model = value_model(problem)
    U, sigma, Vt = np.linalg.svd(model.R, full_matrices=False)
    turned = replace(model, Phi=model.Phi @ U, R=sigma[:, None] * Vt)
    turned.__dict__.update(X_hat=model.X_hat, Y_hat=U.T @ model.Y_hat @ U)
    return turned, sigma


def stable_windows(problem: Problem, alpha: float, max_window: int) -> list[tuple[int, int]]:
    """The stable T in 1..max_window as closed intervals, by computing ρ for every one of them."""
    if max_window < 1:
        raise InvalidProblem(f"must be 1 or more, got {max_window}", "max_window")
    stable = window_radii(problem, alpha, np.arange(1.0, max_window + 1)) < 1
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stable, [False]]).astype(int)))
    return [(int(a) + 1, int(b)) for a, b in edges.reshape(-1, 2)]


def window_matrix(problem: Problem, alpha: float, window: float, *, hot: bool = True) -> tuple[FloatModel, FloatArray]:
    """One round in the principal coordinates of the model it returns: G_T, or (I−Q)B with a cold start."""
    T = check_windows([window])
    check_alpha(alpha)
    model, sigma = principal(problem)
    q, rest = _powers(alpha * sigma**2, T)
    if not (np.isfinite(q).all() and np.isfinite(rest).all()):
        raise InvalidProblem(f"a window of {window:g} at step size {alpha:g} overflows double precision", "alpha")
    return model, _round(q[0], rest[0], model.B, hot)


def check_windows(windows: Sequence[float] | FloatArray) -> FloatArray:
    """Whole numbers from 1, or inf."""
    T = np.atleast_1d(np.asarray(windows, dtype=np.float64))
    bad = np.flatnonzero(~((T >= 1) & ((np.floor(T) == T) | np.isinf(T))))
    if len(bad):
        raise InvalidProblem(f"a window is a whole number from 1, or inf; got {T[bad[0]]:g}", "windows", int(bad[0]))
    return T


def check_alpha(alpha: float) -> None:
    """A step size is positive and finite."""
    if not (alpha > 0 and math.isfinite(alpha)):
        raise InvalidProblem(f"the step size must be positive and finite, got {alpha:g}", "alpha")


def _powers(x: FloatArray, T: FloatArray) -> tuple[FloatArray, FloatArray]:
    """q = (1−x)ᵀ and 1 − q for x = ασ² (r,) and every T (M,): two arrays (M, r)."""
    with np.errstate(all="ignore"):
        # log|1−x|: x − 2 is exact near 2, where the modulus passes one, and so is −x near 0.
        log = np.where(x < 1, np.log1p(-np.minimum(x, 1)), np.log1p(np.maximum(x, 1) - 2))
        exponent = T[:, None] * log
        size = np.exp(exponent)
        odd = (x > 1) & (T % 2 == 1)[:, None]
        q = np.where(odd, -size, size)
        rest = np.where(odd, 1 + size, -np.expm1(exponent))
    forever = np.isinf(T)[:, None]
    q = np.where(forever, np.where(x < 2, 0.0, np.inf), q)
    return q, np.where(forever, np.where(x < 2, 1.0, np.inf), rest)


def _round(q: FloatArray, rest: FloatArray, B: FloatArray, hot: bool) -> FloatArray:
    G = rest[..., None] * B
    return G + q[..., None] * np.eye(len(B)) if hot else G


def _radii(q: FloatArray, rest: FloatArray, B: FloatArray, hot: bool) -> FloatArray:
    if len(B) == 0:
        return np.zeros(len(q))
    with np.errstate(over="ignore", invalid="ignore"):
        G = _round(q, rest, B, hot)
    radii = np.full(len(q), np.inf)
    good = np.isfinite(G).all(axis=(1, 2))
    radii[good] = np.abs(np.linalg.eigvals(G[good])).max(axis=1)
    return radii
