r"""A problem in the paper's letters, as exact FLINT matrices: what checks and counterexamples compute with.

m = matrices(problem)
m.S, m.F, m.one, m.start                states and features; 1 of the features; the column 1, 2, …, F
m.Phi, m.P, m.r, m.d, m.gamma           the problem; `d` is a list, vectors are columns
m.X, m.Y, m.A, m.b, m.D, m.Pi           its moments, and Π
m.B, m.c                                B = γX⁺Y and c = X⁺b, θᵏ = Bθᵏ⁻¹ + c
m.theta_pi, m.A_mu, m.theta_mu          errors where they do not exist
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from theory.exact.matrices import identity, matrix, rational
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import behaviour_fixed_point, chain_step, projection, td_fixed_point
from theory.problems import Problem


class Matrices:
    """See the module's text."""

    def __init__(self, problem: Problem) -> None:
        moments, e = exact_moments(problem), problem.exact
        self.problem, self.gamma, (self.S, self.F) = problem, moments.gamma, e.Phi.shape
        self.one, self.start = identity(self.F), counting(self.F)
        self.Phi, self.P, self.r, self.d = matrix(e.Phi), matrix(e.P_pi), matrix(e.r_pi), [rational(x) for x in e.d_mu]
        self.X, self.Y, self.A, self.b = moments.X, moments.Y, moments.A, moments.b

    @property
    def D(self) -> fmpq_mat:
        return diagonal(self.d)

    @property
    def Pi(self) -> fmpq_mat:
        return projection(self.problem)

    @property
    def B(self) -> fmpq_mat:
        return chain_step(exact_model(self.problem))[0]

    @property
    def c(self) -> fmpq_mat:
        return chain_step(exact_model(self.problem))[1]

    @property
    def A_mu(self) -> fmpq_mat:
        return exact_moments(self.problem).behaviour.A

    @property
    def theta_pi(self) -> fmpq_mat:
        return existing(td_fixed_point(self.problem).theta)

    @property
    def theta_mu(self) -> fmpq_mat:
        return existing(behaviour_fixed_point(self.problem).theta)


def matrices(problem: Problem) -> Matrices:
    """The problem's matrices.

    >>> from theory.problems.catalogue import catalogue_problem
    >>> matrices(catalogue_problem("twostate")).A
    [-47/100]
    """
    return Matrices(problem)


def existing(found: Any) -> Any:
    """What was found, where a case is known to have it."""
    assert found is not None
    return found


def counting(n: int) -> fmpq_mat:
    """The column 1, 2, …, n: a start without symmetry."""
    return fmpq_mat(n, 1, range(1, n + 1))


def ones(n: int) -> fmpq_mat:
    """The column 1, …, 1."""
    return fmpq_mat(n, 1, [1] * n)


def diagonal(entries: list[fmpq]) -> fmpq_mat:
    """diag(entries)."""
    return fmpq_mat([[x if i == j else fmpq(0) for j in range(len(entries))] for i, x in enumerate(entries)])


def trace(M: fmpq_mat) -> fmpq:
    """Σ M_ii."""
    return sum((M[i, i] for i in range(M.nrows())), fmpq(0))


def stacked(heads: list[fmpq_mat]) -> fmpq_mat:
    """Columns one above the other."""
    return fmpq_mat([row for head in heads for row in head.tolist()])


def blocks(rows: list[list[fmpq_mat]]) -> fmpq_mat:
    """A matrix of blocks."""
    lines = (line for row in rows for line in zip(*(M.tolist() for M in row), strict=True))
    return fmpq_mat([[x for part in line for x in part] for line in lines])


def exceeds_one(front: fmpq_mat, turn: Fraction, drive: fmpq_mat) -> bool:
    """Is ρ((front + i·turn)⁻¹ drive) > 1? As a real matrix of twice the size, roots counted exactly."""
    imaginary, zero = rational(turn) * identity(front.nrows()), 0 * drive
    H = blocks([[front, -imaginary], [imaginary, front]]).solve(blocks([[drive, zero], [zero, drive]]))
    return spectral_radius_side(characteristic_polynomial(H)) > 0


def departures(iterates: Iterable[fmpq_mat], step: fmpq_mat, rest: fmpq_mat) -> Iterator[fmpq_mat]:
    """x_t − x_* − stepᵗ(x_0 − x_*) of iterates x_0, x_1, …: zero where they approach the rest point x_* by `step`."""
    error = None
    for x in iterates:
        error = x - rest if error is None else step * error
        yield x - rest - error
