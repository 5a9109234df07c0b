r"""How far the errors of a concurrent chain rise before they fall.

All heads at once are Richardson iteration with I − αM. Its spectral radius does not depend on K, but the
matrix is far from normal: head k is driven by head k−1. With X = Σ² in the principal basis the errors obey

    c_k ← (I − αΣ²) c_k + αΣ²B c_{k−1}

A component λᵗ passes from one head to the next through the transfer matrix

    H(λ) = ((λ−1)I + αX)⁻¹ αγY   ~   diag(ασ²/(λ − 1 + ασ²)) B ,        R = max over |λ|=1 of ρ(H(λ)) .

Peaks are bounded in K when R < 1 and grow like Rᴷ when R > 1 (extra-transient). H(1) = B, and 1 is an
eigenvalue of H(λ) exactly where λ is one of off-policy TD, I − αA. For α < 2/λ_max(X) the function ρ(H) is
subharmonic outside the circle and vanishes at infinity, so where TD diverges at α, R > 1: this is what the
oscillations of the paper's figure 2 are.

Results are log₁₀ of the largest error over states, inf from where it leaves the range of doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from theory.linear.target_networks import check_alpha, principal
from theory.model.linear_model import FloatModel
from theory.model.points import Start, check_count, starting_point
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray

CLOSE = {"xatol": 1e-9}


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
    """The blocks of I − αM in the principal coordinates of the values."""

    model: FloatModel
    step: FloatArray  # (r,), eigenvalues ασ² of αX

    @property
    def B(self) -> FloatArray:
        """γWᵀDPW, (r, r)."""
        return self.model.B

    @property
    def first(self) -> FloatArray:
        """Head 0: I − αΣ²(I − B_μ), (r, r); the behaviour's own chain must be known."""
        one = np.eye(self.model.rank)
        return one - self.step[:, None] * (one - self.model.behaviour.B)


def joint_iteration(problem: Problem, alpha: float) -> JointIteration:
    """The blocks for a step size."""
    check_alpha(alpha)
    model, sigma = principal(problem)
    return JointIteration(model, alpha * sigma**2)


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
    check_count(K, "K")
    it = joint_iteration(problem, alpha)
    m, one = it.model, np.eye(it.model.rank)
    w = m.coordinates(starting_point(m, start))
    heads, first = np.tile(w, (K + 1, 1)), np.zeros_like(one)
    if problem.P_mu is not None and problem.r_mu is not None:
        first = it.first
        heads[0] = np.linalg.solve(one - m.behaviour.B, m.behaviour.c)
    drive = (it.step[:, None] * it.B).T
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, K + 1):
            heads[k] = it.B @ heads[k - 1] + m.c
        error = w - heads
        curve = [_log10_size(error @ m.Phi.T)]
        goal = curve[0].max(initial=-np.inf) + np.log10(tolerance)
        settled = bool(np.isneginf(goal))
        while not settled and len(curve) <= max_steps:
            new = error * (1 - it.step)
            new[0] = first @ error[0]
            new[1:] += error[:-1] @ drive
            error = new
            curve.append(_log10_size(error @ m.Phi.T))
            settled = bool(np.all(curve[-1] <= goal) and np.isfinite(goal))
    return Transient(np.array(curve), settled)


def transfer_radius(problem: Problem, alpha: float, *, points: int | None = None) -> tuple[float, complex]:
    """R = max over |λ|=1 of ρ(H(λ)), and a λ where it is attained (upper half circle; conjugates do as well).

    A uniform grid and one next to λ = 1 that reaches down to angles of the order of the smallest ασ², where
    slow features turn their phase, of `points` each (default: 720, down to 60 for large ranks);
    then a search around the three highest peaks.
    """
    it = joint_iteration(problem, alpha)
    if it.model.rank == 0:
        return 0.0, 1 + 0j
    points = points or int(np.clip(3e6 / it.model.rank**3, 60, 720))
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
    if it.model.rank == 0:
        return 0.0, 0.0
    points = points or int(np.clip(3e6 / it.model.rank**3, 60, 720))
    omegas = np.concatenate([[0.0], np.geomspace(it.step.min() / 100, 100 * it.step.max(), points)])
    return _highest(lambda x: _shifted_radii(it, 1j * x), omegas)


def _highest(radii_at: Callable[[FloatArray], FloatArray], grid: FloatArray) -> tuple[float, float]:
    """The largest value and its place: the grid's, or better by SciPy's bounded search around its three peaks."""
    from scipy.optimize import minimize_scalar

    radii = radii_at(grid)
    best, where = float(radii.max()), float(grid[radii.argmax()])
    inner = np.concatenate([[-np.inf], radii, [-np.inf]])
    peaks = np.flatnonzero((inner[1:-1] >= inner[:-2]) & (inner[1:-1] >= inner[2:]))
    for i in peaks[np.argsort(radii[peaks])[-3:]].tolist():
        low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        found = minimize_scalar(
            lambda x: -float(radii_at(np.array([x]))[0]), bounds=(low, high), method="bounded", options=CLOSE
        )
        if -found.fun > best:
            best, where = -float(found.fun), float(found.x)
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


def _log10_size(values: FloatArray) -> FloatArray:
    """log₁₀ of the largest entry of each row; inf from where doubles overflow on."""
    with np.errstate(divide="ignore"):
        return np.nan_to_num(np.log10(np.abs(values).max(axis=1)), nan=np.inf, posinf=np.inf, neginf=-np.inf)
