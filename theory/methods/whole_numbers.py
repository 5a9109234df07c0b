r"""For which n do n-step methods converge, and for which T a hard target network? All n, and all T, at once.

From some number on one bound proves all; below it each number, or each stretch of T, is proved by a quadratic form V:

    V − GᵀVG ≻ 0        G has as many eigenvalues outside the unit circle as V has negative ones
    VM + MᵀV ≻ 0        M has as many eigenvalues left of the imaginary axis as V has negative ones

so all are on the right side where V ≻ 0, and one at least is not where xᵀVx < 0 for some x. Forms are found in floats
and checked in balls; where none is found the number is asked for by itself.

**n.** In the norm ‖v‖² = Σ d(s)v(s)² Jensen gives ‖Pⁿv‖² ≤ c_n‖v‖², c_n = max_s (dPⁿ)(s)/d(s), and Π shrinks; so where
g_n = γ²ⁿc_n < 1 both hold, for every Φ:

    ρ(γⁿΠPⁿ) < 1        and        xᵀ(X − γⁿY_n)x ≥ (1 − √g_n)‖Φx‖² > 0.

c_{m+n} ≤ c_m c_n, and every whole number from N on is a sum of some in N … 2N − 1: if g_n < 1 for all of these, then
for every n ≥ N. Such an N exists, since c_n ≤ 1/min d.

**T.** G_T = B + Q_T(I − B), Q_T = (I − αX)ᵀ (a power). With N = ΦᵀDΦ as the norm ‖·‖, X is self-adjoint and, for
α < 2/λ_max(X), ‖Q_{T+j}‖ ≤ ‖Q_T‖. With ‖Q_T‖ ≤ s, ‖I − B‖ ≤ w, ‖B‖ ≤ g,

    V − BᵀVB ⪰ εN,    −vN ⪯ V ⪯ vN,    2vgsw + vs²w² < ε        give  V − G_TᵀVG_T ≻ 0

for that T and every later one. The T before it are taken one after the other, in doubles with bounds; one V serves
many. Beyond α = 2/λ_max(X) updates do not settle between two targets, and nothing is said about large T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, fmpq

from theory.budgets import FEW_WINDOWS, STEPS, WINDOW_PROOFS, WINDOWS
from theory.certified.answers import Answer
from theory.certified.decide import decide
from theory.certified.proofs import lyapunov
from theory.certified.questions import Enclosed, IterationConverges, MeanStable
from theory.certified.verdicts import window_stable
from theory.exact.matrices import power
from theory.model.balls import BITS, Bounded, as_bounded, balls, is_positive_definite, precision, unit
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.problems.numbers import FloatArray
from theory.thresholds.inequalities import form, negative_directions
from theory.thresholds.results import WholeSet

WINDOW_BITS = 256
LONGEST = 10**9  # T from which on all may be proved
TOO_LONG = f"γ is so close to 1 that a proof for all n would begin beyond n = {STEPS // 2}"
FEW_STEPS = 64  # n up to which all are decided where no bound is known
UNVISITED = "the target goes to states with d_μ = 0, and no bound is known for all n"
TOO_MANY = "too many windows before those from which on all is proved"
NO_LIMIT = "the chain is on the boundary or too close to it: what happens for T → ∞ is not known"
DIVERGES = "α is not below 2/λ_max(X): between two targets updates do not settle, and what large T do is not known"

Stretch = tuple[int, int | None, bool]  # first, last (None: without end), does it converge there?


def stable_steps(model: LinearModel, chain: bool, ask: Callable[[int], Answer]) -> WholeSet:
    """The n for which an n-step chain, or n-step TD, converges; `ask` is what decides where bounds do not."""
    with precision(BITS):
        P = balls(model.gamma * model.P)
        first = safe_from(P, model.d.entries(), model.gamma)
        if first is None and 0 not in model.d.entries():
            return WholeSet((), ((1, None),), TOO_LONG)
        last = FEW_STEPS if first is None else first - 1
        sides = list(_sides(model, P, chain, last))
    found: list[Stretch] = [] if first is None else [(first, None, True)]
    unknown = ((last + 1, None),) if first is None else ()
    for n in range(last, 0, -1):
        answer = ask(n) if sides[n - 1] is Answer.UNDECIDED else sides[n - 1]
        if answer is Answer.UNDECIDED:
            return WholeSet(_joined(found[::-1]), ((1, n), *unknown), f"n = {n} was not decided")
        found.append((n, n, answer is Answer.YES))
    return WholeSet(_joined(found[::-1]), unknown, UNVISITED if unknown else None)


def _sides(model: LinearModel, P: arb_mat, chain: bool, last: int) -> Iterator[Answer]:
    """For n = 1 … last, whatever is within the bounds of balls: γⁿY_n against X of a chain, or X − γⁿY_n."""
    V, X = balls(model.Phi), balls(model.X_hat)
    seen = balls(model.transposed(model.weighted(model.Phi)))
    for _ in range(last):
        V = P * V
        Y = seen * V
        if chain:
            yield decide(Enclosed(IterationConverges, as_bounded(Y), as_bounded(X))).holds
        else:
            A = X - Y
            yield decide(Enclosed(MeanStable, as_bounded(A if model.G is None else balls(model.G) * A))).holds


def safe_from(P: arb_mat, d: list[fmpq], gamma: fmpq) -> int | None:
    """The smallest N with g_n < 1 for n = N … 2N − 1, hence for every n ≥ N; None: beyond `STEPS`/2. P is γP."""
    row, weights, small = arb_mat([d]), [arb(x) for x in d], arb(1)
    last_bad = 0
    for n in range(1, STEPS + 1):
        row, small = row * P, small * arb(gamma)
        # Where d is 0 nothing bounds what arrives; what never arrives needs no bound.
        if not all(small * x < w or (w == 0 and x == 0) for x, w in zip(row.entries(), weights, strict=True)):
            last_bad = n
        elif n >= 2 * last_bad + 1:
            return last_bad + 1
    return None


def stable_windows(problem: Problem, model: LinearModel, alpha: Fraction) -> WholeSet:
    """The T for which a hot-started target network of T updates converges."""
    if model.rank == 0:
        return WholeSet(((1, None),))
    with precision(WINDOW_BITS):
        windows = _Windows(model, fmpq(alpha.numerator, alpha.denominator))
        limit = windows.limit() if windows.shrink else None
    if limit is None:
        last, why = FEW_WINDOWS, NO_LIMIT if windows.shrink else DIVERGES
    else:
        last, why = min(limit[0] - 1, WINDOWS), TOO_MANY
    found: list[Stretch] = []
    asked = 0
    for T, side in enumerate(windows.sides(last), 1):
        if side is None:
            verdict = window_stable(problem, T, alpha)
            asked += 1
            if verdict.undecided or asked > WINDOW_PROOFS:
                break
            side = verdict.proved
        found.append((T, T, side))
    end: list[Stretch] = [] if limit is None else [(limit[0], None, limit[1])]
    known = len(found) + 1
    unknown = ((known, end[0][0] - 1 if end else None),) if not end or end[0][0] > known else ()
    return WholeSet(_joined([*found, *end]), unknown, why if unknown else None)


class _Windows:
    """B, W and I − αX in coordinates in which N is nearly I, as balls, and the norm of N."""

    def __init__(self, model: LinearModel, alpha: fmpq) -> None:
        N = balls(model.X_hat)
        C = whitening(N)
        X, Y = (C.solve(balls(M) * C) for M in (model.X, model.gamma * model.Y))
        one = unit(model.rank)
        self.N, self.B = C.transpose() * N * C, X.solve(Y)
        self.W, self.step = one - self.B, one - arb(alpha) * X
        self.w, self.shrink = self.norm(self.W), self.below(self.step, arb(1))
        self.factors = np.abs(np.linalg.eigvalsh(as_bounded(symmetric(self.step)).mid))

    def limit(self) -> tuple[int, bool] | None:
        """The T from which on all is proved, and the answer."""
        rounded, g = as_bounded(self.B).mid, self.norm(self.B)
        V_ = form(lyapunov(rounded, None, True))
        if V_ is None:
            return None
        V = balls(V_)
        epsilon = arb(0.97 * float(np.linalg.eigvalsh(V_ - rounded.T @ V_ @ rounded).min()))
        v = arb(1.03 * float(np.abs(np.linalg.eigvalsh(V_)).max()))
        room = ((g * g + epsilon / v).sqrt() - g) / self.w * arb(0.9)
        if not (
            epsilon > 0
            and is_positive_definite(symmetric(V - self.B.transpose() * V * self.B - epsilon * self.N))
            and is_positive_definite(v * self.N - V)
            and is_positive_definite(v * self.N + V)
            and 2 * v * g * room * self.w + v * (room * self.w) ** 2 < epsilon
        ):
            return None
        q, enough = float(self.factors.max()), float(room.mid())
        with np.errstate(all="ignore"):
            T = 1.0 if q <= enough else float(np.ceil(1.001 * np.log(enough) / np.log(q)))
        if not (1 <= T <= LONGEST and self.below(power(self.step, int(T)), room)):
            return None
        wrong = negative_directions(V_)
        return None if wrong is None else (int(T), len(wrong) == 0)

    def sides(self, last: int) -> Iterator[bool | None]:
        """For T = 1 … last: does it converge? None where no form is found."""
        with precision(WINDOW_BITS):
            B, W, step = (as_bounded(M) for M in (self.B, self.W, self.step))
        V: FloatArray | None = None
        Q = step
        stable: bool | None = None
        for T in range(last):
            Q = Q * step if T else Q
            G = B + Q * W
            if V is None or not _decreases(V, G):
                V = form(lyapunov(G.mid, None, True))
                wrong = None if V is None or not _decreases(V, G) else negative_directions(V)
                V, stable = (None, None) if wrong is None else (V, len(wrong) == 0)
            yield stable

    def norm(self, M: arb_mat) -> arb:
        """A number that ‖M‖ is not above."""
        size = float(np.linalg.norm(as_bounded(M).mid, 2)) * 1.001 + 1e-30
        for _ in range(60):
            if self.below(M, arb(size)):
                return arb(size)
            size *= 1.5
        raise ArithmeticError("no bound on a norm was confirmed")

    def below(self, M: arb_mat, size: arb) -> bool:
        """Is ‖M‖ < size, surely?"""
        return is_positive_definite(symmetric(size * size * self.N - M.transpose() * self.N * M))


def _decreases(V: FloatArray, G: Bounded) -> bool:
    """V − GᵀVG ≻ 0, surely?"""
    with np.errstate(all="ignore"):
        exact = Bounded(V, np.zeros_like(V))
        return (exact - G.transpose() * exact * G).is_positive_definite()


def whitening(N: arb_mat) -> arb_mat:
    """A C in doubles with CᵀNC nearly I; N is scaled first, so that features of any size fit."""
    scale = [N[i, i].sqrt() for i in range(N.nrows())]
    rows = zip(N.tolist(), scale, strict=True)
    scaled = np.array([[float((x / (a * b)).mid()) for x, b in zip(row, scale, strict=True)] for row, a in rows])
    values, vectors = np.linalg.eigh(scaled)
    inner = vectors / np.sqrt(np.maximum(values, 1e-14))
    return arb_mat([[(1 / a).mid() * x for x in row] for row, a in zip(inner.tolist(), scale, strict=True)]).mid()


def symmetric(M: arb_mat) -> arb_mat:
    """(M + Mᵀ)/2."""
    return (M + M.transpose()) / 2


def _joined(found: list[Stretch]) -> tuple[tuple[int, int | None], ...]:
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
