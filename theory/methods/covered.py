r"""For which values of a parameter, where exact crossings are too long: the range covered by proofs, piece by piece.

The matrix of a method is O L(p)⁻¹R(p) with L and R affine in most of its parameters p: affine itself (`Method.affine`),
or with an inverse (`Method.resolvent`). Then one matrix inequality proves a whole interval of p
(`theory.thresholds.inequalities`), and such pieces are laid side by side. A parameter without an upper end is
p = q/(1 − q), 0 ≤ q ≤ 1.

The independent checker repeats every proof before it counts. What no proof reaches is unknown, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.budgets import COVER, INEQUALITY_ROWS
from theory.certified.recheck.along import check_inequalities
from theory.exact.matrices import fraction, identity, rational
from theory.methods.method import Method, Parameter, with_value
from theory.model.linear_model import LinearModel
from theory.thresholds.inequalities import Inequality, Kind, Prover, Resolvent, chosen, cover, piece_document, texts
from theory.thresholds.results import CoveredSet, StableSet

MARGIN = Fraction(1, 1024)  # what is left out at 0 where that does not belong to the range, and of q where 1 is no use
WIDTH = fmpq(1, 2**20)

Stretch = tuple[Fraction, Fraction | None, bool]  # low, high (None: without end), does it converge there?


@dataclass(frozen=True, eq=False)
class Cover:
    """Stretches of x, the parameter or the power of it that occurs, and the inequalities that prove them."""

    given: Resolvent
    kind: Kind
    endless: bool
    ends: Callable[[fmpq, fmpq], tuple[Fraction, Fraction | None]]  # what the prover's t means
    stretches: tuple[Stretch, ...]
    pieces: tuple[list[Inequality], ...]  # of each stretch

    def document(self) -> dict[str, Any]:
        """For the independent checker."""
        g = self.given
        question = {
            "kind": "resolvent",
            "claim": {"mean": "half-plane", "iteration": "disc", "direct": "regular"}[self.kind],
            "O": texts(g.O.tolist()),
            "L": [texts(M.tolist()) for M in (g.L0, g.L1)],
            "R": [texts(M.tolist()) for M in (g.R0, g.R1)],
            "endless": self.endless,
        }
        stretches = [
            {"low": str(low), "high": _end(high), "holds": holds, "pieces": [self._piece(x) for x in pieces]}
            for (low, high, holds), pieces in zip(self.stretches, self.pieces, strict=True)
        ]
        return {"question": question, "stretches": stretches}

    def _piece(self, x: Inequality) -> dict[str, Any]:
        low, high = self.ends(x.low, x.high)
        return piece_document(x) | {"low": str(low), "high": _end(high)}


def covered(method: Method, name: str, limits: Parameter, model: LinearModel) -> CoveredSet | StableSet | None:
    """Stretches of the parameter with a proof each, re-checked; None where its matrix is not of this kind, or large."""
    found = find_cover(method, name, limits, model)
    if found is None or not check_inequalities(found.document()):
        return None
    power, stretches = method.power(name), found.stretches
    if power > 1:
        rooted = ((_root(a, power, up=True), _root(b or Fraction(1), power, up=False), yes) for a, b, yes in stretches)
        stretches = tuple((a, b, yes) for a, b, yes in rooted if a <= b)
    if not stretches:
        return None
    low, high, stable = stretches[0]
    if len(stretches) == 1 and stable and low == limits.low and high == limits.high:
        return StableSet((limits.span,), limits.span)
    return CoveredSet(stretches, limits.span)


def find_cover(method: Method, name: str, limits: Parameter, model: LinearModel) -> Cover | None:
    """The proofs themselves."""
    kind, power, endless = method.question(model).kind, method.power(name), limits.high is None
    given = None
    if name in method.affine:
        M0, M1 = affine_parts(method, name, model)
        given = Resolvent.straight(M0, M1, identity(M0.nrows()))
    given = method.resolvent(name, model) if given is None else given
    if given is None or given.size > INEQUALITY_ROWS:
        return None
    low = MARGIN if limits.low_open else Fraction(limits.low)
    high = Fraction(1 if limits.high is None else limits.high)  # γ = 1 is looked at, too, where it is not in the range
    if endless:
        low = low / (1 + low)
        high = high if given.has_limit(kind) else high - MARGIN
    start = rational(low**power)
    prover = Prover(given.moved(start, kind if endless else None), kind, rational(high**power) - start)

    def ends(a: fmpq, b: fmpq) -> tuple[Fraction, Fraction | None]:
        first, last = fraction(start + a), fraction(start + b)
        if not endless:
            return first, last
        return first / (1 - first), None if last == 1 else last / (1 - last)

    pieces = cover(prover, WIDTH, COVER)
    if not pieces:
        return None
    stretches = tuple((*ends(piece.low, piece.high), piece.stable or kind == "direct") for piece in pieces)
    return Cover(given, kind, endless, ends, stretches, tuple(chosen(prover.found, p.low, p.high) for p in pieces))


def affine_parts(method: Method, name: str, model: LinearModel) -> tuple[fmpq_mat, fmpq_mat]:
    """M₀ and M₁ of M₀ + xM₁, x the parameter or the power of it that occurs; a third value must fit."""
    xs, found = [], []
    for value in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        chosen, here = with_value(method, model, name, value)
        xs.append(rational(value ** method.power(name)))
        found.append(chosen.question(here).matrix)
    slope = (found[1] - found[0]) / (xs[1] - xs[0])
    start = found[0] - xs[0] * slope
    if start + xs[2] * slope != found[2]:
        raise ArithmeticError(f"{method.name} is not affine in {name}")
    return start, slope


def _end(x: Fraction | None) -> str | None:
    return None if x is None else str(x)


def _root(x: Fraction, n: int, *, up: bool) -> Fraction:
    """A double with its n-th power not below x, or not above."""
    y = float(x) ** (1 / n)
    for _ in range(64):
        there = Fraction(y) ** n
        if there >= x if up else there <= x:
            return Fraction(y)
        y = float(np.nextafter(y, np.inf if up else -np.inf))
    raise ArithmeticError("no root was found")
