r"""Matrices of doubles with a bound on the error of every entry: proofs at the speed of BLAS.

A `Bounded` matrix is (mid, rad): the true matrix is within rad of mid, entry by entry. A product computed in doubles,
in whatever order and with or without fused operations, is off by at most n u/(1 − n u) times |A||B|, so

    rad(AB) = |A| rad(B) + rad(A) (|B| + rad(B)) + n u |A||B|        u = 2⁻⁵³,

in doubles again, inflated by 1 + 10⁻⁹ for their own rounding (n is far below 10⁶). Below the normal range of doubles
rounding is not relative: a product is off by u|ab| + η, η = 2⁻¹⁰⁷⁴, and so is the double nearest to an exact number.
So everything that a further factor may enlarge (the factors of `scaled`, the bounds inside a product)
is first raised by τ = 2⁻¹⁰²² ≫ n η, and each result by 10⁻³⁰⁰ ≫ n η for its own underflow.

These bounds see the size of every entry, where those below see only the largest one: they decide large problems with
rare states, at a few more products.

Positive definiteness is Rump's test, below, after a scaling by powers of two that makes the
diagonal about one; a bound in the norm is the largest sum over a row.

**Proofs with one bound for all entries**: a Cholesky factorisation that succeeds with a large enough shift.

u = 2⁻⁵³, m = max|Φ|, S states, F features. Everything is bounded by m alone, because the weights d and the rows of
P sum to one (to within 10⁻⁹, `theory.problems.validate`).

**Moments.** Computed X = ΦᵀDΦ, γY = γΦᵀDPΦ and A = X − γY differ from the exact ones, entry by entry, by at most

    e = (4S + 40) u m².

A sum of S products is off by at most Su/(1 − Su) times the sum of absolute products, in whatever order it is added
and with or without fused operations. X has one such sum, two factors more and up to three rounded inputs (exact
numbers are rounded first): (S + 6) u m². γY has two sums: (2S + 9) u m². A adds one rounding of both: in all
(3S + 17) u m², and the rest of e covers the second-order terms and the 10⁻⁹. Φ must lie in 10^±60, so that what
underflows (at most 10⁻³⁰⁷·10⁶⁰ in an entry) is far below e.

**Positive definiteness** (Rump). If Cholesky of the float matrix H − cI, n×n, runs to its end, then H is off from a
positive definite matrix by less than c' = 2(n + 3)u·n·h, h the largest entry on the diagonal of H; so if the true
matrix is within δ of H in norm and c ≥ δ + c', then it is positive definite. For an entrywise error ε, δ = nε.

**Signatures.** T of `theory.certified.evidence` is formed in floats. With ‖N‖, ‖E‖ ≤ F s (s bounds their entries) and
k = ‖K‖‖W‖ in Frobenius norms, KNW and KEW are off by at most η = k(Fε + 2(F + 2)u·F s), hence T by at most
2η(‖KNW‖ + ‖KEW‖) + 2η² + 2(F + 3)u(‖KNW‖ + ‖KEW‖)². (Times √2, as Cholesky reads one triangle and T is symmetric
only up to rounding.) All norms must lie in 10^±140, ‖W‖ below 10¹⁰⁰ and η above 10⁻¹⁴⁵: what underflows in a product,
2⁻¹⁰⁷⁴ a term and at most 10¹⁰⁰ times as much after the next one, is then far below these bounds.

A proof that fails says nothing; the caller goes on with balls. A proof that succeeds also shows that Φ has full column
rank, since dependent columns put an eigenvalue exactly on the boundary of TD's half plane, of the disc of I − αM, and
make E = X singular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat

from theory.certified.evidence import Candidate, Evidence, Signature, eigenbasis, lyapunov
from theory.exact.matrices import doubles
from theory.problems.numbers import Array, FloatArray

if TYPE_CHECKING:
    from theory.certified.proofs import Pencil

_INFLATE, _UNDERFLOW = 1 + 1e-9, 1e-300
TINY = 2.0**-1022  # τ: above every absolute error of a rounding that is not relative


@dataclass(frozen=True, eq=False)
class Bounded:
    """The true matrix is within `rad` of `mid`, entry by entry."""

    mid: FloatArray
    rad: FloatArray

    def transpose(self) -> Bounded:
        """Mᵀ."""
        return Bounded(self.mid.T, self.rad.T)

    def __mul__(self, other: Bounded) -> Bounded:
        """The matrix product, as of FLINT's matrices."""
        a, b = np.abs(self.mid), np.abs(other.mid)
        n = self.mid.shape[1]
        rad = a @ (other.rad + (1.01 * n * UNIT) * b + TINY) + self.rad @ (b + other.rad)
        return Bounded(self.mid @ other.mid, rad * _INFLATE + _UNDERFLOW)

    def __add__(self, other: Bounded) -> Bounded:
        return self._sum(other, self.mid + other.mid)

    def __sub__(self, other: Bounded) -> Bounded:
        return self._sum(other, self.mid - other.mid)

    def _sum(self, other: Bounded, mid: FloatArray) -> Bounded:
        return Bounded(mid, (self.rad + other.rad + UNIT * np.abs(mid)) * _INFLATE + _UNDERFLOW)

    def __rmul__(self, factor: float) -> Bounded:
        return self.scaled(factor)

    def scaled(self, c: float) -> Bounded:
        """Times a number that is itself rounded: off by |c| rad + (u|c| + τ)(|M| + rad) + u|cM|."""
        mid, size = c * self.mid, np.abs(c)
        rad = size * self.rad + (UNIT * size + TINY) * (np.abs(self.mid) + self.rad) + UNIT * np.abs(mid)
        return Bounded(mid, rad * _INFLATE + _UNDERFLOW)

    def is_positive_definite(self) -> bool:
        """Is every symmetric matrix within the bounds positive definite? False may also mean: not proved."""
        with np.errstate(all="ignore"):
            diagonal = self.mid.diagonal()
            if not (np.isfinite(self.mid).all() and np.isfinite(self.rad).all() and diagonal.min(initial=1.0) > 0):
                return False
            e = -(np.frexp(diagonal)[1] // 2)
            shift = e[:, None] + e  # powers of two, in one go: exact, or off by η
            H, R = np.ldexp(self.mid, shift), np.ldexp(self.rad, shift)
            H, R = (H + H.T) / 2, (R + R.T) / 2 + UNIT * np.abs(H) + _UNDERFLOW
            delta = float(R.sum(axis=1).max(initial=0.0)) * _INFLATE
            top = float(H.diagonal().max(initial=1.0))
        return bool(np.isfinite(delta) and np.isfinite(H).all()) and definite(H, top, delta)


def given(array: FloatArray, exact: bool) -> Bounded:
    """Numbers as given: floats are themselves, the doubles of exact numbers are off by a rounding each."""
    return Bounded(array, UNIT * np.abs(array) + TINY if exact else np.zeros_like(array))


def nearest(M: fmpq_mat) -> Bounded:
    """A matrix of rationals; infinite, which proves nothing, where doubles end."""
    mid, power = doubles(M)  # within three roundings
    with np.errstate(over="ignore", invalid="ignore"):
        mid = np.ldexp(mid, power)
        return Bounded(mid, 4 * UNIT * np.abs(mid) + 2 * TINY)


def unit(n: int) -> Bounded:
    """I."""
    return Bounded(np.eye(n), np.zeros((n, n)))


class Doubles:
    """The arithmetic of `Bounded` matrices, for `theory.certified.proofs`."""

    @property
    def guesses(self) -> tuple[Callable[[Pencil[Bounded]], Candidate | None], ...]:
        """From the eigenvectors of the midpoints, and from their Lyapunov equation."""
        return partial(_guess, eigenbasis), partial(_guess, lyapunov)

    def working(self) -> AbstractContextManager[Any]:
        """Overflow is no error: what is not finite proves nothing."""
        return np.errstate(all="ignore")

    def exactly(self, array: Array) -> Bounded:
        """Without errors."""
        return given(array, exact=False)

    def number(self, x: fmpq) -> float:
        """The nearest double: factors are taken to be rounded."""
        return float(Fraction(int(x.p), int(x.q)))

    def symmetric_blocks(self, diagonal: Bounded | None, below: Bounded) -> Bounded:
        """[[E, Nᵀ], [N, E]]."""
        E, N = unit(len(below.mid)) if diagonal is None else diagonal, below
        return Bounded(np.block([[E.mid, N.mid.T], [N.mid, E.mid]]), np.block([[E.rad, N.rad.T], [N.rad, E.rad]]))

    def size(self, M: Bounded) -> int:
        """How many rows it has."""
        return len(M.mid)

    def is_positive_definite(self, T: Bounded) -> bool:
        """Of every symmetric matrix within the bounds."""
        return T.is_positive_definite()


def _guess(guess: Any, pencil: Pencil[Bounded]) -> Candidate | None:
    found: Candidate | None = guess(pencil.N.mid, None if pencil.E is None else pencil.E.mid, pencil.disc)
    return found


UNIT = 2.0**-53
UNRESOLVED = (
    "undecided: the features depend on each other, or nearly so, or are beyond 10^±60: "
    "that X ≻ 0 is not proved in doubles; leave out or rescale columns"
)
SAFE = (1e-60, 1e60)


class FloatPencil(NamedTuple):
    """N and E in floats (E = None is I), |entries| ≤ size, each off by at most `error`."""

    N: FloatArray  # (F, F)
    E: FloatArray | None  # (F, F), symmetric
    size: float
    error: float


def float_pencil(kind: str, gamma: float, Phi: FloatArray, P: FloatArray, d: FloatArray) -> FloatPencil | None:
    """The pencil of `td` (A, I) or `chain` (γY, X); None outside the safe range, and of more features than states."""
    m = float(np.abs(Phi).max())
    S, F = Phi.shape
    if F > S or not SAFE[0] < m < SAFE[1]:
        return None
    error = (4 * S + 40) * UNIT * m * m
    successor = P @ Phi
    successor *= gamma
    weighted = (Phi * d[:, None]).T
    if kind == "td":
        return FloatPencil(weighted @ (Phi - successor), None, 2.01 * m * m, error)
    X = weighted @ Phi
    return FloatPencil(weighted @ successor, (X + X.T) / 2, 1.01 * m * m, error)


def float_matrix(M: fmpq_mat) -> FloatPencil | None:
    """The pencil (M, I) of a given matrix; None outside the safe range."""
    scaled, exponent = doubles(M)
    N = np.ldexp(scaled, exponent) if abs(exponent) < 200 else scaled
    m = float(np.abs(N).max(initial=0.0))
    if abs(exponent) >= 200 or not SAFE[0] < m < SAFE[1]:
        return None
    return FloatPencil(N, None, 1.01 * m, 4 * UNIT * m)


def by_norms(pencil: FloatPencil, disc: bool) -> Iterator[Evidence]:
    """Evidence that decides a question either way, one piece after the other."""
    if is_contraction(pencil) if disc else is_symmetric_definite(pencil):
        yield Signature(None, (1,) * len(pencil.N))
    found = proved_signature(pencil, disc)
    if found is not None:
        yield Signature(found.K, tuple(int(s) for s in found.signs))


def is_symmetric_definite(pencil: FloatPencil) -> bool:
    """N + Nᵀ ≻ 0, proved."""
    N, _, size, error = pencil
    H = N + N.T
    return definite(H, 2.01 * size, len(N) * (2 * error + 2 * UNIT * size))


def is_contraction(pencil: FloatPencil) -> bool:
    """[[E, Nᵀ], [N, E]] ≻ 0, proved."""
    N, E, size, error = pencil
    n = len(N)
    H = np.empty((2 * n, 2 * n))
    H[:n, :n] = H[n:, n:] = np.eye(n) if E is None else E
    H[n:, :n] = N
    H[:n, n:] = N.T
    return definite(H, size, 2 * n * error)


def proved_signature(pencil: FloatPencil, disc: bool) -> Candidate | None:
    """A signature from the eigenvectors, proved; None where they do not suffice."""
    N, E, size, error = pencil
    candidate = eigenbasis(N, E, disc)
    if candidate is None:
        return None
    K, signs, W = candidate
    F = len(N)
    with np.errstate(over="ignore", invalid="ignore"):  # then delta is not finite, and nothing is proved
        KNW, KEW = K @ N @ W, K @ (W if E is None else E @ W)
        SKNW = signs[:, None] * KNW
        if disc:
            T = KEW.T @ (signs[:, None] * KEW) - KNW.T @ SKNW
        else:
            T = KEW.T @ SKNW
            T = T + T.T
    reach = _norm(KNW) + _norm(KEW)
    k, w = _norm(K), _norm(W)
    eta = 1.01 * k * w * (F * error + 2 * (F + 2) * UNIT * F * size)
    if not (all(1e-140 < x < 1e140 for x in (reach, k, w)) and w < 1e100 and eta > 1e-145):
        return None
    delta = 1.5 * (2 * eta * reach + 2 * eta * eta + 2 * (F + 3) * UNIT * reach * reach)
    top = float(T.diagonal().max())
    return candidate if isfinite(delta) and definite(T, top, delta) else None


def definite(H: FloatArray, top: float, delta: float) -> bool:
    """Is every matrix within `delta` of H (diagonal ≤ top) positive definite? H is changed."""
    n = len(H)
    H.flat[:: n + 1] -= 1.01 * (delta + 2 * (n + 3) * UNIT * n * top)
    try:
        np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        return False
    return True


def _norm(M: Array) -> float:
    return sqrt(float(np.vdot(M, M)))
