r"""For which T is a hard target network stable, all T at once?

G_T = B + Q_T(I − B), Q_T = (I − αX)ᵀ (a power). With N = ΦᵀDΦ as the norm ‖·‖, X is self-adjoint and, for
α < 2/λ_max(X), ‖Q_{T+j}‖ ≤ ‖Q_T‖. A V with V − GᵀVG ≻ 0 counts: G has as many eigenvalues outside the unit circle
as V has negative ones, none where V ≻ 0, one at least where xᵀVx < 0 for some x.

**From some T on.** All G_T are B + E, E = Q_T(I − B). With ‖Q_T‖ ≤ s, ‖I − B‖ ≤ w, ‖B‖ ≤ g,

    V − BᵀVB ⪰ εN,    −vN ⪯ V ⪯ vN,    2vgsw + vs²w² < ε        give  V − (B + E)ᵀV(B + E) ≻ 0

for that T and every later one. The inequalities are checked in balls.

**Beyond α = 2/λ_max(X)** the trace grows: with f = 1 − αλ_max(X) < −1 alone below −g, g ≥ |f'| for every other f', and
the projection P on its eigenvector,

    |tr G_T| ≥ |f|ᵀ|tr PW| − gᵀr‖W‖ − r‖B‖,    W = I − B,

which exceeds r from some T on unless tr PW = 0: an eigenvalue is outside the circle.

**The T before it.** One V serves many T. In coordinates in which N is nearly I, I − αX = U diag(f)Uᵀ up to δ and
UᵀU = I up to u, so Q_T is U diag(fᵀ)Uᵀ up to T(δ + 2u); δ and u are bounded in balls, and V − G_TᵀVG_T is seen to be
positive definite in doubles with a margin above what these and rounding can do. A T too close for that is asked for by
itself (`window_stable`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat, fmpq

from theory.budgets import FEW_WINDOWS, WINDOW_PROOFS, WINDOWS
from theory.certified.balls import balls, is_positive_definite, precision, unit
from theory.certified.verdicts import window_stable
from theory.exact.matrices import power
from theory.methods.forms import floats, form, sign_is_certain, symmetric, whitening
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray
from theory.thresholds.results import WholeSet

BITS = 256
BLOCK = 4096  # windows tried with one V
FIRST = 32  # of them at once, and then four times as many
NORMAL = 1e-6  # how near N has to be to I
TOO_MANY = "too many windows before those from which on all is proved"
NO_LIMIT = "the chain is on the boundary or too close to it: what happens for T → ∞ is not known"
DIVERGES = (
    "α is not below 2/λ_max(X): between two targets updates do not settle, and that ρ(G_T) grows with T was not proved"
)


class _Proof(NamedTuple):
    V: FloatArray
    stable: bool
    v: float
    g: float
    room: float  # how large ‖Q_T‖ may be, in floats, with something to spare


def stable_windows(problem: Problem, model: LinearModel, alpha: Fraction) -> WholeSet:
    """The T for which a hot-started target network of T updates converges."""
    if model.rank == 0:
        return WholeSet(((1, None),))
    with precision(BITS):
        near = _Neighbourhood(model, fmpq(alpha.numerator, alpha.denominator))
        if not near.shrinks:
            grows = near.grows_from()
            if grows is None:
                return _cover(problem, alpha, near, FEW_WINDOWS, None, (), DIVERGES)
            return _cover(problem, alpha, near, min(grows - 1, FEW_WINDOWS), grows, ((grows, None, False),), None)
        limit = near.around(None)
        first = None if limit is None else near.first_within(limit.room)
        if limit is None or first is None or not near.proves_from(first):
            return _cover(problem, alpha, near, FEW_WINDOWS, None, (), NO_LIMIT)
        return _cover(problem, alpha, near, min(first - 1, WINDOWS), first, ((first, None, limit.stable),), None)


def _cover(
    problem: Problem,
    alpha: Fraction,
    near: _Neighbourhood,
    last: int,
    first: int | None,
    end: tuple[tuple[int, int | None, bool], ...],
    why: str | None,
) -> WholeSet:
    """T = 1 … last piece by piece; `end` is what is known from `first` on, None: nothing."""
    found: list[tuple[int, int | None, bool]] = []
    T, spent = 1, 0
    while last >= T and spent < WINDOW_PROOFS:
        reached, stable = near.reach(T, last)
        if stable is None:
            verdict = window_stable(problem, T, alpha)
            if verdict.undecided:
                break
            reached, stable = T, verdict.proved
        found.append((T, reached, stable))
        T, spent = reached + 1, spent + 1
    unknown = ((T, None if first is None else first - 1),) if first is None or first > T else ()
    return WholeSet(_joined([*found, *end]), unknown, why if why or not unknown else TOO_MANY)


@dataclass(frozen=True)
class _Balls:
    N: arb_mat
    B: arb_mat
    W: arb_mat  # I − B
    step: arb_mat  # I − αX


class _Neighbourhood:
    """The matrices in coordinates in which N is nearly I, as balls and as floats."""

    def __init__(self, model: LinearModel, alpha: fmpq) -> None:
        N = model.X_hat
        C = whitening(balls(N))
        X, Y = balls(model.X), balls(model.gamma * model.Y)
        X, Y = C.solve(X * C), C.solve(Y * C)
        B, one = X.solve(Y), unit(model.rank)
        self.balls = _Balls(C.transpose() * balls(N) * C, B, one - B, one - arb(alpha) * X)
        self.B, self.W, self.step = (floats(m) for m in (B, one - B, self.balls.step))
        self.factors, self.basis = np.linalg.eigh((self.step + self.step.T) / 2)
        self.shrinks = self._below(self.balls.step, arb(1))
        self.w = self._norm(self.balls.W)
        U, f = balls(self.basis), balls(np.diag(self.factors))
        near_one = float(np.abs(floats(self.balls.N - one)).sum()) < NORMAL
        self.drift, self.offset = np.inf, np.inf
        if near_one and self.shrinks:
            delta = self._norm(self.balls.step - U * f * U.transpose())
            u = self._norm(U.transpose() * U - one)
            self.drift = 1.01 * float((delta + 2 * u).mid())
            self.offset = 1.01 * float((self._norm(B - balls(self.B)) + self._norm(self.balls.W - balls(self.W))).mid())

    def around(self, T: int | None) -> _Proof | None:
        """A V for G_T (None: for B), and how far it reaches."""
        found = _form(self.B if T is None else self.B + self._power(T) @ self.W)
        if found is None:
            return None
        V, epsilon, v, g = found
        w = float(self.w.mid())
        room = (np.sqrt(g * g + epsilon / v) - g) / w * 0.9 if w > 0 else np.inf
        return _Proof(V, bool(np.linalg.eigvalsh(V).min() > 0), v, g, float(room))

    def first_within(self, room: float) -> int | None:
        """About the smallest T with ‖Q_T‖ ≤ room."""
        q = float(np.abs(self.factors).max())
        if q <= room:
            return 1
        if not room > 0 or q >= 1:
            return None
        T = np.ceil(np.log(room) / np.log(q))
        return int(T) if T <= 10**9 else None

    def reach(self, T: int, last: int) -> tuple[int, bool | None]:
        """The last T' up to which the V of G_T counts every one, and what it says; None where it counts none."""
        proof = self.around(T) if np.isfinite(self.drift) else None
        if proof is None or not sign_is_certain(proof.V, balls(proof.V)):
            return T, None
        start, end, size = T, min(last, T + BLOCK - 1), FIRST
        while start <= end:
            counted = self._counted(proof, np.arange(start, min(end, start + size - 1) + 1))
            if not counted.all():
                start += int(np.argmin(counted))
                break
            start, size = start + len(counted), 4 * size
        return (start - 1, proof.stable) if start > T else (T, None)

    def _counted(self, proof: _Proof, windows: Array) -> Array:
        """Which of the T the V counts."""
        G = self.B + ((self.basis * self.factors ** windows[:, None, None]) @ self.basis.T) @ self.W
        n, g = len(self.B), np.sqrt((G * G).sum(axis=(1, 2)))
        forms = proof.V - G.transpose(0, 2, 1) @ proof.V @ G
        # ‖·‖₂ and ‖·‖_N differ by less than 1.0001; powers and products are off by some units in the last place.
        off = 1.001 * (windows * self.drift * (1 + float(self.w.mid())) + 2 * self.offset) + 1e-14 * n * (1 + g)
        margin = 2.1 * proof.v * (1 + g) * off + proof.v * off**2 + 1e-14 * n * n * proof.v * (1 + g) ** 2
        found: Array = np.linalg.eigvalsh((forms + forms.transpose(0, 2, 1)) / 2)[:, 0] > margin
        return found

    def proves_from(self, first: int) -> bool:
        """In balls: the V of B counts every T from `first` on."""
        b = self.balls
        found = _form(self.B)
        if found is None:
            return False
        V_, epsilon_, v_, _ = found
        V, epsilon, v = balls(V_), arb(0.97 * epsilon_), arb(1.03 * v_)
        s, g = self._norm(power(b.step, first)), self._norm(b.B)
        return (
            is_positive_definite(symmetric(V - b.B.transpose() * V * b.B - epsilon * b.N))
            and is_positive_definite(v * b.N - V)
            and is_positive_definite(v * b.N + V)
            and bool(2 * v * g * s * self.w + v * (s * self.w) ** 2 < epsilon)
            and sign_is_certain(V_, V)
        )

    def grows_from(self) -> int | None:
        """A T from which on |tr G_T| > r, where α is beyond 2/λ_max(X); None where that is not proved."""
        b, r = self.balls, len(self.B)
        at = int(np.argmax(np.abs(self.factors)))
        u = balls(self.basis[:, at : at + 1])
        u = u / (u.transpose() * b.N * u)[0, 0].sqrt()
        top = (u.transpose() * b.N * b.step * u)[0, 0]  # Rayleigh: an f is not above it
        others = np.delete(np.abs(self.factors), at).max(initial=1.0)
        between = (arb(float(others)) - top) / 2
        raised = symmetric(b.N * b.step) + between * b.N + 4 * (between - top) * b.N * u * u.transpose() * b.N
        if not (top < -between and between > 1 and is_positive_definite(raised)):
            return None  # one f alone below −between, all others above, and below 1 as all are
        rest = b.step * u - top * u
        off = (rest.transpose() * b.N * rest)[0, 0].abs_upper().sqrt() / (-between - top)
        c = abs((u.transpose() * b.N * b.W * u)[0, 0]) - 2 * off * self.w
        if not c > 0:
            return None
        spread, height = r * self.w, r * (1 + self._norm(b.B))
        with np.errstate(all="ignore"):
            f, g = -float(top.mid()), float(between.mid())
            T = max(np.log(2 * float(spread.mid()) / float(c.mid())) / np.log(f / g), 1.0)
            T = max(T, np.log(2 * float(height.mid()) / float(c.mid())) / np.log(f))
        if not T < 10**6:
            return None
        first = int(np.ceil(T)) + 1
        quotient = between / -top
        return first if bool((-top) ** first * (c - quotient**first * spread) > height) else None

    def _power(self, T: int) -> FloatArray:
        return np.asarray((self.basis * self.factors**T) @ self.basis.T)

    def _norm(self, M: arb_mat) -> arb:
        """A number that ‖M‖ is not above."""
        size = float(np.linalg.norm(floats(M), 2)) * 1.001 + 1e-30
        for _ in range(60):
            if self._below(M, arb(size)):
                return arb(size)
            size *= 1.5
        raise ArithmeticError("no bound on a norm was confirmed")

    def _below(self, M: arb_mat, size: arb) -> bool:
        return is_positive_definite(symmetric(size * size * self.balls.N - M.transpose() * self.balls.N * M))


def _form(G: FloatArray) -> tuple[FloatArray, float, float, float] | None:
    """V of V − GᵀVG = I, ε, v and ‖G‖, in floats and N = I."""
    V = form(G)
    if V is None:
        return None
    epsilon = float(np.linalg.eigvalsh(V - G.T @ V @ G).min())
    v = float(np.abs(np.linalg.eigvalsh(V)).max())
    return (V, epsilon, v, float(np.linalg.norm(G, 2))) if epsilon > 0.5 else None


def _joined(found: list[tuple[int, int | None, bool]]) -> tuple[tuple[int, int | None], ...]:
    """The stable ones, neighbours together."""
    out: list[tuple[int, int | None]] = []
    for first, last, stable in found:
        if not stable:
            continue
        if out and out[-1][1] == first - 1:
            out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return tuple(out)
