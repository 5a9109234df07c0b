r"""Whole intervals of γ on one side, proved by one matrix each.

Evidence for A(γ₀) = X − γ₀Y, a signature Q = KᵀSK with A(γ₀)ᵀQ + QA(γ₀) ≻ 0, serves its neighbours too: the form is
affine in γ, so where it is positive definite at a and at b, it is so on all of [a, b]. Then no eigenvalue touches
the imaginary axis in between, and the number on its left, which is the number of −1 in S, is one and the same. Such
a `Piece` is a certificate for every γ in it. A `Bracket` of a crossing takes two of them, of opposite sides, and
nothing less.

**How far one matrix reaches** depends on the lengths of the eigenvectors in K⁻¹. In their basis A(γ₀) is Λ and the
form's slope is SB + BᵀS, B = KYK⁻¹; multiplying the rows of K by positive weights keeps the form at γ₀ diagonal and
changes B_ij by the quotient of two of them. The weights, powers of two, balance |B_ij|²/|Re λ_i Re λ_j| between rows
and columns (Osborne): with features of very different scale the reach grows from 10⁻⁵ to a tenth or more. A complex
pair has one weight. In the coordinates that make the form at γ₀ the identity, the reach is one over the largest
eigenvalue of its slope, found in doubles; both ends are then proved, with bounds on every entry
(`theory.certified.bounded`) or in balls (`theory.certified.balls`), which features of very different scale need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import (
    balls,
    dyadic,
    exponent,
    is_positive_definite,
    logarithms,
    precise_eigenbasis,
    precision,
)
from theory.certified.bounded import TINY, Bounded
from theory.certified.candidates import Candidate, eigenbasis, lyapunov, signature_form
from theory.certified.doubles import UNIT
from theory.certified.evidence import Signature
from theory.exact.matrices import doubles, fraction
from theory.problems.numbers import Array, FloatArray

_SHARE = 0.95  # of the reach in doubles
_SWEEPS = 20
PRECISIONS = (256, 640, 1536)
MANY = 60  # features beyond which balls are for those alone whom doubles never helped
TOO_MANY = 120  # and beyond which a proof in balls takes minutes


class Proof(NamedTuple):
    """One signature, and from where to where it is one."""

    low: fmpq
    high: fmpq
    evidence: Signature


@dataclass(frozen=True)
class Piece:
    """On all of [low, high] so many eigenvalues of A(γ) are left of the axis, and none on it."""

    low: fmpq
    high: fmpq
    left: int
    ahead: float  # where the next crossing seems to be, in doubles, or infinite
    behind: float  # and the last one
    proofs: tuple[Proof, ...] = ()  # that cover it, in ascending order; none kept of more than `MANY` features

    @property
    def stable(self) -> bool:
        """Is TD stable on all of it?"""
        return self.left == 0


@dataclass(frozen=True)
class Bracket:
    """TD's side changes between `below` and `above`, which are proofs of opposite sides."""

    below: Piece
    above: Piece

    def __post_init__(self) -> None:
        if self.below.stable == self.above.stable:
            raise TypeError("a bracket takes one stable and one unstable piece")
        if not self.below.high < self.above.low:
            raise TypeError("the pieces of a bracket are in order and apart")

    @property
    def low(self) -> fmpq:
        """The last γ known to be on the lower side."""
        return self.below.high

    @property
    def high(self) -> fmpq:
        """The first γ known to be on the upper side."""
        return self.above.low


class Prover:
    """Proves pieces for one pair X, Y; begins with doubles and goes on with what last sufficed."""

    def __init__(self, X: fmpq_mat, Y: fmpq_mat, last: fmpq) -> None:
        self.X, self.Y, self.last = X, Y, last
        self.cost, self.proofs = 0.0, 0  # about so many seconds were spent, on so many proofs
        self._doubles: tuple[Bounded, Bounded] | None = bounded_pair(X, Y)
        self._failed, self._bits, self._helped = 0, 0, False

    @property
    def price(self) -> float:
        """About how many seconds the next proof takes."""
        n = self.X.nrows()
        return _in_balls_price(n, self._bits) if self._doubles is None else 2e-3 + 1.5e-8 * n**3

    def around(self, gamma: fmpq) -> Piece | None:
        """The largest [a, b] around γ, within [0, last], that one signature proves; None where none is found."""
        self.proofs += 1
        if self._doubles is not None:
            self.cost += self.price
            with np.errstate(all="ignore"):
                found = _in_doubles(*self._doubles, gamma, self.last)
            if found is not None:
                self._failed, self._helped = 0, True
                return found
            self._failed += 1
        n = self.X.nrows()
        if n > TOO_MANY or (n > MANY and self._helped):
            return None
        for i in range(self._bits, len(PRECISIONS)):
            self.cost += _in_balls_price(n, i)
            with precision(PRECISIONS[i]):
                found = _in_balls(self.X, self.Y, gamma, self.last)
            if found is not None:
                self._bits = i
                if self._failed > 1:  # doubles have failed twice where balls did not: they cost only time
                    self._doubles = None
                return found
        return None


def short(x: fmpq) -> fmpq:
    """Not above x, with a denominator of 2⁸⁰: far finer than brackets are, and it does not grow."""
    return fmpq((x * 2**80).floor(), 2**80)


def _in_balls_price(n: int, i: int) -> float:
    return 1e-2 + 1e-5 * n**3 * PRECISIONS[i] / 256


def bounded_pair(X: fmpq_mat, Y: fmpq_mat) -> tuple[Bounded, Bounded]:
    """The nearest doubles; one common scale keeps them within range and moves no sign."""
    found = [doubles(Z) for Z in (X, Y)]
    top = max(k for _, k in found)
    scaled = [np.ldexp(mid, k - top) for mid, k in found]
    return Bounded(scaled[0], 4 * UNIT * np.abs(scaled[0]) + 2 * TINY), Bounded(
        scaled[1], 4 * UNIT * np.abs(scaled[1]) + 2 * TINY
    )


def _in_doubles(X: Bounded, Y: Bounded, gamma: fmpq, border: fmpq) -> Piece | None:
    at, end = float(fraction(gamma)), float(fraction(border))
    A = X.mid - at * Y.mid
    for guess in (eigenbasis, lyapunov):
        candidate = guess(A, None, False)
        if candidate is None:
            continue
        if guess is eigenbasis:
            candidate = balanced(candidate, A, Y.mid)
        K, S, W = (Bounded(m, np.zeros_like(m)) for m in (candidate.K, np.diag(candidate.signs), candidate.W))
        constant, slope = (signature_form(Z, None, False, K, S, W) for Z in (X, Y))
        T = constant.mid - at * slope.mid
        reach = _reach(T, slope.mid)
        if reach is None:
            continue
        low, high = max(0.0, at - _SHARE * reach[0]), min(end, at + _SHARE * reach[1])
        if low <= high and all((constant - slope.scaled(x)).is_positive_definite() for x in {low, high}):
            first, last = (fmpq(*x.as_integer_ratio()) for x in (low, high))
            group = _pairs(np.log2(np.abs(candidate.K @ A @ candidate.W)))
            left, forecast = int(np.sum(candidate.signs < 0)), _forecast(at, group, T, slope.mid)
            return Piece(first, last, left, *forecast, _kept(first, last, candidate.K, candidate.signs))
    return None


def _in_balls(X: fmpq_mat, Y: fmpq_mat, gamma: fmpq, last: fmpq) -> Piece | None:
    candidate = precise_eigenbasis(arb_mat(X - gamma * Y), None, False)
    if candidate is None:
        return None
    K, S, W = (balls(m) for m in (candidate.K, np.diag(candidate.signs), candidate.W))
    X_, Y_ = arb_mat(X), arb_mat(Y)
    n = X.nrows()
    similar = logarithms(K * arb_mat(X - gamma * Y) * W)
    p = _weights(similar, logarithms(K * Y_ * W))
    K = arb_mat([[x * arb(2) ** p[i] for x in row] for i, row in enumerate(K.tolist())])
    W = arb_mat([[x * arb(2) ** -p[j] for j, x in enumerate(row)] for row in W.tolist()])
    constant, slope = signature_form(X_, None, False, K, S, W), signature_form(Y_, None, False, K, S, W)
    T = constant - arb(gamma) * slope
    s = [arb(2) ** -(exponent(T[i, i]) // 2) if T[i, i] > 0 else None for i in range(n)]
    if any(x is None for x in s):
        return None
    T_, slope_ = (
        np.array([[float((Z[i, j] * s[i] * s[j]).mid()) for j in range(n)] for i in range(n)]) for Z in (T, slope)
    )
    reach = _reach(T_, slope_)
    if reach is None:
        return None
    fall, rise = (_SHARE * x if np.isfinite(x) else 2.0 for x in reach)
    # Short ends, towards γ: what is proved is proved of these.
    low = max(fmpq(0), -short(fmpq(*fall.as_integer_ratio()) - gamma))
    high = min(last, short(gamma + fmpq(*rise.as_integer_ratio())))
    if low > high or not all(is_positive_definite(constant - arb(x) * slope) for x in (low, high)):
        return None
    left, forecast = int(np.sum(candidate.signs < 0)), _forecast(float(fraction(gamma)), _pairs(similar), T_, slope_)
    return Piece(low, high, left, *forecast, _kept(low, high, dyadic(K), candidate.signs))


def _kept(low: fmpq, high: fmpq, K: Array, signs: Array) -> tuple[Proof, ...]:
    if len(K) > MANY:
        return ()
    return (Proof(low, high, Signature(K, tuple(int(s) for s in signs))),)


def _forecast(at: float, group: Array, T: FloatArray, slope: FloatArray) -> tuple[float, float]:
    """Newton's step to the crossings ahead and behind: T is 2|Re λ_i| on its diagonal, which falls by 2 Re B_ii.

    Of a complex pair the mean of both counts.
    """
    rates = slope.diagonal() / T.diagonal()
    rates = np.bincount(group, rates, len(group)) / np.maximum(1, np.bincount(group, minlength=len(group)))
    ahead, behind = float(rates.max(initial=0.0)), float(rates.min(initial=0.0))
    return at + (1 / ahead if ahead > 0 else np.inf), at + (1 / behind if behind < 0 else -np.inf)


def balanced(candidate: Candidate, A: FloatArray, Y: FloatArray) -> Candidate:
    """With weights that let it reach further along A − γY."""
    K, signs, W = candidate
    with np.errstate(divide="ignore"):
        p = _weights(np.log2(np.abs(K @ A @ W)), np.log2(np.abs(K @ Y @ W)))
    scale = np.ldexp(1.0, np.clip(p, -400, 400))
    return Candidate(scale[:, None] * K, signs, W / scale)


def _weights(A: FloatArray, B: FloatArray) -> list[int]:
    """Exponents that balance the slope, from the logarithms of A and Y in the eigenbasis; one for each complex pair."""
    n, group = len(A), _pairs(A)
    size = np.where(np.isfinite(A.diagonal()), A.diagonal(), 0.0)
    L = B - (size[:, None] + size[None, :]) / 2
    L[group[:, None] == group[None, :]] = -np.inf
    p = np.zeros(n)
    for _ in range(_SWEEPS):
        largest = 0.0
        for g in np.unique(group):
            members = group == g
            row = (L[members] + p[members][:, None] - p).max()
            column = (L[:, members] + p[:, None] - p[members]).max()
            if np.isfinite(row) and np.isfinite(column):
                step = np.round((column - row) / 2)
                p[members] += step
                largest = max(largest, abs(step))
        if largest <= 1:
            break
    return [int(x) for x in p]


def _pairs(A: FloatArray) -> Array:
    """Which of the first of two an eigenvalue belongs to: itself, or the one before of a complex pair."""
    n = len(A)
    size, group = A.diagonal(), np.arange(n)
    for i in range(n - 1):  # a pair is adjacent, and does not overlap another
        if group[i] == i and min(A[i, i + 1], A[i + 1, i]) > max(size[i], size[i + 1], A.max() - 45) - 40:
            group[i + 1] = i
    return group


def _reach(T: FloatArray, slope: FloatArray) -> tuple[float, float] | None:
    """How far γ can fall and rise before T − δ·slope is no longer positive definite, in doubles."""
    if not (np.isfinite(T).all() and np.isfinite(slope).all()):
        return None
    try:
        L = np.linalg.cholesky((T + T.T) / 2)
        half = np.linalg.solve(L, (slope + slope.T) / 2)
        values = np.linalg.eigvalsh(np.linalg.solve(L, half.T))
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(values).all():
        return None
    fall, rise = max(0.0, -float(values[0])), max(0.0, float(values[-1]))
    return (1 / fall if fall else np.inf), (1 / rise if rise else np.inf)
