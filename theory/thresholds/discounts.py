r"""For which discounts does it work? Exact thresholds in γ.

**The chain** is unbiased in the limit exactly for γ < 1/ρ(ΠP): R = X⁻¹Y has no γ in it and B = γR. The value may
be 1 or more, or infinite; then the chain is unbiased for every γ in [0, 1).

**TD** is stable where A(γ) = X − γY has all eigenvalues right of the imaginary axis. Between two such verdicts an
eigenvalue crosses the axis, at 0 or as a pair ±iω; either way a product over its r eigenvalues λ_i vanishes,

    c(γ) = Π_i λ_i = det A        or        h(γ) = Π_{i<j} (λ_i + λ_j),

both polynomials in γ, of degree at most r and r(r−1)/2. h is, up to sign, the last but one Hurwitz determinant of
the characteristic polynomial (Orlando's formula); both are found by exact evaluation at integers and interpolation.
Their roots in (0, 1) cut [0, 1) into gaps, in each of which one rational point decides. At γ = 0 A is X, positive
definite: c(0), h(0) > 0, so neither polynomial is ever identically zero, and TD is stable on some [0, γ₁).
A root between two stable gaps does not join them: there two eigenvalues on the axis touch it and turn back.

Dependent features give A the eigenvalue 0 structurally, F − r times; those directions change no value and are divided
out: r = rank Φ.
"""

from __future__ import annotations

from itertools import islice, pairwise

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.algebraic import AlgebraicNumber, algebraic_rational, real_roots, root_bounds, simplest_between
from theory.exact.polynomials import characteristic_polynomial, is_anti_hurwitz
from theory.exact.rational_functions import interpolate, short_points, successor_polynomial
from theory.exact.reduced import reduced
from theory.exact.spectral_radius import largest_modulus
from theory.problems import Problem
from theory.thresholds.bracketing import Progress, bracketed_chain_threshold, bracketed_intervals
from theory.thresholds.results import StableIntervals, Threshold, exactly

__all__ = ["StableIntervals", "Threshold", "chain_threshold", "td_stable_intervals"]

# TD's exact route evaluates h at r(r−1)/2 + 1 points and isolates its roots; past this product of degree³ and bits
# the bracketing route is taken. The chain's is a characteristic polynomial, r⁴ times bits. Five seconds each, about.
MAX_WORK = 300_000_000
BEYOND = "at least 1: the chain is unbiased for every γ in [0, 1)"


def chain_threshold(problem: Problem, *, max_work: int = MAX_WORK) -> Threshold:
    """1/ρ(ΠP), the supremum of the γ for which the chain is unbiased in the limit.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> str(chain_threshold(twostate).exact)
    '5/6'
    """
    m = reduced(problem)
    if m.rank**4 * entry_bits(m.X, m.Y) > max_work:
        return bracketed_chain_threshold(problem, "too many features for an exact characteristic polynomial")
    return inverse_radius(successor_polynomial(problem))


def inverse_radius(poly: fmpq_poly, power: int = 1) -> Threshold:
    """(1/max|λ|)^(1/power) over the roots of `poly`, as a threshold for γ."""
    radius = largest_modulus(poly)
    if radius.high == 0:
        return Threshold(None, None, None, "ρ(ΠP) = 0: the chain is unbiased for every γ in [0, 1)")
    if radius.exact is None:
        low, high = root_bounds(1 / radius.high, 1 / radius.low, power, bits=128)
        return Threshold(None, low, high, f"{BEYOND}; {radius.reason}" if low >= 1 else radius.reason)
    number = radius.exact.reciprocal().root(power)
    return exactly(number, BEYOND if number >= 1 else None)


def td_stable_intervals(
    problem: Problem, *, max_work: int = MAX_WORK, progress: Progress | None = None
) -> StableIntervals:
    """All maximal intervals of γ in [0, 1) on which off-policy TD is stable.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(twostate).intervals]
    [('0', '5/6')]
    """
    m = reduced(problem)
    if m.rank == 0:
        everything = (exactly(algebraic_rational(0)), exactly(algebraic_rational(1)))
        return StableIntervals((everything,), reason="all features are zero: no value ever changes")
    X, Y = m.G * m.X, m.G * m.Y
    if crossing_work(X, Y) > max_work:
        return bracketed_intervals(problem, "too many features or too long fractions for the exact crossings", progress)
    c, h = crossing_polynomials(X, Y)
    crossings = {x for x in real_roots(c) + real_roots(h) if 0 < x < 1}
    ends = [algebraic_rational(0), *sorted(crossings), algebraic_rational(1)]
    stable = [(a, b) for a, b in pairwise(ends) if stable_at(X, Y, point_between(a, b))]
    return StableIntervals(tuple((exactly(a), exactly(b)) for a, b in stable))


def stable_at(X: fmpq_mat, Y: fmpq_mat, gamma: fmpq) -> bool:
    """Are all eigenvalues of X − γY right of the imaginary axis?"""
    return is_anti_hurwitz(characteristic_polynomial(X - gamma * Y))


def crossing_polynomials(X: fmpq_mat, Y: fmpq_mat) -> tuple[fmpq_poly, fmpq_poly]:
    """c(γ) = det A(γ) and h(γ) = Π_{i<j} (λ_i + λ_j), for nonsingular X."""
    r = X.nrows()
    degree = r * (r - 1) // 2
    samples = []
    for g in islice(short_points(), max(degree, r) + 1):
        coefficients = (X - g * Y).charpoly().coeffs()
        samples.append((g, coefficients[0] * (-1) ** r, pair_sums(coefficients)))
    c = interpolate([(g, value) for g, value, _ in samples[: r + 1]])
    return c, interpolate([(g, value) for g, _, value in samples[: degree + 1]])


def pair_sums(coefficients: list[fmpq]) -> fmpq:
    """Π_{i<j} (λ_i + λ_j) of a monic polynomial's roots: the Hurwitz determinant Δ_{n−1} of the mirrored one.

    >>> pair_sums([fmpq(c) for c in (-6, 11, -6, 1)])  # roots 1, 2, 3: 3·4·5
    60
    """
    n = len(coefficients) - 1
    if n < 2:
        return fmpq(1)
    # p(−s)·(−1)ⁿ = sⁿ + a_1 sⁿ⁻¹ + …: a_j = e_j(λ), the roots' elementary symmetric functions.
    a = [coefficients[n - j] * (-1) ** j for j in range(n + 1)]
    hurwitz = [[a[2 * i - j + 1] if 0 <= 2 * i - j + 1 <= n else 0 for j in range(n - 1)] for i in range(n - 1)]
    return fmpq_mat(hurwitz).det()


def point_between(low: AlgebraicNumber, high: AlgebraicNumber) -> fmpq:
    """A short rational strictly between two different algebraic numbers."""
    width = fmpq(1, 16)
    while True:
        a, b = low.interval(width)[1], high.interval(width)[0]
        if a < b:
            third = (b - a) / 3
            return simplest_between(a + third, b - third)
        width /= 16


def crossing_work(X: fmpq_mat, Y: fmpq_mat) -> int:
    """degree³ times the bits of a matrix entry: what interpolating h and isolating its roots costs."""
    r = X.nrows()
    return int((r * (r - 1) // 2) ** 3 * entry_bits(X, Y))


def entry_bits(X: fmpq_mat, Y: fmpq_mat) -> int:
    """The length of the longest entry."""
    return max((int(x.height_bits()) for Z in (X, Y) for x in Z.entries()), default=0)
