r"""Statements about *all* long windows of a target network at once, for two features.

In the eigenbasis of X, with projectors E_1, E_2 onto its eigenvectors, G_T = B + (q_1E_1 + q_2E_2)(I − B) with
q_i = (1 − αx_i)^T. For 0 < αx_i < 1 both q_i fall with T, so every G_t with t ≥ T lies in the convex hull
of four matrices: G at the corners of the box [0, q_1] × [0, q_2]. Two properties pass from the corners to the hull:

- GᵀHG ≺ H for one H ≻ 0 (a ball of a norm is convex): then every t ≥ T is stable;
- det(I + G) < 0 (it is affine in each q_i, because E_1 and E_2 have rank one): then G has a real eigenvalue below
  −1, and every t ≥ T is unstable.

All in ball arithmetic, so a yes is a proof; a no is none.
"""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, fmpq_mat

from theory.certified.balls import is_positive_definite, precision, unit
from theory.exact.moments import exact_moments
from theory.exact.richardson import step_size
from theory.problems import InvalidProblem, Problem

BITS = 256


def corners(problem: Problem, alpha: Any, T: int) -> list[arb_mat]:
    """Four matrices whose convex hull holds G_t for every t ≥ T."""
    m, step = exact_moments(problem), arb(step_size(alpha))
    if problem.n_features != 2:
        raise InvalidProblem(f"only for two features, got {problem.n_features}", "Phi")
    X, B, one = arb_mat(m.X), arb_mat(m.X.solve(m.gamma * m.Y)), unit(2)
    middle = arb(m.X[0, 0] + m.X[1, 1]) / 2
    spread = (middle * middle - arb(m.X.det())).sqrt()
    high, low = middle + spread, middle - spread
    if not (step * low > 0 and step * high < 1 and low < high):
        raise InvalidProblem("α times the eigenvalues of X must be different and within (0, 1)", "alpha")
    upper = (X - low * one) * (1 / (high - low))
    at_T = [(1 - step * high) ** T, (1 - step * low) ** T]
    return [
        B + (p * at_T[0] * upper + q * at_T[1] * (one - upper)) * (one - B) for p in (0, 1) for q in (0, 1)
    ]  # fmt: skip


def stable_from(problem: Problem, alpha: Any, T: int, H: fmpq_mat) -> bool:
    """Is every window t ≥ T proved stable, in the norm of H?"""
    with precision(BITS):
        norm = arb_mat(H)
        shrink = (is_positive_definite(norm - G.transpose() * norm * G) for G in corners(problem, alpha, T))
        return is_positive_definite(norm) and all(shrink)


def unstable_from(problem: Problem, alpha: Any, T: int) -> bool:
    """Is every window t ≥ T proved unstable, by an eigenvalue below −1?"""
    with precision(BITS):
        return all(bool((unit(2) + G).det() < 0) for G in corners(problem, alpha, T))
