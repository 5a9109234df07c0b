r"""ρ(E⁻¹N) between two numbers, whatever the Jordan form: powers in balls.

For every power k of an n×n matrix R

    (|tr Rᵏʲ|/n)^{1/kj}  ≤  ρ(R)  ≤  ‖Rᵏ‖^{1/k},        j = 1, 2, …,

and both ends are off by a factor of at most (n·κ)^{1/k}, with the best j ≤ n on the left: not all of the first n
power sums of the eigenvalues of Rᵏ can be small (Newton, Turán). Squaring R forty to fifty times leaves twelve
digits and more, without eigenvectors, which defective matrices do not have. Powers of two are taken out after every
squaring; what the growth of ‖Rᵏ‖ costs is precision, which is raised until it suffices.

Nonnegative matrices are easier still: for every v > 0 (Collatz, Wielandt)

    min_i (Rv)_i/v_i  ≤  ρ(R)  ≤  max_i (Rv)_i/v_i.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import exponent as log2
from theory.certified.balls import precision
from theory.certified.bounded import Doubles
from theory.certified.enclosed_spectra import pencil_doubles
from theory.certified.evidence import Signature
from theory.certified.pencils import Pencil
from theory.certified.proofs import proofs
from theory.exact.algebraic import rational_ball
from theory.exact.matrices import fraction
from theory.linear import lapack
from theory.problems.numbers import FloatArray

PRECISIONS = (256, 1024, 4096)
SQUARINGS = 56
BESIDE = 1e-7  # how far from its double ρ is bounded by signatures
NARROW = 2.0**-44  # relative: where squaring stops
POWER_SUMS = 12  # more would be needed only with more than that many eigenvalues on the circle

Bounds = tuple[fmpq, fmpq]


def radius_bounds(N: fmpq_mat, E: fmpq_mat, progress: Callable[[float], None] | None = None) -> Bounds | None:
    """low ≤ ρ(E⁻¹N) ≤ high; None where no precision sufficed for an upper end.

    >>> low, high = radius_bounds(fmpq_mat([[1, 7], [0, 1]]), fmpq_mat([[2, 0], [0, 2]]))  # a Jordan block
    >>> low <= fmpq(1, 2) <= high and high - low < fmpq(1, 10**12)
    True
    """
    best: Bounds | None = None
    for bits in PRECISIONS:
        with precision(bits):
            found = _by_squaring(N, E, progress)
        if found is not None:
            best = found if best is None else (max(best[0], found[0]), min(best[1], found[1]))
            if best[1] - best[0] <= best[1] * fmpq(1, 2**40) or best[1] == 0:
                return best
    return best


def narrowed(N: fmpq_mat, E: fmpq_mat, low: fmpq, high: fmpq) -> Bounds:
    """Bounds on ρ(E⁻¹N) from two signatures beside its double, where they are closer than low and high.

    ρ(cE⁻¹N) < 1 or > 1 says on which side of 1/c it is.
    """
    above, below = pencil_doubles(N, E)
    about = _radius(above.mid, below.mid)
    if not 0 < about < np.inf:
        return low, high
    for way in (-1, 1):
        c = 1 / (about * (1 + way * BESIDE))
        evidence = next(proofs(Pencil(True, above.scaled(c), below), Doubles(), simple=False), None)
        at = 1 / fmpq(*c.as_integer_ratio())
        if isinstance(evidence, Signature):
            low, high = (low, min(high, at)) if min(evidence.signs) > 0 else (max(low, at), high)
    return low, high


def _radius(N: FloatArray, E: FloatArray) -> float:
    """ρ(E⁻¹N) in doubles; not a number where it cannot be had."""
    if not (np.isfinite(N).all() and np.isfinite(E).all()):
        return np.nan
    _, _, M, singular = lapack.dgesv(E, N)
    if singular or not np.isfinite(M).all():
        return np.nan
    real, imag, *_ = lapack.dgeev(M, compute_vl=0, compute_vr=0)
    return float(np.hypot(real, imag).max())


def nonnegative_bounds(R: fmpq_mat) -> Bounds | None:
    """ρ of a matrix without negative entries, from the row sums and from an eigenvector in doubles; None of others."""
    if any(x < 0 for x in R.entries()):
        return None
    rows = R.tolist()
    sums = [sum(row, fmpq(0)) for row in rows]
    best = min(sums), max(sums)
    if best[0] == best[1]:
        return best
    v = _perron(np.array([[float(fraction(x)) for x in row] for row in rows]))
    if v is not None:
        quotients = [
            sum((x * y for x, y in zip(row, v, strict=True)), fmpq(0)) / w for row, w in zip(rows, v, strict=True)
        ]
        best = max(best[0], min(quotients)), min(best[1], max(quotients))
    return best


def _perron(R: FloatArray) -> list[fmpq] | None:
    if not np.isfinite(R).all() or R.max(initial=0.0) == 0:
        return None
    with np.errstate(all="ignore"):
        values, vectors = np.linalg.eig(R / R.max())
        v = np.abs(vectors[:, int(values.real.argmax())].real)
    if not np.isfinite(v).all() or v.min() < 1e-250:
        return None
    return [fmpq(*x.as_integer_ratio()) for x in v.tolist()]


def _by_squaring(N: fmpq_mat, E: fmpq_mat, progress: Callable[[float], None] | None) -> Bounds | None:
    n = N.nrows()
    try:
        M = arb_mat(E).solve(arb_mat(N))
    except ZeroDivisionError:
        return None
    power, exponent = 1, fmpq(0)  # Rᵏ = 2^exponent · M
    upper: arb | None = None
    lower = arb(0)
    for step in range(SQUARINGS):
        size = _norm(M)
        if not size.is_finite():
            break
        if size == 0:
            return fmpq(0), fmpq(0)
        here = _root(size, exponent, power)
        upper = here if upper is None else upper.min(here)
        if step % 4 == 3:
            lower = lower.max(_from_power_sums(M, exponent, power, 2))
            if upper - lower < upper * NARROW:
                break
        shift = log2(size)
        M = M * arb(2) ** -shift
        M, power, exponent = M * M, 2 * power, 2 * (exponent + shift)
        if progress is not None:
            progress((step + 1) / SQUARINGS)
    if upper is None:
        return None
    if not upper - lower < upper * NARROW:
        lower = lower.max(_from_power_sums(M, exponent, power, min(n, POWER_SUMS)))
    return max(fmpq(0), rational_ball(lower)[0]), rational_ball(upper)[1]


def _from_power_sums(M: arb_mat, exponent: fmpq, power: int, count: int) -> arb:
    """A lower end of ρ from the first `count` power sums of Rᵏ."""
    best, raised = arb(0), M
    for j in range(1, count + 1):
        total = abs(raised.trace())
        if total > 0:
            best = best.max(arb(_root(arb(total.lower()) / M.nrows(), j * exponent, j * power).lower()))
        if j < count:
            raised = raised * M
    return best


def _root(x: arb, exponent: fmpq, power: int) -> arb:
    """(2^exponent · x)^{1/power}, by logarithms."""
    return ((x.log() + arb(exponent) * arb(2).log()) / power).exp()


def _norm(M: arb_mat) -> arb:
    """An upper end of the largest absolute row sum."""
    out = arb(0)
    for row in M.tolist():
        out = out.max(sum((abs(x) for x in row), arb(0)))
    return arb(out.upper())
