r"""For which values of a parameter, where exact crossings are too long: the range covered by proofs, piece by piece.

The matrix of a method is affine in most of its parameters, M(p) = M₀ + pM₁ (`Method.affine`). Then one quadratic form
proves a whole interval of p (`theory.thresholds.pieces` for the half plane), and `theory.thresholds.cover` lays such
pieces side by side. For the unit disc and V − GᵀVG, with δ the distance from where V was found,

    K(δ) = V − G(p)ᵀVG(p) = T − δL − δ²Q,    L = G₁ᵀVG + GᵀVG₁,    Q = G₁ᵀVG₁,

lies on [a, b] above its chord less max(0, −λ_min(Q)) (b − a)²/4: where that is positive definite at both ends, V counts
the eigenvalues of all G in between. A parameter without an upper end is p = q/(1 − q), 0 < q < 1: of (1 − q)M(p), which
is affine in q, eigenvalues are on the same side.

What no proof reaches is unknown, and said to be.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpq_mat

from theory.certified.balls import balls, is_positive_definite, precision, unit
from theory.exact.matrices import fraction, matrix, rational
from theory.methods.forms import floats, form, sign_is_certain, symmetric
from theory.methods.ground import Ground
from theory.methods.method import Method, Parameter, with_value
from theory.problems.numbers import FloatArray
from theory.thresholds.cover import cover
from theory.thresholds.pieces import Piece, Prover, short
from theory.thresholds.spans import CoveredSet, StableSet

MARGIN = Fraction(1, 1024)  # what is left out at 0 where that does not belong to the range, and of q at 1
WIDTH = fmpq(1, 2**20)
SECONDS = 0.4  # of proofs, about
LARGEST = 48  # eigenvalues
BITS = 128


def covered(method: Method, name: str, limits: Parameter, ground: Ground) -> CoveredSet | StableSet | None:
    """Stretches of the parameter with a proof each; None where the matrix is not affine in it, or too large."""
    kind, M, _ = method.question(ground)
    if name not in method.affine or kind == "direct" or len(M) > LARGEST:
        return None
    power, endless = method.power(name), limits.high is None
    low = MARGIN if limits.low_open else Fraction(limits.low)
    top = Fraction(1) if endless else Fraction(limits.high or 0)
    high = top - MARGIN if endless else top  # γ = 1 is looked at, too, where it does not belong to the range
    M0, M1 = affine_parts(method, name, ground)
    if endless:  # q from p
        M1 = M1 - M0
        low = low / (1 + low)
    # t = p − low, from 0
    start, slope, last = M0 + rational(low**power) * M1, M1, rational(high**power - low**power)
    prover = Disc(start, slope, last) if kind == "iteration" else Prover(start, -slope, last)
    found = []
    for piece in cover(prover, WIDTH, SECONDS):
        ends = [low**power + fraction(x) for x in (piece.low, piece.high)]
        if endless:
            ends = [q / (1 - q) for q in ends]
        if power > 1:
            ends = [_root(ends[0], power, up=True), _root(ends[1], power, up=False)]
        if ends[0] <= ends[1]:
            found.append((ends[0], ends[1], piece.stable))
    if not found:
        return None
    if len(found) == 1 and found[0][2] and found[0][0] == limits.low and found[0][1] == limits.high:
        return StableSet((limits.span,), limits.span)
    return CoveredSet(tuple(found), limits.span)


def affine_parts(method: Method, name: str, ground: Ground) -> tuple[fmpq_mat, fmpq_mat]:
    """M₀ and M₁ of M₀ + xM₁, x the parameter or the power of it that occurs; a third value must fit."""
    xs, found = [], []
    for value in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        chosen, here = with_value(method, ground, name, value)
        xs.append(rational(value ** method.power(name)))
        found.append(matrix(chosen.question(here).matrix.tolist()))
    slope = (found[1] - found[0]) / (xs[1] - xs[0])
    start = found[0] - xs[0] * slope
    if start + xs[2] * slope != found[2]:
        raise ArithmeticError(f"{method.name} is not affine in {name}")
    return start, slope


class Disc:
    """Proves pieces of p on which all eigenvalues of G₀ + pG₁ are within the unit circle, or one is not."""

    def __init__(self, G0: fmpq_mat, G1: fmpq_mat, last: fmpq) -> None:
        self.last, self.cost, self.proofs = last, 0.0, 0
        with precision(BITS):
            self._G0, self._G1 = balls(G0), balls(G1)
        self._f0, self._f1 = floats(self._G0), floats(self._G1)

    @property
    def price(self) -> float:
        """About how many seconds the next proof takes."""
        return 1e-3 + 6e-7 * self._G0.nrows() ** 3

    def around(self, p: fmpq) -> Piece | None:
        """An interval around p, within [0, last], that one V proves; None where none is found."""
        self.proofs += 1
        self.cost += self.price
        at = float(fraction(p))
        with np.errstate(all="ignore"):
            G = self._f0 + at * self._f1
            V = form(G)
            reach = None if V is None else _reach(V, G, self._f1)
        if V is None or reach is None:
            return None
        delta = rational(Fraction(reach))
        low, high = max(fmpq(0), short(p - delta)), min(self.last, short(p + delta))
        with precision(BITS):
            if low > high or not self._proved(V, low, high):
                return None
        # The next proof is tried as far ahead as this one reaches, and not half of it spent on what is known.
        return Piece(low, high, 0 if np.linalg.eigvalsh(V)[0] > 0 else 1, at + 2 * reach, at - 2 * reach)

    def _proved(self, V_: FloatArray, low: fmpq, high: fmpq) -> bool:
        V = balls(V_)
        Q = symmetric(self._G1.transpose() * V * self._G1)
        one = unit(len(V_))
        bend = arb(max(0.0, -float(np.linalg.eigvalsh(floats(Q))[0]) * 1.01))
        if float(bend.mid()) > 0 and not is_positive_definite(Q + bend * one + arb(1e-12) * one):
            return False
        spare = (bend + arb(1e-12)) * arb(high - low) ** 2 / 4
        for x in (low, high):
            G = self._G0 + arb(x) * self._G1
            if not is_positive_definite(symmetric(V - G.transpose() * V * G) - spare * one):
                return False
        return sign_is_certain(V_, V)


def _reach(V: FloatArray, G: FloatArray, G1: FloatArray) -> float | None:
    """How far from G the form surely stays positive, in floats, with something to spare."""
    slope, bend = G1.T @ V @ G, G1.T @ V @ G1
    try:
        L = np.linalg.cholesky(V - G.T @ V @ G)
        inner = np.linalg.inv(L)
        ell = float(np.abs(np.linalg.eigvalsh(inner @ (slope + slope.T) @ inner.T)).max())
        q = float(np.abs(np.linalg.eigvalsh(inner @ bend @ inner.T)).max())
    except np.linalg.LinAlgError:
        return None
    # 1 − δℓ − 2δ²q > 0: one q for the form itself, one for its bend
    found = 2 / (ell + np.sqrt(ell * ell + 8 * q)) if ell + q > 0 else 4.0
    return 0.9 * float(found) if np.isfinite(found) and found > 0 else None


def _root(x: Fraction, n: int, *, up: bool) -> Fraction:
    """A double with its n-th power not below x, or not above."""
    y = float(x) ** (1 / n)
    for _ in range(64):
        there = Fraction(y) ** n
        if there >= x if up else there <= x:
            return Fraction(y)
        y = float(np.nextafter(y, np.inf if up else -np.inf))
    raise ArithmeticError("no root was found")
