r"""Eigenvalues that decide, and how far to trust them.

    TD is stable for small α          ⇔  Re λ > 0 for every eigenvalue λ of A          (prop-1)
    the chain forgets every start     ⇔  |β| < 1 for every eigenvalue β of B = γX⁻¹Y   (prop-3)

A has F − rank Φ *structural* zeros (parameters that change no value); they are left out. B is taken in
the coordinates of `value_model`, where it is γWᵀDPW: the same nonzero spectrum as γΠP without
inverting X.

What is computed here is in floats, and no proof: verdicts are decided in `theory.certified`.

**Which step sizes converge, and which converge fastest.** Richardson iteration θ ← θ + α(b − Mθ) multiplies the error
by I − αM, so with λ_i the eigenvalues of M

    it converges for every start  ⇔  |1 − αλ_i| < 1 for all i  ⇔  0 < α < min_i 2 Re λ_i / |λ_i|²    (prop-1)

and some α does exactly when all Re λ_i > 0. Its asymptotic rate is f(α) = max_i |1 − αλ_i|. Since

    |1 − αλ|² = 1 + α (α|λ|² − 2 Re λ)

the best α is the vertex of one of these parabolas or where two of them cross: finitely many candidates and no
iteration. For a real spectrum it is the classical
2/(λ_min + λ_max) with rate (λ_max − λ_min)/(λ_max + λ_min).

The joint matrix of a chain has the eigenvalues of A_μ and X for every K, so one limit serves all heads
(prop-7): α < min{2/λ_max(X), min 2 Re λ/|λ|²(A_μ)}.

**Safe whatever the features**: uniform safety of a target, a behaviour and a discount. For given (D, P, γ) three things
are equivalent (extra-uniform-safety):

    TD is stable for all Φ        the chain is unbiased for all Φ        γ λ_max(sym(D^½ P D^−½)) < 1

With x = D^½Φθ the quadratic form of A is xᵀ(I − γ sym(D^½PD^−½))x, so the bound makes A positive
definite for every Φ. When it fails, the top eigenvector u gives φ = D^−½u, one feature for which

    X = φᵀDφ = 1        A = 1 − γλ_max ≤ 0        B = γλ_max ≥ 1 ,

so TD is unstable and the chain biased at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import numpy as np

from theory.model.linear_model import float_model, value_model
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


def td_spectrum(problem: Problem) -> Array:
    """Eigenvalues of A, (r,), structural zeros left out: they decide off-policy TD.

    >>> tt = Problem.from_matrices("9/10", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> td_spectrum(tt).round(12).tolist()
    [-0.2]
    """
    return ordered(float_model(problem).key_spectrum)


def behaviour_spectrum(problem: Problem) -> Array:
    """Eigenvalues of A_μ: positive real parts whenever d_μ is stationary (prop-5, made precise)."""
    return ordered(float_model(problem).behaviour.key_spectrum)


def feature_spectrum(problem: Problem) -> Array:
    """Eigenvalues of X without its structural zeros: they decide each head of the chain by itself."""
    return ordered(np.linalg.eigvals(float_model(problem).X))


def chain_spectrum(problem: Problem) -> Array:
    """Eigenvalues of B = γX⁻¹Y, which are those of γΠP on span Φ: they decide the chain's bias."""
    return ordered(value_model(problem).chain_spectrum)


def ordered(eigenvalues: Array) -> Array:
    """By decreasing modulus, conjugates adjacent."""
    size = np.abs(eigenvalues)
    modulus = (size / (size.max(initial=0.0) or 1.0)).round(12)  # equal up to rounding is equal
    return eigenvalues[np.lexsort((eigenvalues.imag, eigenvalues.real, -modulus))]


def chain_radius(problem: Problem) -> float:
    """ρ(γΠP); every start is forgotten exactly when it is below one (prop-3)."""
    return float(np.abs(value_model(problem).chain_spectrum).max(initial=0.0))


def eigenvalue_paths(
    problem: Problem, gammas: Sequence[float] | FloatArray, which: Literal["td", "chain"] = "td"
) -> Array:
    """Eigenvalues as functions of γ, (len(gammas), r): column j follows one eigenvalue continuously.

    The eigenvalues of B are γ times those at γ = 1, so theirs are rays. Those of A = X − γY are matched
    from one γ to the next by the assignment of least total squared distance to a linear extrapolation.
    """
    grid = np.asarray(gammas, dtype=np.float64)
    if which == "chain":
        rays = np.linalg.eigvals(value_model(problem).Y_hat)
        return grid[:, None] * rays[np.lexsort((rays.imag, rays.real))]
    from scipy.optimize import linear_sum_assignment

    m = float_model(problem)
    paths = np.linalg.eigvals(m.X - grid[:, None, None] * m.Y).astype(complex)
    paths[:1] = np.sort_complex(paths[:1])
    unit = float(np.abs(paths).max(initial=0.0)) or 1.0  # squares of large features would overflow
    for i in range(1, len(grid)):
        guess = paths[i - 1]
        if i > 1 and grid[i - 1] != grid[i - 2]:
            guess = guess + (paths[i - 1] - paths[i - 2]) * (grid[i] - grid[i - 1]) / (grid[i - 1] - grid[i - 2])
        cost = (np.abs(guess[:, None] - paths[i][None, :]) / unit) ** 2
        paths[i] = paths[i][linear_sum_assignment(cost)[1]]
    return paths


def smooth_eigenvalue_paths(problem: Problem, which: Literal["td", "chain"] = "td") -> Array:
    """`eigenvalue_paths` from γ = 0 to 1 without kinks, (at least 201, r).

    Where two eigenvalues meet and part they move like √(γ − γ*), and turn: no even grid follows them. Steps beside a
    bend that a picture would show, a five-hundredth of its size, are halved, up to eight times.
    """
    grid = np.linspace(0.0, 1.0, 201)
    paths = eigenvalue_paths(problem, grid, which)
    for _ in range(0 if which == "chain" else 8):
        reach = max(float(np.ptp(paths.real)), float(np.ptp(paths.imag))) if paths.size else 0.0
        step = np.diff(grid)
        speed = np.diff(paths, axis=0) / step[:, None]
        bend = (np.abs(np.diff(speed, axis=0)) * np.minimum(step[1:], step[:-1])[:, None]).max(axis=1, initial=0.0)
        bent = np.append(bend, 0.0) + np.append(0.0, bend) > reach / 500  # a step has a bend at either end
        if not np.isfinite(reach) or not bent.any():
            break
        grid = np.sort(np.append(grid, (grid[:-1] + step / 2)[bent]))
        paths = eigenvalue_paths(problem, grid, which)
    return paths


@dataclass(frozen=True)
class StepSizes:
    """The open interval (0, limit) of convergent step sizes, and the best of them.

    `limit` is 0 where no step size converges (then `best` is 0 and `rate` 1) and inf where all do.
    """

    limit: float
    best: float
    rate: float  # min over α of max_i |1 − αλ_i|

    @property
    def steps_per_digit(self) -> float:
        """Asymptotic number of steps for one more decimal digit, at the best step size."""
        if self.rate >= 1:
            return math.inf
        return 0.0 if self.rate == 0 else -1 / math.log10(self.rate)


def step_sizes(eigenvalues: Array) -> StepSizes:
    """Limit, optimum and rate for a spectrum, structural zeros left out before.

    >>> step_sizes(np.array([1.0, 3.0]))
    StepSizes(limit=0.6666666666666666, best=0.5, rate=0.5)
    """
    limit = largest_step_size(eigenvalues)
    if limit == 0 or len(eigenvalues) == 0:
        return StepSizes(limit, limit, 1.0 if limit == 0 else 0.0)
    lam, unit = _in_units(eigenvalues)
    slope, offset = lam.real**2 + lam.imag**2, -2 * lam.real
    i, j = np.triu_indices(len(lam), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        corners = (offset[j] - offset[i]) / (slope[i] - slope[j])
        candidates = np.append(-offset / (2 * slope), corners)
    candidates = candidates[(candidates > 0) & (candidates < limit * unit)]
    rates = np.abs(1 - candidates[:, None] * lam).max(axis=1)  # ρ(I − αM)
    return StepSizes(limit, float(candidates[rates.argmin()] / unit), float(rates.min()))


def largest_step_size(eigenvalues: Array) -> float:
    """min_i 2 Re λ_i/|λ_i|², the supremum of convergent step sizes; 0 when there is none.

    >>> largest_step_size(np.array([1 + 1j, 1 - 1j])), largest_step_size(np.array([2.0, -1.0]))
    (1.0, 0.0)
    """
    lam, unit = _in_units(eigenvalues)
    if np.any(lam.real <= 0):
        return 0.0
    with np.errstate(over="ignore", divide="ignore"):
        return float((2 * lam.real / (lam.real**2 + lam.imag**2)).min(initial=math.inf) / unit)


def _in_units(eigenvalues: Array) -> tuple[Array, float]:
    """Divided by a power of two near the largest, so that no square overflows, and that power."""
    lam = np.asarray(eigenvalues, dtype=complex)
    unit = float(np.ldexp(1.0, np.frexp(np.abs(lam).max(initial=1e-300))[1] - 1))
    return lam / unit, unit


def td_step_sizes(problem: Problem) -> StepSizes:
    """For off-policy TD, M = A."""
    return step_sizes(td_spectrum(problem))


def head_step_sizes(problem: Problem) -> StepSizes:
    """For one head k ≥ 1 of the chain on a fixed predecessor, M = X (prop-4)."""
    return step_sizes(feature_spectrum(problem))


def chain_step_sizes(problem: Problem) -> StepSizes:
    """For all heads 0..K at once, whatever K ≥ 1: the spectrum of M is that of A_μ and X (prop-7)."""
    return step_sizes(np.concatenate([behaviour_spectrum(problem), feature_spectrum(problem)]))


MANY = 400  # states beyond which one eigenvalue is found alone


def worst_direction(d: FloatArray, P: FloatArray) -> tuple[float, FloatArray]:
    """λ_max(sym(D^½PD^−½)) and φ = D^−½u for its eigenvector u, the largest entry positive."""
    root = np.sqrt(d)
    N = root[:, None] * P / root
    N = (N + N.T) / 2
    unit = np.ldexp(1.0, np.frexp(N.max())[1])  # of 10¹²⁰ and more LAPACK finds no eigenvalues
    N /= unit
    if len(d) > MANY:
        from scipy.sparse.linalg import ArpackError, eigsh

        try:  # √d is an eigenvector with λ = 1: a start in general position sees the others too
            start = root + np.linspace(-1, 1, len(root))
            eigenvalues, vectors = eigsh(N, 1, which="LA", v0=start, **same_restarts(eigsh))
        except ArpackError:
            eigenvalues, vectors = np.linalg.eigh(N)
    else:
        eigenvalues, vectors = np.linalg.eigh(N)
    feature = vectors[:, -1] / root
    return float(unit * eigenvalues[-1]), feature * np.sign(feature[np.abs(feature).argmax()])


def same_restarts(solver: Callable[..., Any]) -> dict[str, Any]:
    """What makes an iteration of SciPy begin anew in the same way each time, where its version draws that at random."""
    return {"rng": np.random.default_rng(0)} if "rng" in signature(solver).parameters else {}
