r"""Verdicts on large problems, from moments between bounds (`theory.certified.enclosed_moments`).

Every matrix within the bounds is asked about (`theory.certified.questions.Enclosed`), so what is proved is
true of the problem's own, whose entries nobody knows exactly. *Re-checked* means: the moments are enclosed a second
time by other code on another road (`theory.certified.recheck.moments`: integers in slices, P applied from the left),
and the independent checker repeats the proof in exact integers for everything within those second bounds.

Are TD and the chain safe for *every* Φ, of a large problem? M = 2D − γ(DP + PᵀD) ≻ 0, without forming M.

Off its diagonal M has no positive entry, so it is positive definite exactly where Mw > 0 for some w > 0 (a symmetric
M-matrix): *yes* is proved by such a w, in one product. *No* is proved by one x with xᵀD(I − γP)x < 0: as the only
feature it makes both fail. Conjugate gradients on Mw = d find one or the other: while M is positive definite they go on
to w, and a direction p with pᵀMp ≤ 0 on the way is x.

Mw is 2dw − γt with t = D(Pw) + Pᵀ(Dw), a sum of positive terms, and so it is right to a few rounding errors a term.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from theory.certified.answers import NO, UNDECIDED, YES, Answer, Verdict, certificate
from theory.certified.bounded import UNIT, Bounded, unit
from theory.certified.bounded import given as exactly
from theory.certified.decide import decide
from theory.certified.enclosed_moments import Enclosed as Moments
from theory.certified.enclosed_moments import enclosed
from theory.certified.over_states import Transitions, Weights, given, summed
from theory.certified.questions import ChainUnbiased, Enclosed, IterationConverges, Question, TDStable
from theory.certified.recheck import moments as second
from theory.exact.matrices import geometric_sum
from theory.problems.large import LargeProblem
from theory.problems.numbers import FloatArray, as_floats

SMALLEST_STEP, LARGEST_STEP = Fraction(1, 10**290), 10**290  # of doubles
UNRESOLVED = (
    "undecided: the features depend on each other, or nearly so, or are beyond 10^±60: "
    "that X ≻ 0 is not proved in doubles; leave out or rescale columns"
)
DISAGREE = "undecided: two enclosures of the moments do not meet"


def decided(problem: Any, kind: str, confirm: bool = False) -> Verdict:
    """The verdict on ``td`` or ``chain``."""
    found = enclosed(problem)
    if found is None:
        return _nothing(TDStable if kind == "td" else ChainUnbiased, problem)
    return _confirmed(problem, found, lambda X, Y: _question(problem, found, kind, X, Y), confirm)


def window_stable(problem: Any, window: int, alpha: Fraction, start: str, confirm: bool = False) -> Verdict:
    """The verdict on a target network."""
    found, step = enclosed(problem), float(alpha) if SMALLEST_STEP < abs(alpha) < LARGEST_STEP else None
    if found is None or step is None:
        reason = UNRESOLVED if step is not None else "undecided: the step size is beyond double precision"
        return _nothing(IterationConverges, problem, reason)

    def question(X: Bounded, Y: Bounded) -> Question:
        G, ahead, one = preconditioner(found), Y.scaled(problem.gamma), unit(found.rank)
        with np.errstate(over="ignore", invalid="ignore"):
            total = geometric_sum(one - _by(G, X).scaled(step), window, one)[1]
            N = (total * _by(G, X - ahead if start == "hot" else ahead)).scaled(step)
            return Enclosed(IterationConverges, one - N if start == "hot" else N)

    return _confirmed(problem, found, question, confirm)


def preconditioner(found: Moments) -> Bounded | None:
    """G = RRᵀ; None where it is I."""
    if found.R is None:
        return None
    return exactly(as_floats(found.R.dot(found.R.T)), exact=True)


def second_moments(problem: LargeProblem, found: Moments) -> tuple[Bounded, Bounded]:
    """X and Y by the other road, kept with the problem."""
    known = problem.__dict__.setdefault("_kept", {})
    if second_moments not in known:
        X, Y = second.moments(found.Phi.values, problem.successors, problem.d_mu)
        known[second_moments] = Bounded((X[0] + X[0].T) / 2, np.maximum(X[1], X[1].T)), Bounded(*Y)
    pair: tuple[Bounded, Bounded] = known[second_moments]
    return pair


def _question(problem: LargeProblem, found: Moments, kind: str, X: Bounded, Y: Bounded) -> Question:
    ahead = Y.scaled(problem.gamma)
    if kind == "chain":
        return Enclosed(ChainUnbiased, ahead, X)
    return Enclosed(TDStable, _by(preconditioner(found), X - ahead))


def _confirmed(problem: LargeProblem, found: Moments, question: Any, confirm: bool) -> Verdict:
    verdict = decide(question(found.X, found.Y))
    if not confirm or verdict.evidence is None:
        return verdict
    X, Y = second_moments(problem, found)
    if not (meet(found.X, X) and meet(found.Y, Y)):
        return Verdict(verdict.question, UNDECIDED, DISAGREE, "undecided")
    again = question(X, Y)
    if certificate(again.kind, again.given(), verdict.proved, verdict.evidence).recheck():
        return replace(verdict, rechecked=True)
    return verdict


def meet(a: Bounded, b: Bounded) -> bool:
    """Can both be right?"""
    return bool((np.abs(a.mid - b.mid) <= (a.rad + b.rad) * (1 + 1e-9)).all())


def _by(G: Bounded | None, M: Bounded) -> Bounded:
    return M if G is None else G * M


def _nothing(kind: type[Question], problem: LargeProblem, reason: str = UNRESOLVED) -> Verdict:
    n = problem.n_features
    nothing = Bounded(np.zeros((n, n)), np.full((n, n), np.inf))
    return Verdict(Enclosed(kind, nothing), UNDECIDED, reason, "undecided")


STEPS, CLOSE = 500, 1e-3


class LargeSafety(NamedTuple):
    """The answer, how we know, and what proves it: w where it is yes, x where it is no."""

    holds: Answer
    reason: str
    proof: FloatArray | None  # (S,)


def large_safety(problem: LargeProblem, progress: Any = None) -> LargeSafety:
    """Is every Φ safe?"""
    P, d = Transitions(problem.successors), problem.d_mu
    back, gamma = P.transposed, problem.gamma

    def times(w: FloatArray) -> FloatArray:
        found: FloatArray = 2 * (d * w) - gamma * (d * (P.P @ w) + back @ (d * w))
        return found

    w, rest = np.zeros(len(d)), d.copy()
    direction = rest / d
    size = float(rest @ direction)
    for step in range(STEPS):
        moved = times(direction)
        curvature = float(direction @ moved)
        if not curvature > 0:
            break
        alpha = size / curvature
        w += alpha * direction
        rest -= alpha * moved
        if np.abs(rest / d).max() < CLOSE and _proves(P, w, d, gamma):
            return LargeSafety(YES, "2D − γ(DP + PᵀD) is an M-matrix: Mw > 0 for a w > 0", w)
        scaled = rest / d
        size, before = float(rest @ scaled), size
        direction = scaled + size / before * direction
        if progress is not None:
            progress((step + 1) / STEPS)
    else:
        return LargeSafety(UNDECIDED, f"undecided: no proof either way in {STEPS} steps", None)
    x = direction / (np.abs(direction).max() or 1.0)
    if _refutes(P, x, d, gamma):
        return LargeSafety(NO, "a single feature x has A = xᵀD(I − γP)x < 0", x)
    return LargeSafety(UNDECIDED, "undecided: too close to tell in doubles", None)


def _proves(P: Transitions, w: FloatArray, d: FloatArray, gamma: float) -> bool:
    """Is w > 0 and Mw > 0, surely?"""
    if not w.min() > 1e-100 or not d.min() > 1e-150 or not w.max() < 1e100:
        return False
    longest = P.longest + int(np.diff(P.transposed.indptr).max(initial=1))
    t = d * (P.P @ w) + P.transposed @ (d * w)
    return bool((2 * d * w * (1 - 8 * UNIT) > gamma * t * (1 + (longest + 16) * UNIT) + 1e-300).all())


def _refutes(P: Transitions, x: FloatArray, d: FloatArray, gamma: float) -> bool:
    """Is xᵀDx < γxᵀDPx, surely?"""
    column = given(x[:, None])
    own, ahead = summed(column, Weights(d), column), summed(column, Weights(d), P.times(column))
    if own is None or ahead is None:
        return False
    discounted = ahead.scaled(gamma)
    return bool(own.mid[0, 0] + own.rad[0, 0] < (discounted.mid[0, 0] - discounted.rad[0, 0]) * (1 - 4 * UNIT))
