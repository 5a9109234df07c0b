r"""Expected updates z ← z + α(b − Mz) of the learners that TD is compared with.

Emphatic TD(0) weighs state s by its mean follow-on trace, f = (I − γP_πᵀ)⁻¹d_μ:

    M = ΦᵀDiag(f)(I − γP_π)Φ        b = ΦᵀDiag(f)r_π

GTD2 and TDC learn a second vector w with step size β = ηα, w ← w + β ρ(δ − wᵀφ)φ, so that w estimates X⁻¹(b − Aθ):

    GTD2   θ ← θ + α ρ(φ − γφ')(φᵀw)            TDC   θ ← θ + α ρ(δφ − γφ'(φᵀw))

    M = ⎡  0   −Aᵀ⎤   b = ⎡ 0⎤                   M = ⎡ A   γYᵀ⎤   b = ⎡ b⎤
        ⎣ ηA    ηX⎦       ⎣ηb⎦                       ⎣ηA    ηX⎦       ⎣ηb⎦

(the means of ρφφᵀ and φφᵀ are both X, because E_μ[ρ | s] = 1). Both rest at (θ_π, 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from theory.exact.fixed_points import FixedPoint, fixed_point
from theory.exact.matrices import identity, matrix, rational, scaled_rows
from theory.exact.moments import exact_moments
from theory.exact.solve import least_norm_solution
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_number
from theory.text.numbers import rank_note


@dataclass(frozen=True, eq=False)
class ExpectedUpdate:
    """One learner's expected update: key matrix, vector, and where it rests."""

    M: fmpq_mat  # (n, n), n = F or 2F
    b: fmpq_mat  # (n, 1)
    rest: FixedPoint  # θ and Φθ there
    w: fmpq_mat | None = None  # (F, 1), the second vector there, for GTD2 and TDC


def td(problem: Problem) -> ExpectedUpdate:
    """Off-policy TD: A and b."""
    m = exact_moments(problem)
    return ExpectedUpdate(m.A, m.b, fixed_point(problem, m.A, m.b, "A", "b"))


def etd(problem: Problem) -> ExpectedUpdate:
    """Emphatic TD(0); its key matrix is positive definite on span Φ, and it rests in general not at θ_π."""
    e = problem.exact
    Phi = matrix(e.Phi)
    discounted = identity(problem.n_states) - rational(e.gamma) * matrix(e.P_pi)
    f = discounted.transpose().solve(matrix(e.d_mu)).entries()
    weighted = scaled_rows(f, Phi).transpose()
    M, b = weighted * (discounted * Phi), weighted * matrix(e.r_pi)
    return ExpectedUpdate(M, b, fixed_point(problem, M, b, "the emphatic A", "its b"))


def gtd2(problem: Problem, eta: Any = 1) -> ExpectedUpdate:
    """GTD2 with β = ηα, on (θ, w)."""
    m = exact_moments(problem)
    F, ratio = problem.n_features, _ratio(eta)
    M = blocks(fmpq_mat(F, F), -m.A.transpose(), ratio * m.A, ratio * m.X)
    return _on_pair(problem, M, fmpq_mat(2 * F, 1, [fmpq(0)] * F + (ratio * m.b).entries()))


def tdc(problem: Problem, eta: Any = 1) -> ExpectedUpdate:
    """TDC with β = ηα, on (θ, w)."""
    m = exact_moments(problem)
    ratio = _ratio(eta)
    M = blocks(m.A, m.gamma * m.Y.transpose(), ratio * m.A, ratio * m.X)
    return _on_pair(problem, M, fmpq_mat(2 * problem.n_features, 1, m.b.entries() + (ratio * m.b).entries()))


def blocks(a: fmpq_mat, b: fmpq_mat, c: fmpq_mat, d: fmpq_mat) -> fmpq_mat:
    """[[a, b], [c, d]] from four matrices."""
    top = [x + y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return fmpq_mat(top + [x + y for x, y in zip(c.tolist(), d.tolist(), strict=True)])


def _on_pair(problem: Problem, M: fmpq_mat, b: fmpq_mat) -> ExpectedUpdate:
    F, Phi = problem.n_features, matrix(problem.exact.Phi)
    solution = least_norm_solution(M, b)
    if solution is None:
        complaint = "no fixed point: b is not in the range of the joint matrix"
        return ExpectedUpdate(M, b, FixedPoint(None, None, False, False, complaint))
    theta, w = fmpq_mat(F, 1, solution.entries()[:F]), fmpq_mat(F, 1, solution.entries()[F:])
    rank, r, note = M.rank(), Phi.rank(), None
    if rank < 2 * r:
        note = "the joint matrix is singular: (θ, w) of least norm, values not unique"
    elif rank < 2 * F:
        note = rank_note(F, r, "(θ, w)")
    return ExpectedUpdate(M, b, FixedPoint(theta, Phi * theta, rank == 2 * F, rank == 2 * r, note), w)


def _ratio(eta: Any) -> fmpq:
    value = as_number(eta, "eta")
    if value <= 0:
        raise InvalidProblem(f"the ratio β/α must be positive, got {value}", "eta")
    return rational(Fraction(value))
