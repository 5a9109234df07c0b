"""The exact pencil (N, E) of a question: whose eigenvalues Nv = λEv decide it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TypeVar

from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import balls, unit, window_sum
from theory.certified.certificates import Question
from theory.certified.recheck.checker import LONGEST_EXACT_WINDOW
from theory.exact.matrices import block_bidiagonal, identity, matrix, rational, zeros
from theory.exact.reduced import Reduced, reduced_moments
from theory.problems import InvalidProblem
from theory.problems.numbers import as_exact

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Pencil:
    """N and E (None for I); `disc` asks all |λ| < 1, else all Re λ > 0; with `alpha` it asks |1 − αλ| < 1."""

    disc: bool
    N: fmpq_mat
    E: fmpq_mat | None = None
    symmetric: fmpq_mat | None = None  # Â of N = GÂ: where Â + Âᵀ ≻ 0 all Re λ > 0
    alpha: fmpq | None = None

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return int(self.N.nrows())

    def eigen(self) -> fmpq_mat:
        """E⁻¹N, or I − αN."""
        if self.alpha is not None:
            return identity(self.size) - self.alpha * self.N
        return self.N if self.E is None else self.E.solve(self.N)

    @property
    def step(self) -> fmpq | None:
        """α, where the eigenvalues that count are those of I − αN."""
        return self.alpha

    def in_balls(self) -> tuple[arb_mat, arb_mat | None]:
        """N and E at the present precision."""
        return balls(self.N), None if self.E is None else balls(self.E)

    def work(self) -> float:
        """About how long an exact root count takes, in units of 4 ns: n⁴ times the length of an entry."""
        return float(self.size) ** 4 * (height(self.N) + _height(self.alpha))


@dataclass(frozen=True, eq=False)
class WindowPencil:
    """G_T = I − S_T A (hot) or S_T γY (cold) in independent features, exactly or in balls."""

    X: fmpq_mat  # GX̂
    moment: fmpq_mat  # GÂ or γGŶ
    alpha: fmpq
    window: int
    hot: bool
    disc: bool = True

    @property
    def size(self) -> int:
        """The number of eigenvalues."""
        return int(self.X.nrows())

    def exact(self) -> Pencil:
        """The same with all digits: T times as long as the problem's."""
        n = self.size
        step = identity(n) - self.alpha * self.X
        power, total = step, self.alpha * identity(n)
        for bit in bin(self.window)[3:]:
            total, power = total + power * total, power * power
            if bit == "1":
                total, power = total + self.alpha * power, power * step
        product = total * self.moment
        return Pencil(True, identity(n) - product if self.hot else product)

    @property
    def step(self) -> fmpq | None:
        """α of G_T = I − α(S_T/α)A; None for a cold start, or where α is not positive."""
        return self.alpha if self.hot and self.alpha > 0 else None

    def in_balls(self) -> tuple[arb_mat, arb_mat | None]:
        """(S_T/α)·moment, of G_T = I − α that, or S_T·moment where the start is cold; E is I."""
        product = window_sum(self.X, self.alpha, self.window) * balls(self.moment)
        if self.step is not None:
            return product * (1 / arb(self.alpha)), None
        return unit(self.size) - product if self.hot else product, None

    def work(self) -> float:
        """As of `Pencil`; infinite beyond what the checker would repeat."""
        if self.window > LONGEST_EXACT_WINDOW:
            return inf
        return float(self.size) ** 4 * self.window * (height(self.X) + _height(self.alpha))


def pencil(question: Question) -> Pencil | WindowPencil:
    """The pencil of a question of any kind but `uniform`."""
    q = question
    if q.M is not None:
        M = matrix(as_exact(q.M))
        if q.kind == "matrix":
            return _step_pencil(M, rational(_given(q.alpha)))
        return Pencil(True, M) if q.kind == "iteration" else Pencil(False, M, symmetric=M)
    r = reduced_moments(q.gamma, _given(q.Phi), _given(q.P), _given(q.d))
    if q.kind == "td":
        return Pencil(False, r.key_matrix, symmetric=r.X - r.gamma * r.Y)
    if q.kind == "chain":
        return Pencil(True, r.gamma * r.Y, r.X)
    alpha = rational(_given(q.alpha))
    if q.kind == "window":
        moment = r.key_matrix if q.start == "hot" else r.successor_moment
        return WindowPencil(r.feature_moment, moment, alpha, _given(q.window), q.start == "hot")
    return _step_pencil(_stepped(r, q.which or ""), alpha)


def height(m: fmpq_mat) -> int:
    """The length in bits of the longest entry."""
    return max((int(x.p).bit_length() + int(x.q).bit_length() for x in m.entries()), default=1)


def _height(x: fmpq | None) -> int:
    return 0 if x is None else int(x.p.bit_length()) + int(x.q.bit_length())


def _given(value: Value | None) -> Value:
    if value is None:
        raise InvalidProblem("lacks a number that it depends on", "question")
    return value


def _step_pencil(M: fmpq_mat, alpha: fmpq) -> Pencil:
    """I − αM; the form without cancellation divides by α."""
    return Pencil(True, M, alpha=alpha) if alpha > 0 else Pencil(True, identity(M.nrows()) - alpha * M)


def _stepped(r: Reduced, which: str) -> fmpq_mat:
    """M of the Richardson iteration; that of the joint chain has the eigenvalues of A_μ and X."""
    if which in ("td", "behaviour"):
        return r.key_matrix
    if which == "sequential":
        return r.feature_moment
    return block_bidiagonal([r.key_matrix, r.feature_moment], zeros(r.rank, r.rank))
