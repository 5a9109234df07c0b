r"""Eigenvalues in balls: decimals that are right, however close to a boundary they lie.

**By the characteristic polynomial**, for exact matrices of moderate size. FLINT factors it over ℚ and isolates the
roots of each factor, so that multiplicities are exact, real roots have imaginary part 0 and imaginary ones real part 0
(an irreducible factor with a root iω is even, and deflated). The precision is doubled until both parts have the digits
asked for, relative to themselves: a real part of 10⁻⁴⁰ beside an imaginary part of 1 is known to as many digits. For
the chain 1 − |λ|² has them too.

**By FLINT's enclosures** of eigenvalues in balls, clusters where they are multiple, where that polynomial would take
long.

Both work on the blocks that a permutation uncovers (`theory.exact.matrices`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf

from flint import acb, acb_mat, arb, arb_mat, fmpq_mat, fmpq_poly, fmpz_poly

from theory.budgets import BALLS, EIGENVALUE_BITS, EIGENVALUES
from theory.exact.algebraic import complex_roots, factors
from theory.exact.matrices import block, entry_length, strong_components
from theory.exact.polynomials import characteristic_polynomial, pencil_polynomial
from theory.model.balls import precision
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.text.numbers import nearest_double

EXACT, BALLED = "exact polynomial", "balls"
WANTED = 42  # bits of each part: twelve digits
WIDE = 2000.0  # bits of spread times degree beyond which the polynomial's roots are not isolated


@dataclass(frozen=True, eq=False)
class Eigenvalue:
    """A ball with so many equal eigenvalues in it."""

    ball: acb
    multiplicity: int

    def __complex__(self) -> complex:
        """The nearest double; infinite or zero beyond their range."""
        return complex(nearest_double(self.ball.real), nearest_double(self.ball.imag))


@dataclass(frozen=True, eq=False)
class EnclosedSpectrum:
    """All eigenvalues, by decreasing modulus."""

    values: tuple[Eigenvalue, ...]
    method: str  # "exact polynomial" or "balls"

    @property
    def radius(self) -> arb:
        """ρ, in a ball."""
        out = arb(0)
        with precision(EIGENVALUE_BITS[-1]):
            for value in self.values:
                out = out.max(abs(value.ball))
        return out

    @property
    def step_limit(self) -> arb | None:
        """min 2 Re λ/|λ|², the largest step size of Richardson's iteration; None unless surely all Re λ > 0.

        As 2/(Re λ + Im²λ/Re λ): a ball that is nearly as wide as it is far from 0 has a square that holds 0.
        """
        out = None
        with precision(EIGENVALUE_BITS[-1]):
            for value in self.values:
                re, im = value.ball.real, value.ball.imag
                if not re > 0:
                    return None
                here = 2 / (re + im * im / re)
                if not here.is_finite():
                    return None
                out = here if out is None else out.min(here)
        return out

    def floats(self) -> list[complex]:
        """The nearest doubles, each as often as it occurs."""
        return [complex(v) for v in self.values for _ in range(v.multiplicity)]


def enclosed_spectrum(N: fmpq_mat, E: fmpq_mat | None = None) -> EnclosedSpectrum | None:
    """The eigenvalues of N, or of E⁻¹N with 1 − |λ|² resolved too; None where they would take too long.

    >>> [v.ball.real.str(6, radius=False) for v in enclosed_spectrum(fmpq_mat([[0, 1], [2, 0]])).values]
    ['-1.41421', '1.41421']
    """
    polynomials, others = [], []
    for part in strong_components(N) if E is None else strong_components(N, E):
        above, below = block(N, part), None if E is None else block(E, part)
        both = (above,) if below is None else (above, below)
        if float(len(part)) ** 4 * entry_length(*both) <= EIGENVALUES:
            exact = characteristic_polynomial(above) if below is None else pencil_polynomial(below, above)
            if spread(exact) * len(part) <= WIDE:
                polynomials.append(exact)
                continue
        others.append(_in_balls(above if below is None else below.solve(above), below is not None))
    return _joined(polynomials, others, E is not None)


def _in_balls(M: fmpq_mat, around_one: bool) -> EnclosedSpectrum | None:
    """One ball for each eigenvalue, or for each cluster of them; None where FLINT finds none.

    A ball that meets the real axis, and no other ball in the mirror, holds a real one: the conjugate of another would
    be in it too.
    """

    def found() -> list[acb]:
        try:
            balls = acb_mat(arb_mat(M)).eig(multiple=True)
        except ValueError:
            return []
        return [_on_the_axis(z, [w for j, w in enumerate(balls) if j != i]) for i, z in enumerate(balls)]

    values = _resolved(found, around_one, BALLS / float(M.nrows()) ** 3)
    return EnclosedSpectrum(_ordered([Eigenvalue(z, 1) for z in values]), BALLED) if values else None


def _resolved(found: Callable[[], list[acb]], around_one: bool, longest: float = inf) -> list[acb]:
    """Balls at the first precision at which each part is known, or the last one that is not too long."""
    best: list[acb] = []
    for bits in EIGENVALUE_BITS:
        if bits > longest:
            break
        with precision(bits):
            best = found() or best
            if best and all(
                x.is_zero() or x.rel_accuracy_bits() >= WANTED for z in best for x in _parts(z, around_one)
            ):
                break
    return best


def _joined(
    polynomials: list[fmpq_poly], others: list[EnclosedSpectrum | None], around_one: bool
) -> EnclosedSpectrum | None:
    """The roots of all polynomials, and what other blocks hold; None where one of these failed."""
    found: list[Eigenvalue] = []
    for part in others:
        if part is None:
            return None
        found += part.values
    counts: dict[str, tuple[fmpz_poly, int]] = {}
    for polynomial in polynomials:
        p = polynomial.numer()
        for f in factors(p):
            _, multiplicity = counts.get(str(f), (f, 0))
            rest = p
            while (rest % f).is_zero():
                rest, multiplicity = rest // f, multiplicity + 1
            counts[str(f)] = f, multiplicity
    for f, multiplicity in counts.values():
        roots = _resolved(partial(complex_roots, f), around_one)
        found += [Eigenvalue(z, multiplicity) for z in roots]
    return EnclosedSpectrum(_ordered(found), BALLED if others else EXACT)


def spread(p: fmpq_poly) -> float:
    """About log₂ of the largest root over the smallest one that is not 0, from the slopes of Newton's polygon.

    >>> round(spread(fmpq_poly([2**300, -(2**300) - 1, 1])))  # roots 1 and 2³⁰⁰
    300
    """
    points = [(j, c.height_bits()) for j, c in enumerate(p.numer().coeffs()) if c != 0]
    hull: list[tuple[int, int]] = []
    for x, y in points:  # the upper hull, from the left
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-1][0]) <= (y - hull[-1][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, y))
    slopes = [(b - a) / (j - i) for (i, a), (j, b) in pairwise(hull)]
    return slopes[0] - slopes[-1] if slopes else 0.0


def _on_the_axis(z: acb, others: list[acb]) -> acb:
    mirrored = acb(z.real, -z.imag)
    return acb(z.real) if z.imag.contains(0) and not any(mirrored.overlaps(w) for w in others) else z


def _parts(z: acb, around_one: bool) -> tuple[arb, ...]:
    parts = (z.real, z.imag)
    return (*parts, 1 - z.real * z.real - z.imag * z.imag) if around_one else parts


def _ordered(values: list[Eigenvalue]) -> tuple[Eigenvalue, ...]:
    """By decreasing modulus, conjugates adjacent."""
    return tuple(
        sorted(values, key=lambda v: (-_log2(abs(v.ball)), float(v.ball.real.mid()), float(v.ball.imag.mid())))
    )


def _log2(x: arb) -> float:
    """Rounded, so that the moduli of conjugates are equal."""
    mantissa, exponent = (int(v) for v in x.mid().man_exp())
    return round(math.log2(mantissa) + exponent, 9) if mantissa > 0 else -math.inf


def problem_spectra(problem: Problem) -> tuple[EnclosedSpectrum | None, EnclosedSpectrum | None]:
    """The eigenvalues of A, structural zeros left out, and those of γΠP on span Φ; None of moments within bounds."""
    if problem.is_large:
        return None, None
    m = exact_model(problem)
    if m.rank == 0:
        return EnclosedSpectrum((), EXACT), EnclosedSpectrum((), EXACT)
    return enclosed_spectrum(m.A), enclosed_spectrum(m.gamma * m.Y_hat, m.X_hat)
