r"""How high the errors of a concurrent chain climb before they fall.

All heads at once are Richardson iteration with I − αM. Its spectral radius does not depend on K, but the
matrix is far from normal: head k is driven by head k−1. With X = Σ² in the principal basis the errors obey

    c_k ← (I − αΣ²) c_k + αΣ²B c_{k−1}

A component λᵗ passes from one head to the next through the transfer matrix

    H(λ) = ((λ−1)I + αX)⁻¹ αγY   ~   diag(ασ²/(λ − 1 + ασ²)) B ,        R = max over |λ|=1 of ρ(H(λ)) .

Peaks are bounded in K when R < 1 and grow like Rᴷ when R > 1 (extra-transient). H(1) = B, and 1 is an
eigenvalue of H(λ) exactly where λ is one of off-policy TD, I − αA. For α < 2/λ_max(X) the function ρ(H) is
subharmonic outside the circle and vanishes at infinity, so where TD diverges at α, R > 1: this is what the
oscillations of the paper's figure 2 are.

Errors are kept as mantissas with a power of two for every head, so that nothing overflows at K = 256:
results are log₁₀ of the largest error over states. Rounding is relative to each head's current error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from theory.linear.basis import Basis, checked_moments, feature_basis, principal
from theory.linear.chain import Start, start_parameters
from theory.linear.fixed_points import behaviour_fixed_point
from theory.linear.moments import check_heads
from theory.linear.target_networks import check_alpha
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

_ZERO_EXPONENT = -(1 << 40)  # the exponent of a head whose error is exactly zero


@dataclass(frozen=True, eq=False)
class Transient:
    """Errors max_s |vᵏ_t(s) − vᵏ_*(s)| of the heads 0..K over time, as log₁₀."""

    log10_error: FloatArray  # (steps+1, K+1), −inf for zero
    settled: bool  # did every head end below the tolerance?

    @property
    def log10_peak(self) -> FloatArray:
        """The highest error of each head, (K+1,): the transient against K, since later heads act on no earlier one."""
        return self.log10_error.max(axis=0)

    @property
    def peak_step(self) -> FloatArray:
        """When it was reached, (K+1,)."""
        return self.log10_error.argmax(axis=0)


@dataclass(frozen=True, eq=False)
class JointIteration:
    """The blocks of I − αM in the principal basis."""

    basis: Basis
    step: FloatArray  # (r,), eigenvalues ασ² of αX
    B: FloatArray  # (r, r)
    first: FloatArray | None  # (r, r), head 0: I − αΣ²(I − B_μ); None where μ's chain is unknown


def joint_iteration(problem: Problem, alpha: float) -> JointIteration:
    """The blocks for a step size."""
    check_alpha(alpha)
    checked_moments(problem)
    basis, sigma = principal(feature_basis(problem))
    step = alpha * sigma**2
    B = problem.gamma * basis.compress(problem.P_pi)
    first = None
    if problem.P_mu is not None:
        I = np.eye(basis.rank)  # noqa: E741
        first = I - step[:, None] * (I - problem.gamma * basis.compress(problem.P_mu))
    return JointIteration(basis, step, B, first)


def transient(
    problem: Problem,
    alpha: float,
    K: int,
    start: Start = "zero",
    *,
    max_steps: int = 20_000,
    tolerance: float = 1e-3,
) -> Transient:
    """The errors of heads 0..K from a common start until all are below `tolerance` times the largest first one.

    Head 0 learns θ_μ where the behaviour's chain and rewards are known; otherwise it stays at the start.
    """
    check_heads(K)
    it = joint_iteration(problem, alpha)
    W = it.basis.W
    c_0 = it.basis.dual @ (problem.Phi @ start_parameters(problem, start))
    learns = it.first is not None and problem.r_mu is not None
    zeroth = c_0 - it.basis.dual @ behaviour_fixed_point(problem).values if learns else np.zeros_like(c_0)
    m, s = _first_errors(it, zeroth, c_0, it.basis.dual @ problem.r_pi, K)
    drive = (it.step[:, None] * it.B).T
    curve = [_log10_size(m @ W.T, s)]
    goal = curve[0].max(initial=-np.inf) + np.log10(tolerance)
    settled = bool(np.all(curve[0] <= goal)) or not np.isfinite(goal)
    while not settled and len(curve) <= max_steps:
        new, scale = m * (1 - it.step), s.copy()
        if learns:
            new[0] = it.first @ m[0]
        new[1:], scale[1:] = _add(new[1:], s[1:], m[:-1] @ drive, s[:-1])
        m, s = _normalised(new, scale)
        curve.append(_log10_size(m @ W.T, s))
        settled = bool(np.all(curve[-1] <= goal))
    return Transient(np.array(curve), settled)


def transfer_radius(problem: Problem, alpha: float, *, points: int | None = None) -> tuple[float, complex]:
    """R = max over |λ|=1 of ρ(H(λ)), and a λ where it is attained (upper half circle; conjugates do as well).

    A uniform grid and one next to λ = 1 that reaches down to angles of the order of the smallest ασ², where
    slow features turn their phase, of `points` each (default: 720, down to 60 for large ranks);
    then golden-section search around the three highest peaks.
    """
    it = joint_iteration(problem, alpha)
    if it.basis.rank == 0:
        return 0.0, 1 + 0j
    points = points or int(np.clip(3e6 / it.basis.rank**3, 60, 720))
    least = max(float(it.step.min()), 1e-12)
    near = np.geomspace(least / 100, np.pi, points) if least / 100 < np.pi else np.zeros(0)
    angles = np.unique(np.concatenate([np.linspace(0, np.pi, points + 1), near]))
    best, where = _highest(lambda x: _transfer_radii(it, x), angles)
    return best, complex(np.cos(where), np.sin(where))


def noise_gain(problem: Problem, *, points: int | None = None) -> tuple[float, float]:
    """κ = sup over ω ≥ 0 of ρ(γ(iω + X)⁻¹Y), and an ω where it is attained: R for α → 0, with λ = e^{iωα}.

    The last term of the product falls like 1/ω, so frequencies from a hundredth of the slowest feature's to a hundred
    times the fastest one's are enough; found as `transfer_radius` is.
    """
    it = joint_iteration(problem, 1.0)  # its `step` are the eigenvalues σ² of X
    if it.basis.rank == 0:
        return 0.0, 0.0
    points = points or int(np.clip(3e6 / it.basis.rank**3, 60, 720))
    omegas = np.concatenate([[0.0], np.geomspace(it.step.min() / 100, 100 * it.step.max(), points)])
    return _highest(lambda x: _shifted_radii(it, 1j * x), omegas)


def _highest(radii_at: Callable[[FloatArray], FloatArray], grid: FloatArray) -> tuple[float, float]:
    """The largest value and its place: the grid's, or better by golden-section search around its three peaks."""
    radii = radii_at(grid)
    best, where = float(radii.max()), float(grid[radii.argmax()])
    inner = np.concatenate([[-np.inf], radii, [-np.inf]])
    peaks = np.flatnonzero((inner[1:-1] >= inner[:-2]) & (inner[1:-1] >= inner[2:]))
    for i in peaks[np.argsort(radii[peaks])[-3:]].tolist():
        low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        place = _golden(lambda x: float(radii_at(np.array([x]))[0]), float(low), float(high))
        value = float(radii_at(np.array([place]))[0])
        if value > best:
            best, where = value, place
    return best, where


def _transfer_radii(it: JointIteration, angles: FloatArray) -> FloatArray:
    # λ − 1 = e^{iφ} − 1 without cancellation near φ = 0, where the largest values tend to be.
    return _shifted_radii(it, -2 * np.sin(angles / 2) ** 2 + 1j * np.sin(angles))


def _shifted_radii(it: JointIteration, shifted: Array) -> FloatArray:
    """ρ(diag(s/(shift + s))B) for each shift, s the entries of `step`."""
    denominator = shifted[:, None] + it.step
    radii = np.full(len(shifted), np.inf)
    good = (denominator != 0).all(axis=1)
    H = (it.step / denominator[good])[..., None] * it.B
    radii[good] = np.abs(np.linalg.eigvals(H)).max(axis=1)
    return radii


def _golden(f: Callable[[float], float], low: float, high: float, steps: int = 30) -> float:
    ratio = (np.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(steps):
        if fa > fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return float((low + high) / 2)


def _first_errors(
    it: JointIteration, zeroth: FloatArray, c_0: FloatArray, g: FloatArray, K: int
) -> tuple[FloatArray, Array]:
    """c_0 − cᵏ for k = 0..K: d_k = (c_0 − g − Bc_0) + B d_{k−1}, with an exponent per head."""
    gap = c_0 - g - it.B @ c_0
    m, s = np.zeros((K + 1, len(c_0))), np.zeros(K + 1, dtype=np.int64)
    m[:1], s[:1] = _normalised(zeroth[None], s[:1])
    none = np.zeros(1, dtype=np.int64)
    for k in range(1, K + 1):
        here = slice(k, k + 1)
        m[here], s[here] = _normalised(*_add(gap[None], none, (it.B @ m[k - 1])[None], s[k - 1 : k]))
    return m, s


def _add(m: FloatArray, s: Array, n: FloatArray, t: Array) -> tuple[FloatArray, Array]:
    """m·2ˢ + n·2ᵗ row by row."""
    top = np.maximum(s, t)
    return _shift(m, s - top) + _shift(n, t - top), top


def _normalised(m: FloatArray, s: Array) -> tuple[FloatArray, Array]:
    largest = np.abs(m).max(axis=1, initial=0.0)
    if not np.isfinite(largest).all():
        raise InvalidProblem("one step multiplies the error beyond double precision", "alpha")
    exponent = np.maximum(np.frexp(largest)[1], -1000).astype(np.int64)  # so that 2^−exponent is a double
    return _shift(m, -exponent), np.where(largest > 0, s + exponent, _ZERO_EXPONENT)


def _shift(m: FloatArray, exponent: Array) -> FloatArray:
    return m * np.ldexp(1.0, np.clip(exponent, -1080, 1023).astype(np.int32))[:, None]


def _log10_size(values: FloatArray, s: Array) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log10(np.abs(values).max(axis=1)) + s * np.log10(2.0)
