r"""Expected updates of ETD(0), GTD2, TDC and TDRC: key matrices, fixed points, stability.

ETD(0) weights TD by the follow-on trace, whose stationary mean is f = (I − γP_πᵀ)⁻¹ d_μ (interest one):

    A_e = Φᵀdiag(f)(I − γP_π)Φ        b_e = Φᵀdiag(f) r_π        A_e + A_eᵀ ≻ 0 for independent features

The gradient methods carry auxiliary weights w, learned as w += β ρ(δ − wᵀφ)φ, with mean

    w ← w + β (b − Aθ − Xw)

    GTD2   θ += α ρ(φ − γφ')(φᵀw)         mean   α Aᵀw
    TDC    θ += α ρ(δφ − γφ'(φᵀw))        mean   α (b − Aθ − γYᵀw)
    TDRC   as TDC, with a ridge κ on w:   w ← w + β (b − Aθ − (X + κI)w)

E_μ[ρ|s] = 1, so the 2009 form β(ρδ − wᵀφ)φ has the same mean; only its noise differs. Stacked as
z = (θ, w), z ← z + α(g − G_η z) with η = β/α, and all three have the rest point w = 0, Aθ = b:

    GTD2  G_η = [[0, −Aᵀ], [ηA, ηX]]      stable for all η > 0 when A is regular
    TDC   G_η = [[A, γYᵀ], [ηA, ηX]]      stable for η large enough when A is regular

Both see A only as a matrix to be regular, never through the signs of its eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from theory.linear.basis import check_finite, checked_moments, feature_basis, row_space
from theory.linear.fixed_points import FixedPoint, solve_in_values, td_fixed_point
from theory.linear.spectra import Spectrum, spectrum
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

GradientMethod = Literal["gtd2", "tdc", "tdrc"]


@dataclass(frozen=True, eq=False)
class ExpectedUpdate:
    """z ← z + α(vector − matrix @ z)."""

    matrix: FloatArray
    vector: FloatArray


def follow_on(problem: Problem) -> Array:
    """f = (I − γP_πᵀ)⁻¹d_μ, the emphasis on each state, (S,); its sum is 1/(1−γ)."""
    return np.linalg.solve(np.eye(problem.n_states) - problem.gamma * problem.P_pi.T, problem.d_mu)


def emphatic_update(problem: Problem) -> ExpectedUpdate:
    """A_e and b_e of ETD(0)."""
    checked_moments(problem)
    with np.errstate(over="ignore", invalid="ignore"):
        weighted = problem.Phi.T * follow_on(problem)
        A = weighted @ (problem.Phi - problem.gamma * problem.P_pi @ problem.Phi)
        b = weighted @ problem.r_pi
    return ExpectedUpdate(check_finite(A, "the emphatic moments", "Phi"), check_finite(b, "b_e", "r_pi"))


def emphatic_fixed_point(problem: Problem) -> FixedPoint:
    """A_e⁻¹b_e: the projection of the Bellman equation weighted by emphasis instead of by visits.

    Equal to θ_π only where the projected equation does not depend on the weights, e.g. Π = I.
    """
    f = follow_on(problem)
    emphasised = Problem.from_matrices(
        problem.gamma, Phi=problem.Phi, P_pi=problem.P_pi, r_pi=problem.r_pi, d_mu=f / f.sum()
    )
    return solve_in_values(feature_basis(emphasised), problem.gamma * problem.P_pi, problem.r_pi, "A_e")


def emphatic_spectrum(problem: Problem) -> Spectrum:
    """Eigenvalues of A_e without structural zeros."""
    V = row_space(problem)
    return spectrum(V.T @ emphatic_update(problem).matrix @ V)


def gradient_update(
    problem: Problem, method: GradientMethod, *, ratio: float = 1.0, ridge: float = 1.0
) -> ExpectedUpdate:
    """G_η and g of GTD2, TDC or TDRC on z = (θ, w), with η = β/α = `ratio`; `ridge` is TDRC's κ."""
    if not ratio > 0:
        raise InvalidProblem(f"the ratio β/α must be positive, got {ratio:g}", "ratio")
    m = checked_moments(problem)
    zero = np.zeros_like(m.A)
    if method == "gtd2":
        top, vector = [zero, -m.A.T], np.zeros_like(m.b)
    elif method in ("tdc", "tdrc"):
        top, vector = [m.A, m.X - m.A.T], m.b  # γYᵀ = (X − A)ᵀ
    else:
        raise InvalidProblem(f"expected gtd2, tdc or tdrc, got {method!r}", "method")
    shrink = m.X + ridge * np.eye(len(m.X)) if method == "tdrc" else m.X
    return ExpectedUpdate(np.block([top, [ratio * m.A, ratio * shrink]]), np.concatenate([vector, ratio * m.b]))


def gradient_fixed_point(problem: Problem) -> tuple[FixedPoint, FloatArray]:
    """θ and w at rest: θ_π and 0; where A is regular the only rest point of all three methods."""
    return td_fixed_point(problem), np.zeros(problem.n_features)


def gradient_spectrum(problem: Problem, method: GradientMethod, *, ratio: float = 1.0, ridge: float = 1.0) -> Spectrum:
    """Eigenvalues of G_η without structural zeros: all real parts positive ⇔ stable for small α."""
    V = row_space(problem)
    both = np.block([[V, np.zeros_like(V)], [np.zeros_like(V), V]])
    return spectrum(both.T @ gradient_update(problem, method, ratio=ratio, ridge=ridge).matrix @ both)
