r"""Which step sizes converge, and which converge fastest.

Richardson iteration θ ← θ + α(b − Mθ) multiplies the error by I − αM, so with λ_i the eigenvalues of M

    it converges for every start  ⇔  |1 − αλ_i| < 1 for all i  ⇔  0 < α < min_i 2 Re λ_i / |λ_i|²    (prop-1)

and some α does exactly when all Re λ_i > 0. Its asymptotic rate is f(α) = max_i |1 − αλ_i|. Since

    |1 − αλ|² = 1 + α (α|λ|² − 2 Re λ)

the best α is the vertex of one of these parabolas or where two of them cross: finitely many candidates and no
iteration. For a real spectrum it is the classical
2/(λ_min + λ_max) with rate (λ_max − λ_min)/(λ_max + λ_min).

The joint matrix of a chain has the eigenvalues of A_μ and X for every K, so one limit serves all heads
(prop-7): α < min{2/λ_max(X), min 2 Re λ/|λ|²(A_μ)}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theory.linear.spectra import behaviour_spectrum, feature_spectrum, td_spectrum
from theory.problems import Problem
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
