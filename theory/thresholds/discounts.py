r"""For which discounts does it work? Exact thresholds in γ, or what is certain about them.

**The chain** is unbiased in the limit exactly for γ < 1/ρ(ΠP), because ρ(γΠP) = γρ(ΠP). The value may be 1 or more, or
infinite; then the chain is unbiased for every γ in [0, 1). ρ is exact or enclosed (`theory.thresholds.radius`).

**TD** is stable where A(γ) = X − γY has all eigenvalues right of the imaginary axis. Between two such verdicts an
eigenvalue crosses the axis, at roots of polynomials in γ (`theory.thresholds.crossings`), which cut [0, 1) into
gaps, in each of which one rational point decides. TD is stable on some [0, γ₁), since A(0) = X. A root between two
stable gaps does not join them: there two eigenvalues on the axis touch it and turn back. Where these polynomials
would take too long, stretches are proved one by one (`theory.thresholds.bracketing`), and the rest is unknown.

Both fall apart into the blocks of X and Y (`theory.exact.blocks`): the chain's threshold is the smallest of theirs,
TD is stable where every block is.

Dependent features give A the eigenvalue 0 structurally, F − r times; those directions change no value and are divided
out: r = rank Φ.
"""

from __future__ import annotations

from math import inf

from flint import fmpq

from theory.exact.algebraic import root_bounds
from theory.exact.blocks import pencil_blocks
from theory.exact.reduced import reduced
from theory.exact.spectral_radius import Radius
from theory.problems import Problem
from theory.thresholds import radius as radii
from theory.thresholds.bracketing import LAST, SECONDS, proved_sides, safe_up_to
from theory.thresholds.cover import Progress
from theory.thresholds.crossings import exact_sides, factor_work, key_factors
from theory.thresholds.results import Interval, StableIntervals, Threshold, exactly
from theory.thresholds.sides import everywhere, joined, stable_intervals

__all__ = ["Interval", "StableIntervals", "Threshold", "chain_threshold", "td_stable_intervals"]

MAX_WORK = 300_000_000  # of TD's exact route, by `factor_work`: five seconds, about
LONGEST = 3_000_000_000  # up to which factors are looked for at all: n⁴ times the bits of an entry
BEYOND = "at least 1: the chain is unbiased for every γ in [0, 1)"
NEARLY = "A is an M-matrix up to there; the rows of P, in doubles, sum to 1 only nearly"
UNKNOWN = "too long for an exact polynomial, and no bounds on ρ(ΠP) were found"


def chain_threshold(
    problem: Problem, *, max_work: float = MAX_WORK, insist: bool = False, progress: Progress | None = None
) -> Threshold:
    """1/ρ(ΠP), the supremum of the γ for which the chain is unbiased in the limit.

    `insist` on an exact number, however long that takes.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> str(chain_threshold(twostate).exact)
    '5/6'
    """
    work = inf if insist else radii.MAX_WORK if max_work >= MAX_WORK else 0
    return inverse_radius(radii.successor_radius(problem, work, progress))


def inverse_radius(radius: Radius | None, power: int = 1) -> Threshold:
    """(1/ρ)^(1/power) as a threshold for γ."""
    if radius is None:
        return Threshold(None, fmpq(0), None, UNKNOWN)
    if radius.high == 0:
        return Threshold(None, None, None, "ρ(ΠP) = 0: the chain is unbiased for every γ in [0, 1)")
    if radius.exact is not None:
        number = radius.exact.reciprocal().root(power)
        return exactly(number, BEYOND if number >= 1 else None)
    low = root_bounds(1 / radius.high, 1 / radius.high, power, bits=128)[0] if power > 1 else 1 / radius.high
    high = None
    if radius.low > 0:
        high = root_bounds(1 / radius.low, 1 / radius.low, power, bits=128)[1] if power > 1 else 1 / radius.low
    return Threshold(None, low, high, f"{BEYOND}; {radius.reason}" if low >= 1 else radius.reason)


def td_stable_intervals(
    problem: Problem, *, max_work: float = MAX_WORK, insist: bool = False, progress: Progress | None = None
) -> StableIntervals:
    """All maximal intervals of γ in [0, 1) on which off-policy TD is stable.

    `insist` on exact crossings, however long they take.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(twostate).intervals]
    [('0', '5/6')]
    """
    m = reduced(problem)
    if m.rank == 0:
        return stable_intervals(everywhere(True, fmpq(1)), "all features are zero: no value ever changes")
    safe = safe_up_to(problem, m)
    if safe == 1 or (safe >= LAST and not problem.is_exact):
        return stable_intervals(everywhere(True, safe), None if safe == 1 else NEARLY)
    factors, rest = [], []
    for X, Y in pencil_blocks(m.by(m.X), m.by(m.Y)):
        short = insist or X.nrows() ** 4 * max(int(x.height_bits()) for x in X.entries() + Y.entries()) <= LONGEST
        found = key_factors(X, Y) if short and (max_work >= 0 or X.nrows() == 1) else None
        if found is not None and (insist or sum(map(factor_work, found)) <= max_work or X.nrows() == 1):
            factors += found
        else:
            rest.append((X, Y))
    if rest and safe >= LAST:
        return stable_intervals(everywhere(True, safe), "A is an M-matrix up to there; beyond, too long to be exact")
    parts = [exact_sides(factors)] if factors else []
    parts += [proved_sides(X, Y, SECONDS / len(rest), progress) for X, Y in rest]
    found_sides = joined(parts)
    return stable_intervals(found_sides, WHY if rest else None)


WHY = "too many features or too long fractions for the exact crossings: each side proved piece by piece"
