r"""Proofs about a pencil, written once for every arithmetic that encloses what it computes.

Matrices stand for all matrices within their bounds, so that a strict inequality that is true of them is true of the
numbers: doubles with a bound on every entry (`theory.model.balls`) and balls of any precision
(`theory.model.balls`). In both the same forms are formed and found positive definite:

    half plane    Â + Âᵀ
    disc          [[E, Nᵀ], [N, E]]
    either        T below, from a guess in floats or as precise as the balls

Rational arithmetic proves by counting roots instead (`theory.certified.decide`).

**Pencils** (N, E), whose eigenvalues Nv = λEv decide a question: exactly, in balls, in doubles with bounds.

A `Pencil` is generic over its arithmetic, so that a proof is written once. The exact ones
give themselves in balls of any precision.

    G_T = I − S_T A, hot start        S_T γY, cold start        S_T = α Σ_{j<T} (I − αX)ʲ

**Evidence**, and why it proves the answer about the eigenvalues of a pencil Nv = λEv (`theory.certified.questions`).

- **Signature** (K, S), S = diag(±1), Q = KᵀSK. *Half plane*: NᵀQ + QN ≻ 0. *Disc*: EᵀQE − NᵀQN ≻ 0.
  Then V(x) = xᵀQx strictly falls along ẋ = −Nx, and along x → NE⁻¹x, which has the pencil's eigenvalues.
  If S = I, then Q ⪰ 0, and an eigenvector has 2 Re λ·v*Qv > 0, or (1 − |λ|²) v*EᵀQEv > 0: it holds.
  If S has a −1, some x ≠ 0 has V(x) ≤ 0 (x = K⁻¹e_j, or any x with Kx = 0); from there V falls below
  V(0) = 0 and never comes back: it does not hold. (Lyapunov, Stein; the number of −1 is even the number of
  eigenvalues on the wrong side, Ostrowski and Schneider.) Every pencil without eigenvalues on the
  boundary has such a Q: V⁻*SV⁻¹ if V diagonalises it.
  K = None is the norm that the question has by itself, with S = I. *Half plane*: Q = G⁻¹ of N = GÂ, that is Â + Âᵀ ≻ 0.
  *Disc*: Q = E⁻¹, that is E − NᵀE⁻¹N ≻ 0, or by a Schur complement [[E, Nᵀ], [N, E]] ≻ 0. For `uniform` the statement.
- **Roots**: the characteristic polynomial, and its side: −1 all within, 0 a tie (some on the boundary, none
  beyond), 1 some beyond. Decides everything; for ties nothing else does.
- **Complete**, of a chain: Φ has as many independent columns as there are states, so that Π = I, and γ‖P‖_∞ < 1:
  ρ(γΠP) = ρ(γP) ≤ γ‖P‖_∞, whatever the weights are.
- **Dominance** w > 0, of features without a state in common (tabular, aggregated). *Half plane*:
  N_ii w_i > Σ_{j≠i} |N_ij|w_j, so Gershgorin's discs of diag(w)⁻¹N diag(w) lie to the right. *Disc*: the discs of
  E diag(w) and N diag(w) do not meet, E_ii w_i > Σ_{j≠i} |E_ij|w_j + Σ_j |N_ij|w_j, and λE − N is dominant for |λ| ≥ 1.
- **Witness**, of `uniform`: x ≠ 0 with xᵀD(I − γP)x ≤ 0. As the only feature, Φ = x, it makes TD and the chain fail.
- **Vacuous**: Φ = 0, no eigenvalues at all.

**Where evidence comes from**: floating-point guesses of a signature, to be verified by others.

For a pencil (N, E) a guess is (K, S, W) such that in the coordinates of K the matrix T below is positive
definite with room to spare; W is a second basis, about E⁻¹K⁻¹, in which T is formed:

    half plane    T = (KNW)ᵀS(KW) + (KW)ᵀS(KNW)                   = Wᵀ(NᵀQ + QN)W
    disc          T = (KEW)ᵀS(KEW) − (KNW)ᵀS(KNW)                 = Wᵀ(EᵀQE − NᵀQN)W          Q = KᵀSK

T ≻ 0 proves the bracket ≻ 0 whatever K and W are (W is then invertible), so nothing here has to be right.

- `eigenbasis`: the columns of W are the real and imaginary parts of eigenvectors, K = (EW)⁻¹. Then KNW is
  block diagonal with blocks [[a, b], [−b, a]] for λ = a ± ib, and T ≈ 2|Re λ| or |1 − |λ|²| on the diagonal.
- `lyapunov`: solves NᵀQ + QN = I and factors Q = KᵀSK by its eigenvalues. It needs no eigenvectors, so it
  works near defective matrices too. The disc is mapped to the half plane by the Cayley transform
  (E − N)(E + N)⁻¹, which keeps Q.

LAPACK complains about infinities and NaN on standard output, so none of them is given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from flint import acb_mat, arb, arb_mat, ctx, fmpq, fmpq_mat

from theory.certified.recheck.checker import LONGEST_EXACT_WINDOW
from theory.exact.matrices import geometric_sum, identity
from theory.model.balls import (
    Bounded,
    as_bounded,
    balls,
    dyadic,
    exponent,
    given,
    is_positive_definite,
    precision,
    symmetric_blocks,
    unit,
)
from theory.problems.numbers import Array, FloatArray

WRITTEN = 20_000  # bits: what is written down has exponents of no more
Matrix = TypeVar("Matrix")


@dataclass(frozen=True, eq=False)
class Signature:
    """Q = KᵀSK decreases; K = None is the norm that the question has by itself."""

    kind = "signature"
    K: Array | None  # (n, n)
    signs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Roots:
    """The characteristic polynomial, lowest coefficient first, and on which side its roots are."""

    kind = "roots"
    polynomial: tuple[Fraction, ...]
    side: int


@dataclass(frozen=True, eq=False)
class Witness:
    """A single feature for which everything fails."""

    kind = "witness"
    x: Array  # (S,)


@dataclass(frozen=True)
class Complete:
    """The features distinguish all states, and γP contracts."""

    kind = "complete"


@dataclass(frozen=True, eq=False)
class Dominance:
    """The rows are diagonally dominant with these weights."""

    kind = "dominance"
    w: Array  # (n,)


@dataclass(frozen=True)
class Vacuous:
    """There is nothing to learn."""

    kind = "vacuous"


Evidence = Signature | Roots | Complete | Dominance | Witness | Vacuous


def side_of(evidence: Evidence) -> int:
    """−1 inside, 0 on the boundary, 1 beyond."""
    match evidence:
        case Roots():
            return evidence.side
        case Signature():
            return -min(evidence.signs)
        case Witness():
            return 1
    return -1


class Candidate(NamedTuple):
    """A guess of evidence: Q = KᵀSK, and the basis W to verify it in."""

    K: Array  # (n, n), doubles or dyadic fractions
    signs: Array  # (n,), ±1
    W: Array  # (n, n)


Guess = Callable[..., Candidate | None]


def working(bits: int | None) -> AbstractContextManager[Any]:
    """Balls of so many bits, or doubles; overflow is no error, since what is not finite proves nothing."""
    entered = ExitStack()
    entered.enter_context(np.errstate(all="ignore"))
    if bits is not None:
        entered.enter_context(precision(bits))
    return entered


def exactly(array: Array, like: Any) -> Any:
    """Numbers that are what they are, in the arithmetic of a matrix."""
    return given(array, exact=False) if isinstance(like, Bounded) else balls(array)


def proofs(
    pencil: Pencil[Any], bits: int | None = None, simple: bool = True, precise: bool = False
) -> Iterator[Evidence]:
    """Evidence that decides a question either way, one piece after the other, in balls of so many bits or in doubles.

    `simple` tries what needs no guess; guesses are made in floats, or as precise as the balls.
    """
    if simple:
        with working(bits):
            natural = _is_natural(pencil)
        if natural:
            yield Signature(None, (1,) * pencil.N.nrows())
    guesses: list[Guess] = [precise_eigenbasis] if precise else [eigenbasis, lyapunov]
    for guess in guesses:
        with working(bits):
            pair: Any = (pencil.N, pencil.E) if precise else (_midpoint(pencil.N), _midpoint(pencil.E))
            candidate: Candidate | None = guess(*pair, pencil.disc) if precise or _finite(*pair) else None
            proved = candidate is not None and is_signature(pencil, candidate)
        if candidate is not None and proved:
            yield Signature(candidate.K, tuple(int(s) for s in candidate.signs))


def is_signature(pencil: Pencil[Any], candidate: Candidate) -> bool:
    """Is T surely positive definite?"""
    K, S, W = (exactly(m, pencil.N) for m in (candidate.K, np.diag(candidate.signs), candidate.W))
    return is_positive_definite(signature_form(pencil.N, pencil.E, pencil.disc, K, S, W))


def _is_natural(pencil: Pencil[Any]) -> bool:
    """Does the norm that the question has by itself decrease?"""
    if pencil.disc:
        return is_positive_definite(symmetric_blocks(pencil.E, pencil.N))
    A = pencil.symmetric
    return A is not None and is_positive_definite(A + A.transpose())


def _midpoint(M: Any) -> FloatArray | None:
    """In floats; None stays None, for I."""
    if M is None:
        return None
    return M.mid if isinstance(M, Bounded) else as_bounded(M).mid


def signature_form(N: Any, E: Any, disc: bool, K: Any, S: Any, W: Any) -> Any:
    """T, in whatever arithmetic its arguments have: balls, or doubles with bounds."""
    KNW, KEW = K * N * W, K * W if E is None else K * E * W
    if disc:
        return KEW.transpose() * S * KEW - KNW.transpose() * S * KNW
    half = KEW.transpose() * S * KNW
    return half + half.transpose()


def eigenbasis(N: FloatArray, E: FloatArray | None, disc: bool) -> Candidate | None:
    """From the eigenvectors of E⁻¹N (E = None means I); None where they fail."""
    try:
        values, V = np.linalg.eig(N if E is None else np.linalg.solve(E, N))
        W = V.real.copy()
        first = np.flatnonzero(values.imag > 0)  # of a pair, which is adjacent: Re v and Im v
        W[:, first + 1] = V.imag[:, first]
        signs = np.sign(1.0 - (values * values.conj()).real if disc else values.real)
        EW = W if E is None else E @ W
        if not signs.all() or not _finite(EW, signs):
            return None
        K = np.linalg.inv(EW)
    except np.linalg.LinAlgError:
        return None
    return Candidate(K, signs, W) if _finite(K) else None


def lyapunov(N: FloatArray, E: FloatArray | None, disc: bool) -> Candidate | None:
    """From the Lyapunov equation of N, or of its Cayley transform; None where it is nearly singular."""
    from scipy.linalg import schur  # late: it takes as long to import as most verdicts take
    from scipy.linalg.lapack import dtrsyl

    one = np.eye(len(N))
    with np.errstate(all="ignore"):
        try:
            if disc:
                E_ = one if E is None else E
                M: Array = np.linalg.solve((E_ + N).T, (E_ - N).T)  # ((E − N)(E + N)⁻¹)ᵀ
            else:
                M = N.T
            if not _finite(M):
                return None
            # MQ + QMᵀ = I. SciPy's own solver warns where this is nearly singular, and warnings are no thread's own.
            T, U = schur(M)
            inside, scale, _ = dtrsyl(T, T, one, tranb="T")
            Q = U @ (inside * scale) @ U.T
            if not _finite(Q):
                return None
            values, vectors = np.linalg.eigh((Q + Q.T) / 2)
            if not values.all():
                return None
            root = np.sqrt(np.abs(values))
            K, W = (vectors * root).T, vectors / root
            W = W if E is None else np.linalg.solve(E, W)
        except (np.linalg.LinAlgError, ValueError):
            return None
    return Candidate(K, np.sign(values), W) if _finite(K, W) else None


def _finite(*matrices: FloatArray | None) -> bool:
    return all(m is None or bool(np.isfinite(m).all()) for m in matrices)


def precise_eigenbasis(N: arb_mat, E: arb_mat | None, disc: bool) -> Candidate | None:
    """`eigenbasis` at the present precision: K and W as arrays of dyadic fractions."""
    n = N.nrows()
    try:
        M = N.mid() if E is None else E.mid().solve(N.mid()).mid()
        values, vectors = acb_mat(M).eig(right=True, algorithm="approx")
    except (ValueError, ZeroDivisionError):
        return None
    if not all(v.is_finite() for v in values):
        return None
    size = max(abs(v).mid() for v in values) + arb(2) ** -ctx.prec
    columns: list[list[arb]] = []
    signs: list[int] = []
    for j, value in enumerate(values):
        re, im = value.real.mid(), value.imag.mid()
        if abs(im) < size * arb(2) ** (-ctx.prec // 2):
            im = arb(0)
        elif im < 0:
            continue  # its conjugate brings both parts
        v = [vectors[i, j] for i in range(n)]
        largest = max(v, key=lambda x: float(abs(x).mid()))
        if not largest.is_finite() or not abs(largest) > 0:
            return None
        v = [x / largest for x in v]
        size_squared = re * re + im * im
        margin = 1 - size_squared if disc else re
        parts = [[x.real.mid() for x in v]] if im == 0 else [[x.real.mid() for x in v], [x.imag.mid() for x in v]]
        columns += parts
        signs += [1 if margin > 0 else -1] * len(parts)
    if len(columns) != n:
        return None
    W = arb_mat(columns).transpose()
    try:
        K = (W if E is None else E.mid() * W).mid().inv().mid()
    except ZeroDivisionError:
        return None
    if not all(x.is_finite() and abs(exponent(x)) < WRITTEN for m in (K, W) for x in m.entries() if x != 0):
        return None
    return Candidate(dyadic(K), np.array(signs), dyadic(W))


@dataclass(frozen=True, eq=False)
class Pencil(Generic[Matrix]):
    """N and E (None for I); `disc` asks all |λ| < 1, else all Re λ > 0."""

    disc: bool
    N: Matrix
    E: Matrix | None = None
    symmetric: Matrix | None = None  # Â of N = GÂ: where Â + Âᵀ ≻ 0 all Re λ > 0


@dataclass(frozen=True, eq=False)
class ExactPencil(Pencil[fmpq_mat]):
    """A pencil with all its digits."""

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return self.N.nrows()

    def exact(self) -> ExactPencil:
        """Itself."""
        return self

    def eigen(self) -> fmpq_mat:
        """E⁻¹N."""
        return self.N if self.E is None else self.E.solve(self.N)

    def in_balls(self) -> Pencil[arb_mat]:
        """The same at the present precision."""
        E, symmetric = (None if m is None else balls(m) for m in (self.E, self.symmetric))
        return Pencil(self.disc, balls(self.N), E, symmetric)

    def work(self) -> float:
        """About how long an exact root count takes, in units of 4 ns: n⁴ times the length of an entry."""
        return float(self.size) ** 4 * _height(*self.N.entries())


@dataclass(frozen=True, eq=False)
class WindowPencil:
    """G_T or S_T γY in independent features, exactly or in balls."""

    X: fmpq_mat  # GX̂
    moment: fmpq_mat  # GÂ or γGŶ
    alpha: fmpq
    window: int
    hot: bool
    disc: bool = True

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return self.X.nrows()

    def exact(self) -> ExactPencil:
        """The same with all digits: T times as long as the problem's."""
        one = identity(self.size)
        product = self.alpha * geometric_sum(one - self.alpha * self.X, self.window)[1] * self.moment
        return ExactPencil(True, one - product if self.hot else product)

    def in_balls(self) -> Pencil[arb_mat]:
        """The same at the present precision, by log₂ T products."""
        one = unit(self.size)
        total = geometric_sum(one - balls(self.alpha * self.X), self.window, one)[1]
        product = arb(self.alpha) * (total * balls(self.moment))
        return Pencil(True, one - product if self.hot else product)

    def work(self) -> float:
        """As of `ExactPencil`; infinite beyond what the checker would repeat."""
        if self.window > LONGEST_EXACT_WINDOW:
            return inf
        return float(self.size) ** 4 * self.window * (_height(*self.X.entries()) + _height(self.alpha))


def _height(*entries: fmpq) -> int:
    """The length in bits of the longest one."""
    return max((x.p.bit_length() + x.q.bit_length() for x in entries), default=1)
