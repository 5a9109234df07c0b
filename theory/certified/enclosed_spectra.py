r"""Eigenvalues in balls: decimals that are right, however close to a boundary they lie.

**By the characteristic polynomial**, for exact matrices of moderate size. FLINT factors it over ℚ and isolates the
roots of each factor, so that multiplicities are exact, real roots have imaginary part 0 and imaginary ones real part 0
(an irreducible factor with a root iω is even, and deflated). The precision is doubled until both parts have the digits
asked for, relative to themselves: a real part of 10⁻⁴⁰ beside an imaginary part of 1 is known to as many digits. For
the chain 1 − |λ|² has them too.

**By inclusions of eigenvectors** in balls of up to 8192 bits (Rump), where the eigenvalues are simple and differ in
size so much that the roots of their polynomial would take minutes.

**By Gershgorin's circles**, for large ones. The columns of W are the real and imaginary parts of eigenvectors in
doubles, K ≈ (EW)⁻¹ and R = I − KEW, so that of a pencil Nv = λEv

    W⁻¹E⁻¹NW = (I − R)⁻¹KNW = KNW + Δ        ‖Δ‖ ≤ ‖R‖/(1 − ‖R‖)·‖KNW‖

in the maximum row sum, and KNW is nearly block diagonal with blocks a or [[a, b], [−b, a]]. These are normal, so every
eigenvalue is as close to some a ± ib as the rows of its block are long outside it, and a separate union of m such
discs holds m eigenvalues (Gershgorin; Feingold and Varga for blocks). All sums are of doubles with bounds
(`theory.certified.bounded`).

Both work on the blocks that a permutation uncovers (`theory.exact.blocks`), and circles on features of about unit size:
a congruence of both matrices by powers of two, which moves no eigenvalue of the pencil.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from flint import acb, acb_mat, arb, arb_mat, fmpq, fmpq_mat, fmpq_poly, fmpz_poly

from theory.certified.balls import precision
from theory.certified.bounded import TINY, Bounded, unit
from theory.certified.doubles import UNIT
from theory.exact.algebraic import complex_roots, factors
from theory.exact.blocks import block, strong_components
from theory.exact.matrices import doubles, entry_length
from theory.exact.pencil_polynomials import pencil_polynomial
from theory.exact.polynomials import characteristic_polynomial
from theory.exact.reduced import reduced
from theory.linear import lapack
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray
from theory.text.numbers import nearest_double

PRECISIONS = (128, 256, 512, 1024, 2048, 4096)
EXACT, ISOLATED = "exact polynomial", "balls"
WIDE = 2000.0  # bits of spread times degree beyond which the polynomial's roots are not isolated
MAX_EIGENVECTORS = 1e5  # size³ times (bits/1024)^1.75: some seconds
MAX_WORK = 1.5e9  # size⁴ times bits: about a second


@dataclass(frozen=True, eq=False)
class Eigenvalue:
    """A ball with so many eigenvalues in it: equal ones of an exact polynomial, else a cluster of discs."""

    ball: acb
    multiplicity: int

    def __complex__(self) -> complex:
        """The nearest double; infinite or zero beyond their range."""
        return complex(nearest_double(self.ball.real), nearest_double(self.ball.imag))


@dataclass(frozen=True, eq=False)
class EnclosedSpectrum:
    """All eigenvalues, by decreasing modulus."""

    values: tuple[Eigenvalue, ...]
    method: str  # "exact polynomial", "balls" or "floats"

    @property
    def radius(self) -> arb:
        """ρ, in a ball."""
        out = arb(0)
        with precision(PRECISIONS[-1]):
            for value in self.values:
                out = out.max(abs(value.ball))
        return out

    @property
    def step_limit(self) -> arb | None:
        """min 2 Re λ/|λ|², the largest step size of Richardson's iteration; None unless surely all Re λ > 0.

        As 2/(Re λ + Im²λ/Re λ): a ball that is nearly as wide as it is far from 0 has a square that holds 0.
        """
        out = None
        with precision(PRECISIONS[-1]):
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
        """The nearest doubles, each as often as it occurs; clusters at their centre."""
        return [complex(v) for v in self.values for _ in range(v.multiplicity)]


def enclosed_spectrum(M: fmpq_mat, digits: int = 12, *, around_one: bool = False) -> EnclosedSpectrum | None:
    """The eigenvalues of a rational matrix; None where even the circles fail. `around_one` resolves 1 − |λ|² too.

    >>> [v.ball.real.str(6, radius=False) for v in enclosed_spectrum(fmpq_mat([[0, 1], [2, 0]])).values]
    ['-1.41421', '1.41421']
    """
    polynomials, others = [], []
    for part in strong_components(M):
        here = block(M, part)
        if float(len(part)) ** 4 * entry_length(here) > MAX_WORK:
            others.append(_by_circles(here))
            continue
        p = characteristic_polynomial(here)
        if spread(p) * len(part) > WIDE:
            others.append(isolated_eigenvalues(here, digits, around_one) or _by_circles(here))
        else:
            polynomials.append(p)
    return _joined(polynomials, others, digits, around_one)


def pencil_spectrum(N: fmpq_mat, E: fmpq_mat, digits: int = 12) -> EnclosedSpectrum | None:
    """The eigenvalues of E⁻¹N, with 1 − |λ|² resolved; E is symmetric and positive definite."""
    polynomials, others = [], []
    for part in strong_components(N, E):
        below, above = block(E, part), block(N, part)
        if float(len(part)) ** 4 * entry_length(below, above) > MAX_WORK:
            others.append(pencil_circles(above, below))
            continue
        p = pencil_polynomial(below, above)
        if spread(p) * len(part) > WIDE:
            others.append(isolated_eigenvalues(below.solve(above), digits, True) or pencil_circles(above, below))
        else:
            polynomials.append(p)
    return _joined(polynomials, others, digits, True)


def _joined(
    polynomials: list[fmpq_poly], others: list[EnclosedSpectrum | None], digits: int, around_one: bool
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
        found += [Eigenvalue(z, multiplicity) for z in _roots(f, digits, around_one)]
    methods = {part.method for part in others if part is not None}
    return EnclosedSpectrum(_ordered(found), "floats" if "floats" in methods else min(methods, default=EXACT))


def spread(p: fmpq_poly) -> float:
    """About log₂ of the largest root over the smallest one that is not 0, from the slopes of Newton's polygon.

    >>> round(spread(fmpq_poly([2**300, -(2**300) - 1, 1])))  # roots 1 and 2³⁰⁰
    300
    """
    points = [(j, int(c.height_bits())) for j, c in enumerate(p.numer().coeffs()) if c != 0]
    hull: list[tuple[int, int]] = []
    for x, y in points:  # the upper hull, from the left
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-1][0]) <= (y - hull[-1][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, y))
    slopes = [(b - a) / (j - i) for (i, a), (j, b) in pairwise(hull)]
    return slopes[0] - slopes[-1] if slopes else 0.0


def isolated_eigenvalues(M: fmpq_mat, digits: int, around_one: bool) -> EnclosedSpectrum | None:
    """One ball for each of the different eigenvalues (Rump's inclusions); None where they are not told apart.

    For eigenvalues of very different size, the roots of whose polynomial take FLINT minutes. A ball that meets the real
    axis, and no other ball in the mirror, holds a real one: the conjugate of another would be in it too.
    """
    wanted = 10 * digits // 3 + 2
    for bits in (*PRECISIONS, 2 * PRECISIONS[-1]):
        if float(M.nrows()) ** 3 * (bits / 1024) ** 1.75 > MAX_EIGENVECTORS:
            break
        with precision(bits):
            try:
                found = acb_mat(arb_mat(M)).eig(algorithm="rump")
            except ValueError:
                continue
            values = [_on_the_axis(z, [w for j, w in enumerate(found) if j != i]) for i, z in enumerate(found)]
            if all(_known(part, wanted) for z in values for part in _parts(z, around_one)):
                return EnclosedSpectrum(_ordered([Eigenvalue(z, 1) for z in values]), ISOLATED)
    return None


def _on_the_axis(z: acb, others: list[acb]) -> acb:
    mirrored = acb(z.real, -z.imag)
    return acb(z.real) if z.imag.contains(0) and not any(mirrored.overlaps(w) for w in others) else z


def _roots(f: fmpz_poly, digits: int, around_one: bool) -> list[acb]:
    """The roots of a squarefree polynomial with so many digits of each part."""
    wanted, roots = 10 * digits // 3 + 2, []
    for bits in PRECISIONS:
        with precision(bits):
            roots = [acb(z) for z in complex_roots(f)]
            if all(_known(part, wanted) for z in roots for part in _parts(z, around_one)):
                break
    return roots


def _parts(z: acb, around_one: bool) -> tuple[arb, ...]:
    parts = (z.real, z.imag)
    return (*parts, 1 - z.real * z.real - z.imag * z.imag) if around_one else parts


def _known(part: arb, wanted: int) -> bool:
    return part.is_zero() or part.rel_accuracy_bits() >= wanted


def pencil_circles(N: fmpq_mat, E: fmpq_mat) -> EnclosedSpectrum | None:
    """Circles of the pencil, in features of about unit size."""
    return _circles(*_in_unit_features(N, E))


def pencil_doubles(N: fmpq_mat, E: fmpq_mat) -> tuple[Bounded, Bounded]:
    """The pencil in doubles, in features of about unit size."""
    above, below, k = _in_unit_features(N, E)
    return _shifted(above, k), below


def _in_unit_features(N: fmpq_mat, E: fmpq_mat) -> tuple[Bounded, Bounded, int]:
    """N/2ᵏ and E, rows and columns scaled by powers of two that make E's diagonal about one; and k."""
    s = np.array([-(_exponent(E[i, i]) // 2) for i in range(E.nrows())])
    (above, k), (below, e) = doubles(N), doubles(E)
    both = s[:, None] + s
    top = int((np.frexp(above)[1] + both)[above != 0].max(initial=0))
    return _bounded(np.ldexp(above, both - top)), _bounded(np.ldexp(below, both + e)), k + top


def _exponent(x: fmpq) -> int:
    """About log₂ x."""
    return int(x.p.bit_length()) - int(x.q.bit_length())


def _bounded(mid: FloatArray) -> Bounded:
    return Bounded(mid, 4 * UNIT * np.abs(mid) + 2 * TINY)


def _shifted(M: Bounded, k: int) -> Bounded:
    with np.errstate(over="ignore"):
        return Bounded(np.ldexp(M.mid, k), np.ldexp(M.rad, k) + TINY)


def _by_circles(M: fmpq_mat) -> EnclosedSpectrum | None:
    mid, k = doubles(M)
    return _circles(_bounded(mid), None, k)


def _circles(N: Bounded, E: Bounded | None, k: int) -> EnclosedSpectrum | None:
    """Of E⁻¹N·2ᵏ."""
    found = circles(N, E) if np.any(N.mid) else None
    if found is None:
        return None
    values = [_ball(*cluster, arb(2) ** k) for cluster in _clusters(*found)]
    return EnclosedSpectrum(_ordered(values), "floats")


def circles(N: Bounded, E: Bounded | None = None) -> tuple[Array, FloatArray] | None:
    """Centres (n,) complex and radii (n,) of discs that hold the eigenvalues of E⁻¹N."""
    n = len(N.mid)
    M, singular = N.mid, 0
    if E is not None:
        _, _, M, singular = lapack.dgesv(E.mid, N.mid)
    if singular or not np.isfinite(M).all():
        return None
    real, imag, _, W_, info = lapack.dgeev(M, compute_vl=0)
    _, _, K_, singular = lapack.dgesv(W_ if E is None else E.mid @ W_, np.eye(n))
    if info or singular or not np.isfinite(K_).all():
        return None
    K, W = (Bounded(m, np.zeros_like(m)) for m in (K_, W_))
    similar, identity = K * N * W, (K * W if E is None else K * E * W) - unit(n)
    R = _rows(identity).max()
    if not R < 0.5:
        return None
    ideal = np.diag(real)
    first = np.flatnonzero(imag > 0)  # of a pair, which is adjacent
    ideal[first, first + 1] = imag[first]
    ideal[first + 1, first] = imag[first + 1]
    ideal[first + 1, first + 1] = ideal[first, first]
    # All of a row that is not the block, and the block's own distance from its normal form.
    rest = _rows(similar - Bounded(ideal, np.zeros_like(ideal)))
    rest[first] = rest[first + 1] = rest[first] + rest[first + 1]
    spill = 2 * R / (1 - R) * _rows(similar).max()
    radii = (rest + spill) * (1 + 1e-9) + 1e-300
    return (real + 1j * imag, radii) if np.isfinite(radii).all() else None


def _rows(M: Bounded) -> FloatArray:
    """Upper bounds of the sums of absolute entries over the rows."""
    sums: FloatArray = (np.abs(M.mid) + M.rad).sum(axis=1) * (1 + 1e-9)
    return sums


def _clusters(centres: Array, radii: FloatArray) -> list[tuple[complex, float, int]]:
    """Overlapping discs as one: a disc about the middle of their centres, and their number."""
    n = len(centres)
    touching = np.abs(centres[:, None] - centres[None, :]) <= (radii[:, None] + radii[None, :]) * (1 + 1e-9)
    label = np.arange(n)
    for i in range(n):
        for j in np.flatnonzero(touching[i]):
            if label[i] != label[j]:
                label[label == label[j]] = label[i]
    out = []
    for name in np.unique(label):
        members = np.flatnonzero(label == name)
        middle = complex(centres[members].mean())
        reach = float((np.abs(centres[members] - middle) + radii[members]).max()) * (1 + 1e-9)
        out.append((middle, reach, len(members)))
    return out


def _ball(centre: complex, reach: float, count: int, scale: arb) -> Eigenvalue:
    """A single disc about a real centre holds a real eigenvalue: the conjugate of another would be a second one."""
    imag = arb(0) if count == 1 and centre.imag == 0 else scale * arb(centre.imag, reach)
    return Eigenvalue(acb(scale * arb(centre.real, reach), imag), count)


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
    """The eigenvalues of A, structural zeros left out, and those of γΠP on span Φ."""
    m = reduced(problem)
    if m.rank == 0:
        return EnclosedSpectrum((), EXACT), EnclosedSpectrum((), EXACT)
    return enclosed_spectrum(m.key_matrix), pencil_spectrum(m.gamma * m.Y, m.X)
