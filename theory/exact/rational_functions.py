r"""Fixed points and characteristic polynomials as functions of γ, by evaluation and interpolation.

A(γ) = X − γY is linear in γ, so on r independent features det A has degree at most r, Cramer's numerators of θ_π at
most r − 1, and the coefficient of λ^{F−j} in det(λI − A) at most j. Exact values at that many integers, plus one,
determine them; no symbolic determinant is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import gcd, lcm

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.matrices import matrix
from theory.exact.moments import exact_moments
from theory.exact.polynomials import characteristic_polynomial
from theory.exact.reduced import Reduced, reduced, reduced_moments
from theory.exact.solve import row_basis
from theory.problems import InvalidProblem, Problem


@dataclass(frozen=True, eq=False)
class RationalVector:
    """numerators(γ)/denominator(γ), entry by entry over one denominator."""

    numerators: tuple[fmpq_poly, ...]  # (F,)
    denominator: fmpq_poly

    def at(self, gamma: fmpq) -> fmpq_mat:
        """The vector at one γ; ZeroDivisionError at a pole."""
        below = self.denominator(gamma)
        return fmpq_mat(len(self.numerators), 1, [p(gamma) / below for p in self.numerators])


def td_fixed_point_in_gamma(problem: Problem) -> RationalVector:
    """θ_π(γ), the one of least norm where features depend on each other.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> theta = td_fixed_point_in_gamma(twostate)
    >>> theta.numerators, theta.denominator
    ((3,), (-6)*x + 5)
    """
    return _solution(problem, reduced(problem), exact_moments(problem).b)


def behaviour_fixed_point_in_gamma(problem: Problem) -> RationalVector:
    """θ_μ(γ)."""
    e, b_mu = problem.exact, exact_moments(problem).b_mu
    if e.P_mu is None or b_mu is None:
        missing = "P_mu" if e.P_mu is None else "r_mu"
        raise InvalidProblem("θ_μ needs the behaviour's own transitions and rewards", missing)
    return _solution(problem, reduced_moments(e.gamma, e.Phi, e.P_mu, e.d_mu), b_mu)


def successor_polynomial(problem: Problem) -> fmpq_poly:
    """The characteristic polynomial of R = X⁻¹Y on independent features: the nonzero spectrum of ΠP."""
    m = reduced(problem)
    return characteristic_polynomial(m.X.solve(m.Y)) if m.rank else fmpq_poly([1])


def key_polynomial(problem: Problem) -> list[fmpq_poly]:
    """det(λI − A(γ)) as polynomials in γ, the coefficient of λ⁰ first, structural zeros included."""
    m = exact_moments(problem)
    F = problem.n_features
    samples = [(g, (m.X - g * m.Y).charpoly()) for g in (fmpq(n) for n in range(F + 1))]
    return [interpolate([(g, p[j]) for g, p in samples[: F - j + 1]]) for j in range(F + 1)]


def interpolate(points: list[tuple[fmpq, fmpq]]) -> fmpq_poly:
    """The polynomial of least degree through the points, by Newton's divided differences.

    >>> interpolate([(fmpq(0), fmpq(1)), (fmpq(1), fmpq(2)), (fmpq(2), fmpq(5))])
    x^2 + 1
    """
    xs, table = [x for x, _ in points], [y for _, y in points]
    for level in range(1, len(points)):
        for i in range(len(points) - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (xs[i] - xs[i - level])
    out = fmpq_poly([0])
    for x, y in zip(reversed(xs), reversed(table), strict=True):
        out = out * fmpq_poly([-x, 1]) + y
    return out


def short_points() -> Iterator[fmpq]:
    """0, 1, −1, 2, −2, …: the integers, shortest first."""
    yield fmpq(0)
    for n in count(1):
        yield fmpq(n)
        yield fmpq(-n)


def integral(polynomials: list[fmpq_poly]) -> list[fmpq_poly]:
    """All of them times one positive number, so that the coefficients are integers without a common divisor."""
    scale = lcm(*(int(p.denom()) for p in polynomials))
    numerators = [p * scale for p in polynomials]
    common = gcd(*(int(p.numer().content()) for p in numerators)) or 1
    return [p / common for p in numerators]


def _solution(problem: Problem, m: Reduced, b: fmpq_mat) -> RationalVector:
    F, r = problem.n_features, m.rank
    if r == 0:
        return RationalVector((fmpq_poly([0]),) * F, fmpq_poly([1]))
    b_hat = fmpq_mat(r, 1, [b[i, 0] for i in m.independent])
    dets: list[tuple[fmpq, fmpq]] = []
    solutions: list[tuple[fmpq, fmpq_mat]] = []
    for g in short_points():
        A = m.X - g * m.Y
        det = A.det()
        dets.append((g, det))
        if det != 0:  # at most r points are poles; at one of them adj(A)b has no short way
            solutions.append((g, det * A.solve(b_hat)))
        if len(dets) > r and len(solutions) >= r:
            break
    below = interpolate(dets[: r + 1])
    inner = [interpolate([(g, w[i, 0]) for g, w in solutions[:r]]) for i in range(r)]
    # θ of least norm with Rθ = w: Rᵀ(RRᵀ)⁻¹w, R the row echelon form of Φ.
    R = row_basis(matrix(problem.exact.Phi))
    assert R is not None  # r > 0
    lift = R.transpose() * m.G.inv()
    above = [sum((lift[i, j] * inner[j] for j in range(r)), fmpq_poly([0])) for i in range(F)]
    common = below
    for p in above:
        common = common.gcd(p)
    *above, below = integral([p // common for p in (*above, below)])
    return RationalVector(tuple(above), below)
