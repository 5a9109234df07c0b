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
    model = value_model(problem)
    # B = γUᵀ(D^½PD^−½)U: rare states make the middle large, and rounding is relative to that.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        size = model.gamma * float(np.sqrt(model.d @ ((model.P * model.P) @ (1 / model.d))))
    return spectrum(model.B, size=size if np.isfinite(size) else np.inf)


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
        return steps_per_digit(self.rate)


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
    rates = np.array([convergence_rate(lam, alpha) for alpha in candidates])
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


def convergence_rate(eigenvalues: Array, alpha: float) -> float:
    """max_i |1 − αλ_i| = ρ(I − αM)."""
    with np.errstate(over="ignore"):
        return float(np.abs(1 - alpha * np.asarray(eigenvalues)).max(initial=0.0))


def steps_per_digit(rate: float) -> float:
    """−1/log₁₀(rate): steps until the error is a tenth; inf where it does not shrink."""
    if rate >= 1:
        return math.inf
    return 0.0 if rate == 0 else -1 / math.log10(rate)


def td_step_sizes(problem: Problem) -> StepSizes:
    """For off-policy TD, M = A."""
    return step_sizes(td_spectrum(problem).eigenvalues)


def head_step_sizes(problem: Problem) -> StepSizes:
    """For one head k ≥ 1 of the chain on a fixed predecessor, M = X (prop-4)."""
    return step_sizes(feature_spectrum(problem).eigenvalues)


def chain_step_sizes(problem: Problem) -> StepSizes:
    """For all heads 0..K at once, whatever K ≥ 1: the spectrum of M is that of A_μ and X (prop-7)."""
    parts = behaviour_spectrum(problem), feature_spectrum(problem)
    return step_sizes(np.concatenate([part.eigenvalues for part in parts]))


MANY = 400  # states beyond which one eigenvalue is found alone


@dataclass(frozen=True, eq=False)
class UniformSafety:
    """The bound γλ_max, the discount at which it is one, and the feature that is worst for both algorithms."""

    bound: float  # γ λ_max(sym(D^½PD^−½))
    gamma_threshold: float  # 1/λ_max ≤ 1: safe for every Φ exactly below it
    worst_feature: FloatArray  # (S,), φᵀDφ = 1, largest entry positive

    @property
    def safe(self) -> bool:
        """Is every choice of features safe, TD stable and the chain unbiased?"""
        return self.bound < 1


def uniform_safety(problem: Problem) -> UniformSafety:
    """Judges (D, P_π, γ) of a problem; its features play no part.

    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> s = uniform_safety(swap)
    >>> s.safe, round(s.bound, 12)
    (False, 1.5)
    """
    top, feature = worst_direction(problem.d_mu, problem.P_pi)
    # √d is an eigenvector of N for λ = 1 with the same quadratic form, so λ_max ≥ 1 but for rounding.
    return UniformSafety(problem.gamma * top, 1 / max(top, 1.0), feature)


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
            eigenvalues, vectors = eigsh(N, 1, which="LA", v0=root + np.linspace(-1, 1, len(root)))
        except ArpackError:
            eigenvalues, vectors = np.linalg.eigh(N)
    else:
        eigenvalues, vectors = np.linalg.eigh(N)
    feature = vectors[:, -1] / root
    return float(unit * eigenvalues[-1]), feature * np.sign(feature[np.abs(feature).argmax()])
