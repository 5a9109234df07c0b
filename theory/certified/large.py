r"""Verdicts on large problems, from moments between bounds (`theory.model.enclosed`).

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

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from theory.budgets import SAFETY_STEPS
from theory.certified.answers import NO, UNDECIDED, YES, Verdict
from theory.certified.decide import decide
from theory.certified.proofs import Dominance, Witness
from theory.certified.questions import ChainUnbiased, Enclosed, IterationConverges, Question, UniformlySafe
from theory.certified.recheck import moments as second
from theory.model.balls import BITS, UNIT, UNRESOLVED, Bounded, as_bounded, precision
from theory.model.enclosed import EnclosedModel, enclosed
from theory.model.over_states import Transitions, Weights, given, summed
from theory.problems import Problem
from theory.problems.numbers import FloatArray
from theory.problems.problem import cached_for_all_discounts

SMALLEST_STEP, LARGEST_STEP = Fraction(1, 10**290), 10**290  # of doubles


def decided(problem: Problem, kind: type[Question], confirm: bool = False) -> Verdict:
    """The verdict on TD or the chain."""

    def question(model: EnclosedModel, **again: Any) -> Question:
        if kind is ChainUnbiased:
            return Enclosed(kind, as_bounded(model.gamma * model.Y_hat), as_bounded(model.X_hat), **again)
        return Enclosed(kind, as_bounded(model.A), **again)

    return _decided(problem, kind, question, confirm)


def window_stable(problem: Problem, window: int, alpha: Fraction, start: str, confirm: bool = False) -> Verdict:
    """The verdict on a target network."""
    if not SMALLEST_STEP < abs(alpha) < LARGEST_STEP:
        return _nothing(IterationConverges, problem, "undecided: the step size is beyond double precision")

    def question(model: EnclosedModel, **again: Any) -> Question:
        step, one = model.number(alpha), model.eye()
        S_T = step * model.geometric(one - step * model.X, window)
        moved = one - S_T * model.A if start == "hot" else S_T * (model.gamma * model.Y)
        return Enclosed(IterationConverges, as_bounded(moved), **again)

    return _decided(problem, IterationConverges, question, confirm)


@cached_for_all_discounts
def second_moments(problem: Any) -> tuple[Bounded, Bounded]:
    """X and Y of the independent features by the other road."""
    model = enclosed(problem)
    X, Y = second.moments(model.Phi.values, problem.successors, problem.d_mu)
    return Bounded((X[0] + X[0].T) / 2, np.maximum(X[1], X[1].T)), Bounded(*Y)


def _decided(problem: Problem, kind: type[Question], question: Callable[..., Question], confirm: bool) -> Verdict:
    model = enclosed(problem)
    if not model.resolved:
        return _nothing(kind, problem, UNRESOLVED)

    def again() -> Question | None:
        X, Y = second_moments(problem)
        if not (meet(as_bounded(model.X_hat), X) and meet(as_bounded(model.Y_hat), Y)):
            return None
        with precision(BITS):
            return question(model.between(X, Y))

    with precision(BITS):
        first = question(model, second=again)
    return decide(first, confirm)


def meet(a: Bounded, b: Bounded) -> bool:
    """Can both be right?"""
    return bool((np.abs(a.mid - b.mid) <= (a.rad + b.rad) * (1 + 1e-9)).all())


def _nothing(kind: type[Question], problem: Problem, reason: str) -> Verdict:
    n = problem.n_features
    nothing = Bounded(np.zeros((n, n)), np.full((n, n), np.inf))
    return Verdict(Enclosed(kind, nothing), UNDECIDED, reason, "undecided")


CLOSE = 1e-3


def large_safety(problem: Any, progress: Any = None) -> Verdict:
    """Is every Φ safe?"""
    question, how = UniformlySafe(problem.given.gamma, problem.successors, problem.d_mu), "floats with bounds"
    P, d = Transitions(problem.successors), problem.d_mu
    back, gamma = P.transposed, problem.gamma

    def times(w: FloatArray) -> FloatArray:
        return 2 * (d * w) - gamma * (d * (P.P @ w) + back @ (d * w))

    w, rest = np.zeros(len(d)), d.copy()
    direction = rest / d
    size = float(rest @ direction)
    for step in range(SAFETY_STEPS):
        moved = times(direction)
        curvature = float(direction @ moved)
        if not curvature > 0:
            break
        alpha = size / curvature
        w += alpha * direction
        rest -= alpha * moved
        if np.abs(rest / d).max() < CLOSE and _proves(P, w, d, gamma):
            reason = "2D − γ(DP + PᵀD) is an M-matrix: Mw > 0 for a w > 0"
            return Verdict(question, YES, reason, how, Dominance(w))
        scaled = rest / d
        size, before = float(rest @ scaled), size
        direction = scaled + size / before * direction
        if progress is not None:
            progress((step + 1) / SAFETY_STEPS)
    else:
        return Verdict(question, UNDECIDED, f"undecided: no proof either way in {SAFETY_STEPS} steps", how)
    x = direction / (np.abs(direction).max() or 1.0)
    if _refutes(P, x, d, gamma):
        return Verdict(question, NO, "a single feature x has A = xᵀD(I − γP)x < 0", how, Witness(x))
    return Verdict(question, UNDECIDED, "undecided: too close to tell in doubles", how)


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
