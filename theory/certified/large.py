r"""Verdicts on large problems, from moments between bounds (`theory.certified.enclosed_moments`).

The ladder is asked about every matrix within the bounds (`theory.certified.questions.Within`), so what it proves is
true of the problem's own, whose entries nobody knows exactly. *Re-checked* means: the moments are enclosed a second
time by other code on another road (`theory.certified.recheck.moments`: integers in slices, P applied from the left),
and the independent checker repeats the proof in exact integers for everything within those second bounds.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from theory.certified import recheck
from theory.certified.answers import UNDECIDED, Verdict
from theory.certified.bounded import Bounded
from theory.certified.bounded import given as exactly
from theory.certified.certificates import Certificate
from theory.certified.decide import decide
from theory.certified.enclosed_moments import Enclosed, enclosed
from theory.certified.pencils import BoundedMoments, bounded_window, double_step
from theory.certified.questions import (
    ChainUnbiasedWithin,
    IterationConvergesWithin,
    TDStableWithin,
    Within,
)
from theory.certified.recheck import moments as second
from theory.problems.large import LargeProblem
from theory.problems.numbers import as_floats

UNRESOLVED = (
    "undecided: the features depend on each other, or nearly so, or are beyond 10^±60: "
    "that X ≻ 0 is not proved in doubles; leave out or rescale columns"
)
DISAGREE = "undecided: two enclosures of the moments do not meet"


def decided(problem: Any, kind: str, confirm: bool = False) -> Verdict:
    """The verdict on ``td`` or ``chain``."""
    found = enclosed(problem)
    if found is None:
        return _nothing(TDStableWithin if kind == "td" else ChainUnbiasedWithin, problem)
    return _confirmed(problem, found, lambda X, Y: _question(problem, found, kind, X, Y), confirm)


def window_stable(problem: Any, window: int, alpha: Fraction, start: str, confirm: bool = False) -> Verdict:
    """The verdict on a target network."""
    found, step = enclosed(problem), double_step(alpha)
    if found is None or step is None:
        reason = UNRESOLVED if step is not None else "undecided: the step size is beyond double precision"
        return _nothing(IterationConvergesWithin, problem, reason)

    def question(X: Bounded, Y: Bounded) -> Within:
        G, gamma = preconditioner(found), problem.gamma
        pencil = bounded_window(
            BoundedMoments(_by(G, X), _by(G, Y.scaled(gamma)), _by(G, X - Y.scaled(gamma))),
            step,
            window,
            start == "hot",
        )
        n = found.rank
        if pencil is None:
            return IterationConvergesWithin(np.zeros((n, n)), np.full((n, n), 1e300))
        N = pencil.N if pencil.alpha is None else exactly(np.eye(n), exact=False) - pencil.N.scaled(step)
        return IterationConvergesWithin(N.mid, N.rad)

    return _confirmed(problem, found, question, confirm)


def preconditioner(found: Enclosed) -> Bounded | None:
    """G = RRᵀ; None where it is I."""
    if found.R is None:
        return None
    return exactly(as_floats(found.R.dot(found.R.T)), exact=True)


def second_moments(problem: LargeProblem, found: Enclosed) -> tuple[Bounded, Bounded]:
    """X and Y by the other road, kept with the problem."""
    known = problem.__dict__.setdefault("_kept", {})
    if second_moments not in known:
        X, Y = second.moments(found.Phi.values, problem.successors, problem.d_mu)
        known[second_moments] = Bounded((X[0] + X[0].T) / 2, np.maximum(X[1], X[1].T)), Bounded(*Y)
    pair: tuple[Bounded, Bounded] = known[second_moments]
    return pair


def _question(problem: LargeProblem, found: Enclosed, kind: str, X: Bounded, Y: Bounded) -> Within:
    ahead = Y.scaled(problem.gamma)
    if kind == "chain":
        return ChainUnbiasedWithin(ahead.mid, ahead.rad, X.mid, X.rad)
    A = _by(preconditioner(found), X - ahead)
    return TDStableWithin(A.mid, A.rad)


def _confirmed(problem: LargeProblem, found: Enclosed, question: Any, confirm: bool) -> Verdict:
    verdict = decide(question(found.X, found.Y))
    if not confirm or verdict.evidence is None:
        return verdict
    X, Y = second_moments(problem, found)
    if not (meet(found.X, X) and meet(found.Y, Y)):
        return Verdict(verdict.question, UNDECIDED, DISAGREE, "undecided")
    if recheck.check(Certificate(question(X, Y), verdict.proved, verdict.evidence).to_dict()):
        return replace(verdict, rechecked=True)
    return verdict


def meet(a: Bounded, b: Bounded) -> bool:
    """Can both be right?"""
    return bool((np.abs(a.mid - b.mid) <= (a.rad + b.rad) * (1 + 1e-9)).all())


def _by(G: Bounded | None, M: Bounded) -> Bounded:
    return M if G is None else G * M


def _nothing(kind: type[Within], problem: LargeProblem, reason: str = UNRESOLVED) -> Verdict:
    n = problem.n_features
    return Verdict(kind(np.zeros((n, n)), np.full((n, n), np.inf)), UNDECIDED, reason, "undecided")
