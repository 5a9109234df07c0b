r"""Stretches of a parameter proved by one matrix inequality each, also where the matrix is not affine in it.

The matrix of TD(λ), of least squares and of the chain with a ridge is M(p) = O L(p)⁻¹R(p) with L and R affine in the
parameter, (I − γλP)⁻¹(I − γP)Φ or (X + ηI)⁻¹γY. Then y = L(p)⁻¹R(p)x solves L(p)y − R(p)x = 0, and what is to be shown
is that a quadratic form is positive on these (y, x):

    half plane   VM + MᵀV ≻ 0      2xᵀV(Oy)
    disc         V − MᵀVM ≻ 0      xᵀVx − yᵀVy, with O = I
    regular      UM + MᵀUᵀ ≻ 0     2xᵀU(Oy): then M is invertible

On them ZB(y, x) = 0 for B = [L, −R] whatever Z is, so (Finsler) it is enough that H(p) = F + ZB(p) + (ZB(p))ᵀ ≻ 0 on
all (y, x). H is affine in p: what is positive definite at both ends of an interval is so in between, with the same V,
hence with as many eigenvalues on the wrong side. A positive factor of B changes nothing, which is how an interval
without an end is proved: p = q/(1 − q), (1 − q)B(p) is affine in q, and B₁ at q = 1. Where L does not know p, and it is
not about the disc, R alone gets the factor.

**V** comes from a Lyapunov equation or from the eigenvectors at one p. Weights of the eigenvectors, powers of two that
balance the slope of the form between rows and columns, let it reach a tenth or more in place of 10⁻⁵ where features
have very different scale.

**Z** comes from floats, too. With y = W₀x + L₀⁻¹f, W₀ = L₀⁻¹R₀ at p₀ and δ = p − p₀, B(y, x) = (I + δJ)f + δCx,
J = L₁L₀⁻¹, C = L₁W₀ − R₁. Z = (½N, −F_xf) in these coordinates leaves at p₀ the form itself beside N + F_ff, and
first-order terms as they are; N is the geometric mean that makes its own second-order term as small as the other.

An affine matrix is the case L = O = I. Unless it is about the disc its form is affine by itself, and needs no Z.

Both ends are proved in doubles with bounds, then in balls; of matrices that are known within bounds, in doubles alone.

The range of a parameter covered by pieces on which a method is proved to converge, or proved not to.

`cover` closes the widest gap first. Every `Piece` reaches to where its matrix proves nothing more, and forecasts the
next crossing by a Newton step: the next proofs are tried on both sides of that, so that few are needed even near a
crossing, and then inside the gap. Between neighbours that differ a gap of `width` may stay; after too many proofs in
vain a gap is left.

What stays uncovered is unknown, and nothing is claimed about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from flint import arb, fmpq, fmpq_mat

from theory.budgets import COVER_FILLS, COVER_PROOFS
from theory.certified.answers import plain
from theory.certified.proofs import Candidate, exactly, lyapunov, working
from theory.exact.matrices import fraction, rational
from theory.model.balls import Bounded, balls, is_positive_definite, nearest, precision
from theory.problems.numbers import FloatArray

BITS = 128
SHARE = 0.95  # of the reach in doubles
SMALL = 1e-12  # the square of what N is, beside T = I, where nothing else says
FAR = 4.0  # parameters with an end are within 1
UNEVEN = (1e-2, 1e-1)  # how much of I the geometric mean gets: its matrices have low rank
HEAVY = 1e12  # a V with larger entries belongs to eigenvalues too close to the border


# V, Z, a basis in which H is nearly I, and how far they reach, down and up
_Guess = tuple[FloatArray, FloatArray | None, FloatArray, float, float]


@dataclass(frozen=True, eq=False)
class Resolvent:
    """M(p) = O L(p)⁻¹R(p), L(p) = L₀ + pL₁ (m×m), R(p) = R₀ + pR₁ (m×r), O (r×m); exact, or within bounds."""

    O: Any  # noqa: E741  # the letter of the text
    L0: Any
    L1: Any
    R0: Any
    R1: Any
    affine: bool = False  # is M = R?

    @classmethod
    def straight(cls, M0: Any, M1: Any, one: Any) -> Resolvent:
        """M₀ + pM₁."""
        return cls(one, one, 0 * one, M0, M1, affine=True)

    def moved(self, start: fmpq, endless: Kind | None) -> Resolvent:
        """In t = p − start; `endless` in t = q − start with p = q/(1 − q), up to factors that do not matter."""
        L1, R1 = self.L1, self.R1
        if endless is not None:
            R1 = R1 - self.R0
            L1 = L1 if self._by_itself(endless) else L1 - self.L0
        return Resolvent(self.O, self.L0 + start * L1, L1, self.R0 + start * R1, R1, self.affine)

    def has_limit(self, kind: Kind) -> bool:
        """Is the question about p → ∞ one that can be answered?"""
        L = self.L0 if self._by_itself(kind) else self.L1
        if L.det() == 0:
            return False
        return kind == "iteration" or (self.O * L.solve(self.R1)).det() != 0

    def _by_itself(self, kind: Kind) -> bool:
        """Does R alone get the factor 1 − q? A positive factor of M itself moves no eigenvalue over the axis."""
        return kind != "iteration" and self.L1 == 0 * self.L1

    @property
    def size(self) -> int:
        """m + r."""
        return int(self.L0.nrows() + self.R0.ncols())


class Inequality(NamedTuple):
    """V (or U) and Z with H ≻ 0 at both ends, and x with xᵀVx < 0 where an eigenvalue is on the wrong side."""

    low: fmpq
    high: fmpq
    V: FloatArray  # (r, r)
    Z: FloatArray | None  # (m + r, m); None where VM + MᵀV is affine itself
    negative: FloatArray | None  # (r,)


def chosen(found: Sequence[Inequality], low: fmpq, high: fmpq) -> list[Inequality]:
    """The fewest that cover a stretch: from low to high, each the one that reaches furthest."""
    out: list[Inequality] = []
    while not out or out[-1].high < high:
        reached = out[-1].high if out else low
        out.append(max((x for x in found if x.low <= reached <= x.high), key=lambda x: x.high))
    return out


def piece_document(x: Inequality) -> dict[str, Any]:
    """For the independent checker."""
    return {
        "low": str(x.low),
        "high": str(x.high),
        "V": plain(x.V),
        "Z": plain(x.Z),
        "negative": plain(x.negative),
    }


class Prover:
    """Proves pieces [a, b] of t in [0, last] on which M(t) is on one side; `found` are their inequalities."""

    def __init__(self, given: Resolvent, kind: Kind, last: fmpq) -> None:
        self.last, self.cost, self.proofs = last, 0.0, 0
        self.found: list[Inequality] = []
        self.kind: Kind = kind
        self._plain = given.affine and kind != "iteration"
        exact = isinstance(given.R0, fmpq_mat)
        # A positive factor of B changes nothing: with a power of two its floats are neither huge nor tiny.
        self._unit = _power_of_two_below(given.L0, given.L1) if exact else fmpq(1)
        matrices = [given.O, *(M / self._unit if exact else M for M in (given.L0, given.L1, given.R0, given.R1))]
        rounded: list[Bounded] = [nearest(x) for x in matrices] if exact else matrices
        self._floats = [x.mid for x in rounded]
        self._tries: list[tuple[int | None, list[Any]]] = [(None, rounded)]  # None: in doubles
        if exact:
            with precision(BITS):
                self._tries.append((BITS, [balls(x) for x in matrices]))

    @property
    def price(self) -> float:
        """About how many seconds the next proof takes: some 10 ns a product in doubles, ten times as much in balls."""
        n = self._floats[3].shape[1] if self._plain else sum(self._floats[3].shape)
        return 2e-3 + (1.5e-8 if self._tries[0][0] is None else 1.8e-7) * n**3

    def around(self, t: fmpq, /) -> Piece | None:
        """An interval around t that one inequality proves; None where none is found."""
        self.proofs += 1
        self.cost += self.price
        with np.errstate(all="ignore"):
            guess = self._guess(float(fraction(t)))
        if guess is None:
            return None
        V, Z, basis, fall, rise = guess
        low, high = max(fmpq(0), short(t - _exact(fall))), min(self.last, short(t + _exact(rise)))
        if low > high or not self._holds_between(V, Z, basis, low, high):
            return None
        with precision(BITS):
            count, negative = self._count(V)
        if count is None:
            return None
        self.found.append(Inequality(low, high, V, None if Z is None else Z / float(fraction(self._unit)), negative))
        at = float(fraction(t))
        # Where no crossing is forecast nearer, the next proof is tried as far ahead as this one reaches.
        behind, ahead = self._crossings(at)
        return Piece(low, high, count, min(ahead, at + 2 * rise), max(behind, at - 2 * fall))

    def _holds_between(self, V: FloatArray, Z: FloatArray | None, basis: FloatArray, low: fmpq, high: fmpq) -> bool:
        for i, (bits, given) in enumerate(self._tries):
            with working(bits):
                if all(self._holds(given, V, Z, basis, x) for x in {low, high}):
                    self._tries = self._tries[i:]  # doubles that have failed where balls did not cost only time
                    return True
        return False

    def _holds(self, given: list[Any], V_: FloatArray, Z_: FloatArray | None, basis: FloatArray, t: fmpq) -> bool:
        """Is H(t) ≻ 0, in the basis?"""
        O, L0, L1, R0, R1 = given  # noqa: E741
        # Factors of doubles with bounds are taken to be rounded.
        p, m = float(fraction(t)) if isinstance(R0, Bounded) else arb(t), len(self._floats[3])
        V, z = exactly(V_, R0), exactly(basis, R0)
        if Z_ is None:
            half = z.transpose() * V * (R0 + p * R1) * z
            return is_positive_definite(half + half.transpose())
        y, x = exactly(basis[:m], R0), exactly(basis[m:], R0)
        rest = (L0 + p * L1) * y - (R0 + p * R1) * x
        half = (exactly(Z_, R0).transpose() * z).transpose() * rest
        if self.kind == "iteration":
            H = half + half.transpose() + (x.transpose() * V * x - y.transpose() * V * y)
        else:
            half = half + x.transpose() * V * O * y
            H = half + half.transpose()
        return is_positive_definite(H)

    def _count(self, V: FloatArray) -> tuple[int | None, FloatArray | None]:
        """How many eigenvalues are on the wrong side, and an x with xᵀVx < 0; of a regular M whether det M < 0."""
        if self.kind == "direct":
            sign = balls(V).det()
            return (0 if sign > 0 else 1 if sign < 0 else None), None
        outside = negative_directions(V)
        return (None, None) if outside is None else (len(outside), outside[0] if len(outside) else None)

    def _guess(self, t: float) -> _Guess | None:
        """V, Z, a basis in which H is nearly I, and how far they reach on both sides."""
        best, score = None, 0.0
        proposed = self._plainly if self._plain else self._multipliers
        for V in self._forms(t):
            try:
                guesses = proposed(V, t)
            except np.linalg.LinAlgError:
                continue
            for found in guesses:
                fall, rise = (min(x, room) for x, room in zip(found[3:], (t, self._end - t), strict=True))
                if fall + rise > score:
                    best, score = found, fall + rise
        return best

    @property
    def _end(self) -> float:
        return float(fraction(self.last))

    def _crossings(self, t: float) -> tuple[float, float]:
        """By Newton's step: where an eigenvalue seems to reach the border, before t and after it."""
        O, L0, L1, R0, R1 = self._floats  # noqa: E741
        L = L0 + t * L1
        with np.errstate(all="ignore"):
            try:
                W = np.linalg.solve(L, R0 + t * R1)
                values, vectors = np.linalg.eig(O @ W)
                rates = np.diagonal(np.linalg.solve(vectors, O @ np.linalg.solve(L, R1 - L1 @ W) @ vectors))
            except np.linalg.LinAlgError:  # a defective matrix has too few eigenvectors
                return -np.inf, np.inf
            if self.kind == "iteration":
                room, rate = 1 - np.abs(values), -(rates * values.conj()).real / np.abs(values)
            else:
                room, rate = values.real, rates.real
            steps = -room / rate
        steps = steps[np.isfinite(steps)]
        return t + float(steps[steps < 0].max(initial=-np.inf)), t + float(steps[steps > 0].min(initial=np.inf))

    def _forms(self, t: float) -> list[FloatArray]:
        O, L0, L1, R0, R1 = self._floats  # noqa: E741
        L = L0 + t * L1
        try:
            W = np.linalg.solve(L, R0 + t * R1)
            M = O @ W
            if self.kind == "direct":
                return [np.linalg.inv(M)]
        except np.linalg.LinAlgError:
            return []
        disc = self.kind == "iteration"
        slope = O @ np.linalg.solve(L, L1 @ W - R1)
        found = form(lyapunov(M, None, disc)), balanced_form(M, slope, disc)
        return [V for V in found if V is not None]

    def _plainly(self, V: FloatArray, t: float) -> list[_Guess]:
        _, _, _, R0, R1 = self._floats
        constant, slope = V @ (R0 + t * R1), V @ R1
        return _reaching(V, None, None, constant + constant.T, slope + slope.T)

    def _multipliers(self, V: FloatArray, t: float) -> list[_Guess]:
        O, L0, L1, R0, R1 = self._floats  # noqa: E741
        m, r = R0.shape
        one, L = np.eye(m), L0 + t * L1
        inverse = np.linalg.inv(L)
        W = inverse @ (R0 + t * R1)
        F = self._form(V, O)
        turn = np.block([[inverse, W], [np.zeros((r, m)), np.eye(r)]])  # (y, x) from (f, x)
        moved = turn.T @ F @ turn
        T, F_ff, F_xf = moved[m:, m:], moved[:m, :m], moved[m:, :m]
        C, J = L1 @ W - R1, L1 @ inverse
        half = np.linalg.inv(np.linalg.cholesky((T + T.T) / 2)).T
        values, vectors = np.linalg.eigh((F_ff + F_ff.T) / 2)
        below = (vectors * np.maximum(0.0, -values)) @ vectors.T
        back = np.block([[L, -L @ W], [np.zeros((r, m)), np.eye(r)]])
        out: list[_Guess] = []
        for share in UNEVEN:
            N = _mean(2 * (J.T @ -F_xf.T @ half), C @ half, share) + 2 * below
            Z = np.concatenate([N / 2, -F_xf])
            at = moved + Z @ np.hstack([one, np.zeros((m, r))])
            step = Z @ np.hstack([J, C])
            out += _reaching(V, back.T @ Z, turn, at + at.T - moved.T, step + step.T)
        return out

    def _form(self, V: FloatArray, O: FloatArray) -> FloatArray:  # noqa: E741
        r, m = O.shape
        if self.kind == "iteration":
            return np.block([[-V, np.zeros((m, r))], [np.zeros((r, m)), V]])
        return np.block([[np.zeros((m, m)), (V @ O).T], [V @ O, np.zeros((r, r))]])


def _power_of_two_below(*matrices: fmpq_mat) -> fmpq:
    """Near the largest entry of some matrices."""
    largest = max((abs(x) for M in matrices for x in M.entries()), default=fmpq(1)) or fmpq(1)
    shift = int(largest.p).bit_length() - int(largest.q).bit_length()
    return fmpq(1 << shift) if shift >= 0 else fmpq(1, 1 << -shift)


def form(candidate: Candidate | None) -> FloatArray | None:
    """V = KᵀSK, symmetric to the last bit: a BLAS may round its two halves differently; None of what is no use."""
    if candidate is None:
        return None
    V = (candidate.K.T * candidate.signs) @ candidate.K
    V = (V + V.T) / 2
    return V if np.isfinite(V).all() and np.abs(V).max() < HEAVY else None


def balanced_form(M: FloatArray, slope: FloatArray, disc: bool) -> FloatArray | None:
    """V = Re ZᴴSZ, Z the rows of M's left eigenvectors, with weights that balance the slope in their coordinates."""
    from scipy.linalg import matrix_balance

    try:
        values, vectors = np.linalg.eig(M)
        left = np.linalg.inv(vectors)
    except np.linalg.LinAlgError:  # infinite, or defective
        return None
    room = 1 - np.abs(values) if disc else values.real
    size = np.sqrt(np.abs(room))
    moved = np.abs(left @ slope @ vectors) / (size[:, None] * size)
    if not np.isfinite(moved).all():
        return None
    left /= matrix_balance(moved, permute=False, separate=True)[1][0][:, None]
    V = ((left.conj().T * np.sign(room)) @ left).real
    V = (V + V.T) / 2
    return V if np.isfinite(V).all() and np.abs(V).max() < HEAVY else None


def _reaching(
    V: FloatArray, Z: FloatArray | None, turn: FloatArray | None, constant: FloatArray, slope: FloatArray
) -> list[_Guess]:
    """How far constant + δ·slope stays positive; `turn` leads from its coordinates to those of V and Z."""
    basis = np.linalg.inv(np.linalg.cholesky((constant + constant.T) / 2)).T
    ends = np.linalg.eigvalsh(basis.T @ slope @ basis)
    fall, rise = (min(SHARE / x, FAR) if x > 0 else FAR for x in (ends[-1], -ends[0]))
    basis = basis if turn is None else turn @ basis
    fine = all(x is None or np.isfinite(x).all() for x in (V, Z, basis))
    return [(V, Z, basis, fall, rise)] if fine else []


def negative_directions(V: FloatArray) -> FloatArray | None:
    """As many x with xᵀVx < 0 as V has negative eigenvalues, where that is sure: V is diagonal in a basis, nearly."""
    values, vectors = np.linalg.eigh(V)
    if not values.all():
        return None
    basis = vectors / np.sqrt(np.abs(values))
    exact = balls(basis)
    rows = (exact.transpose() * balls(V) * exact).tolist()
    for i, row in enumerate(rows):
        rest = sum((abs(x) for j, x in enumerate(row) if j != i), arb(0))
        if not (row[i] > rest if values[i] > 0 else -row[i] > rest):
            return None
    return np.asarray(basis.T[values < 0])


def _mean(a: FloatArray, b: FloatArray, share: float) -> FloatArray:
    """The N ≻ 0 with N(bbᵀ)N = aaᵀ, both with a share of I."""
    m = len(a)
    A, B = a @ a.T, b @ b.T
    size = float(np.trace(B))
    if size == 0:
        return np.eye(m)
    A, B = A + (share * np.trace(A) / m + SMALL / size) * np.eye(m), B + share * size / m * np.eye(m)
    lower = np.linalg.cholesky(B)
    values, vectors = np.linalg.eigh(lower.T @ A @ lower)
    inner = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    inverse = np.linalg.inv(lower)
    return np.asarray(inverse.T @ inner @ inverse)


def _exact(x: float) -> fmpq:
    return rational(Fraction(x))


Kind = Literal["mean", "iteration", "direct"]  # all Re λ > 0, all |λ| < 1, det ≠ 0
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Piece:
    """On all of [low, high] so many eigenvalues are on the wrong side of the border, and none on it."""

    low: fmpq
    high: fmpq
    wrong: int
    ahead: float  # where the next crossing seems to be, in doubles, or infinite
    behind: float  # and the last one

    @property
    def stable(self) -> bool:
        """Are all on the right side?"""
        return self.wrong == 0


class Gap(NamedTuple):
    """Between two neighbours; None where the range begins or ends."""

    below: Piece | None
    above: Piece | None
    low: fmpq
    high: fmpq

    def is_open(self, width: fmpq) -> bool:
        """Is it worth a proof? Two neighbours that differ have a crossing between them."""
        differ = self.below is not None and self.above is not None and self.below.wrong != self.above.wrong
        return self.high - self.low > (width if differ else 0)

    def point(self, width: fmpq, tries: int) -> fmpq:
        """Where to try next: at an end of the range, on both sides of a forecast, and then at some share of the gap."""
        ends = [x for x, piece in ((self.low, self.below), (self.high, self.above)) if piece is None]
        forecasts = [piece.ahead if i == 0 else piece.behind for i, piece in enumerate(self[:2]) if piece is not None]
        # A forecast is right to second order: well within the width.
        crossings = [fmpq(*x.as_integer_ratio()) for x in forecasts if 0 < x < FAR]
        beside = [x + side * width / 3 for x in crossings for side in (-1, 1)]
        first = [x for x in ends + beside if self.low <= x <= self.high]
        shares = [self.low + (self.high - self.low) * fmpq(k, 8) for k in (4, 2, 6, 1, 7, 3, 5)]
        return short([*first, *shares][tries % (len(first) + len(shares))])


def cover(prover: Prover, width: fmpq, budget: float, progress: Progress | None = None) -> list[Piece]:
    """Pieces in ascending order, neighbours joined where they touch; `budget` in seconds, about, by the work done."""
    pieces: list[Piece] = []
    vain: Counter[tuple[fmpq, fmpq]] = Counter()  # proofs not found, or of next to nothing, of each gap
    while prover.cost + prover.price <= budget and prover.proofs < COVER_PROOFS:
        open_ = [g for g in _gaps(pieces, prover.last) if g.is_open(width) and vain[g.low, g.high] < COVER_FILLS]
        if not open_:
            break
        gap = max(open_, key=lambda g: g.high - g.low)
        found = prover.around(gap.point(width, vain[gap.low, gap.high]))
        if found is None or 4 * (found.high - found.low) < width:
            vain[gap.low, gap.high] += 1
        else:
            insert(pieces, found)
        if progress is not None:
            progress(min(1.0, prover.cost / budget))
    return pieces


def _gaps(pieces: list[Piece], last: fmpq) -> list[Gap]:
    lows, highs = [fmpq(0), *(p.high for p in pieces)], [*(p.low for p in pieces), last]
    return [Gap(*gap) for gap in zip([None, *pieces], [*pieces, None], lows, highs, strict=True)]


def insert(pieces: list[Piece], new: Piece) -> None:
    """Into its place, joined with all that it touches: they count the same eigenvalues."""
    touching = [p for p in pieces if p.low <= new.high and new.low <= p.high]
    for piece in touching:
        if piece.wrong != new.wrong:
            raise ArithmeticError(f"two proofs contradict each other near {float(fraction(new.low))!r}")
        pieces.remove(piece)
        first, last = min(piece, new, key=lambda p: p.low), max(piece, new, key=lambda p: p.high)
        new = Piece(first.low, last.high, new.wrong, last.ahead, first.behind)
    pieces.append(new)
    pieces.sort(key=lambda p: p.low)


def short(x: fmpq) -> fmpq:
    """Not above x, with a denominator of 2⁸⁰: far finer than brackets are, and it does not grow."""
    return fmpq((x * 2**80).floor(), 2**80)
