r"""Which step sizes converge, and which converge fastest.

Richardson iteration θ ← θ + α(b − Mθ) multiplies the error by I − αM, so with λ_i the eigenvalues of M

    it converges for every start  ⇔  |1 − αλ_i| < 1 for all i  ⇔  0 < α < min_i 2 Re λ_i / |λ_i|²    (prop-1)

and some α does exactly when all Re λ_i > 0. Its asymptotic rate is f(α) = max_i |1 − αλ_i|. Since

    |1 − αλ|² = 1 + α (α|λ|² − 2 Re λ)

the largest of them belongs to the upper envelope of the lines α|λ|² − 2Re λ. On each piece of the
envelope |1 − αλ|² is one parabola, so the best α is the vertex of a parabola or a corner of the
envelope: finitely many candidates and no iteration. For a real spectrum it is the classical
2/(λ_min + λ_max) with rate (λ_max − λ_min)/(λ_max + λ_min).

The joint matrix of a chain has the eigenvalues of A_μ and X for every K, so one limit serves all heads
(prop-7): α < min{2/λ_max(X), min 2 Re λ/|λ|²(A_μ)}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theory.linear.spectra import behaviour_spectrum, feature_spectrum, td_spectrum
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array


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


def step_sizes(eigenvalues: Array, *, exponent: int = 0) -> StepSizes:
    """Limit, optimum and rate for the spectrum 2^`exponent`·eigenvalues, structural zeros left out before.

    >>> step_sizes(np.array([1.0, 3.0]))
    StepSizes(limit=0.6666666666666666, best=0.5, rate=0.5)
    """
    unscaled = largest_step_size(eigenvalues)
    if unscaled == 0:
        return StepSizes(0.0, 0.0, 1.0)
    if len(eigenvalues) == 0:
        return StepSizes(math.inf, math.inf, 0.0)
    alpha, unit, rate = _best(_finite(eigenvalues))
    with np.errstate(over="ignore", under="ignore"):
        limit, best = float(np.ldexp(unscaled, -exponent)), float(np.ldexp(alpha, -unit - exponent))
    if best == 0:
        raise InvalidProblem("convergent step sizes are too small for double precision: rescale the features", "Phi")
    return StepSizes(limit, best, rate)


def largest_step_size(eigenvalues: Array) -> float:
    """min_i 2 Re λ_i/|λ_i|², the supremum of convergent step sizes; 0 when there is none.

    >>> largest_step_size(np.array([1 + 1j, 1 - 1j])), largest_step_size(np.array([2.0, -1.0]))
    (1.0, 0.0)
    """
    lam = _finite(eigenvalues)
    if np.any(lam.real <= 0):
        return 0.0
    lam, unit = _unit(lam)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        # An eigenvalue so small beside the largest that it is gone, |λ|² first, limits no step.
        limits = np.where(_squared(lam) > 0, 2 * lam.real / _squared(lam), math.inf)
        return float(np.ldexp(limits.min(initial=math.inf), -unit))


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
    s = td_spectrum(problem)
    return step_sizes(s.eigenvalues, exponent=s.exponent)


def head_step_sizes(problem: Problem) -> StepSizes:
    """For one head k ≥ 1 of the chain on a fixed predecessor, M = X (prop-4)."""
    s = feature_spectrum(problem)
    return step_sizes(s.eigenvalues, exponent=s.exponent)


def chain_step_sizes(problem: Problem) -> StepSizes:
    """For all heads 0..K at once, whatever K ≥ 1: the spectrum of M is that of A_μ and X (prop-7)."""
    zeroth, others = behaviour_spectrum(problem), feature_spectrum(problem)  # of one problem: one exponent
    return step_sizes(np.concatenate([zeroth.eigenvalues, others.eigenvalues]), exponent=others.exponent)


def _finite(eigenvalues: Array) -> Array:
    lam = np.asarray(eigenvalues, dtype=complex)
    if not np.isfinite(lam).all():
        raise InvalidProblem("an eigenvalue is beyond double precision: rescale the features", "Phi")
    return lam


def _best(lam: Array) -> tuple[float, int, float]:
    """The best step size times 2ᵉ, e, and the rate there."""
    lam, exponent = _unit(lam)
    slope, offset = _squared(lam), -2 * lam.real
    candidates = []
    for low, high, i in _upper_envelope(slope, offset):
        # A line without slope is an eigenvalue 1e160 times smaller than another: its vertex is out of sight.
        vertex = -offset[i] / (2 * slope[i]) if slope[i] > 0 else math.inf
        candidates.append(min(max(vertex, low), high))
    rates = [convergence_rate(lam, alpha) for alpha in candidates]
    i = int(np.argmin(rates))
    return candidates[i], exponent, rates[i]


def _unit(lam: Array) -> tuple[Array, int]:
    """The eigenvalues divided by 2ᵉ, the largest near one, and e: squares then stay in range."""
    exponent = int(np.frexp(np.abs(lam).max(initial=0.0))[1])
    return np.ldexp(lam.real, -exponent) + 1j * np.ldexp(lam.imag, -exponent), exponent


def _squared(lam: Array) -> Array:
    return lam.real**2 + lam.imag**2


def _upper_envelope(slope: Array, offset: Array) -> list[tuple[float, float, int]]:
    """Pieces (from, to, index of the line) of max_i slope_i·α + offset_i on α ≥ 0."""
    # By slope, and for equal slopes the higher line last, so that it replaces the lower one.
    order = np.lexsort((offset, slope))
    hull: list[int] = []
    corners: list[float] = []  # corners[j]: where hull[j] takes over from hull[j−1]
    for i in order.tolist():
        start = 0.0
        while hull:
            j = hull[-1]
            rise = slope[i] - slope[j]
            start = (offset[j] - offset[i]) / rise if rise > 0 else -math.inf
            if start > corners[-1]:
                break
            hull.pop()
            corners.pop()
            start = 0.0
        hull.append(i)
        corners.append(start if len(hull) > 1 else 0.0)
    ends = [*corners[1:], math.inf]
    return list(zip(corners, ends, hull, strict=True))
