r"""The curves behind the picture of one problem: spectra, bias, windows and transients.

*Bias against k.* In D-orthonormal coordinates the chain's error is e_k = Bᵏe_0. Drawn are ‖Bᵏ‖, the largest ‖e_k‖ over
starts of size one, and ‖e_k‖/‖e_0‖ from one start, next to ρ(B)ᵏ.

*Windows.* ρ(G_T) for T from 1, which is TD, until the slowest feature has settled; beyond that it is ρ(B), the chain.

*Transients.* The errors of single heads of the concurrent chain against the number of updates.

The start is θ⁰ = (1, 2, …, F), as in the explorer: no symmetry of the catalogue's problems hides from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.experiments.inspection import default_step_size
from theory.linear.spectra import chain_spectrum, td_spectrum
from theory.linear.target_networks import principal, window_radii
from theory.linear.transients import transient
from theory.model.linear_model import FloatModel
from theory.model.points import counting_start, fixed_point
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray, as_number
from theory.text.numbers import short_text

LAST = 40
HEADS = (1, 4, 16, 64)
MAX_WINDOW = 1e7
MAX_STEPS = 1500


@dataclass(frozen=True, eq=False)
class PlotData:
    """All that `theory.figures.live.inspection` draws."""

    name: str
    gamma: str
    step_size: str
    td_eigenvalues: Array  # (r,) complex, over `td_unit`
    td_unit: float  # the largest |λ(A)|; inf beyond doubles
    chain_eigenvalues: Array  # (r,) complex
    rho: float  # ρ(γΠP)
    worst_bias: FloatArray  # (LAST+1,) log₁₀ ‖Bᵏ‖
    bias: FloatArray | None  # (LAST+1,) log₁₀ ‖e_k‖/‖e_0‖; None where the start is the limit, or there is none
    windows: FloatArray  # (M,)
    window_radii: FloatArray  # (M,)
    heads: tuple[int, ...]
    transients: FloatArray  # (steps+1, len(heads)) log₁₀ of the largest error over states
    transient_note: str  # why there are none; empty otherwise


def plot_data(problem: Problem, step_size: Fraction | float | None = None) -> PlotData:
    """The curves of a problem; `step_size` defaults to that of ``theory inspect``."""
    alpha = default_step_size(problem) if step_size is None else as_number(step_size, "step_size")
    model, sigma = principal(problem)
    B, start = model.B, counting_start(problem)
    spectrum = td_spectrum(problem)
    modulus = float(np.abs(spectrum).max(initial=0.0)) or 1.0
    windows = _windows(float(alpha), sigma)
    transients, note = _transients(problem, float(alpha), start)
    return PlotData(
        name=problem.name,
        gamma=str(problem.given.gamma),
        step_size=short_text(alpha, longest=24) if isinstance(alpha, Fraction) else str(alpha),
        td_eigenvalues=spectrum / modulus,
        td_unit=modulus,
        chain_eigenvalues=chain_spectrum(problem),
        rho=float(np.abs(np.linalg.eigvals(B)).max(initial=0.0)),
        worst_bias=_log_norms(B, np.eye(model.rank)),
        bias=_bias(model, start),
        windows=windows,
        window_radii=window_radii(problem, float(alpha), windows),
        heads=HEADS,
        transients=transients,
        transient_note=note,
    )


def _bias(model: FloatModel, start: FloatArray) -> FloatArray | None:
    target = fixed_point(model)
    if target.theta is None:
        return None
    w = model.coordinates(target.theta)
    error = model.coordinates(start) - w
    largest = float(np.abs(error).max(initial=0.0))
    # A start at the fixed point up to rounding has no bias to follow, and one beyond doubles cannot be.
    if not math.isfinite(largest) or largest <= 1e-12 * float(np.abs(w).max(initial=0.0)):
        return None
    error = error / largest
    return _log_norms(model.B, (error / np.linalg.norm(error))[:, None])


def _log_norms(B: FloatArray, M: FloatArray) -> FloatArray:
    """log₁₀ ‖BᵏM‖₂ for k = 0..LAST, with the scale kept apart; −inf where it is zero."""
    logs: list[float] = []
    scale = 0.0
    for _ in range(LAST + 1):
        norm = float(np.linalg.norm(M, 2)) if M.size else 0.0
        if norm == 0:
            logs += [-math.inf] * (LAST + 1 - len(logs))
            break
        scale += math.log10(norm)
        logs.append(scale)
        M = B @ (M / norm)
    return np.array(logs)


def _windows(alpha: float, sigma: FloatArray) -> FloatArray:
    """About a hundred T from 1 until (1 − ασ²)ᵀ is a thousandth for the slowest feature."""
    with np.errstate(over="ignore"):
        slowest = float(np.min((math.sqrt(alpha) * sigma) ** 2, initial=1.0))
    top = min(MAX_WINDOW, max(64.0, math.log(1e3) / max(slowest, 1e-12)))
    return np.unique(np.round(np.geomspace(1, top, 120)))


def _transients(problem: Problem, alpha: float, start: FloatArray) -> tuple[FloatArray, str]:
    nothing = np.zeros((0, len(HEADS)))
    try:
        errors = transient(problem, alpha, max(HEADS), start, max_steps=MAX_STEPS).log10_error[:, HEADS]
    except InvalidProblem as error:
        return nothing, str(error)
    return (errors, "") if np.isfinite(errors).any() else (nothing, "the start is every head's fixed point")
