r"""Eigenvalues that decide, and how far to trust them.

    TD is stable for small α          ⇔  Re λ > 0 for every eigenvalue λ of A          (prop-1)
    the chain forgets every start     ⇔  |β| < 1 for every eigenvalue β of B = γX⁻¹Y   (prop-3)

A has F − rank Φ *structural* zeros (parameters that change no value); they are left out. B is taken in
the coordinates of `value_model`, where it is γWᵀDPW: the same nonzero spectrum as γΠP without
inverting X.

A computed spectrum is that of a matrix a rounding error E away. An eigenvalue with left and right
vectors y, x moves by about κ‖E‖, κ = ‖y‖‖x‖/|yᴴx|, its *condition number*, and whatever κ is by no more
than Elsner's bound (2‖A‖)^{1−1/n}‖E‖^{1/n}. `Spectrum.error` is the smaller of the two, so a verdict from
floats is "undecided" where the deciding eigenvalue is closer to the boundary than that. This is trust,
not proof: certified verdicts live in `theory.exact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from theory.model.linear_model import float_model, value_model
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray

Verdict = Literal["yes", "no", "undecided"]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues with condition numbers and error estimates."""

    eigenvalues: Array  # (r,) complex, by decreasing modulus, conjugates adjacent
    condition: FloatArray  # (r,) κ ≥ 1, inf where defective
    error: FloatArray  # (r,) how far off each may be
    norm: float  # ‖matrix‖₂

    @property
    def radius(self) -> float:
        return float(np.abs(self.eigenvalues).max(initial=0.0))

    def positive_real(self) -> Verdict:
        """Is every real part positive?"""
        return _verdict(self.eigenvalues.real, self.error)


def spectrum(matrix: FloatArray, *, size: float = 0.0) -> Spectrum:
    """All eigenvalues of a square matrix with their sensitivity.

    `size` is the norm of what the matrix was formed from, where forming it may have cancelled.

    >>> s = spectrum(np.array([[1.0, 1e8], [0.0, 1.0 + 1e-8]]))
    >>> bool(s.condition.max() > 1e15)
    True
    """
    n = len(matrix)
    if n == 0:
        return Spectrum(np.zeros(0, complex), np.zeros(0), np.zeros(0), 0.0)
    values, right = np.linalg.eig(matrix)
    try:  # the rows of V⁻¹ are left vectors with yᴴx = 1
        with np.errstate(over="ignore", invalid="ignore"):
            condition = np.maximum(np.linalg.norm(np.linalg.inv(right), axis=1), 1.0)
        condition[np.isnan(condition)] = np.inf
    except np.linalg.LinAlgError:
        condition = np.full(n, np.inf)
    norm = float(np.linalg.norm(matrix, 2))
    # Forming the matrix and the QR algorithm both err by a few n·eps relative to its norm.
    backward = 2 * n * float(np.finfo(float).eps) * max(norm, size)
    elsner = (2 * norm + backward) ** (1 - 1 / n) * backward ** (1 / n)
    modulus = np.abs(values / norm).round(12) if norm > 0 else np.zeros(n)  # equal up to rounding is equal
    order = np.lexsort((values.imag, values.real, -modulus))
    with np.errstate(over="ignore"):
        error = np.minimum(condition * backward, elsner)
    return Spectrum(values[order], condition[order], error[order], norm)


def td_spectrum(problem: Problem) -> Spectrum:
    """Eigenvalues of A, structural zeros left out: they decide off-policy TD.

    >>> tt = Problem.from_matrices("9/10", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> td_spectrum(tt).positive_real()
    'no'
    """
    m = float_model(problem)
    return spectrum(m.A, size=_norm(m.X))


def behaviour_spectrum(problem: Problem) -> Spectrum:
    """Eigenvalues of A_μ: positive real parts whenever d_μ is stationary (prop-5, made precise)."""
    m = float_model(problem).behaviour
    return spectrum(m.A, size=_norm(m.X))


def feature_spectrum(problem: Problem) -> Spectrum:
    """Eigenvalues of X without its structural zeros: they decide each head of the chain by itself."""
    return spectrum(float_model(problem).X)


def chain_spectrum(problem: Problem) -> Spectrum:
    """Eigenvalues of B = γX⁻¹Y, which are those of γΠP on span Φ: they decide the chain's bias."""
    root = np.sqrt(problem.d_mu)
    # B = γUᵀ(D^½PD^−½)U: rare states make the middle large, and rounding is relative to that.
    middle = root[:, None] * problem.P_pi / root
    largest = float(middle.max(initial=0.0))
    size = problem.gamma * largest * float(np.linalg.norm(middle / largest)) if largest > 0 else 0.0
    return spectrum(value_model(problem).B, size=size)


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
    for i in range(1, len(grid)):
        guess = paths[i - 1]
        if i > 1 and grid[i - 1] != grid[i - 2]:
            guess = guess + (paths[i - 1] - paths[i - 2]) * (grid[i] - grid[i - 1]) / (grid[i - 1] - grid[i - 2])
        cost = np.abs(guess[:, None] - paths[i][None, :]) ** 2
        paths[i] = paths[i][linear_sum_assignment(cost)[1]]
    return paths


def smooth_eigenvalue_paths(problem: Problem, points: int = 201, which: Literal["td", "chain"] = "td") -> Array:
    """`eigenvalue_paths` from γ = 0 to 1 without kinks, (at least `points`, r).

    Where two eigenvalues meet and part they move like √(γ − γ*), and turn: no even grid follows them. Steps beside a
    bend that a picture would show, a five-hundredth of its size, are halved, up to eight times.
    """
    grid = np.linspace(0.0, 1.0, points)
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


def _norm(M: FloatArray) -> float:
    return float(np.linalg.norm(M, 2)) if M.size else 0.0


def _verdict(margin: FloatArray, error: FloatArray) -> Verdict:
    if np.all(margin > error):
        return "yes"
    return "no" if np.any(margin < -error) else "undecided"
